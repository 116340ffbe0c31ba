import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serviceOrigin } from '../../db/origin.ts';
import { recordEvent } from '../../domain/events/record.ts';
import { applyPlain } from '../../domain/todos/change.ts';
import { eventsOf } from '../support/event-log.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('the origin of changes');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

test('the last event of an origin is one that was not undone, in a savepoint or a transaction', async () => {
  const { workspaceId } = await tandem.workspace();
  const db = tandem.db.as(serviceOrigin());
  const record = (to: typeof db) => recordEvent(to, workspaceId, { type: 'todo.created', objectId: workspaceId });
  const undone = async (to: typeof db) => {
    await record(to);
    throw new Error('undone');
  };
  await db.transaction(undone).catch(() => {});
  assert.is(db.origin.eventId, undefined);
  await db.transaction(async (tx) => {
    await record(tx);
    await tx.transaction(undone).catch(() => {});
  });
  const [event, second] = await eventsOf(tandem, workspaceId);
  assert.equal([db.origin.eventId, second], [event?.id, undefined]);
});

test('an origin has recorded nothing where a change set equal values', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { id } = (await call('POST /todos', { title: 'Water the plants' })).body;
  const changed = { columns: { priority: 2 }, assignees: undefined, labels: undefined };
  const change = { ...changed, schedule: undefined, schedulePaused: undefined };
  const recordedBy = async () => {
    const db = tandem.db.as(serviceOrigin());
    await applyPlain(db, workspaceId, id, change, 'any');
    const { origin } = db;
    return [origin.eventId !== undefined, origin.hasRecorded ?? false];
  };
  assert.equal(
    [await recordedBy(), await recordedBy()],
    [
      [true, true],
      [false, false],
    ],
  );
});

test.run();

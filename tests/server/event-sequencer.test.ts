import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { numberEvents } from '../../domain/events/number.ts';
import { fitting, maxRows } from '../../domain/events/queue.ts';
import { recordEvent } from '../../domain/events/record.ts';
import { originOf, record } from '../support/event-fixtures.ts';
import { startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';
import { until } from '../support/until.ts';

const test = suite('the numbers of events');
let tandem: TestService;
let other: Database;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  // So many that nobody waits for a connection for seconds, on a machine of any speed.
  other = connect(testDatabaseUrl(), { poolSize: 40 });
});
test.after(async () => {
  await other.close();
  await tandem.close();
});

async function logOf(workspaceId: string): Promise<{ id: string; sequence: number }[]> {
  const text = `select object_id as id, sequence from events where workspace_id = $1 order by sequence`;
  const rows = await other.rows<{ id: string; sequence: string }>(text, [workspaceId]);
  return rows.map(({ id, sequence }) => ({ id, sequence: Number(sequence) }));
}

async function untilCount(workspaceId: string, count: number) {
  await until(async () => (await logOf(workspaceId)).length >= count);
  return logOf(workspaceId);
}

test('follow the order of the commits, not that of the writes, and an open transaction delays nobody', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const slow = newId();
  let [first]: string[] = [];
  await other.as(originOf(userId)).transaction(async (tx) => {
    await recordEvent(tx, workspaceId, { type: 'todo.created', objectId: slow });
    [first] = await record(other, workspace, 1);
    assert.equal(await untilCount(workspaceId, 1), [{ id: first, sequence: 1 }]);
  });
  const log = await untilCount(workspaceId, 2);
  assert.equal(log, [
    { id: first, sequence: 1 },
    { id: slow, sequence: 2 },
  ]);
});

test('of workspaces that have too many together, the oldest are numbered first, with those that fit beside them', () => {
  const waiting = (id: string, count: number, second: number) => {
    return { id, count, isTracked: true, committedAt: `2028-01-01 00:00:0${second}+00` };
  };
  const found = [
    waiting('third', 10, 3),
    waiting('second', maxRows - 10, 2),
    waiting('first', 20, 1),
    waiting('alone', maxRows + 1, 0),
  ];
  assert.equal(
    fitting(found).map(({ id }) => id),
    ['first', 'third'],
  );
});

test('are without gaps, and those of one transaction are together and in its order', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const groups = await Promise.all(Array.from({ length: 40 }, (_, size) => record(other, workspace, (size % 5) + 1)));
  const all = groups.flat();
  const log = await untilCount(workspaceId, all.length);
  assert.equal(
    log.map(({ sequence }) => sequence),
    all.map((_, place) => place + 1),
  );
  const ids = log.map(({ id }) => id);
  for (const group of groups) {
    const start = ids.indexOf(group[0] ?? '');
    assert.equal(ids.slice(start, start + group.length), group);
  }
});

test('are not given to what was rolled back', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const lost = other.as(originOf(userId)).transaction(async (tx) => {
    await recordEvent(tx, workspaceId, { type: 'todo.created', objectId: newId() });
    throw new Error('no');
  });
  await lost.catch(() => {});
  const ids = await record(other, workspace, 1);
  assert.equal(
    await untilCount(workspaceId, 1),
    ids.map((id) => ({ id, sequence: 1 })),
  );
});

test('are given once when several processes do so at the same time', async () => {
  const worlds = await Promise.all(Array.from({ length: 5 }, () => tandem.workspace()));
  const writes = worlds.flatMap((world) => Array.from({ length: 30 }, () => record(other, world, 2)));
  const numbering = Array.from({ length: 60 }, () => numberEvents(other));
  const ids = (await Promise.all(writes)).flat();
  await Promise.all(numbering);
  const found: string[] = [];
  for (const { workspaceId } of worlds) {
    const log = await untilCount(workspaceId, 60);
    assert.equal(
      log.map(({ sequence }) => sequence),
      Array.from({ length: 60 }, (_, place) => place + 1),
    );
    found.push(...log.map(({ id }) => id));
  }
  assert.equal(found.sort(), ids.sort());
});

test('are given in pieces when there are more than a batch takes', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const ids = await record(other, workspace, 12_000);
  const log = await untilCount(workspaceId, ids.length);
  assert.equal(
    log.map(({ id }) => id),
    ids,
  );
  assert.is(log.at(-1)?.sequence, ids.length);
});

test('are given to more workspaces than a batch has', async () => {
  const ids = Array.from({ length: 230 }, () => crypto.randomUUID());
  await other.transaction(async (tx) => {
    for (const workspaceId of ids) await recordEvent(tx, workspaceId, { type: 'todo.created', objectId: newId() });
  });
  const text = 'select 1 from events where workspace_id = any($1::uuid[]) and sequence = 1';
  await until(async () => (await other.rows(text, [ids])).length === ids.length);
});

test('wait where another process holds the position of the workspace, which delays no other and shows as lag', async () => {
  const [held, free] = [await tandem.workspace(), await tandem.workspace()];
  await record(other, held, 1);
  await untilCount(held.workspaceId, 1);
  await other.transaction(async (tx) => {
    await tx.rows('select 1 from event_positions where workspace_id = $1 for update', [held.workspaceId]);
    await record(other, held, 1);
    await record(other, free, 1);
    await untilCount(free.workspaceId, 1);
    assert.ok((await numberEvents(other)).oldest);
    assert.is((await logOf(held.workspaceId)).length, 1);
  });
  await untilCount(held.workspaceId, 2);
});

test('show their lag as a metric', async () => {
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  assert.match(text, /^tandem_event_lag_seconds \d/m);
});

test.run();

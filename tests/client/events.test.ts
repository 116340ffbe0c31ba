import { readFileSync } from 'node:fs';
import { type Answer, createTandemClient, type FollowEventsOptions, followEvents } from 'tandem/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refusalOf, watchedClient } from '../support/client-world.ts';
import { reached, record } from '../support/event-fixtures.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { sequenceOf, unreliable } from '../support/unreliable.ts';

const test = suite('events followed by the typed client');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

test('are each received once and in order while connections break at random', async () => {
  const workspace = await tandem.workspace();
  const total = 150;
  const found: number[] = [];
  const { client, sent } = watchedClient(
    tandem,
    workspace.key,
    {},
    unreliable({ random: sequenceOf(7), isOver: () => found.length >= total - 5, maxBytes: 25_000 }),
  );
  const writing = (async () => {
    for (let made = 0; made < total; made += 3) await record(tandem.db, workspace, 3);
  })();
  const positions: number[] = [];
  const onPosition = (sequence: number) => positions.push(sequence);
  for await (const { sequence } of followEvents(client, { afterSequence: 0, onPosition })) {
    found.push(sequence);
    if (found.length >= total) break;
  }
  await writing;
  assert.equal(
    found,
    Array.from({ length: total }, (_, place) => place + 1),
  );
  assert.equal(
    positions,
    [...positions].sort((a, b) => a - b),
  );
  assert.ok(sent.filter(({ calls }) => calls[0] === 'events.stream').length > 3, 'connections broke');
});

test('follow a snapshot that is taken at the start, and again when the position is no longer kept', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, key } = workspace;
  await record(tandem.db, workspace, 5);
  await reached(workspace, 5);
  const client = createTandemClient({ url: tandem.url, token: key });
  const snapshots: unknown[] = [];
  const onSnapshotNeeded: FollowEventsOptions['onSnapshotNeeded'] = async ({ sequence, error }) => {
    snapshots.push([sequence, error?.problem.reason ?? null]);
    await record(tandem.db, workspace, 1);
  };
  for await (const { sequence } of followEvents(client, { onSnapshotNeeded })) {
    assert.is(sequence, 6);
    break;
  }
  await tandem.db.rows('update event_positions set expired = 4 where workspace_id = $1', [workspaceId]);
  for await (const { sequence } of followEvents(client, { onSnapshotNeeded, afterSequence: 3 })) {
    assert.is(sequence, 7);
    break;
  }
  for await (const { sequence } of followEvents(client, { onSnapshotNeeded, afterSequence: 99 })) {
    assert.is(sequence, 8);
    break;
  }
  assert.equal(snapshots, [
    [5, null],
    [6, 'position_expired'],
    [7, 'position_unknown'],
  ]);
  const refused = await refusalOf(followEvents(client, { afterSequence: 3 }).next());
  assert.match(refused.message, /already deleted/);
});

test('follow a copy that has every todo, read as docs/events.md shows', async () => {
  const { workspaceId, key, call } = await tandem.workspace();
  const data = Array.from({ length: 40 }, (_, place) => ({ title: `Todo ${place}` }));
  for (let batch = 0; batch < 3; batch++) await call('POST /todos/batch', { data });
  const all = await tandem.db.rows<{ id: string }>('select id from todos where workspace_id = $1', [workspaceId]);
  const ids = all.map(({ id }) => id).sort();
  await call(`DELETE /todos/${ids[0]}`);
  const suggest = 'update todos set is_suggested = true where workspace_id = $1 and id = $2';
  await tandem.db.rows(suggest, [workspaceId, ids[1]]);
  const [source = ''] = /async function allTodos[\s\S]*?\n\}\n/.exec(readFileSync('docs/events.md', 'utf8')) ?? [];
  const read = new Function('tandem', `${source.replace(': string | undefined', '')} return allTodos();`);
  const copy: { id: string }[] = await read(createTandemClient({ url: tandem.url, token: key }));
  assert.is(ids.length, 120);
  assert.equal(copy.map(({ id }) => id).sort(), ids);
});

test('end with the error when the credential is not valid, with that of a callback, and with the reason of the signal', async () => {
  const workspace = await tandem.workspace();
  const { key } = workspace;
  const wrong = createTandemClient({ url: tandem.url, token: `${key}x` });
  assert.match((await refusalOf(followEvents(wrong).next())).message, /not valid/);
  const client = createTandemClient({ url: tandem.url, token: key });
  const onSnapshotNeeded = () => {
    throw new Error('the page is gone');
  };
  assert.is((await refusalOf(followEvents(client, { onSnapshotNeeded }).next())).message, 'the page is gone');
  const stop = new AbortController();
  const waiting = followEvents(client, {
    signal: stop.signal,
    onPosition: () => stop.abort(new Error('enough')),
  }).next();
  assert.is((await refusalOf(waiting)).message, 'enough');
});

test('have their positions on the answers of the client', async () => {
  const workspace = await tandem.workspace();
  await record(tandem.db, workspace, 2);
  await reached(workspace, 2);
  const found: Answer[] = [];
  const client = createTandemClient({ url: tandem.url, token: workspace.key, onAnswer: (each) => found.push(each) });
  await Promise.all([client.todoLists.list.query({}), client.events.latest.query({})]);
  assert.equal(
    found.map(({ path, type, sequence }) => [path, type, sequence]),
    [
      ['todoLists.list', 'query', 2],
      ['events.latest', 'query', 2],
    ],
  );
});

test('have the event of each write on its answer, also of several in one request', async () => {
  const workspace = await tandem.workspace();
  const { body } = await workspace.call('POST /todos/batch', {
    data: [{ title: 'a' }, { title: 'b' }, { title: 'c' }],
  });
  const [first, second, third] = body.data.map(({ id }: { id: string }) => id);
  const found: Answer[] = [];
  const onAnswer = (each: Answer) => found.push(each);
  const { client, sent } = watchedClient(tandem, workspace.key, { onAnswer, retries: 0 });
  const unknown = crypto.randomUUID();
  const [, , missing] = await Promise.allSettled([
    client.todos.update.mutate({ todoId: second, title: 'new b' }),
    client.todos.update.mutate({ todoId: third, title: 'c' }),
    client.todos.update.mutate({ todoId: unknown, title: 'd' }),
    client.todos.update.mutate({ todoId: first, title: 'new a' }),
  ]);
  assert.is(missing.status, 'rejected');
  assert.equal(
    sent.map(({ calls }) => calls.length),
    [4],
  );
  await reached(workspace, 5);
  const { data } = await client.events.list.query({ afterSequence: 3 });
  const events = Object.fromEntries(data.map(({ id, data: { id: todoId } }) => [todoId, id]));
  assert.equal(new Set(Object.keys(events)), new Set([first, second]), 'c was called so already');
  assert.equal(
    found.filter(({ type }) => type === 'mutation').map(({ path, eventId }) => [path, eventId]),
    [
      ['todos.update', events[second]],
      ['todos.update', events[first]],
    ],
  );
});

test.run();

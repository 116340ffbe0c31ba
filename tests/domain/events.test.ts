import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recordEvent } from '../../domain/events/record.ts';
import { sweepEvents } from '../../domain/events/retention.ts';
import { originOf, reached, record } from '../support/event-fixtures.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { until } from '../support/until.ts';

const test = suite('the log of events');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

const sequences = (body: { data: { sequence: number }[] }) => body.data.map(({ sequence }) => sequence);

test('is empty at first, and has its end at 0', async () => {
  const { call } = await tandem.workspace();
  const { status, body } = await call('GET /events');
  assert.is(status, 200);
  assert.equal(body, { object: 'list', data: [], hasMore: false, nextCursor: null, nextSequence: 0 });
  assert.equal((await call('GET /events/latest')).body, { object: 'event_position', sequence: 0 });
});

test('shows an event with its actor and what it is about', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId, userId } = workspace;
  const listId = crypto.randomUUID();
  const changes = { changedFields: ['title'], parents: { todoListId: listId } };
  const [todoId] = await record(tandem.db, workspace, [{ type: 'todo.updated', ...changes }]);
  await reached(workspace, 1);
  const { body } = await call('GET /events?afterSequence=0');
  const [{ id, occurredAt }] = body.data;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.ok(Math.abs(Date.parse(occurredAt) - Date.now()) < 3_600_000, occurredAt);
  assert.equal(body.data, [
    {
      object: 'event',
      id,
      type: 'todo.updated',
      sequence: 1,
      occurredAt,
      workspaceId,
      actor: { type: 'user', id: userId, name: 'Tess', credentialId: null, via: 'rest' },
      requestId: 'test',
      data: { object: 'todo', id: todoId, parents: { todoListId: listId }, changedFields: ['title'], version: null },
    },
  ]);
});

test('is paged by cursor and by sequence, and each page says where to continue', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  await record(tandem.db, workspace, 7);
  await reached(workspace, 7);
  const found: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await call(`GET /events?limit=2&afterSequence=1${cursor && `&cursor=${cursor}`}`);
    found.push(...sequences(body));
    assert.is(body.nextSequence, found.at(-1));
    cursor = body.nextCursor;
  }
  assert.equal(found, [2, 3, 4, 5, 6, 7]);
  const { body } = await call('GET /events?afterSequence=5');
  assert.equal([sequences(body), body.nextSequence], [[6, 7], 7]);
});

test('is filtered by type, kind, resource and actor, and continues after what was left out', async () => {
  const workspace = await tandem.workspace();
  const { call, userId } = workspace;
  const [, chatId] = await record(tandem.db, workspace, [
    { type: 'todo.created' },
    { type: 'chat.created' },
    { type: 'todo.completed' },
  ]);
  await record(tandem.db, { ...workspace, userId: crypto.randomUUID() }, 1);
  await reached(workspace, 4);
  const of = async (query: string) => sequences((await call(`GET /events?${query}`)).body);
  assert.equal(await of('types=todo.completed,chat.created'), [2, 3]);
  assert.equal(await of('resources=chat'), [2]);
  assert.equal(await of('resources=chat&types=todo.created'), []);
  assert.equal(await of(`resourceId=${chatId?.toUpperCase()}`), [2]);
  assert.equal(await of(`actorId=${userId}`), [1, 2, 3]);
  const { body } = await call('GET /events?resources=agent&afterSequence=1');
  assert.equal([body.data, body.nextSequence], [[], 4]);
});

test('shows a reader only what its scopes reach, and what is for one person to that person alone', async () => {
  const workspace = await tandem.workspace();
  const { call, mint, session, userId, member } = workspace;
  await record(tandem.db, workspace, [
    { type: 'todo.created' },
    { type: 'capture.created' },
    { type: 'member.added' },
    { type: 'notification.created', readerId: userId },
    { type: 'notification.created', readerId: await member() },
  ]);
  await reached(workspace, 5);
  const seenBy = async (key: string) => sequences((await call('GET /events', undefined, { key })).body);
  assert.equal(await seenBy(await mint(['todos:read'])), [1]);
  assert.equal(await seenBy(await mint(['captures:read', 'todos:write'])), [2]);
  assert.equal(await seenBy(await session()), [1, 2, 3, 4]);
});

test('holds a request until something that matches happens', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const waiting = call('GET /events?afterSequence=0&types=todo.completed&waitSeconds=25');
  await record(tandem.db, workspace, 3);
  await reached(workspace, 3);
  await record(tandem.db, workspace, [{ type: 'todo.completed' }]);
  const { body } = await waiting;
  assert.equal([sequences(body), body.nextSequence], [[4], 4]);
  const { body: none } = await call('GET /events?afterSequence=4&waitSeconds=1');
  assert.equal([none.data, none.nextSequence], [[], 4]);
});

test('refuses a position after which events were deleted, or that it has not reached, and a cursor of another list', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  await record(tandem.db, workspace, 4);
  await record(tandem.db, workspace, [{ type: 'member.added' }]);
  await reached(workspace, 5);
  const { body: page } = await call('GET /events?afterSequence=0&limit=1');
  const { body: all } = await call('GET /events?limit=1');
  await tandem.db.rows(
    `update events set occurred_at = now() - interval '31 days' where workspace_id = $1 and sequence <> 4`,
    [workspaceId],
  );
  await until(async () => {
    await sweepEvents(tandem.db.for('maintenance'), { eventDays: 30, auditDays: 365 });
    return (await call('GET /events')).body.data.length < 4;
  });
  const expired = { status: 400, code: 'invalid_cursor', reason: 'position_expired', param: 'afterSequence' };
  for (const after of [0, 1, 2]) {
    const { body } = await call(`GET /events?afterSequence=${after}`);
    const { status, code, reason, param, oldestSequence, latestSequence } = body;
    assert.equal({ status, code, reason, param }, expired);
    assert.equal([oldestSequence, latestSequence], [4, 5]);
  }
  assert.is((await call('GET /events/stream?afterSequence=2')).body.reason, 'position_expired');
  const { body: later } = await call(`GET /events?afterSequence=0&cursor=${page.nextCursor}`);
  assert.equal([later.reason, later.param], ['position_expired', 'cursor']);
  assert.is((await call('GET /events?afterSequence=6')).body.reason, 'position_unknown');
  assert.is((await call(`GET /events?cursor=${page.nextCursor}`)).body.code, 'invalid_cursor');
  assert.equal(sequences((await call('GET /events?afterSequence=3')).body), [4]);
  // What security depends on is kept, for a list that asks for whatever there is.
  const key = await workspace.session();
  const kept = await call(`GET /events?limit=9&cursor=${all.nextCursor}`, undefined, { key });
  assert.equal(sequences(kept.body), [4, 5]);
  assert.equal(sequences((await call('GET /events', undefined, { key })).body), [4, 5]);
});

test('keeps what security depends on, the instructions and rules of agents included, longer than other events', async () => {
  const workspace = await tandem.workspace();
  const types = ['todo.updated', 'agent.updated', 'skill.updated', 'approval.decided', 'message.created'] as const;
  await record(
    tandem.db,
    workspace,
    types.map((type) => ({ type })),
  );
  await reached(workspace, types.length);
  const age = `update events set occurred_at = now() - interval '31 days' where workspace_id = $1`;
  await tandem.db.rows(age, [workspace.workspaceId]);
  await sweepEvents(tandem.db.for('maintenance'), { eventDays: 30, auditDays: 365 });
  const { body } = await workspace.call('GET /events', undefined, { key: await workspace.session() });
  assert.equal(
    body.data.map(({ type }: { type: string }) => type),
    ['agent.updated', 'skill.updated', 'approval.decided'],
  );
});

test('is not shown without a credential, nor to one that may read nothing, nor to another workspace', async () => {
  const workspace = await tandem.workspace();
  const { call, mint } = workspace;
  await record(tandem.db, workspace, 1);
  await reached(workspace, 1);
  for (const path of ['/events', '/events/latest', '/events/stream']) {
    assert.is((await call(`GET ${path}`, undefined, { key: null })).status, 401);
    assert.is((await call(`GET ${path}`, undefined, { key: await mint(['todos:write']) })).status, 403);
  }
  const { call: stranger } = await tandem.workspace();
  assert.equal((await stranger('GET /events')).body.data, []);
  assert.is((await call('GET /events?types=todo.exploded')).body.param, 'types[0]');
});

test('is for agents and people who are gone as well', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { body: agent } = await call('POST /agents', { name: 'Scout' });
  const origin = { ...originOf(agent.id), actorType: 'agent' as const, via: 'agent' as const };
  await tandem.db.as(origin).transaction(async (tx) => {
    await recordEvent(tx, workspace.workspaceId, { type: 'todo.created', objectId: crypto.randomUUID() });
  });
  await record(tandem.db, { ...workspace, userId: crypto.randomUUID() }, 1);
  const done = async () => (await call('GET /events?types=todo.created')).body.data;
  await until(async () => (await done()).length === 2);
  assert.equal(
    (await done()).map(({ actor }: { actor: { name: string | null } }) => actor.name),
    ['Scout', null],
  );
});

test('after a restore and the documented statement no position of before is taken for one of the new log', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const restore = async () => {
    await tandem.db.rows('delete from events where workspace_id = $1 and sequence > 3', [workspaceId]);
    await tandem.db.rows('update event_positions set latest = 3 where workspace_id = $1', [workspaceId]);
  };
  await record(tandem.db, workspace, 5);
  await reached(workspace, 5);
  await restore();
  await record(tandem.db, workspace, 4);
  await reached(workspace, 7);
  assert.equal(
    sequences((await call('GET /events?afterSequence=5')).body),
    [6, 7],
    'what is 4 and 5 now is never read',
  );
  await restore();
  const [statement = ''] =
    /update event_positions [^;]+/.exec(readFileSync('docs/backup-and-upgrade.md', 'utf8')) ?? [];
  await tandem.db.rows(`${statement} where workspace_id = $1`, [workspaceId]);
  await record(tandem.db, workspace, 4);
  await reached(workspace, 1_000_007);
  for (const path of ['/events', '/events/stream']) {
    assert.is((await call(`GET ${path}?afterSequence=5`)).body.reason, 'position_expired', path);
  }
  const added = [4, 5, 6, 7].map((place) => 1_000_000 + place);
  assert.equal(sequences((await call('GET /events?afterSequence=1000003')).body), added);
  const { body } = await call('GET /events');
  assert.equal([sequences(body), body.nextSequence], [[1, 2, 3, ...added], 1_000_007]);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createApiKey } from '../../db/seed.ts';
import { followedWorkspace } from '../support/event-log.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { addMember, refused, unknownId } from '../support/todo-fixtures.ts';

const test = suite('saved views');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

/** The key of another member of the workspace, who is no owner. */
async function colleague({ workspaceId }: Pick<TestWorkspace, 'workspaceId'>): Promise<string> {
  const userId = await addMember(tandem, workspaceId, 'Ann');
  const grant = { workspaceId, userId, name: 'Theirs', scopes: ['todos:read' as const, 'todos:write' as const] };
  return (await createApiKey(tandem.db, { ...grant, rateLimitPerMinute: 10_000 })).secret;
}

const namesOf = ({ body }: { body: { data: { name: string }[] } }) => body.data.map(({ name }) => name).join(' ');

test('a view keeps its query in the form of listTodos, private unless shared, and is read back the same', async () => {
  const { call, userId } = await tandem.workspace();
  const query = {
    status: ['active', 'done'],
    priority: 'urgent',
    labelId: unknownId,
    sort: 'dueDate',
    order: 'asc',
    group: 'due',
  };
  const { status, body } = await call('POST /views', { name: 'Urgent', icon: '🔥', query });
  assert.is(status, 201);
  const { id, createdAt, updatedAt, ...rest } = body;
  assert.equal(rest, { object: 'view', userId, name: 'Urgent', icon: '🔥', isShared: false, query });
  assert.is(updatedAt, createdAt);
  assert.equal((await call(`GET /views/${id}`)).body, body);
  const { body: plain } = await call('POST /views', { name: 'All', query: {} });
  assert.equal([plain.icon, plain.query], [null, {}]);
  assert.equal((await call('GET /views')).body, {
    object: 'list',
    data: [body, plain],
    hasMore: false,
    nextCursor: null,
  });
});

test('what a later release stored in a query is kept when something else is changed', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const later = [
    { priority: 'high', layout: 'timeline' },
    { priority: 'high', later: 1 },
  ];
  for (const query of later) {
    const { body } = await call('POST /views', { name: 'Later', query: {} });
    const ids = [workspaceId, body.id];
    const put = 'update saved_views set query = $3::jsonb where workspace_id = $1 and id = $2';
    await tandem.db.rows(put, [...ids, query]);
    assert.is((await call(`PATCH /views/${body.id}`, { name: 'Renamed', isShared: true })).body.name, 'Renamed');
    const stored = 'select query from saved_views where workspace_id = $1 and id = $2';
    assert.equal(await tandem.db.rows(stored, ids), [{ query }]);
  }
});

test('a query that listTodos would refuse is refused with the path of its fault', async () => {
  const { call } = await tandem.workspace();
  const faults: [query: object, param: string][] = [
    [{ priority: 'loud' }, 'query.priority'],
    [{ labelId: ['x'] }, 'query.labelId'],
    [{ dueBefore: '2026-02-30' }, 'query.dueBefore'],
    [{ layout: 'tree' }, 'query.layout'],
    [{ sort: 'title' }, 'query.sort'],
    [{ peek: unknownId }, 'query.peek'],
    [{ cursor: 'x' }, 'query.cursor'],
  ];
  for (const [query, param] of faults) {
    const { status, body } = await call('POST /views', { name: 'a', query });
    assert.is(status, 400);
    assert.ok(body.param.startsWith(param), `${body.param}, not ${param}`);
  }
  refused(await call('POST /views', { name: ' ', query: {} }), 400, 'name');
  refused(await call('POST /views', { name: 'a', icon: 'ab', query: {} }), 400, 'icon');
});

test('an update is one event with the fields that changed, none where all values are equal', async () => {
  const { does } = await followedWorkspace(tandem);
  const { body, events } = await does('POST /views', { name: 'a', query: { priority: ['low', 'high'] } });
  assert.equal(events, [['view.created', body.id]]);
  const route = `PATCH /views/${body.id}`;
  assert.equal((await does(route, { name: 'b', icon: '🔥' })).events, [['view.updated', body.id, 'name', 'icon']]);
  assert.equal((await does(route, { query: { sort: 'priority' } })).events, [['view.updated', body.id, 'query']]);
  assert.equal((await does(route, { isShared: true })).events, [['view.updated', body.id, 'isShared']]);
  const equal = await does(route, { name: 'b', isShared: true, query: { sort: 'priority' } });
  assert.equal([equal.events, equal.body.icon], [[], '🔥']);
  assert.is((await does(route, { icon: null })).body.icon, null);
  assert.equal((await does(`DELETE /views/${body.id}`)).events, [['view.deleted', body.id]]);
});

test('a private view is its owner’s alone; a shared one is seen by all, and changed by its owner and workspace owners', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const key = await colleague(workspace);
  const { body: mine } = await call('POST /views', { name: 'mine', query: {} });
  const { body: ours } = await call('POST /views', { name: 'ours', isShared: true, query: {} });
  assert.is(namesOf(await call('GET /views', undefined, { key })), 'ours');
  for (const route of [`GET /views/${mine.id}`, `DELETE /views/${mine.id}`]) {
    refused(await call(route, undefined, { key }), 404, 'viewId');
  }
  refused(await call(`PATCH /views/${mine.id}`, { name: 'x' }, { key }), 404, 'viewId');
  const change = await call(`PATCH /views/${ours.id}`, { name: 'x' }, { key });
  assert.equal([change.status, change.body.reason], [403, 'owner_required']);
  assert.is((await call(`DELETE /views/${ours.id}`, undefined, { key })).status, 403);
  const { body: theirs } = await call('POST /views', { name: 'theirs', isShared: true, query: {} }, { key });
  assert.is((await call(`PATCH /views/${theirs.id}`, { name: 'renamed' })).body.name, 'renamed');
  const hidden = await call(`PATCH /views/${theirs.id}`, { isShared: false });
  assert.equal([hidden.status, hidden.body.isShared], [200, false]);
  refused(await call(`GET /views/${theirs.id}`), 404, 'viewId');
  assert.is(namesOf(await call('GET /views', undefined, { key })), 'renamed ours');
});

test('events of a private view are for its owner alone; those of one that becomes private are for all', async () => {
  const workspace = await tandem.workspace();
  const { call, userId } = workspace;
  const { body: view } = await call('POST /views', { name: 'a', query: {} });
  for (const change of [{ name: 'b' }, { isShared: true }, { name: 'c' }, { isShared: false }]) {
    await call(`PATCH /views/${view.id}`, change);
  }
  await call(`DELETE /views/${view.id}`);
  const rows = await tandem.db.rows<{ id: string; readerId: string | null }>(
    `select e.id, e.reader_id as "readerId" from (
      select id, reader_id, object_id from events union select id, reader_id, object_id from event_queue) e
    where object_id = $1 order by id`,
    [view.id],
  );
  assert.equal(
    rows.map(({ readerId }) => readerId === userId),
    [true, true, false, false, false, true],
  );
});

test('views stand where they are placed, private ones before shared ones', async () => {
  const { call } = await tandem.workspace();
  const ids: Record<string, string> = {};
  const add = async (name: string, more: object = {}) => {
    ids[name] = (await call('POST /views', { name, query: {}, ...more })).body.id;
  };
  await add('S', { isShared: true });
  for (const name of ['a', 'b', 'c']) await add(name);
  await add('d', { afterViewId: ids.a });
  await add('e', { afterViewId: null });
  const order = async () => namesOf(await call('GET /views'));
  assert.is(await order(), 'e a d b c S');
  const moves: [name: string, after: string | null, expected: string][] = [
    ['e', 'c', 'a d b c e S'],
    ['b', null, 'b a d c e S'],
    ['b', 'b', 'refused'],
    ['b', 'S', 'refused'],
    ['a', 'd', 'b d a c e S'],
    ['a', 'd', 'b d a c e S'],
  ];
  for (const [name, after, expected] of moves) {
    const answer = await call(`PATCH /views/${ids[name]}`, { afterViewId: after === null ? null : ids[after] });
    if (expected === 'refused') refused(answer, 400, 'afterViewId');
    else assert.is(await order(), expected);
  }
  await call(`PATCH /views/${ids.d}`, { isShared: true });
  assert.is(await order(), 'b a c e S d');
  await call(`PATCH /views/${ids.d}`, { isShared: false, afterViewId: ids.b });
  assert.is(await order(), 'b d a c e S');
});

test('a person has at most 100 private views, also where several are saved at the same time', async () => {
  const { call, workspaceId, userId } = await tandem.workspace();
  await tandem.db.rows(
    `insert into saved_views (workspace_id, id, user_id, name, query, position)
    select $1, gen_random_uuid(), $2, n::text, '{}', n from generate_series(1, 98) n`,
    [workspaceId, userId],
  );
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, n) => call('POST /views', { name: `n${n}`, query: {} })),
  );
  assert.is(answers.filter(({ status }) => status === 201).length, 2);
  for (const answer of answers.filter(({ status }) => status !== 201)) refused(answer, 409, null);
  assert.is((await call('POST /views', { name: 'ours', isShared: true, query: {} })).status, 201);
});

test('a view of another workspace is not found, and a precondition is compared with the view as it is', async () => {
  const { call } = await tandem.workspace();
  const { body: theirs } = await (await tandem.workspace()).call('POST /views', {
    name: 'a',
    isShared: true,
    query: {},
  });
  for (const id of [theirs.id, unknownId]) refused(await call(`PATCH /views/${id}`, { name: 'b' }), 404, 'viewId');
  refused(await call('POST /views', { name: 'a', query: {}, afterViewId: theirs.id }), 400, 'afterViewId');
  const made = await call('POST /views', { name: 'a', query: {} });
  const headers = { 'if-match': made.headers.get('etag') ?? '' };
  assert.is((await call(`PATCH /views/${made.body.id}`, { name: 'b' }, { headers })).status, 200);
  assert.is((await call(`PATCH /views/${made.body.id}`, { name: 'c' }, { headers })).status, 412);
});

test.run();

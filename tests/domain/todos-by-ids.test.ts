import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { queryOf, refused, setColumns, titlesOf, unknownId, walk } from '../support/todo-fixtures.ts';

const test = suite('todos by their ids, and pages of sessions');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

async function made(titles: readonly string[]) {
  const workspace = await tandem.workspace();
  const { body } = await workspace.call('POST /todos/batch', { data: titles.map((title) => ({ title })) });
  return { ...workspace, ids: body.data.map(({ id }: { id: string }) => id) as string[] };
}

test('ids lists these todos in the order of the request, archived and suggested ones too', async () => {
  const { call, ids } = await made(['a', 'b', 'c']);
  const [a = '', b = '', c = ''] = ids;
  await call(`DELETE /todos/${a}`);
  await setColumns(tandem, b, { is_suggested: true });
  const { status, body } = await call(`GET /todos?ids=${[c, a.toUpperCase(), unknownId, b, c]}&include=totalCount`);
  assert.is(status, 200);
  const { data, ...envelope } = body;
  assert.equal(envelope, { object: 'list', hasMore: false, nextCursor: null, totalCount: 3 });
  for (const [place, id] of [c, a, b].entries()) assert.equal(data[place], (await call(`GET /todos/${id}`)).body);
});

test('todos of another workspace are left out as those that never existed are', async () => {
  const [mine, theirs] = [await made(['mine']), await made(['theirs'])];
  const answer = await mine.call(`GET /todos?ids=${[...theirs.ids, ...mine.ids]}`);
  assert.equal(titlesOf(answer), ['mine']);
  assert.equal((await mine.call(`GET /todos?ids=${theirs.ids}`)).body.data, []);
});

test('ids takes 1 to 100 ids, and no filter, order of another kind or cursor of another list beside them', async () => {
  const { call, ids } = await made(Array.from({ length: 30 }, (_, place) => `${place}`));
  assert.is((await call(`GET /todos?ids=${ids}`)).body.data.length, 30, 'more than the default page');
  const hundred = Array.from({ length: 100 }, () => unknownId);
  assert.is((await call(`GET /todos?ids=${hundred}`)).status, 200);
  refused(await call(`GET /todos?ids=${[...hundred, unknownId]}`), 400, 'ids');
  refused(await call('GET /todos?ids='), 400, 'ids[0]');
  refused(await call(`GET /todos?ids=${ids[0]},x`), 400, 'ids[1]');
  for (const [name, value] of Object.entries({ status: 'ready', archived: 'any', query: 'x' })) {
    refused(await call(`GET /todos?${queryOf({ ids: ids[0], [name]: value })}`), 400, name);
  }
  refused(await call(`GET /todos?ids=${ids[0]}&cursor=x`), 400, 'cursor', 'invalid_cursor');
  const absent = await call(`GET /todos?ids=${ids[0]}&assignedToMe=false&unassigned=false`);
  assert.is(absent.body.data?.length, 1, absent.text);
  refused(await call(`GET /todos/summary?ids=${ids[0]}`), 400, 'ids', 'unknown_parameter');
});

test('a session may ask for pages of 500, a key for pages of 100', async () => {
  const workspace = await made(Array.from({ length: 50 }, (_, place) => `${place}`));
  for (const _ of [1, 2]) await workspace.call('POST /todos/batch', { data: Array(50).fill({ title: 'more' }) });
  const key = await workspace.session();
  const page = await workspace.call('GET /todos?limit=120', undefined, { key });
  assert.is(page.body.data.length, 120);
  const next = await workspace.call(`GET /todos?limit=500&cursor=${page.body.nextCursor}`, undefined, { key });
  assert.equal([next.body.data.length, next.body.hasMore], [30, false]);
  refused(await workspace.call('GET /todos?limit=501', undefined, { key }), 400, 'limit');
  refused(await workspace.call('GET /todos?limit=101'), 400, 'limit');
  assert.is((await workspace.call('GET /todos?limit=100')).body.data.length, 100);
});

test('several values of a filter are alternatives; a bad one is named with those that are allowed', async () => {
  const { call } = await made(['a']);
  const status = await call('GET /todos?status=ready,bogus');
  refused(status, 400, 'status[1]');
  assert.equal(status.body.allowedValues, ['ready', 'in_progress', 'done', 'active']);
  const single = await call('GET /todos?priority=bogus');
  refused(single, 400, 'priority');
  assert.equal(single.body.allowedValues, ['urgent', 'high', 'medium', 'low', 'none']);
  refused(await call(`GET /todos?todoListId=${unknownId},x`), 400, 'todoListId[1]');
  refused(await call('GET /todos?assigneeId=nobody'), 400, 'assigneeId');
  refused(await call(`GET /todos?assigneeId=${Array(21).fill(unknownId)}`), 400, 'assigneeId');
  refused(await call('GET /todos?archived=only'), 400, 'archived');
  for (const query of ['status=done,ready', 'status=done&status=ready', 'priority=none,low']) {
    assert.equal(titlesOf(await call(`GET /todos?${query}`)), ['a'], query);
  }
});

test('a cursor opens with the same values in another order, and with no others', async () => {
  const { call } = await made(['a', 'b', 'c']);
  const { body } = await call('GET /todos?limit=1&status=in_progress,ready&order=asc');
  const at = (query: string) => call(`GET /todos?limit=2&order=asc&cursor=${body.nextCursor}&${query}`);
  assert.equal(titlesOf(await at('status=ready,in_progress,ready')), ['b', 'c']);
  refused(await at('status=ready,done'), 400, 'cursor', 'invalid_cursor');
  refused(await at('status=active'), 400, 'cursor', 'invalid_cursor');
});

test('a todo of several of the assignees comes once, at every page size', async () => {
  const { call, ids, userId, workspaceId } = await made(['a', 'b', 'c', 'd', 'e']);
  const [agent] = await tandem.db.rows<{ id: string }>('select id from agents where workspace_id = $1', [workspaceId]);
  const both = [{ id: userId }, { id: agent?.id }];
  const { body } = await call('POST /todos/batch', { data: Array(4).fill({ title: 'shared', assignees: both }) });
  const expected = [...ids, ...body.data.map(({ id }: { id: string }) => id)].sort();
  for (const limit of [1, 2, 3, 5, 100]) {
    const listed = await walk(call, { assigneeId: `me,${agent?.id}`, limit });
    assert.equal(listed.map(({ id }) => id).sort(), expected, `by ${limit}`);
  }
});

test.run();

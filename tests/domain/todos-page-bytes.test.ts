import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { maxPageBytes } from '../../domain/todos/page-bytes.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { refused } from '../support/todo-fixtures.ts';
import { answered } from '../support/until.ts';

/* 100 todos of the largest content, of which 41 fit on a page and into a call. */

const test = suite('pages of long todos');
const size = 100;
const content = '😀'.repeat(50_000);
const fit = Math.floor(maxPageBytes / Buffer.byteLength(content));
let tandem: TestService;
let workspace: TestWorkspace;
let ids: string[];

const fill = `update todos set content = $2, priority = case when title::int % 2 = 0 then 3 end where workspace_id = $1`;
const index = `update todo_search set content = 'a steady word' where workspace_id = $1`;

test.before(async () => {
  tandem = await startTestService();
  workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  for (let made = 0; made < size; made += 50) {
    const data = Array.from({ length: 50 }, (_, place) => ({ title: `${made + place}`, content: 'a steady word' }));
    assert.is((await call('POST /todos/batch', { data })).status, 200);
  }
  await tandem.db.rows(fill, [workspaceId, content]);
  await tandem.db.rows(index, [workspaceId]);
  const rows = await tandem.db.rows<{ id: string }>('select id from todos where workspace_id = $1', [workspaceId]);
  ids = rows.map(({ id }) => id).sort();
});
test.after(() => tandem.close());

/** Reads all pages of a list of todos, each of `wanted` once; returns how many todos each page has. */
async function pagesOf(
  query: string,
  { call }: Pick<TestWorkspace, 'call'> = workspace,
  wanted = ids,
): Promise<number[]> {
  const sizes: number[] = [];
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/todos?${query}${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await answered(() => call(`GET ${path}`));
    assert.is(status, 200);
    sizes.push(body.data.length);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    assert.is(body.hasMore, body.nextCursor !== null);
    if (query.includes('include')) assert.is(body.totalCount, size);
    cursor = body.nextCursor;
  }
  assert.is(new Set(seen).size, seen.length);
  assert.equal(seen.sort(), wanted);
  return sizes;
}

const lists = [
  'sort=createdAt',
  'sort=priority',
  'sort=position&order=asc',
  'status=active&include=totalCount',
  'query=steady',
  'query=steady%20word&sort=priority',
  'query=st',
];
for (const list of lists) {
  test(`a page ends before its contents are too long: ${list}`, async () => {
    assert.equal(await pagesOf(`${list}&limit=100`), [fit, fit, size - 2 * fit]);
    assert.is((await pagesOf(`${list}&limit=40`))[0], 40);
  });
}

test('todos that are read by their ids come in parts too', async () => {
  assert.equal(await pagesOf(`ids=${ids}&include=totalCount`), [fit, fit, size - 2 * fit]);
  const { body } = await workspace.call(`GET /todos?ids=${ids}`);
  const others = await workspace.call(`GET /todos?ids=${ids.slice(1)}&cursor=${body.nextCursor}`);
  assert.equal([others.status, others.body.code], [400, 'invalid_cursor']);
});

test('a search of the index ends its pages there too', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const marked = Array.from({ length: 50 }, () => ({ content: 'a rare marmalade' }));
  const others = Array.from({ length: 50 }, () => ({ title: 'another' }));
  const wanted: string[] = [];
  for (const data of [marked, marked, ...Array(6).fill(others)]) {
    const { body } = await call('POST /todos/batch', { data });
    if (data === marked) wanted.push(...body.data.map(({ id }: { id: string }) => id));
  }
  const fillMarked = 'update todos set content = $2 where workspace_id = $1 and content is not null';
  await tandem.db.rows(fillMarked, [workspaceId, content]);
  const query = 'query=marmalade&limit=100';
  assert.equal(await pagesOf(query, { call }, wanted.sort()), [fit, fit, size - 2 * fit]);
});

test('a call that changes all matches ends there, and is continued by its cursor', async () => {
  const { call } = workspace;
  const changed: string[] = [];
  let cursor: string | undefined;
  for (const expected of [fit, fit, size - 2 * fit]) {
    const body = { where: {}, patch: { status: 'in_progress' }, ...(cursor && { cursor }) };
    const preview = await call('POST /todos/bulk', { ...body, dryRun: true });
    const answer = await call('POST /todos/bulk', body);
    assert.equal([preview.status, answer.status], [200, 200]);
    assert.equal([preview.body.data.length, answer.body.data.length], [expected, expected]);
    for (const { id, status } of answer.body.data) {
      assert.is(status, 'in_progress');
      changed.push(id);
    }
    cursor = answer.body.nextCursor ?? undefined;
    assert.is(answer.body.hasMore, cursor !== undefined);
  }
  assert.is(cursor, undefined);
  assert.equal(changed, ids);
});

test('a call that changes todos by their ids refuses more, and says how many it takes', async () => {
  const { call } = workspace;
  for (const change of [
    { patch: { priority: 'low' }, dryRun: true },
    { patch: { priority: 'low' } },
    { archive: true },
  ]) {
    const answer = await call('POST /todos/bulk', { ids, ...change });
    refused(answer, 400, 'ids');
    assert.match(answer.body.message, new RegExp(`the first ${fit} of them`));
  }
  const first = await call('POST /todos/bulk', { ids: ids.slice(0, fit), patch: { priority: 'low' } });
  assert.equal([first.status, first.body.data.length], [200, fit]);
});

test('a call that writes a long content into all matches ends by what it writes', async () => {
  const { call } = await tandem.workspace();
  const data = Array.from({ length: 50 }, (_, place) => ({ title: `${place}` }));
  assert.is((await call('POST /todos/batch', { data })).status, 200);
  const { body } = await call('POST /todos/bulk', { where: {}, patch: { content } });
  assert.equal([body.data.length, body.hasMore, body.totalCount], [fit, true, 50]);
  const { body: page } = await call('GET /todos?limit=50');
  const named = page.data.map(({ id }: { id: string }) => id);
  refused(await call('POST /todos/bulk', { ids: named, patch: { content } }), 400, 'ids');
});

test('sub-todos with long contents are archived, restored and moved with their contents', async () => {
  const { call } = workspace;
  const [parent = '', ...others] = ids;
  const patch = { parentTodoId: parent };
  for (const id of others.slice(0, 5)) assert.is((await call(`PATCH /todos/${id}`, patch)).status, 200);
  const archived = await call('POST /todos/bulk', { ids: [parent], archive: true });
  assert.equal([archived.body.data[0].isArchived, archived.body.data[0].content], [true, content]);
  const restored = await call(`POST /todos/${parent}/restore`);
  assert.equal([restored.body.isArchived, restored.body.content], [false, content]);
  const moved = await call(`POST /todos/${parent}/move`, { after: others.at(-1) });
  assert.is(moved.body.content, content);
  for (const id of [parent, ...others.slice(0, 5)]) {
    const { body } = await call(`GET /todos/${id}`);
    assert.equal([body.isArchived, body.content === content], [false, true]);
  }
});

test.run();

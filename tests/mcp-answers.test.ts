import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from './harness.ts';
import { toolWorkspace } from './mcp-clients.ts';

const test = suite('mcp answers');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const world = () => toolWorkspace(tandem);

const tokens = (value: unknown) => JSON.stringify(value).length / 4;

test('a page of todos is brief and counted, and its cursor leads on', async () => {
  const { use, call } = await world();
  const data = Array.from({ length: 12 }, (_, i) => ({ title: `Todo ${i}`, content: 'x'.repeat(3000) }));
  await call('POST /todos/batch', { data });
  await use('create_todo', { title: 'Urgent', priority: 'urgent' });
  const input = { priority: 'none' };
  const { data: first, text } = await use('list_todos', input);
  assert.is(first.data.length, 10);
  assert.is(first.hasMore, true);
  assert.is(first.summary.total, 12);
  assert.is(first.workspaceSummary.total, 13);
  assert.is('content' in first.data[0], false);
  assert.ok(text.length / 4 <= 2000);
  const { data: second } = await use('list_todos', { ...input, cursor: first.nextCursor });
  assert.is(second.data.length, 2);
  assert.is(second.hasMore, false);
  assert.is('nextCursor' in second, false);
  const ids = new Set([...first.data, ...second.data].map((row) => row.id));
  assert.is(ids.size, 12);
  const other = await use('list_todos', { cursor: first.nextCursor });
  assert.is(other.data.code, 'invalid_cursor');
});

test('ten todos at their longest fit in 2,000 tokens, fifty in 20,000, and 51 are not to be had', async () => {
  const { use, call, agent } = await world();
  const assignees = [];
  for (let i = 0; i < 20; i++) assignees.push({ id: await agent(`Agent ${i} ${'n'.repeat(60)}`) });
  const todo = {
    title: '"'.repeat(500),
    content: 'y'.repeat(1000),
    priority: 'urgent',
    dueDate: '2026-03-01',
    assignees,
  };
  await call('POST /todos/batch', { data: Array(50).fill(todo) });
  const plain = { ...todo, title: 'é'.repeat(500), assignees: [] };
  const fifty = await use('list_todos', { limit: 50 });
  assert.is(fifty.data.data.length, 50);
  assert.is(fifty.data.data[0].moreAssignees, 17);
  assert.is(fifty.data.truncated, true);
  assert.is(fifty.data.cut.length, 5);
  assert.ok(2 * tokens(fifty.data) <= 20_000);
  await call('POST /todos/batch', { data: Array(10).fill(plain) });
  const ten = await use('list_todos');
  assert.ok(ten.text.length / 4 <= 2000, `${ten.text.length / 4}`);
  assert.is((await use('list_todos', { limit: 51 })).data.param, 'limit');
});

test('a long content is cut, says so, and is read on in parts', async () => {
  const { use, call } = await world();
  const content = Array.from({ length: 5000 }, (_, i) => (i % 7 ? String(i % 10) : '🌱')).join('');
  const { body } = await call('POST /todos', { title: 'Long', content });
  let read = '';
  for (let truncated = true; truncated; ) {
    const contentOffset = Array.from(read).length;
    const { data } = await use('get_todo', { todoId: body.id, contentOffset });
    read += data.todo.content;
    truncated = data.truncated ?? false;
    if (!truncated) continue;
    assert.equal(data.cut, [{ field: 'todo.content', shown: 2000, length: 5000 - contentOffset }]);
    assert.match(data.rest, /get_todo with contentOffset/);
  }
  assert.is(read, content);
});

test.run();

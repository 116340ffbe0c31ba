import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compact } from '../../adapters/tools/text.ts';
import { hours } from '../support/agent-fixtures.ts';
import { newRecording, startWithoutDigests } from '../support/capture-fixtures.ts';
import type { TestService } from '../support/harness.ts';
import { toolWorkspace } from '../support/mcp-clients.ts';
import { statementsOf } from '../support/todo-fixtures.ts';

const test = suite('mcp answers');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutDigests();
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
  const todoListName = 'é'.repeat(100);
  await call('POST /todo-lists', { name: todoListName });
  const plain = { ...todo, title: 'é'.repeat(500), todoListName };
  const fifty = await use('list_todos', { limit: 50 });
  assert.is(fifty.data.data.length, 50);
  const [row] = fifty.data.data;
  assert.equal([row.assignees.length + row.moreAssignees, row.assignees.length > 0], [20, true]);
  assert.is(fifty.data.truncated, true);
  assert.is(fifty.data.cut.length, 5);
  assert.ok(2 * tokens(fifty.data) <= 20_000);
  await call('POST /todos/batch', { data: Array(10).fill(plain) });
  const ten = await use('list_todos');
  assert.ok(ten.text.length / 4 <= 2000, `${ten.text.length / 4}`);
  assert.is((await use('list_todos', { limit: 51 })).data.param, 'limit');
});

test('one thing at its longest is shown in 2,000 tokens, whatever its texts are made of', async () => {
  for (const character of ['x', '"', 'é', '🌱']) {
    const workspace = await world();
    const { use, call } = workspace;
    const text = (length: number) => character.repeat(length);
    const assignees = [];
    for (let i = 0; i < 20; i++) {
      const { body } = await call('POST /agents', { name: `${i} ${text(70)}`, description: text(2000) });
      assignees.push({ id: body.id });
    }
    const agentId: string = assignees[0]?.id;
    const texts = { instructions: text(50_000), approvalGuidance: text(5000) };
    await call(`PATCH /agents/${agentId}`, {
      ...texts,
      workingHours: hours('09:00', '17:00'),
      workingHoursEnabled: true,
    });
    let skillId = '';
    for (let i = 0; i < 21; i++) {
      const skill = { name: `${i} ${text(70)}`, instructions: text(50_000) };
      skillId = (await call(`POST /agents/${agentId}/skills`, skill)).body.id;
    }
    await tandem.db.rows('update agent_skills set summary = $2 where agent_id = $1', [agentId, text(300)]);
    const schedule = { every: 'hour' };
    const todo = { title: text(500), content: text(50_000), assignees, schedule };
    const { id: todoId } = (await call('POST /todos', todo)).body;
    const { chatId } = (await call(`POST /todos/${todoId}/runs`, { agentId, message: text(32_000) })).body;
    const tags = Array.from({ length: 50 }, (_, i) => `${i}`.padEnd(25, character));
    const recorded = { title: text(300), subtitle: text(120), summary: text(4000), notes: text(9000), tags };
    const { id: captureId } = await newRecording(tandem, workspace, { ...recorded, transcript: text(20_000) });
    for (const [name, input] of [
      ['get_todo', { todoId }],
      ['get_todo', { todoId, afterSequence: 0 }],
      ['get_chat', { chatId }],
      ['get_agent', { agentId }],
      ['get_skill', { skillId }],
      ['get_capture', { captureId }],
      ['get_capture', { captureId, part: 'transcript' }],
      ['update_todo', { todoId, priority: 'high' }],
      ['update_agent', { agentId, description: text(1999) }],
      ['update_skill', { skillId, name: 'Short' }],
    ] as const) {
      const answer = await use(name, input);
      assert.is(answer.isError, false, answer.text);
      assert.ok(answer.text.length / 4 <= 2000, `${name}: ${answer.text.length / 4} tokens of ${character}`);
      assert.is(answer.data.truncated, true, name);
      for (const { field, shown } of answer.data.cut) assert.ok(shown >= 30, `${name} ${field}`);
    }
  }
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

test('a todo comes with the name of its list and its five latest comments, in one statement', async () => {
  const { use, call } = await world();
  const { body: list } = await call('POST /todo-lists', { name: 'Garden' });
  const { body: todo } = await call('POST /todos', { title: 'Water the plants', todoListId: list.id });
  const plain = (await use('get_todo', { todoId: todo.id })).data;
  assert.equal([plain.todo.todoListName, 'comments' in plain], ['Garden', false]);
  for (let i = 0; i < 7; i++) await call(`POST /todos/${todo.id}/comments`, { text: `Comment “${i}”` });
  const written: { author: { name: string }; text: string; createdAt: string }[] = (
    await call(`GET /todos/${todo.id}/comments`)
  ).body.data;
  const latest = written.slice(2).map(({ author, text, createdAt }) => ({ author: author.name, text, createdAt }));
  const statements = await statementsOf(async () => {
    assert.equal((await use('get_todo', { todoId: todo.id })).data.comments, latest);
  });
  assert.is(statements.length, 1, statements.join('\n'));
  const missing = await use('get_todo', { todoId: crypto.randomUUID() });
  assert.equal([missing.data.code, missing.data.param], ['resource_not_found', 'todoId']);
});

test('nulls are left out at any depth, and a field of any name is a field', () => {
  const given = '{"a":[null,{"b":null,"c":[]}],"__proto__":{"d":null,"e":"xyz"},"f":false}';
  const { value, cuts } = compact(JSON.parse(given), 2, ({ f }) => (f === false ? 'https://tandem.test' : undefined));
  assert.is(JSON.stringify(value), '{"a":[{"c":[]}],"__proto__":{"e":"xy"},"f":false,"url":"https://tandem.test"}');
  assert.equal(cuts, [{ field: '__proto__.e', shown: 2, length: 3 }]);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestWorkspace } from '../support/harness.ts';
import { toolWorkspace } from '../support/mcp-clients.ts';
import { chatOf, chatOn, endWork, type IdleService, runIn, startIdleService, todoOf } from '../support/run-fixtures.ts';
import { assistantOf, refused } from '../support/todo-fixtures.ts';

const test = suite('todos that are done, and their agents');
let tandem: IdleService;

test.before(async () => {
  tandem = await startIdleService();
});
test.after(() => tandem.close());

const todoIn = async ({ call }: Pick<TestWorkspace, 'call'>, id: string) => (await call(`GET /todos/${id}`)).body;

async function running(workspace: TestWorkspace) {
  const todo = await todoOf(workspace);
  return { todo, run: runIn(await workspace.call(`POST /todos/${todo.id}/runs`)) };
}

for (const [name, finish] of [
  ['an update', ({ call }, id) => call(`PATCH /todos/${id}`, { status: 'done' })],
  ['an update with assignees', ({ call }, id) => call(`PATCH /todos/${id}`, { status: 'done', assignees: [] })],
  [
    'a conditional update',
    ({ call }, id) => call(`PATCH /todos/${id}`, { status: 'done' }, { headers: { 'if-match': '*' } }),
  ],
  ['a bulk update', ({ call }, id) => call('POST /todos/bulk', { ids: [id], patch: { status: 'done' } })],
  ['complete_todo', ({ use }, id) => use('complete_todo', { todoId: id })],
  ['update_todo', ({ use }, id) => use('update_todo', { todoId: id, status: 'done' })],
] as [string, (world: Awaited<ReturnType<typeof toolWorkspace>>, id: string) => Promise<unknown>][]) {
  test(`${name} to done cancels the chats at work on the todo, with their runs, and leaves ended ones`, async () => {
    const world = await toolWorkspace(tandem);
    const { workspaceId } = world;
    const { todo, run: first } = await running(world);
    await endWork(tandem, workspaceId, first.chatId, { outcome: 'completed', summary: 'Half of it.' });
    const second = runIn(await world.call(`POST /todos/${todo.id}/runs`));
    const beside = await chatOn(tandem, world, todo.id, await assistantOf(tandem, workspaceId));
    const elsewhere = await running(world);
    await finish(world, todo.id);
    const shown = await todoIn(world, todo.id);
    assert.equal([shown.status, shown.latestRun.id, shown.latestRun.status], ['done', second.id, 'cancelled']);
    const { data } = (await world.call(`GET /todos/${todo.id}/runs`)).body;
    assert.equal(
      data.map((run: { status: string }) => run.status),
      ['cancelled', 'completed'],
    );
    for (const chatId of [second.chatId, beside.chatId]) {
      const { chat, turns } = await chatOf(tandem, chatId);
      assert.equal([chat?.status, turns[0]?.outcome], ['cancelled', 'cancelled']);
    }
    assert.is((await chatOf(tandem, first.chatId)).chat?.status, 'completed');
    assert.is((await todoIn(world, elsewhere.todo.id)).latestRun.status, 'running');
  });
}

test('the answer that makes a todo done shows its run cancelled', async () => {
  const workspace = await tandem.workspace();
  const { todo } = await running(workspace);
  const { body, headers } = await workspace.call(`PATCH /todos/${todo.id}`, { status: 'done' });
  assert.is(body.latestRun.status, 'cancelled');
  const read = await workspace.call(`GET /todos/${todo.id}`);
  assert.equal([read.body, read.headers.get('etag')], [body, headers.get('etag')]);
});

test('a dry run shows the run cancelled, and it continues', async () => {
  const workspace = await tandem.workspace();
  const { todo, run } = await running(workspace);
  const dry = { ids: [todo.id], patch: { status: 'done' }, dryRun: true };
  const { body } = await workspace.call('POST /todos/bulk', dry);
  assert.equal([body.data[0].status, body.data[0].latestRun.status], ['done', 'cancelled']);
  assert.equal((await todoIn(workspace, todo.id)).latestRun, run);
  assert.is((await chatOf(tandem, run.chatId)).chat?.status, 'running');
});

test('an approval that waits is superseded when the todo is done', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const { todo, run } = await running(workspace);
  const { turns } = await chatOf(tandem, run.chatId);
  await tandem.db.rows(`update chats set status = 'awaiting_input' where id = $1`, [run.chatId]);
  await tandem.db.rows(`update todo_runs set status_reason = 'awaiting_input' where id = $1`, [run.id]);
  const ask = `insert into approvals (workspace_id, id, chat_id, turn_id, agent_id, message_sequence, tool_call_id,
      tool_name, title, input, reason, expires_at)
    values ($1, gen_random_uuid(), $2, $3, $4, 1, 'call_1', 'create_todo', 'a', '{}', 'b', now() + interval '7 days')`;
  await tandem.db.rows(ask, [workspaceId, run.chatId, turns[0]?.id, run.agentId]);
  assert.is((await todoIn(workspace, todo.id)).latestRun.statusReason, 'awaiting_input');
  await workspace.call(`PATCH /todos/${todo.id}`, { status: 'done' });
  const shown = await todoIn(workspace, todo.id);
  assert.equal([shown.latestRun.status, shown.latestRun.statusReason], ['cancelled', null]);
  const [approval] = await tandem.db.rows<{ status: string }>('select status from approvals where workspace_id = $1', [
    workspaceId,
  ]);
  assert.is(approval?.status, 'superseded');
});

test('erasing a todo that has chats but no run stops the agent in them, and they stay without a todo', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const todo = await todoOf(workspace);
  const agentId = await assistantOf(tandem, workspaceId);
  const [working, ended] = [
    await chatOn(tandem, workspace, todo.id, agentId),
    await chatOn(tandem, workspace, todo.id, agentId),
  ];
  await endWork(tandem, workspaceId, ended.chatId, { outcome: 'completed' });
  const { status, body } = await call(`DELETE /todos/${todo.id}?permanent=true`);
  assert.equal([status, body.recoverable], [200, false]);
  refused(await call(`GET /todos/${todo.id}`), 404, 'todoId');
  for (const [chatId, outcome] of [
    [working.chatId, 'cancelled'],
    [ended.chatId, 'completed'],
  ] as const) {
    const { chat, turns } = await chatOf(tandem, chatId);
    assert.equal([chat?.todo_id, chat?.status, turns[0]?.outcome], [null, outcome, outcome]);
  }
});

test.run();

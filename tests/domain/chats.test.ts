import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newChat, settlings, startWithoutAgents } from '../support/chat-fixtures.ts';
import { assertFrame } from '../support/frame.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { assistantOf } from '../support/todo-fixtures.ts';

const test = suite('chats');
const unknown = '0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee';
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

/** The open turns and the jobs-to-be of a chat, as the workers find them. */
function turnsOf({ workspaceId }: TestWorkspace, chatId: string) {
  const text = `select agent_id as "agentId", user_id as "userId", run_id as "runId", trigger, scopes, depth, outcome
    from chat_turns where workspace_id = $1 and chat_id = $2 order by created_at, id`;
  return tandem.db.rows<Record<string, unknown>>(text, [workspaceId, chatId]);
}

async function newTodo({ call }: TestWorkspace): Promise<string> {
  return (await call('POST /todos', { title: 'Water the plants' })).body.id;
}

async function newAgent({ call }: TestWorkspace, name = 'Scout'): Promise<string> {
  return (await call('POST /agents', { name })).body.id;
}

test('(none) → createChat → working: the chat is answered whole, and its first message is there', async () => {
  const workspace = await tandem.workspace();
  const { call, userId, workspaceId } = workspace;
  const answer = assertFrame(await call('POST /chats', { message: 'What is due *this* week?\n' }));
  assert.is(answer.status, 201);
  const { id, createdAt, lastMessageAt, ...chat } = answer.body;
  assert.equal(chat, {
    object: 'chat',
    title: null,
    subtitle: null,
    status: 'running',
    agentId: null,
    todoId: null,
    messageCount: 1,
    errorMessage: null,
    isArchived: false,
    completedAt: null,
  });
  assert.is(lastMessageAt, createdAt);
  const read = await call(`GET /chats/${id}`);
  assert.equal(read.body, answer.body);
  assert.is(read.headers.get('etag'), answer.headers.get('etag'));
  const { body: page } = await call(`GET /chats/${id}/messages`);
  const text = 'What is due *this* week?\n';
  const [{ id: messageId, createdAt: writtenAt, ...message }] = page.data;
  assert.match(messageId, /^[0-9a-f-]{36}$/);
  assert.is(writtenAt, createdAt);
  assert.equal(message, {
    object: 'message',
    chatId: id,
    sequence: 1,
    role: 'user',
    text,
    blocks: [{ type: 'text', text }],
    agentId: null,
    userId,
  });
  assert.equal([page.data.length, page.hasMore, page.nextCursor], [1, false, null]);
  const [turn] = await turnsOf(workspace, id);
  const agentId = await assistantOf(tandem, workspaceId);
  const { scopes, ...facts } = turn ?? {};
  assert.equal(facts, { agentId, userId, runId: null, trigger: 'chat', depth: 0, outcome: null });
  assert.ok((scopes as string[]).includes('captures:read'));
});

test('a chat names its agent, its todo and its title when they are given', async () => {
  const workspace = await tandem.workspace();
  const [agentId, todoId] = [await newAgent(workspace), await newTodo(workspace)];
  const body = { message: 'Plan it', title: ' Plän ', agentId, todoId, timezone: 'Europe/Berlin', captureIds: [] };
  const { chat } = await newChat(tandem, workspace, body);
  assert.equal([chat.title, chat.agentId, chat.todoId], [' Plän ', agentId, todoId]);
  assert.equal(
    (await turnsOf(workspace, chat.id)).map((turn) => turn.agentId),
    [agentId],
  );
  const named = await newChat(tandem, workspace, { agentId: await assistantOf(tandem, workspace.workspaceId) });
  assert.is(named.chat.agentId, await assistantOf(tandem, workspace.workspaceId), 'named explicitly, also the default');
});

test('a chat works with the captures of whoever may read them, and of nobody else', async () => {
  const workspace = await tandem.workspace();
  const key = await workspace.mint(['chats:write']);
  const { body } = await workspace.call('POST /chats', { message: 'Hello' }, { key });
  const [turn] = await turnsOf(workspace, body.id);
  assert.not.ok(([turn?.scopes].flat() as string[]).some((scope) => scope.startsWith('captures')));
  assert.ok(([turn?.scopes].flat() as string[]).includes('todos:write'), 'with the authority of the agent in all else');
});

test('a body that cannot be is 400 and names the field', async () => {
  const { call } = await tandem.workspace();
  const wrong: [object, string][] = [
    [{}, 'message'],
    [{ message: '' }, 'message'],
    [{ message: ' \n' }, 'message'],
    [{ message: 'x'.repeat(32_001) }, 'message'],
    [{ message: 'a\0b' }, 'message'],
    [{ message: 'x', title: ' ' }, 'title'],
    [{ message: 'x', title: 'x'.repeat(201) }, 'title'],
    [{ message: 'x', agentId: 'nonsense' }, 'agentId'],
    [{ message: 'x', captureIds: [unknown, 'nonsense'] }, 'captureIds[1]'],
    [{ message: 'x', captureIds: Array(21).fill(unknown) }, 'captureIds'],
    [{ message: 'x', timezone: 'Mars/Olympus' }, 'timezone'],
    [{ message: 'x', waitSeconds: 121 }, 'waitSeconds'],
    [{ message: 'x', waitSeconds: -1 }, 'waitSeconds'],
    [{ message: 'x', waitSeconds: '5' }, 'waitSeconds'],
    [{ message: 'x', wait: 5 }, 'wait'],
  ];
  for (const [body, param] of wrong) {
    const answer = assertFrame(await call('POST /chats', body));
    assert.equal([answer.status, answer.body.code, answer.body.param], [400, 'validation_failed', param]);
  }
  assert.is((await call('GET /chats')).body.data.length, 0);
  assert.is((await call('POST /chats', { message: '𝄞'.repeat(32_000) })).status, 201);
});

test('what a chat refers to must exist here (404), be active (400), and be open (409)', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const { call, mint } = workspace;
  const refused = async (more: object, key?: string) => {
    const { status, body } = assertFrame(await call('POST /chats', { message: 'x', ...more }, key ? { key } : {}));
    return [status, body.code, body.param];
  };
  for (const agentId of [unknown, await newAgent(other)])
    assert.equal(await refused({ agentId }), [404, 'resource_not_found', 'agentId']);
  for (const todoId of [unknown, await newTodo(other)])
    assert.equal(await refused({ todoId }), [404, 'resource_not_found', 'todoId']);
  assert.equal(await refused({ captureIds: [unknown] }), [404, 'resource_not_found', 'captureIds[0]']);
  const key = await mint(['chats:write', 'chats:read']);
  assert.equal(await refused({ captureIds: [unknown], agentId: unknown }, key), [403, 'missing_scope', null]);
  const agentId = await newAgent(workspace);
  await call(`DELETE /agents/${agentId}`);
  assert.equal(await refused({ agentId, todoId: unknown }), [400, 'validation_failed', 'agentId'], '400 before 404');
  const todoId = await newTodo(workspace);
  await call(`PATCH /todos/${todoId}`, { status: 'done' });
  assert.equal(await refused({ todoId }), [409, 'resource_conflict', null]);
  await call(`PATCH /todos/${todoId}`, { status: 'ready' });
  await call(`DELETE /todos/${todoId}`);
  assert.equal(await refused({ todoId }), [409, 'resource_conflict', null]);
  assert.is((await call('GET /chats')).body.data.length, 0, 'a refusal leaves nothing behind');
});

test('without minutes no chat starts (402), nothing is left behind, and its key is free again', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const minutes = (left: number) =>
    tandem.db.rows('update workspaces set agent_minutes = $2 where id = $1', [workspaceId, left]);
  await minutes(0);
  const headers = { 'idempotency-key': 'once' };
  const refused = assertFrame(await call('POST /chats', { message: 'x' }, { headers }));
  assert.equal([refused.status, refused.body.code], [402, 'insufficient_minutes']);
  assert.is((await call('POST /chats', { message: 'x', agentId: unknown })).status, 404, '404 before 402');
  assert.is((await call('GET /chats')).body.data.length, 0);
  await minutes(0.1);
  const made = await call('POST /chats', { message: 'x' }, { headers });
  assert.is(made.status, 201);
  assert.is(made.headers.get('idempotency-replayed'), null);
});

test('a retry with its key makes no second chat', async () => {
  const { call } = await tandem.workspace();
  const headers = { 'idempotency-key': 'once' };
  const answers = await Promise.all([1, 2, 3].map(() => call('POST /chats', { message: 'x' }, { headers })));
  assert.is(new Set(answers.map(({ text }) => text)).size, 1);
  assert.is(answers.filter((each) => each.headers.get('idempotency-replayed') === 'true').length, 2);
  assert.is((await call('GET /chats')).body.data.length, 1);
  assert.is((await call('POST /chats', { message: 'y' }, { headers })).body.code, 'idempotency_key_reused');
});

test('a chat is renamed, and changes nothing when nothing is given', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { chat, path } = await newChat(tandem, workspace);
  const renamed = assertFrame(await call(`PATCH ${path}`, { title: 'This week' }));
  assert.is(renamed.status, 200);
  assert.equal(renamed.body, { ...chat, title: 'This week' });
  assert.is((await call(`GET ${path}`)).headers.get('etag'), renamed.headers.get('etag'));
  assert.equal((await call(`PATCH ${path}`, {})).body, renamed.body);
  for (const title of [null, '', 7]) assert.is((await call(`PATCH ${path}`, { title })).body.param, 'title');
  const stale = await call(`PATCH ${path}`, { title: 'Lost' }, { headers: { 'if-match': '"stale"' } });
  assert.equal([stale.status, stale.body.reason], [412, 'precondition_failed']);
  const current = renamed.headers.get('etag') ?? '';
  assert.is((await call(`PATCH ${path}`, { title: 'Kept' }, { headers: { 'if-match': current } })).body.title, 'Kept');
});

test('working → cancelChat → cancelled: what was done stays in the chat', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  for (const status of ['running', 'queued', 'awaiting_input']) {
    const { chat, path, agent } = await newChat(tandem, workspace);
    await agent.write('I look at the list.');
    if (status === 'awaiting_input') await agent.ask();
    await tandem.db.rows('update chats set status = $2 where id = $1', [chat.id, status]);
    const { body: before } = await call(`GET ${path}/messages`);
    const cancelled = assertFrame(await call(`POST ${path}/cancel`));
    assert.equal([cancelled.status, cancelled.body.status, cancelled.body.completedAt], [200, 'cancelled', null]);
    assert.equal((await call(`GET ${path}`)).body, cancelled.body);
    assert.equal((await call(`GET ${path}/messages`)).body, before);
    assert.equal(
      (await turnsOf(workspace, chat.id)).map((turn) => turn.outcome),
      ['cancelled'],
    );
  }
  const [row] = await tandem.db.rows<{ statuses: string[] }>(
    'select array_agg(distinct status) as statuses from approvals where workspace_id = $1',
    [workspace.workspaceId],
  );
  assert.equal(row?.statuses, ['superseded'], 'what was asked is asked no more');
});

for (const status of ['completed', 'failed', 'cancelled'] as const) {
  test(`${status} → cancelChat → unchanged, and answered as it is`, async () => {
    const workspace = await tandem.workspace();
    const { path, agent } = await newChat(tandem, workspace);
    await settlings[status](agent);
    const { body: before } = await workspace.call(`GET ${path}`);
    assert.is(before.status, status);
    assert.is(before.errorMessage, status === 'failed' ? 'The model did not answer.' : null);
    assert.is(before.completedAt, status === 'completed' ? before.lastMessageAt : null);
    const cancelled = await workspace.call(`POST ${path}/cancel`);
    assert.equal([cancelled.status, cancelled.body], [200, before]);
  });
}

test('active → deleteChat → archived: readable, restorable, and its agent works on', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { chat, path, agent } = await newChat(tandem, workspace);
  const deleted = { object: 'deleted', id: chat.id, deleted: true, recoverable: true };
  for (const time of ['once', 'twice']) {
    const answer = assertFrame(await call(`DELETE ${path}`));
    assert.equal([answer.status, answer.body], [200, deleted], time);
  }
  assert.equal((await call(`GET ${path}`)).body, { ...chat, isArchived: true });
  assert.is((await call('GET /chats')).body.data.length, 0);
  await agent.finish('Done all the same.');
  assert.is((await call(`GET ${path}`)).body.status, 'completed');
  assert.is((await call(`POST ${path}/messages`, { message: 'More' })).status, 409);
});

test('archived → restoreChat → active; an active one stays as it is', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { chat, path } = await newChat(tandem, workspace);
  await call(`DELETE ${path}`);
  for (const time of ['once', 'twice']) {
    const restored = assertFrame(await call(`POST ${path}/restore`));
    assert.equal([restored.status, restored.body], [200, chat], time);
  }
  assert.equal((await call('GET /chats')).body.data, [chat]);
});

for (const first of ['active', 'archived'] as const) {
  test(`${first} → deleteChat permanent → erased, with all its messages`, async () => {
    const workspace = await tandem.workspace();
    const { call } = workspace;
    const { chat, path, agent } = await newChat(tandem, workspace);
    await agent.ask();
    const { workspaceId, userId } = workspace;
    await notifyPeople(tandem.db, workspaceId, [userId], { title: 'It quotes the chat', chatId: chat.id });
    if (first === 'archived') await call(`DELETE ${path}`);
    const { status, body } = assertFrame(await call(`DELETE ${path}?permanent=true`));
    assert.equal([status, body], [200, { object: 'deleted', id: chat.id, deleted: true, recoverable: false }]);
    for (const route of [`GET ${path}`, `GET ${path}/messages`, `POST ${path}/restore`, `DELETE ${path}`]) {
      assert.is((await call(route)).status, 404, route);
    }
    for (const table of ['messages', 'chat_turns', 'approvals', 'notifications']) {
      assert.is((await tandem.db.rows(`select 1 from ${table} where chat_id = $1`, [chat.id])).length, 0, table);
    }
    const types = (await recordedEvents(tandem, workspaceId)).map(({ type }) => type);
    assert.ok(types.includes('notification.deleted'), types.join());
  });
}

test('erasing a chat cancels the run that worked there, which stays in the history of its todo', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const todoId = await newTodo(workspace);
  const { chat, path } = await newChat(tandem, workspace, { todoId });
  const runId = crypto.randomUUID();
  const start = `insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger)
    select workspace_id, $2, $3, chat_id, agent_id, 'manual' from chat_turns where workspace_id = $1 and chat_id = $4`;
  await tandem.db.rows(start, [workspaceId, runId, todoId, chat.id]);
  await tandem.db.rows('update chat_turns set run_id = $2 where chat_id = $1', [chat.id, runId]);
  await call(`DELETE ${path}?permanent=true`);
  const runs = await tandem.db.rows('select status, chat_id as "chatId" from todo_runs where id = $1', [runId]);
  assert.equal([...runs], [{ status: 'cancelled', chatId: chat.id }]);
});

test('erasing on a stale tag is 412 and erases nothing', async () => {
  const workspace = await tandem.workspace();
  const { path, agent } = await newChat(tandem, workspace);
  const tag = (await workspace.call(`GET ${path}`)).headers.get('etag') ?? '';
  await agent.write('One more');
  const headers = { 'if-match': tag };
  assert.is((await workspace.call(`DELETE ${path}?permanent=true`, undefined, { headers })).status, 412);
  assert.is((await workspace.call(`GET ${path}`)).body.status, 'running');
});

test.run();

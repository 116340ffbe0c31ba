import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newChat, settlings, startWithoutAgents } from '../support/chat-fixtures.ts';
import { assertFrame } from '../support/frame.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { holdRow, releaseAll, untilBlocked } from '../support/locks.ts';

const test = suite('sending messages');
const message = 'And next week?';
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after.each(releaseAll);
test.after(() => tandem.close());

function turnsOf({ workspaceId }: TestWorkspace, chatId: string) {
  const text = `select outcome, run_id as "runId", user_id as "userId" from chat_turns
    where workspace_id = $1 and chat_id = $2 order by created_at, id`;
  return tandem.db.rows<{ outcome: string | null; runId: string | null; userId: string }>(text, [workspaceId, chatId]);
}

for (const [state, settle] of Object.entries(settlings)) {
  test(`${state} (settled) → sendMessage → working: 202, another turn begins`, async () => {
    const workspace = await tandem.workspace();
    const { call, userId } = workspace;
    const { chat, path, agent } = await newChat(tandem, workspace);
    await settle(agent);
    const before = (await call(`GET ${path}`)).body;
    assert.is(before.status, state);
    const answer = assertFrame(await call(`POST ${path}/messages`, { message }));
    assert.is(answer.status, 202);
    const messageSequence = before.messageCount + 1;
    assert.equal(answer.body, {
      object: 'chat_run',
      chatId: chat.id,
      status: 'running',
      messageSequence,
      replies: [],
      timedOut: false,
    });
    const { body: after } = await call(`GET ${path}`);
    const { lastMessageAt } = after;
    const changed = { status: 'running', errorMessage: null, messageCount: messageSequence, lastMessageAt };
    assert.equal(after, { ...before, ...changed });
    const { body: page } = await call(`GET ${path}/messages?afterSequence=${before.messageCount}`);
    const [{ id: _, createdAt: __, ...rest }] = page.data;
    assert.equal(rest, {
      object: 'message',
      chatId: chat.id,
      sequence: messageSequence,
      role: 'user',
      text: message,
      blocks: [{ type: 'text', text: message }],
      agentId: null,
      userId,
    });
    const outcome = state === 'awaiting_input' ? 'superseded' : state;
    assert.equal(
      (await turnsOf(workspace, chat.id)).map((turn) => turn.outcome),
      [outcome, null],
    );
    await agent.finish('Nothing either.');
    assert.is((await call(`GET ${path}`)).body.status, 'completed');
  });
}

for (const state of ['running', 'queued']) {
  test(`${state} (working) → sendMessage → refused with 409, and unchanged`, async () => {
    const workspace = await tandem.workspace();
    const { call } = workspace;
    const { chat, path, agent } = await newChat(tandem, workspace);
    await tandem.db.rows('update chats set status = $2 where id = $1', [chat.id, state]);
    const before = (await call(`GET ${path}`)).body;
    const headers = { 'idempotency-key': 'next' };
    const { status, body } = assertFrame(await call(`POST ${path}/messages`, { message }, { headers }));
    assert.equal([status, body.code, body.reason], [409, 'resource_conflict', 'agent_mid_turn']);
    assert.equal((await call(`GET ${path}`)).body, before);
    await agent.finish('Done.');
    assert.is((await call(`POST ${path}/messages`, { message }, { headers })).status, 202, 'the key is free again');
  });
}

test('a message to a chat that waits is the answer: what was asked is superseded, and the run continues', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const todoId = (await call('POST /todos', { title: 'Plan' })).body.id;
  const { chat, path, agent } = await newChat(tandem, workspace, { todoId });
  const runId = crypto.randomUUID();
  const start = `insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status_reason)
    select workspace_id, $2, $3, chat_id, agent_id, 'manual', 'awaiting_input' from chat_turns
    where workspace_id = $1 and chat_id = $4`;
  await tandem.db.rows(start, [workspaceId, runId, todoId, chat.id]);
  await tandem.db.rows('update chat_turns set run_id = $2 where chat_id = $1', [chat.id, runId]);
  const approvalId = await agent.ask();
  assert.is((await call(`POST ${path}/messages`, { message: 'Not now.' })).status, 202);
  const [approval] = await tandem.db.rows<{ status: string }>('select status from approvals where id = $1', [
    approvalId,
  ]);
  assert.is(approval?.status, 'superseded');
  assert.equal(
    (await turnsOf(workspace, chat.id)).map((turn) => turn.runId),
    [runId, runId],
  );
  const run = () =>
    tandem.db.rows<object>('select status, status_reason as reason from todo_runs where id = $1', [runId]);
  assert.equal([...(await run())], [{ status: 'running', reason: null }]);
  await agent.finish('Then not.');
  assert.equal([...(await run())], [{ status: 'completed', reason: null }]);
});

test('an archived chat, a done todo and an archived agent take no message until that is undone', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const agentId = (await call('POST /agents', { name: 'Scout' })).body.id;
  const todoId = (await call('POST /todos', { title: 'Plan' })).body.id;
  const { path, agent } = await newChat(tandem, workspace, { agentId, todoId });
  await agent.finish('Done.');
  const send = async () => {
    const { status, body } = assertFrame(await call(`POST ${path}/messages`, { message }));
    return [status, body.message];
  };
  const obstacles: [string, object | undefined, string, object | undefined, RegExp][] = [
    [`DELETE ${path}`, undefined, `POST ${path}/restore`, undefined, /chat is archived. Restore it/],
    [`PATCH /todos/${todoId}`, { status: 'done' }, `PATCH /todos/${todoId}`, { status: 'ready' }, /Reopen it/],
    [`DELETE /agents/${agentId}`, undefined, `POST /agents/${agentId}/restore`, undefined, /agent .* archived/],
  ];
  for (const [block, body, undo, back, pattern] of obstacles) {
    assert.is((await call(block, body)).status, 200, block);
    const [status, text] = await send();
    assert.is(status, 409, block);
    assert.match(text, pattern);
    assert.is((await call(undo, back)).status, 200, undo);
  }
  assert.is((await send())[0], 202);
});

test('of three messages at once one starts a turn, and the others are refused while the agent is at work', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { path, agent } = await newChat(tandem, workspace);
  await agent.finish('Done.');
  const sent = await Promise.all(['a', 'b', 'c'].map((text) => call(`POST ${path}/messages`, { message: text })));
  assert.equal(sent.map(({ status }) => status).toSorted(), [202, 409, 409]);
  assert.is((await call(`GET ${path}`)).body.messageCount, 3);
});

test('a retry with its key sends no second message, also while the agent is at work', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { path, agent } = await newChat(tandem, workspace);
  await agent.finish('Done.');
  const send = () => call(`POST ${path}/messages`, { message }, { headers: { 'idempotency-key': 'next' } });
  const first = await send();
  const again = await send();
  assert.equal([again.status, again.body, again.headers.get('idempotency-replayed')], [202, first.body, 'true']);
  await agent.finish('Done again.');
  assert.equal((await send()).body, first.body);
  assert.is((await call(`GET ${path}`)).body.messageCount, 4);
});

test('cancelling and sending at once go one after the other', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { chat, path, agent } = await newChat(tandem, workspace);
  await agent.finish('Done.');
  const held = await holdRow('chats', chat.id);
  const sent = call(`POST ${path}/messages`, { message });
  await untilBlocked('select c.agent_id as "agentId", c.todo_id%');
  const cancelled = call(`POST ${path}/cancel`);
  await held.release();
  assert.is((await sent).status, 202);
  assert.ok(['cancelled', 'completed'].includes((await cancelled).body.status));
});

test('402, 404 and 400 leave nothing behind', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const { call, workspaceId } = workspace;
  const { path, agent } = await newChat(tandem, workspace);
  const foreign = await newChat(tandem, other);
  await agent.finish('Done.');
  for (const route of [`POST ${foreign.path}/messages`, `POST /chats/${crypto.randomUUID()}/messages`]) {
    const { status, body } = assertFrame(await call(route, { message }));
    assert.equal([status, body.param], [404, 'chatId']);
  }
  for (const [body, param] of [
    [{}, 'message'],
    [{ message: ' ' }, 'message'],
    [{ message, waitSeconds: 121 }, 'waitSeconds'],
    [{ message, role: 'agent' }, 'role'],
  ] as const) {
    assert.is((await call(`POST ${path}/messages`, body)).body.param, param);
  }
  await tandem.db.rows('update workspaces set agent_minutes = 0 where id = $1', [workspaceId]);
  const { status, body } = assertFrame(await call(`POST ${path}/messages`, { message }));
  assert.equal([status, body.code], [402, 'insufficient_minutes']);
  const { body: chat } = await call(`GET ${path}`);
  assert.equal([chat.status, chat.messageCount], ['completed', 2]);
});

test.run();

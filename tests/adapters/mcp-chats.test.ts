import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type PlayedAgent, playAgent, startWithoutAgents } from '../support/chat-fixtures.ts';
import { withFrozenTimers } from '../support/frozen-timers.ts';
import type { TestService } from '../support/harness.ts';
import { callTool, toolWorkspace } from '../support/mcp-clients.ts';
import { until, within } from '../support/until.ts';

const test = suite('mcp chats');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

const world = () => toolWorkspace(tandem);

async function started(workspace: Awaited<ReturnType<typeof world>>, more: object = {}) {
  const { data, isError } = await workspace.use('create_chat', { message: 'What is due?', ...more });
  assert.is(isError, false, JSON.stringify(data));
  const chatId: string = data.chat.id;
  return { chatId, data, agent: playAgent(tandem, workspace.workspaceId, chatId) };
}

/** Waits for the one open turn of the workspace, and plays its agent. */
async function openTurn(workspaceId: string): Promise<PlayedAgent> {
  const text = 'select chat_id as "chatId" from chat_turns where workspace_id = $1 and ended_at is null';
  let turn: { chatId: string } | undefined;
  const isOpen = async () => {
    [turn] = await tandem.db.rows<{ chatId: string }>(text, [workspaceId]);
    return turn;
  };
  await until(isOpen, () => 'a turn begins');
  return playAgent(tandem, workspaceId, turn?.chatId ?? '');
}

test('a chat is started, followed, answered, stopped and listed', async () => {
  const workspace = await world();
  const { use, call, userId } = workspace;
  const { chatId, data, agent } = await started(workspace, { title: 'Due' });
  const { chat, ...rest } = data;
  const { body } = await call(`GET /chats/${chatId}`);
  const known = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  assert.equal(chat, { ...known, url: `${tandem.url}/chats/${chatId}` });
  assert.equal(rest, { messages: [], hasMore: false, nextSequence: 1, pendingApprovals: [] });
  await agent.write('I look.');
  await agent.finish('Nothing is due.');
  const read = (await use('get_chat', { chatId })).data;
  const { createdAt: _, ...first } = read.messages[0];
  assert.equal(first, { sequence: 1, role: 'user', text: 'What is due?', userId });
  assert.equal([read.chat.status, read.nextSequence, read.hasMore], ['completed', 3, false]);
  assert.equal((await use('get_chat', { chatId, afterSequence: 3 })).data.messages, []);
  const sent = (await use('send_chat_message', { chatId, message: 'And then?' })).data;
  assert.equal([sent.chat.status, sent.messageSequence, sent.nextSequence], ['running', 4, 4]);
  const busy = await use('send_chat_message', { chatId, message: 'Hurry' });
  assert.equal([busy.isError, busy.data.code], [true, 'resource_conflict']);
  for (const time of ['once', 'twice']) {
    assert.is((await use('stop_chat', { chatId })).data.chat.status, 'cancelled', time);
  }
  const { data: listed } = await use('list_chats');
  assert.equal(listed, {
    data: [
      {
        object: 'chat',
        id: chatId,
        title: 'Due',
        status: 'cancelled',
        messageCount: 4,
        isArchived: false,
        lastMessageAt: (await call(`GET /chats/${chatId}`)).body.lastMessageAt,
        url: `${tandem.url}/chats/${chatId}`,
      },
    ],
    hasMore: false,
  });
});

test('an agent may be named, in a new chat and in a list', async () => {
  const workspace = await world();
  const scout = await workspace.agent('Scout');
  const { data } = await started(workspace, { agentId: 'scout' });
  assert.is(data.chat.agentId, scout);
  await started(workspace);
  assert.is((await workspace.use('list_chats', { agentId: 'SCOUT' })).data.data.length, 1);
  assert.is((await workspace.use('list_chats', { agentId: scout, status: 'failed' })).data.data.length, 0);
  const unknown = await workspace.use('create_chat', { message: 'x', agentId: 'Nobody' });
  assert.equal([unknown.data.param, unknown.data.allowedValues], ['agentId', ['Assistant', 'Scout']]);
});

test('waitSeconds: the reply comes with the answer of the same call', async () => {
  const workspace = await world();
  const { use, workspaceId } = workspace;
  const asked = use('create_chat', { message: 'What is due?', waitSeconds: 50 });
  const agent = await openTurn(workspaceId);
  await agent.write('I look.');
  await agent.finish('Nothing.');
  const { data } = await asked;
  const texts = (answer: { messages: { text: string }[] }) => answer.messages.map(({ text }) => text);
  assert.equal([data.chat.status, texts(data), data.nextSequence], ['completed', ['I look.', 'Nothing.'], 3]);
  const chatId = data.chat.id;
  const again = use('send_chat_message', { chatId, message: 'Sure?', waitSeconds: 50 });
  await (await openTurn(workspaceId)).finish('Quite.');
  const sent = (await again).data;
  assert.equal([sent.chat.status, texts(sent), sent.messageSequence], ['completed', ['Quite.'], 4]);
  await use('send_chat_message', { chatId, message: 'And now?' });
  const polled = use('get_chat', { chatId, afterSequence: sent.nextSequence + 1, waitSeconds: 50 });
  const last = await openTurn(workspaceId);
  await last.finish('Still nothing.');
  const answer = (await polled).data;
  assert.equal([answer.chat.status, texts(answer)], ['completed', ['Still nothing.']]);
  const idle = use('get_chat', { chatId, afterSequence: answer.nextSequence, waitSeconds: 50 });
  await withFrozenTimers(() => within(() => 'the answer: nobody is at work, there is nothing to wait for', idle));
  assert.is((await use('get_chat', { chatId, waitSeconds: 51 })).data.param, 'waitSeconds');
});

test('a chat that is erased during the wait was started all the same', async () => {
  const { use, call, workspaceId } = await world();
  const asked = use('create_chat', { message: 'What is due?', waitSeconds: 50 });
  await openTurn(workspaceId);
  const chatId: string = (await call('GET /chats')).body.data[0].id;
  await call(`DELETE /chats/${chatId}?permanent=true`);
  const { isError, data, text } = await asked;
  assert.is(isError, false, text);
  assert.equal([data.chatId, data.chat.id, data.messages, data.nextSequence], [chatId, chatId, [], 1]);
  assert.match(data.note, /get_chat/);
});

test('a long reply is read on with the cursor of the call that waited for it', async () => {
  const { use, workspaceId } = await world();
  const asked = use('create_chat', { message: 'What is due?', waitSeconds: 50 });
  const agent = await openTurn(workspaceId);
  for (let n = 2; n <= 13; n++) await agent.write(`${n}`);
  await agent.finish('14');
  const { chat, messages, hasMore, nextCursor } = (await asked).data;
  assert.equal([messages.at(-1).sequence, hasMore], [11, true]);
  const { isError, data } = await use('get_chat', { chatId: chat.id, cursor: nextCursor });
  assert.is(isError, false, JSON.stringify(data));
  assert.equal([data.messages.map(({ text }: { text: string }) => text), data.hasMore], [['12', '13', '14'], false]);
});

test('what waits for a person is shown with what it would do', async () => {
  const workspace = await world();
  const { chatId, agent } = await started(workspace);
  const approvalId = await agent.ask();
  const { data } = await workspace.use('get_chat', { chatId });
  assert.is(data.chat.status, 'awaiting_input');
  const [{ requestedAt, ...approval }, second] = data.pendingApprovals;
  assert.ok(Date.parse(requestedAt));
  assert.is(second, undefined);
  assert.equal(approval, {
    id: approvalId,
    toolName: 'create_todo',
    title: 'Create a todo',
    input: { title: 'Buy milk' },
    reason: 'It changes something.',
    messageSequence: 2,
  });
  assert.equal(data.messages[1].blocks, [
    { type: 'tool_call', id: 'call_1', name: 'create_todo', input: { title: 'Buy milk' }, approvalId },
  ]);
  await workspace.use('send_chat_message', { chatId, message: 'Rather not.' });
  assert.equal((await workspace.use('get_chat', { chatId })).data.pendingApprovals, []);
});

test('a long chat is read in pages that fit, by sequence or by cursor, every message once', async () => {
  const workspace = await world();
  const { use } = workspace;
  const { chatId, agent } = await started(workspace);
  for (let n = 2; n <= 30; n++) await agent.write(`${n} ${'x'.repeat(n % 3 === 0 ? 5000 : 20)}`);
  for (const by of ['sequence', 'cursor'] as const) {
    const seen: number[] = [];
    for (let next: object = {}, more = true; more; ) {
      const { data, text } = await use('get_chat', { chatId, ...next });
      assert.ok(text.length / 4 <= 2000, `${text.length / 4} tokens`);
      seen.push(...data.messages.map(({ sequence }: { sequence: number }) => sequence));
      next = by === 'cursor' ? { cursor: data.nextCursor } : { afterSequence: data.nextSequence };
      more = data.hasMore;
    }
    assert.equal(
      seen,
      Array.from({ length: 30 }, (_, n) => n + 1),
      by,
    );
  }
  const { text } = await use('get_chat', { chatId, limit: 50 });
  assert.ok(text.length / 4 <= 10_000);
});

test('a long message is cut, says so, and is read on in parts', async () => {
  const workspace = await world();
  const { chatId, agent } = await started(workspace);
  const whole = Array.from({ length: 4500 }, (_, i) => (i % 7 ? String(i % 10) : '🌱')).join('');
  await agent.finish(whole);
  let read = '';
  for (let truncated = true; truncated; ) {
    const textOffset = Array.from(read).length;
    const { data } = await workspace.use('get_chat', { chatId, afterSequence: 1, limit: 1, textOffset });
    read += data.messages[0].text;
    truncated = data.truncated ?? false;
    if (truncated) assert.match(data.rest, /textOffset/);
  }
  assert.is(read, whole);
});

test('what a tool was given and answered is shown in brief', async () => {
  const workspace = await world();
  const { chatId, agent } = await started(workspace);
  const output = { data: Array.from({ length: 100 }, (_, n) => ({ id: n, title: '𝄞'.repeat(20) })) };
  await agent.write('', [{ type: 'tool_result', toolCallId: 'c1', isError: false, output, truncated: false }]);
  const { data, text } = await workspace.use('get_chat', { chatId });
  const [block] = data.messages[1].blocks;
  assert.equal([block.type, block.toolCallId, typeof block.output], ['tool_result', 'c1', 'string']);
  assert.ok(text.length < 3000);
});

test('ten chats at their longest fit in 2,000 tokens, and their pages lead on', async () => {
  const workspace = await world();
  const text = `insert into chats (workspace_id, id, status, title, subtitle, message_count, agent_id, last_message_at)
    select $1, gen_random_uuid(), 'awaiting_input', repeat('"', 200), repeat('ü', 300), 1000, a.id, now() - n * interval '1 s'
    from generate_series(1, 12) n, agents a where a.workspace_id = $1`;
  await tandem.db.rows(text, [workspace.workspaceId]);
  const first = await workspace.use('list_chats');
  assert.is(first.data.data.length, 10);
  assert.ok(first.text.length / 4 <= 2000, `${first.text.length / 4} tokens`);
  const second = await workspace.use('list_chats', { cursor: first.data.nextCursor });
  assert.equal([second.data.data.length, second.data.hasMore], [2, false]);
});

test('what is not here, or of another workspace, reads as missing', async () => {
  const [mine, theirs] = [await world(), await world()];
  const foreign = (await started(theirs)).chatId;
  const calls: [string, object][] = [
    ['get_chat', {}],
    ['stop_chat', {}],
    ['send_chat_message', { message: 'x' }],
  ];
  for (const [name, more] of calls) {
    const answers = [];
    for (const chatId of [foreign, crypto.randomUUID()]) {
      const { requestId: _, ...rest } = (await mine.use(name, { chatId, ...more })).data;
      answers.push(rest);
    }
    assert.equal([answers[0]?.code, answers[0]?.param], ['resource_not_found', 'chatId'], name);
    assert.equal(answers[0], answers[1]);
  }
  assert.is((await mine.use('create_chat', { message: 'x', todoId: crypto.randomUUID() })).data.param, 'todoId');
  assert.is((await theirs.use('get_chat', { chatId: foreign })).data.chat.status, 'running');
});

test('captures need their own scope, and a workspace without minutes is refused', async () => {
  const workspace = await world();
  const key = await workspace.mint(['chats:write', 'chats:read']);
  const refused = await callTool(tandem.url, key, 'create_chat', { message: 'x', captureIds: [crypto.randomUUID()] });
  assert.is(refused.data.code, 'missing_scope');
  await tandem.db.rows('update workspaces set agent_minutes = 0 where id = $1', [workspace.workspaceId]);
  const dry = await workspace.use('create_chat', { message: 'x' });
  assert.equal([dry.isError, dry.data.code], [true, 'insufficient_minutes']);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MessageBlock } from '../../domain/chats/shapes.ts';
import { playAgent, startWithoutAgents } from '../support/chat-fixtures.ts';
import type { TestService } from '../support/harness.ts';
import { assertWholeIds, toolWorkspace } from '../support/mcp-clients.ts';
import { taskClient } from '../support/mcp-tasks.ts';
import { until } from '../support/until.ts';

/* Work that was started is answered, and no error, however much its agent says and asks for. */
const test = suite('mcp: long chats');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

const world = () => toolWorkspace(tandem);

const request = `insert into approvals (workspace_id, id, chat_id, turn_id, agent_id, message_sequence, tool_call_id,
    tool_name, title, input, reason, expires_at)
  select $1, (a ->> 'approvalId')::uuid, $2, t.id, t.agent_id, 2, a ->> 'id', 'create_todo', 'Create a todo', a -> 'input',
    repeat('r', 300), now() + interval '7 days'
  from jsonb_array_elements($3::jsonb) a, chat_turns t where t.workspace_id = $1 and t.chat_id = $2`;

const wait = `update chats set status = 'awaiting_input' where workspace_id = $1 and id = $2`;

/** The agent of a chat makes 20 calls at once, for each of which it asks a person. */
async function askForMuch(workspaceId: string, chatId: string) {
  const agent = playAgent(tandem, workspaceId, chatId);
  const call = (_: unknown, n: number) => ({
    type: 'tool_call' as const,
    id: `call_${n}`,
    name: 'create_todo',
    title: 'Create a todo',
    input: { title: `Todo ${n}`, assignees: Array.from({ length: 9 }, () => ({ id: crypto.randomUUID() })) },
    requiresApproval: true,
    approvalId: crypto.randomUUID(),
  });
  const calls = Array.from({ length: 20 }, call);
  const requests: MessageBlock[] = calls.map(({ id, approvalId, title }) => {
    const reason = 'r'.repeat(300);
    return { type: 'approval_request', approvalId, toolCallId: id, title, reason };
  });
  await agent.write('x'.repeat(5000), [...calls, ...requests]);
  await tandem.db.rows(request, [workspaceId, chatId, JSON.stringify(calls)]);
  await tandem.db.rows(wait, [workspaceId, chatId]);
  await tandem.db.rows(`select pg_notify('tandem_live', $1)`, [JSON.stringify({ kind: 'status', chatId })]);
  return agent;
}

test('a chat whose agent makes many calls at once is shown, with some of them and the number of the others', async () => {
  const { use, workspaceId } = await world();
  const { id: chatId } = (await use('create_chat', { message: 'Plan the launch.' })).data.chat;
  const agent = await askForMuch(workspaceId, chatId);
  const { isError, data, text } = await use('get_chat', { chatId, afterSequence: 1 });
  assert.is(isError, false, text);
  const [{ blocks, moreBlocks }] = data.messages;
  assert.ok(text.length / 4 <= 2000, `${text.length / 4} tokens`);
  assert.is(blocks.length + moreBlocks, 40);
  assert.ok(blocks.length >= 3 && blocks.length <= 16, `${blocks.length} blocks`);
  assert.is(data.pendingApprovals.length + data.morePendingApprovals, 20);
  await agent.end({ outcome: 'cancelled' });
  const { text: whole } = await use('get_chat', { chatId, limit: 50 });
  assert.ok(whole.length / 4 <= 10_000);
  const sent = await use('send_chat_message', { chatId, message: 'Fewer, please.' });
  assert.is(sent.isError, false, sent.text);
});

test('work that waits for a person is answered, and no error, however much its agent asks for', async () => {
  const { use, call, workspaceId } = await world();
  const asked = use('create_chat', { message: 'Plan the launch.', waitSeconds: 50 });
  let chatId: string | undefined;
  const isStarted = async () => {
    chatId = (await call('GET /chats')).body.data[0]?.id;
    return chatId;
  };
  await until(isStarted, () => 'a chat begins');
  await askForMuch(workspaceId, chatId ?? '');
  const { isError, data, text } = await asked;
  assert.is(isError, false, text);
  assert.equal([data.chat.id, data.chat.status, data.nextSequence], [chatId, 'awaiting_input', 2]);
  assert.ok(text.length / 4 <= 2000, `${text.length / 4} tokens`);
  assert.is(data.pendingApprovals.length + data.morePendingApprovals, 20);
  assert.is(data.messages[0].blocks.length + data.messages[0].moreBlocks, 40);
  assertWholeIds(data, 3);
});

test('a task whose agent made many calls ends with its answer', async () => {
  const { get, chatTask } = taskClient(tandem);
  const { key, taskId, chatId, workspaceId } = await chatTask();
  const agent = await askForMuch(workspaceId, chatId);
  await agent.finish('Done.');
  const { status, result } = await get(key, taskId);
  assert.equal([status, result.isError], ['completed', undefined]);
  const { chat, messages } = result.structuredContent;
  assert.equal([chat.id, messages[0].sequence], [chatId, 2]);
  assert.ok(result.content[0].text.length / 4 <= 2000);
  assertWholeIds(result.structuredContent, 2);
});

test.run();

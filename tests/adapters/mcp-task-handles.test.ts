import { isCreateTaskResultV2, isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWithoutAgents } from '../support/chat-fixtures.ts';
import { newGrant } from '../support/grants.ts';
import type { TestService } from '../support/harness.ts';
import { modernRequest, oldClient } from '../support/mcp-clients.ts';
import { taskClient, taskMethods } from '../support/mcp-tasks.ts';

/* Handles on work (SEP-2663): what clients get, from every process, and who gets none. */
const test = suite('mcp: work of agents as tasks');
let tandem: TestService;
let other: TestService;
let now = () => new Date();
let client: ReturnType<typeof taskClient>;

test.before(async () => {
  const start = () => startWithoutAgents({}, { clock: () => now() });
  [tandem, other] = await Promise.all([start(), start()]);
  client = taskClient(tandem);
});
test.before.each(() => {
  now = () => new Date();
});
test.after(async () => {
  await Promise.all([tandem.close(), other.close()]);
});

test('create_chat gives a handle at once, and the task ends with what the call would have answered', async () => {
  const { get, chatTask } = client;
  const { key, created, taskId, chatId, agent, call } = await chatTask();
  assert.is(isCreateTaskResultV2(created), true, JSON.stringify(created));
  const { createdAt } = (await call(`GET /chats/${chatId}`)).body;
  const { lastUpdatedAt, _meta, ...task } = created;
  const handle = { taskId, createdAt, ttlMs: 30 * 86_400_000, pollIntervalMs: 2000 };
  assert.equal(task, { resultType: 'task', status: 'working', ...handle });
  const working = await get(key, taskId);
  assert.is(isDetailedTaskV2(working), true, JSON.stringify(working));
  assert.equal([working.resultType, working.status, working.result], ['complete', 'working', undefined]);
  await agent.finish('Nothing is due.');
  const done = await get(key, taskId);
  assert.is(isDetailedTaskV2(done), true, JSON.stringify(done));
  const { result, lastUpdatedAt: endedAt, _meta: __, ...rest } = done;
  assert.equal(rest, { resultType: 'complete', status: 'completed', ...handle });
  assert.ok(Date.parse(endedAt) >= Date.parse(lastUpdatedAt));
  assert.equal(JSON.parse(result.content[0].text), result.structuredContent);
  assert.is(result.resultType, 'complete');
  const { chat, messages, pendingApprovals } = result.structuredContent;
  assert.equal([chat.id, chat.status, messages.at(-1).text], [chatId, 'completed', 'Nothing is due.']);
  assert.equal(pendingApprovals, []);
});

test('run_todo gives a handle, and the task ends with the run', async () => {
  const { get, runTask } = client;
  const { key, created, taskId, run, agent } = await runTask();
  assert.is(isCreateTaskResultV2(created), true, JSON.stringify(created));
  await agent.finish('Bought.');
  const { status, result } = await get(key, taskId);
  assert.is(status, 'completed');
  const { structuredContent: data } = result;
  assert.equal([data.run.id, data.run.status, data.chatId], [run.id, 'completed', run.chatId]);
  assert.is(data.messages.at(-1).text, 'Bought.');
});

test('work that failed is a completed task whose result says so: failed is for errors of the protocol', async () => {
  const { get, runTask } = client;
  const { key, taskId, agent } = await runTask();
  await agent.end({ outcome: 'failed', errorMessage: 'The model did not answer.' });
  const { status, result } = await get(key, taskId);
  assert.equal([status, result.structuredContent.run.status], ['completed', 'failed']);
  assert.is(result.structuredContent.run.errorMessage, 'The model did not answer.');
});

test('a call that is refused is answered with the refusal, and there is no task', async () => {
  const { ask } = client;
  const { key, call } = await tandem.workspace();
  const todoId = crypto.randomUUID();
  for (const [name, input] of [
    ['run_todo', { todoId }],
    ['create_chat', {}],
    ['create_chat', { message: 'Hello', colour: 'red' }],
  ] as const) {
    const { resultType, isError, taskId } = await ask(key, 'tools/call', { name, arguments: input });
    assert.equal([resultType, isError, taskId], ['complete', true, undefined]);
  }
  assert.equal((await call('GET /chats')).body.data, []);
});

test('a task of another key, workspace or tool, changed, late or erased is not found', async () => {
  const { errorOf, get, chatTask } = client;
  const { key, taskId, chatId, mint, call, agent } = await chatTask();
  const foreign = await chatTask();
  const second = await mint(['chats:read', 'chats:write', 'todos:read', 'todos:write']);
  const bytes = Buffer.from(taskId, 'base64url');
  const changed = (from: string, to: string) =>
    Buffer.concat([bytes.subarray(0, 32), Buffer.from(bytes.subarray(32).toString().replace(from, to))]).toString(
      'base64url',
    );
  const asked: [string, string, string][] = [
    ['another key', second, taskId],
    ['another workspace', foreign.key, taskId],
    ['another chat', key, changed(chatId, foreign.chatId)],
    ['another tool', key, changed('create_chat', 'run_todo')],
    ['unknown', key, 'tasks-nonexistent-12345'],
    ['empty', key, ''],
  ];
  for (const [what, credential, id] of asked) {
    for (const [method, more] of taskMethods) {
      const { code, message } = await errorOf(credential, method, { taskId: id, ...more });
      assert.is(code, -32602, `${what}, ${method}`);
      assert.match(message, /Task not found/);
    }
  }
  now = () => new Date(Date.now() + 30 * 86_400_000 + 1000);
  assert.is((await errorOf(key, 'tasks/get', { taskId })).code, -32602, 'late');
  now = () => new Date(Date.now() + 29 * 86_400_000);
  assert.is((await get(key, taskId)).status, 'working');
  await agent.finish('Done.');
  await call(`DELETE /chats/${chatId}?permanent=true`);
  assert.is((await errorOf(key, 'tasks/get', { taskId })).code, -32602, 'erased');
});

test('a task of an app is that of the consent: any of its tokens, and no other consent, even of the same app', async () => {
  const { ask, errorOf, get } = client;
  const workspace = await tandem.workspace();
  const scopes = ['chats:read', 'chats:write'] as const;
  const [grant, other] = [await newGrant(tandem, workspace, scopes), await newGrant(tandem, workspace, scopes)];
  const call = { name: 'create_chat', arguments: { message: 'What is due?' } };
  const { taskId } = await ask(await grant.token(), 'tools/call', call);
  assert.is((await get(await grant.token(), taskId)).status, 'working');
  for (const key of [await other.token(), workspace.key]) {
    assert.is((await errorOf(key, 'tasks/get', { taskId })).code, -32602);
  }
});

test('another process answers for a task', async () => {
  const { get, chatTask } = client;
  const { key, taskId, agent } = await chatTask();
  assert.is((await get(key, taskId, { url: other.url })).status, 'working');
  await agent.finish('Done.');
  assert.is((await get(key, taskId, { url: other.url })).status, 'completed');
});

test('clients that do not declare the extension see no difference', async () => {
  const { ask, errorOf, chatTask } = client;
  const { key, taskId } = await chatTask();
  for (const [method, more] of taskMethods) {
    const { status, code, data } = await errorOf(
      key,
      method,
      { taskId, ...more },
      { capabilities: { elicitation: {} } },
    );
    assert.equal([status, code], [400, -32021]);
    assert.equal(data, { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } });
  }
  const listen = { notifications: { taskIds: [taskId] } };
  assert.is((await errorOf(key, 'subscriptions/listen', listen, { capabilities: {} })).code, -32021);
  const params = { name: 'create_chat', arguments: { message: 'What is due?' } };
  for (const capabilities of [
    {},
    { extensions: {} },
    { extensions: { 'io.modelcontextprotocol/ui': {} } },
    { extensions: null },
  ]) {
    const { body } = await modernRequest(tandem.url, key, 'tools/call', params, capabilities);
    if (capabilities.extensions === null) continue;
    assert.equal([body.result.resultType, body.result.structuredContent.chat.status], ['complete', 'running']);
  }
  const others = { name: 'list_todos', arguments: {} };
  assert.is((await ask(key, 'tools/call', others)).resultType, 'complete', 'other tools are no tasks');
  const old = await oldClient(tandem.url, key);
  assert.is((await old.call('create_chat', { message: 'What is due?' })).data.chat.status, 'running');
  await old.close();
});

test('the extension is announced to clients of 2026-07-28 alone; removed methods do not exist', async () => {
  const { ask, errorOf } = client;
  const { key } = await tandem.workspace();
  const { capabilities } = await ask(key, 'server/discover', {});
  assert.equal([capabilities.extensions['io.modelcontextprotocol/tasks'], capabilities.tasks], [{}, undefined]);
  for (const method of ['tasks/list', 'tasks/result']) {
    assert.is((await errorOf(key, method, { taskId: 'x' })).code, -32601);
  }
});

test.run();

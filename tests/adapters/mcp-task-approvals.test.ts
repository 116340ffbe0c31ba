import { isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { playAgent, startWithoutAgents } from '../support/chat-fixtures.ts';
import type { TestService } from '../support/harness.ts';
import { noForms, taskClient } from '../support/mcp-tasks.ts';

/* A task that waits for a person (SEP-2663): approving with other arguments, denying, writing instead, cancelling. */
const test = suite('mcp: persons and the tasks of agents');
let tandem: TestService;
let other: TestService;
let client: ReturnType<typeof taskClient>;

test.before(async () => {
  const start = () => startWithoutAgents();
  [tandem, other] = await Promise.all([start(), start()]);
  client = taskClient(tandem);
});
test.after(async () => {
  await Promise.all([tandem.close(), other.close()]);
});

test('an approval is an input request, and the person approves it with other arguments', async () => {
  const { ask, get, chatTask } = client;
  const { key, taskId, agent, call, userId } = await chatTask();
  const approvalId = await agent.ask();
  const waiting = await get(key, taskId);
  assert.is(isDetailedTaskV2(waiting), true, JSON.stringify(waiting));
  assert.equal([waiting.status, Object.keys(waiting.inputRequests)], ['input_required', [approvalId]]);
  const { method, params } = waiting.inputRequests[approvalId];
  assert.equal([method, params.mode, params.requestedSchema.required], ['elicitation/create', 'form', ['decision']]);
  assert.equal(Object.keys(params.requestedSchema.properties), ['decision', 'note', 'input']);
  assert.match(params.message, 'title: "Buy milk"');
  const content = { decision: 'approve', note: 'Oats.', input: '{"title":"Buy oat milk"}' };
  const update = { taskId, inputResponses: { [approvalId]: { action: 'accept', content } } };
  const { _meta, ...ack } = await ask(key, 'tasks/update', update, { url: other.url });
  assert.equal(ack, { resultType: 'complete' });
  const { body } = await call(`GET /approvals/${approvalId}`);
  assert.equal(
    [body.status, body.note, body.decidedBy, body.input],
    ['approved', 'Oats.', userId, { title: 'Buy oat milk' }],
  );
  assert.equal([(await get(key, taskId)).status, (await get(key, taskId)).inputRequests], ['working', undefined]);
  const { _meta: __, ...again } = await ask(key, 'tasks/update', update);
  assert.equal(again, ack, 'a response that comes twice is acknowledged twice');
});

test('denying, declining, answers to unknown keys and arguments that the tool does not take', async () => {
  const { errorOf, get, update, chatTask } = client;
  const { key, taskId, agent, call } = await chatTask();
  const approvalId = await agent.ask();
  const status = async () => (await call(`GET /approvals/${approvalId}`)).body.status;
  for (const response of [{ action: 'decline' }, { action: 'cancel' }, {}, { content: { decision: 'approve' } }]) {
    await update(key, taskId, { [approvalId]: response });
    assert.is(await status(), 'pending', JSON.stringify(response));
  }
  await update(key, taskId, { [crypto.randomUUID()]: { action: 'accept', content: { decision: 'approve' } } });
  for (const [content, named] of [
    [{ decision: 'maybe' }, /decision/],
    [{}, /decision/],
    [{ decision: 'approve', input: 'Buy oats' }, /JSON object/],
    [{ decision: 'approve', input: '[]' }, /JSON object/],
    [{ decision: 'approve', input: '{"titel":"Oats"}' }, /titel/],
  ] as const) {
    const inputResponses = { [approvalId]: { action: 'accept', content } };
    const error = await errorOf(key, 'tasks/update', { taskId, inputResponses });
    assert.equal([error.status, error.code], [200, -32602], error.message);
    assert.match(error.message, named);
    assert.is(await status(), 'pending');
  }
  assert.is((await get(key, taskId)).status, 'input_required');
  const missing = await errorOf(key, 'tasks/update', { taskId });
  assert.equal([missing.code, missing.message], [-32602, 'params.inputResponses: is required']);
  await update(key, taskId, { [approvalId]: { action: 'accept', content: { decision: 'deny', note: 'No.' } } });
  assert.is(await status(), 'denied');
});

test('whoever cannot decide is not asked: the task goes on working and says what it waits for', async () => {
  const { ask, get, chatTask } = client;
  const { workspaceId, call, mint, userId, ...more } = await tandem.workspace();
  const starter = await mint(['todos:write', 'todos:read']);
  const todoId = (await call('POST /todos', { title: 'Buy milk' })).body.id;
  const { taskId } = await ask(starter, 'tools/call', { name: 'run_todo', arguments: { todoId } });
  const { chatId } = (await call(`GET /todos/${todoId}`)).body.latestRun;
  const agent = playAgent(tandem, workspaceId, chatId);
  const approvalId = await agent.ask();
  const { status, statusMessage, inputRequests } = await get(starter, taskId);
  assert.equal([status, inputRequests], ['working', undefined]);
  assert.match(statusMessage, `${tandem.url}/chats/${chatId}`);
  const inputResponses = { [approvalId]: { action: 'accept', content: { decision: 'approve' } } };
  await ask(starter, 'tasks/update', { taskId, inputResponses });
  assert.is((await call(`GET /approvals/${approvalId}`)).body.status, 'pending');
  const own = await chatTask({ workspaceId, call, mint, userId, ...more });
  await own.agent.ask();
  const formless = await get(own.key, own.taskId, { capabilities: noForms });
  assert.equal([formless.status, formless.inputRequests], ['working', undefined]);
});

test('a message instead of a decision goes on with the task; one after its end does not change it', async () => {
  const { ask, get, chatTask } = client;
  const { key, taskId, chatId, agent, call } = await chatTask();
  await agent.ask();
  await call(`POST /chats/${chatId}/messages`, { message: 'Oats instead.' });
  assert.is((await get(key, taskId)).status, 'working');
  await agent.finish('Oats it is.');
  assert.is((await get(key, taskId)).status, 'completed');
  await call(`POST /chats/${chatId}/messages`, { message: 'And rice?' });
  assert.is((await get(key, taskId)).status, 'completed');
  await ask(key, 'tasks/cancel', { taskId });
  assert.is((await call(`GET /chats/${chatId}`)).body.status, 'running', 'work of a later message is not cancelled');
});

test('cancelling stops the work, on any process, and again is acknowledged again', async () => {
  const { ask, get, runTask } = client;
  const { key, taskId, run, call, todoId } = await runTask();
  for (const url of [other.url, tandem.url]) {
    const { _meta, ...ack } = await ask(key, 'tasks/cancel', { taskId }, { url });
    assert.equal(ack, { resultType: 'complete' });
  }
  const { status, result } = await get(key, taskId);
  assert.equal([status, result], ['cancelled', undefined]);
  assert.is((await call(`GET /chats/${run.chatId}`)).body.status, 'cancelled');
  assert.is((await call(`GET /todos/${todoId}`)).body.latestRun.status, 'cancelled');
});

test('cancelling while it waits for a person drops the question', async () => {
  const { ask, get, chatTask } = client;
  const { key, taskId, agent, call } = await chatTask();
  const approvalId = await agent.ask();
  await ask(key, 'tasks/cancel', { taskId });
  assert.is((await get(key, taskId)).status, 'cancelled');
  assert.is((await call(`GET /approvals/${approvalId}`)).body.status, 'superseded');
});

test.run();

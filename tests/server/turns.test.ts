import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ModelFault } from '../../engine/engine.ts';
import { withFrozenTimers } from '../support/frozen-timers.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { reply, ScriptedEngine, settled, untilAnswer, use } from '../support/scripted-engine.ts';
import { within } from '../support/until.ts';

const test = suite('turns of agents');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ TURN_STEPS: '6' }, { engine });
});
test.after(() => tandem.close());

/** A chat whose agent does what `plan` says, once no agent works in it any more. */
async function chatOf({ call }: TestWorkspace, plan: string, more: Record<string, unknown> = {}) {
  const made = await call('POST /chats', { message: `Do it: ${plan}`, ...more });
  assert.is(made.status, 201, made.text);
  const { body: chat } = await settled({ call }, made.body.id);
  const { body: page } = await call(`GET /chats/${chat.id}/messages?limit=100`);
  return { chat, messages: page.data };
}

/** An agent that acts without asking for approval. */
async function newAgent({ call }: TestWorkspace, more: Record<string, unknown> = {}): Promise<string> {
  const { body, text } = await call('POST /agents', { name: `Agent ${crypto.randomUUID()}`, ...more });
  assert.ok(body.id, text);
  return body.id;
}

const outline = (messages: { role: string; blocks: { type: string }[] }[]) =>
  messages.map(({ role, blocks }) => `${role}: ${blocks.map(({ type }) => type).join(' ')}`);

test('an answer ends the turn: the message, the status and the charge are there together', async () => {
  const workspace = await tandem.workspace();
  const { chat, messages } = await chatOf(workspace, engine.plan([reply('All is well.')]));
  assert.is(chat.status, 'completed');
  assert.is(chat.messageCount, 2);
  assert.equal(outline(messages), ['user: text', 'agent: text']);
  assert.is(messages[1].text, 'All is well.');
  assert.ok(messages[1].agentId, 'the agent that answered');
  assert.is(chat.agentId, null, 'none was named');
  assert.ok(chat.completedAt >= messages[1].createdAt);
  const { body } = await workspace.call('GET /me');
  assert.is(body.workspace.agentMinutesRemaining, 599.9, 'a tenth of a minute, begun');
});

test('tools really work, in the order of the answer, and their results come back to the engine', async () => {
  const workspace = await tandem.workspace();
  const seen: unknown[] = [];
  const plan = engine.plan((request, asked) => {
    seen.push(request.conversation.at(-1));
    if (asked > 0) return reply('Made both.');
    return use(['create_todo', { title: 'Buy milk' }], ['create_todo', { title: 'Buy bread', priority: 'high' }]);
  });
  const { chat, messages } = await chatOf(workspace, plan);
  assert.is(chat.status, 'completed', chat.errorMessage);
  assert.equal(outline(messages), [
    'user: text',
    'agent: tool_call tool_call',
    'system: tool_result',
    'system: tool_result',
    'agent: text',
  ]);
  assert.equal(
    messages.map((each: { sequence: number }) => each.sequence),
    [1, 2, 3, 4, 5],
  );
  const results = (seen[1] as { role: string; results: { isError: boolean; output: { todo: { title: string } } }[] })
    .results;
  assert.equal(
    results.map(({ isError, output }) => [isError, output.todo.title]),
    [
      [false, 'Buy milk'],
      [false, 'Buy bread'],
    ],
  );
  const { body: todos } = await workspace.call('GET /todos?order=asc');
  assert.equal(
    todos.data.map((todo: { title: string; source: string }) => [todo.title, todo.source]),
    [
      ['Buy milk', 'agent_created'],
      ['Buy bread', 'agent_created'],
    ],
  );
  assert.is(todos.data[0].assignees[0].id, workspace.userId, 'the person it works for');
});

test('what a tool refuses is returned to the engine and changes nothing', async () => {
  const workspace = await tandem.workspace();
  const other = await tandem.workspace();
  const { body: foreign } = await other.call('POST /todos', { title: 'Not yours' });
  const plan = engine.plan([
    use(
      ['create_todo', { title: '' }],
      ['no_such_tool', {}],
      ['complete_todo', { todoId: foreign.id }],
      ['get_todo', { todoId: foreign.id }],
      ['create_todo', { title: 'x', surprise: 1 }],
    ),
    reply('Nothing worked.'),
  ]);
  const { chat, messages } = await chatOf(workspace, plan);
  assert.is(chat.status, 'completed', chat.errorMessage);
  const results = messages.slice(2, 7).map((each: { blocks: unknown[] }) => each.blocks[0]);
  assert.equal(
    results.map((each: { isError: boolean; output: { code: string } }) => [each.isError, each.output.code]),
    [
      [true, 'validation_failed'],
      [true, 'resource_not_found'],
      [true, 'resource_not_found'],
      [true, 'resource_not_found'],
      [true, 'validation_failed'],
    ],
  );
  assert.equal((await workspace.call('GET /todos')).body.data, []);
  assert.is((await other.call(`GET /todos/${foreign.id}`)).body.status, 'ready');
});

test('a fault of the model fails the chat in words for a person, and the next message starts again', async () => {
  const workspace = await tandem.workspace();
  const plan = engine.plan((_, asked) => {
    if (asked === 0) throw new ModelFault('The model is not available. Try again later.', { retryable: false });
    return reply('Back again.');
  });
  const { chat, messages } = await chatOf(workspace, plan);
  assert.is(chat.status, 'failed');
  assert.is(chat.errorMessage, 'The model is not available. Try again later.');
  assert.equal(outline(messages), ['user: text', 'system: text']);
  const sent = await workspace.call(`POST /chats/${chat.id}/messages`, { message: `Again ${plan}`, waitSeconds: 100 });
  assert.is(sent.status, 202, sent.text);
  assert.is(sent.body.status, 'completed');
  assert.equal(
    sent.body.replies.map((each: { text: string }) => each.text),
    ['Back again.'],
  );
  const { body: after } = await workspace.call(`GET /chats/${chat.id}`);
  assert.is(after.errorMessage, null);
});

test('an internal error fails the turn, and its details are not shown', async () => {
  const workspace = await tandem.workspace();
  const plan = engine.plan(() => {
    throw new TypeError('secret detail');
  });
  const { chat, messages } = await chatOf(workspace, plan);
  assert.is(chat.status, 'failed');
  assert.not.match(JSON.stringify([chat, messages]), /secret detail/);
});

test('cancelling stops the engine at once, and later output is discarded', async () => {
  const workspace = await tandem.workspace();
  const [asked, stopped, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), reply('Too late.')];
  const answered = Promise.withResolvers<void>();
  const plan = engine.plan(async ({ signal }) => {
    signal.addEventListener('abort', () => stopped.resolve());
    asked.resolve();
    await stopped.promise;
    await sleep(300);
    answered.resolve();
    return late;
  });
  // Without the renewals of its lease, which would notice it too.
  const chat = await withFrozenTimers(async () => {
    const { body } = await workspace.call('POST /chats', { message: plan });
    await asked.promise;
    assert.is((await workspace.call(`POST /chats/${body.id}/cancel`)).body.status, 'cancelled');
    await within(() => 'the engine is stopped', stopped.promise);
    return body;
  });
  await answered.promise;
  await chatOf(workspace, engine.plan([reply('Another turn.')]));
  const { body: page } = await workspace.call(`GET /chats/${chat.id}/messages`);
  assert.equal(outline(page.data), ['user: text']);
  assert.is((await workspace.call(`GET /chats/${chat.id}`)).body.status, 'cancelled');
});

test('an agent that never finishes is stopped after the maximum number of steps', async () => {
  const workspace = await tandem.workspace();
  const { chat, messages } = await chatOf(workspace, engine.plan([use(['list_todos', {}])]));
  assert.is(chat.status, 'failed');
  assert.match(chat.errorMessage, /6 steps/);
  assert.is(messages.filter((each: { role: string }) => each.role === 'agent').length, 6);
});

test('a turn that uses up the minutes fails with a message; the balance is zero, not negative', async () => {
  const workspace = await tandem.workspace();
  await tandem.db.rows('update workspaces set agent_minutes = 0.1 where id = $1', [workspace.workspaceId]);
  await tandem.db.rows(`update minute_entries set minutes = 0.1 where workspace_id = $1 and kind = 'grant'`, [
    workspace.workspaceId,
  ]);
  const plan = engine.plan(async (_, asked) => {
    if (asked === 1) await new Promise((resolve) => setTimeout(resolve, 6200));
    return use(['list_todos', {}]);
  });
  const { chat } = await chatOf(workspace, plan);
  assert.is(chat.status, 'failed');
  assert.match(chat.errorMessage, /minutes/);
  assert.is((await workspace.call('GET /me')).body.workspace.agentMinutesRemaining, 0);
  const again = await workspace.call(`POST /chats/${chat.id}/messages`, { message: 'Go on' });
  assert.is(again.status, 402);
  assert.is(again.body.code, 'insufficient_minutes');
  const [sum] = await tandem.db.rows<{ sum: string }>(
    'select sum(minutes)::text as sum from minute_entries where workspace_id = $1',
    [workspace.workspaceId],
  );
  assert.is(Number(sum?.sum), 0);
});

test('an agent cannot stop itself, and says so', async () => {
  const workspace = await tandem.workspace();
  const chatId = { id: '' };
  const plan = engine.plan((_, asked) => (asked === 0 ? use(['stop_chat', { chatId: chatId.id }]) : reply('I go on.')));
  const { body: first } = await workspace.call('POST /chats', { message: 'Hello' });
  await settled(workspace, first.id);
  chatId.id = first.id;
  await workspace.call(`POST /chats/${first.id}/messages`, { message: plan });
  const { body: chat } = await settled(workspace, first.id);
  assert.is(chat.status, 'completed', chat.errorMessage);
});

test('two chats of agents that call each other come to an end', async () => {
  const workspace = await tandem.workspace();
  const agentId = await newAgent(workspace, { requiresApproval: false });
  const plan = engine.plan((request) => {
    const results = request.conversation.at(-1);
    if (results?.role === 'tools')
      return reply(results.results[0]?.isError ? 'I could not ask.' : 'I asked another one.');
    return use(['create_chat', { message: `Ask on: ${plan}`, agentId }]);
  });
  await chatOf(workspace, plan, { agentId });
  const chats = await untilAnswer(
    () => workspace.call('GET /chats'),
    ({ body }) => body.data.every((each: { status: string }) => each.status === 'completed'),
  );
  assert.is(chats.body.data.length, 4, 'a person, and three agents after it');
});

test('an agent cannot start itself again at once by a schedule', async () => {
  const workspace = await tandem.workspace();
  const { body: agents } = await workspace.call('GET /agents');
  const soon = { runAt: new Date(Date.now() + 10 * 60_000).toISOString() };
  const later = { runAt: new Date(Date.now() + 16 * 60_000).toISOString() };
  const assignees = [{ id: agents.data[0].id }];
  const plan = engine.plan([
    use(
      ['create_todo', { title: 'Again', assignees, schedule: soon }],
      ['create_todo', { title: 'Later', assignees, schedule: later }],
    ),
    reply('I tried.'),
  ]);
  const { messages } = await chatOf(workspace, plan);
  const [refused, made] = messages.slice(2, 4).map((each: { blocks: unknown[] }) => each.blocks[0]);
  assert.equal([refused.isError, refused.output.param, made.isError], [true, 'schedule', false]);
  const { body: todos } = await workspace.call('GET /todos');
  assert.equal(
    todos.data.map((todo: { title: string }) => todo.title),
    ['Later'],
  );
  const person = await workspace.call('POST /todos', { title: 'Mine', schedule: soon });
  assert.is(person.status, 201, 'a person may');
});

test.run();

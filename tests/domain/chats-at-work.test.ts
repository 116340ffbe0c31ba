import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EventStream, follow } from '../support/event-source.ts';
import { withFrozenTimers } from '../support/frozen-timers.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { callTool } from '../support/mcp-clients.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';
import { within } from '../support/until.ts';
import { agentOf, approvalOf, bodyOf, chatNow, held, messagesOf, startRun, todoNow } from '../support/work-fixtures.ts';

const test = suite('chats with agents at work');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine });
});
test.after(() => tandem.close());

interface Message {
  sequence: number;
  role: string;
  text: string;
  agentId: string | null;
  userId: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
  blocks: any[];
}

const texts = (messages: Message[]) => messages.map(({ text }) => text);

test('createChat and sendMessage with waitSeconds answer when the agent is done, with all that it did', async () => {
  const { call } = await tandem.workspace();
  const message = engine.plan([use(['create_todo', { title: 'Buy milk' }]), reply('Made it.'), reply('And again.')]);
  // The wait ends with the turn: neither its own limit nor a poll ends here.
  const waiting = withFrozenTimers(() => call('POST /chats', { message, waitSeconds: 60 }));
  const made = await within(() => 'the answer', waiting);
  assert.equal([made.status, made.body.status, made.body.messageCount], [201, 'completed', 4]);
  const { data } = (await call(`GET /chats/${made.body.id}/messages`)).body;
  assert.is(data[3].text, 'Made it.');
  const sent = await call(`POST /chats/${made.body.id}/messages`, { message: 'More', waitSeconds: 60 });
  assert.equal([sent.status, sent.body.status, sent.body.timedOut], [202, 'completed', false]);
  assert.equal([sent.body.messageSequence, texts(sent.body.replies)], [5, ['And again.']]);
});

test('over MCP one call asks and gets the reply', async () => {
  const { key } = await tandem.workspace();
  const message = engine.plan([reply('All is well.'), reply('Still.')]);
  const { data } = await callTool(tandem.url, key, 'create_chat', { message, waitSeconds: 50 });
  assert.equal([data.chat.status, texts(data.messages), data.nextSequence], ['completed', ['All is well.'], 2]);
  const more = { chatId: data.chat.id, message: 'And now?', waitSeconds: 50 };
  const sent = (await callTool(tandem.url, key, 'send_chat_message', more)).data;
  assert.equal([sent.chat.status, texts(sent.messages)], ['completed', ['Still.']]);
});

test('a follower sees the answer as it is written, then whole', async () => {
  const workspace = await tandem.workspace();
  const pieces = ['Once ', 'upon ', 'a ', 'time.'];
  const followed = Promise.withResolvers<EventStream>();
  const message = engine.plan(async ({ onText }) => {
    const { until } = await followed.promise;
    for (const piece of pieces) {
      onText?.(piece);
      await until(({ event, data }) => event === 'delta' && data.text.endsWith(piece));
    }
    return reply(pieces.join(''));
  });
  const { body } = await workspace.call('POST /chats', { message });
  const received = await follow(`${tandem.url}/api/v1/chats/${body.id}/stream`, workspace.key);
  await received.until(({ event }) => event === 'status');
  followed.resolve(received);
  await received.ended;
  const deltas = received.events.filter(({ event }) => event === 'delta');
  assert.is(deltas.length, pieces.length);
  assert.ok(deltas.every(({ data }) => data.sequence === 2));
  assert.is(deltas.map(({ data }) => data.text).join(''), 'Once upon a time.');
  const rest = received.events.slice(received.events.findLastIndex(({ event }) => event === 'delta') + 1);
  assert.equal(
    rest.map(({ event, data }) => [event, data.text ?? data.status]),
    [
      ['message', 'Once upon a time.'],
      ['status', 'completed'],
      ['done', 'completed'],
    ],
  );
});

test('cancelChat stops an agent that is thinking at once, and the next message resumes it', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const busy = held(reply('Never said.'));
  const message = engine.plan((request, asked) => (asked > 0 ? reply('Back again.') : busy.script(request)));
  // Without the renewals of the lease and the polls of the stream, which would notice it too.
  const body = await withFrozenTimers(async () => {
    const { body: chat } = await call('POST /chats', { message });
    const received = await follow(`${tandem.url}/api/v1/chats/${chat.id}/stream`, workspace.key);
    await busy.asked();
    assert.is((await call(`POST /chats/${chat.id}/cancel`)).body.status, 'cancelled');
    await received.until(({ event, data }) => event === 'done' && data.status === 'cancelled');
    await busy.stopped();
    return chat;
  });
  const sent = await call(`POST /chats/${body.id}/messages`, { message: 'Go on', waitSeconds: 60 });
  assert.equal([sent.body.status, texts(sent.body.replies)], ['completed', ['Back again.']]);
});

test('an agent that starts a chat is its author, does not wait for it, and works for the same person', async () => {
  const workspace = await tandem.workspace();
  const { call, userId } = workspace;
  const other = engine.plan([reply('I am the other one.')]);
  const message = engine.plan([use(['create_chat', { message: other, waitSeconds: 50 }]), reply('I asked.')]);
  const first = (await call('POST /chats', { message })).body;
  const { body } = await settled(workspace, first.id);
  assert.is(body.status, 'completed', body.errorMessage);
  const { data: chats } = (await call('GET /chats')).body;
  const second = chats.find(({ id }: { id: string }) => id !== first.id);
  await settled(workspace, second.id);
  const { data } = (await call(`GET /chats/${second.id}/messages`)).body;
  const { data: mine } = (await call(`GET /chats/${first.id}/messages`)).body;
  const { agentId } = mine.at(-1);
  assert.equal([data[0].role, data[0].agentId, data[0].userId], ['user', agentId, null]);
  assert.is(data[1].text, 'I am the other one.');
  const [turn] = await tandem.db.rows<object>('select depth, user_id as "userId" from chat_turns where chat_id = $1', [
    second.id,
  ]);
  assert.equal(turn, { depth: 1, userId });
});

test('an agent neither stops its own chat nor answers for a person, nor takes the question away', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const scout = (await call('POST /agents', { name: 'Scout', requiresApproval: true })).body.id;
  const asks = engine.plan([use(['create_todo', { title: 'Buy milk' }]), reply('Done.')]);
  const waiting = (await call('POST /chats', { message: asks, agentId: scout, waitSeconds: 60 })).body;
  assert.is(waiting.status, 'awaiting_input');
  const known = Promise.withResolvers<string>();
  const message = engine.plan(async (_, asked) => {
    if (asked > 0) return reply('So be it.');
    const chatId = await known.promise;
    return use(
      ['send_chat_message', { chatId: waiting.id, message: 'Yes, do it.' }],
      ['stop_chat', { chatId }],
      ['stop_chat', { chatId: waiting.id }],
    );
  });
  const own: string = (await call('POST /chats', { message })).body.id;
  known.resolve(own);
  assert.is((await settled(workspace, own)).body.status, 'completed');
  const { data } = (await call(`GET /chats/${own}/messages`)).body;
  const results = data.flatMap(({ blocks }: Message) => blocks.filter(({ type }) => type === 'tool_result'));
  assert.equal(
    results.map(({ isError, output }: { isError: boolean; output: { code: string } }) => [isError, output.code]),
    [
      [true, 'resource_conflict'],
      [true, 'resource_conflict'],
      [true, 'resource_conflict'],
    ],
  );
  assert.is((await call(`GET /chats/${waiting.id}`)).body.status, 'awaiting_input');
  assert.is((await call('GET /approvals?status=pending')).body.data.length, 1);
});

test('an agent completes no todo whose own agent waits for a person', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const todo = bodyOf(await call('POST /todos', { title: 'Water the plants' }), 201);
  const asks = engine.plan([use(['create_todo', { title: 'Buy a can' }]), reply('Watered.')]);
  const scout = await agentOf(workspace, { requiresApproval: true });
  const { chatId } = await startRun(workspace, todo.id, asks, scout);
  const { id } = await approvalOf(workspace, chatId);
  const message = engine.plan([
    use(['complete_todo', { todoId: todo.id }], ['update_todo', { todoId: todo.id, status: 'done' }]),
    use(['archive_todo', { todoId: todo.id }]),
    reply('It still waits for you.'),
  ]);
  const own = bodyOf(await call('POST /chats', { message, waitSeconds: 60 }), 201);
  assert.is(own.status, 'completed', own.errorMessage);
  const results = (await messagesOf(workspace, own.id)).flatMap(({ blocks }: Message) =>
    blocks.flatMap((each) => (each.type === 'tool_result' ? [each.output.code ?? each.isError] : [])),
  );
  assert.equal(results, ['resource_conflict', 'resource_conflict', false]);
  assert.equal(
    [(await todoNow(workspace, todo.id)).status, (await approvalOf(workspace, chatId)).id],
    ['in_progress', id],
  );
  bodyOf(await call(`PATCH /todos/${todo.id}`, { status: 'done' }));
  assert.is((await chatNow(workspace, chatId)).status, 'cancelled', 'a person may');
});

test.run();

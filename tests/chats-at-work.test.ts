import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { follow } from './event-source.ts';
import { startTestService, type TestService } from './harness.ts';
import { callTool } from './mcp-clients.ts';
import { ScriptedEngine, say, settled, use } from './scripted-engine.ts';

const test = suite('chats with agents at work');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine });
});
test.after(() => tandem.close());

interface Said {
  sequence: number;
  role: string;
  text: string;
  agentId: string | null;
  userId: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
  blocks: any[];
}

const texts = (messages: Said[]) => messages.map(({ text }) => text);

test('createChat and sendMessage with waitSeconds answer when the agent is done, with all that it did', async () => {
  const { call } = await tandem.workspace();
  const message = engine.plan([use(['create_todo', { title: 'Buy milk' }]), say('Made it.'), say('And again.')]);
  const start = performance.now();
  const made = await call('POST /chats', { message, waitSeconds: 60 });
  assert.equal([made.status, made.body.status, made.body.messageCount], [201, 'completed', 4]);
  assert.ok(performance.now() - start < 10_000);
  const { data } = (await call(`GET /chats/${made.body.id}/messages`)).body;
  assert.is(data[3].text, 'Made it.');
  const sent = await call(`POST /chats/${made.body.id}/messages`, { message: 'More', waitSeconds: 60 });
  assert.equal([sent.status, sent.body.status, sent.body.timedOut], [202, 'completed', false]);
  assert.equal([sent.body.messageSequence, texts(sent.body.replies)], [5, ['And again.']]);
});

test('over MCP one call asks and gets the reply', async () => {
  const { key } = await tandem.workspace();
  const message = engine.plan([say('All is well.'), say('Still.')]);
  const { data } = await callTool(tandem.url, key, 'create_chat', { message, waitSeconds: 50 });
  assert.equal([data.chat.status, texts(data.messages), data.nextSequence], ['completed', ['All is well.'], 2]);
  const more = { chatId: data.chat.id, message: 'And now?', waitSeconds: 50 };
  const sent = (await callTool(tandem.url, key, 'send_chat_message', more)).data;
  assert.equal([sent.chat.status, texts(sent.messages)], ['completed', ['Still.']]);
});

test('a follower sees the answer as it is written, then whole', async () => {
  const workspace = await tandem.workspace();
  const pieces = ['Once ', 'upon ', 'a ', 'time.'];
  const followed = Promise.withResolvers<void>();
  const message = engine.plan(async ({ onText }) => {
    await followed.promise;
    for (const piece of pieces) {
      onText?.(piece);
      await sleep(150);
    }
    return say(pieces.join(''));
  });
  const { body } = await workspace.call('POST /chats', { message });
  const heard = await follow(`${tandem.url}/api/v1/chats/${body.id}/stream`, workspace.key);
  await heard.until(({ event }) => event === 'status');
  followed.resolve();
  await heard.ended;
  const deltas = heard.events.filter(({ event }) => event === 'delta');
  assert.ok(deltas.length >= 2, 'in pieces');
  assert.ok(deltas.every(({ data }) => data.sequence === 2));
  assert.is(deltas.map(({ data }) => data.text).join(''), 'Once upon a time.');
  const rest = heard.events.slice(heard.events.findLastIndex(({ event }) => event === 'delta') + 1);
  assert.equal(
    rest.map(({ event, data }) => [event, data.text ?? data.status]),
    [
      ['message', 'Once upon a time.'],
      ['status', 'completed'],
      ['done', 'completed'],
    ],
  );
});

test('cancelChat stops an agent that is thinking within about a second, and its message resumes it', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const aborted = Promise.withResolvers<number>();
  const message = engine.plan(async ({ signal }, asked) => {
    if (asked > 0) return say('Back again.');
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))).finally(() =>
      aborted.resolve(performance.now()),
    );
    return say('Never said.');
  });
  const { body } = await call('POST /chats', { message });
  const heard = await follow(`${tandem.url}/api/v1/chats/${body.id}/stream`, workspace.key);
  await sleep(300);
  const start = performance.now();
  assert.is((await call(`POST /chats/${body.id}/cancel`)).body.status, 'cancelled');
  await heard.until(({ event, data }) => event === 'done' && data.status === 'cancelled');
  assert.ok((await aborted.promise) - start < 1500);
  const sent = await call(`POST /chats/${body.id}/messages`, { message: 'Go on', waitSeconds: 60 });
  assert.equal([sent.body.status, texts(sent.body.replies)], ['completed', ['Back again.']]);
});

test('an agent that starts a chat is its author, does not wait for it, and works for the same person', async () => {
  const workspace = await tandem.workspace();
  const { call, userId } = workspace;
  const other = engine.plan([say('I am the other one.')]);
  const message = engine.plan([use(['create_chat', { message: other, waitSeconds: 50 }]), say('I asked.')]);
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

test('an agent neither stops its own chat nor answers for a person', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const scout = (await call('POST /agents', { name: 'Scout', requiresApproval: true })).body.id;
  const asks = engine.plan([use(['create_todo', { title: 'Buy milk' }]), say('Done.')]);
  const waiting = (await call('POST /chats', { message: asks, agentId: scout, waitSeconds: 60 })).body;
  assert.is(waiting.status, 'awaiting_input');
  const known = Promise.withResolvers<string>();
  const message = engine.plan(async (_, asked) => {
    if (asked > 0) return say('So be it.');
    const chatId = await known.promise;
    return use(['send_chat_message', { chatId: waiting.id, message: 'Yes, do it.' }], ['stop_chat', { chatId }]);
  });
  const own: string = (await call('POST /chats', { message })).body.id;
  known.resolve(own);
  assert.is((await settled(workspace, own)).body.status, 'completed');
  const { data } = (await call(`GET /chats/${own}/messages`)).body;
  const results = data.flatMap(({ blocks }: Said) => blocks.filter(({ type }) => type === 'tool_result'));
  assert.equal(
    results.map(({ isError, output }: { isError: boolean; output: { code: string } }) => [isError, output.code]),
    [
      [true, 'resource_conflict'],
      [true, 'resource_conflict'],
    ],
  );
  assert.is((await call(`GET /chats/${waiting.id}`)).body.status, 'awaiting_input');
  assert.is((await call('GET /approvals?status=pending')).body.data.length, 1);
});

test.run();

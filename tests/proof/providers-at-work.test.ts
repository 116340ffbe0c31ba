import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { follow, type StreamEvent } from '../support/event-source.ts';
import { freezeTimers } from '../support/frozen-timers.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { protocols, secretKey } from '../support/model-engine.ts';
import { type Asked, type ModelServer, type Reply, startModelServer } from '../support/model-server.ts';
import { settled, untilAnswer } from '../support/scripted-engine.ts';
import { modelEnvironment, models, requestsWith, ScriptedModel, call as use } from '../support/scripted-model.ts';
import { until, within } from '../support/until.ts';
import { agentOf, bodyOf, chatNow, endOfRun, messagesOf, startRun } from '../support/work-fixtures.ts';

/** Seconds without a byte after which a provider counts as silent: as few as the configuration takes. */
const silence = 5;

async function titlesOf({ call }: TestWorkspace): Promise<string[]> {
  const { data } = bodyOf(await call('GET /todos?order=asc'));
  return data.map(({ title }: { title: string }) => title);
}

/** The results of tools that a request ends with. */
function resultsIn(asked: Asked | undefined): string[] {
  const last = asked?.messages.at(-1);
  return last?.role === 'tools' ? last.results.map(({ output }) => output) : [];
}

/** What a reader of a stream has of a message that is being written: each piece goes to its offset. */
function provisional(events: readonly StreamEvent[]): string {
  const pieces = events.flatMap(({ event, data }) => (event === 'delta' ? [data] : []));
  return pieces.reduce((text, { offset, text: more }) => {
    assert.ok(offset <= text.length, `a piece for ${offset} of ${text.length}`);
    return text.slice(0, offset) + more;
  }, '');
}

/** Faults that may pass, as an answer that calls a tool meets them. */
const passing: Record<string, Reply> = {
  '429 with Retry-After': { status: 429, headers: { 'retry-after': '1' } },
  '500': { status: 500 },
  '503': { status: 503, body: '' },
  '529': { status: 529, error: { type: 'overloaded_error' } },
  'a stream that cannot be read': { ...cut(), fault: 'broken' },
  'an error inside the stream': { ...cut(), fault: 'error', error: { type: 'overloaded_error' } },
  'a stream that ends in the middle of a tool call': { ...cut(), fault: 'end' },
  'a reset before the first byte': { fault: 'reset' },
  'a reset in the middle of a tool call': { ...cut(), fault: 'reset' },
  'a silence in the middle of a tool call': { ...cut(), fault: 'silence' },
};

interface Lasting {
  fault: Reply;
  message: RegExp;
  tries: number;
}

const unavailable = /overloaded or unavailable \(500\)\. Try again in a minute\. \(Tried 5 times\.\)/;
const wrongKey = /refused the key of this service: the operator of this service must correct AI_API_KEY/;
const lasting: Record<string, Lasting> = {
  '401': { fault: { status: 401 }, message: wrongKey, tries: 1 },
  '404': { fault: { status: 404 }, message: /has no such model/, tries: 1 },
  '500': { fault: { status: 500 }, message: unavailable, tries: 5 },
  'a Retry-After of an hour': {
    fault: { status: 429, headers: { 'retry-after': '3600' } },
    message: /Try again in 60 min\./,
    tries: 1,
  },
  'a stream without an end': {
    fault: { ...cut(), fault: 'end' },
    message: /could not be read\. .* \(Tried 5 times\.\)/,
    tries: 5,
  },
};

function cut() {
  return { text: 'I begin', toolCalls: [{ name: 'create_todo', input: { title: 'Half a todo' } }], after: 7 };
}

for (const protocol of protocols) {
  const test = suite(`agents over ${protocol}`);
  const model = new ScriptedModel();
  let server: ModelServer;
  let tandem: TestService;
  /** Another process: it answers requests and runs no agents. */
  let beside: TestService;

  test.before(async () => {
    server = await startModelServer(protocol, model.script, { apiKey: secretKey });
    tandem = await startTestService({
      ...modelEnvironment(protocol, server, secretKey),
      AI_STEP_SECONDS: String(silence),
      AGENT_CONCURRENCY: '32',
    });
    beside = await startTestService({ AGENT_CONCURRENCY: '0' });
  });
  test.after(async () => {
    await Promise.all([tandem.close(), beside.close()]);
    await server.close();
  });

  const world = async () => {
    const workspace = await tandem.workspace();
    return { workspace, call: workspace.call, agentId: await agentOf(workspace) };
  };

  test('a chat whose agent calls tools ends completed, with their effects; the model sees what came of them', async () => {
    const { workspace, call, agentId } = await world();
    const word = model.plan([
      {
        text: 'I make both.',
        toolCalls: [
          { name: 'create_todo', input: { title: 'Buy milk', priority: 'high' } },
          { name: 'create_todo', input: { title: 'Buy bread' } },
        ],
      },
      use('list_todos', { limit: 10 }),
      use('create_todo', { title: 'x', surprise: true }),
      { text: 'Both are on the list.' },
    ]);
    const message = `Milk and bread, please. ${word}`;
    const chat = bodyOf(await call('POST /chats', { message, agentId, waitSeconds: 100 }), 201);
    assert.is(chat.status, 'completed', chat.errorMessage);
    assert.equal(await titlesOf(workspace), ['Buy milk', 'Buy bread']);
    const messages = await messagesOf(workspace, chat.id);
    assert.equal(
      messages.map(({ role }: { role: string }) => role),
      ['user', 'agent', 'system', 'system', 'agent', 'system', 'agent', 'system', 'agent'],
    );
    assert.is(messages.at(-1).text, 'Both are on the list.');

    const asked = requestsWith(server, word).map((request) => request.asked);
    assert.is(asked.length, 4);
    assert.equal(new Set(asked.map((each) => each?.stream)), new Set([true]));
    const names = asked[0]?.tools.map(({ name }) => name) ?? [];
    for (const name of ['list_todos', 'create_todo', 'run_todo', 'create_chat']) assert.ok(names.includes(name), name);
    assert.ok(!JSON.stringify(asked[0]?.tools).includes('waitSeconds'), 'agents do not wait');
    const made = resultsIn(asked[1]).map((output) => JSON.parse(output).todo.title);
    assert.equal(made, ['Buy milk', 'Buy bread']);
    assert.match(resultsIn(asked[3])[0] ?? '', /surprise/);
  });

  /** Meets a fault, makes a todo, and meets it again. */
  async function outlasts(name: string, fault: Reply): Promise<void> {
    const { workspace, call, agentId } = await world();
    // Silence takes long: once is enough.
    const again = name.includes('silence') ? [] : [fault];
    const word = model.plan([fault, use('create_todo', { title: 'Buy milk' }), ...again, { text: 'Done.' }]);
    const chat = bodyOf(await call('POST /chats', { message: word, agentId, waitSeconds: 100 }), 201);
    assert.equal([chat.status, chat.errorMessage, chat.messageCount], ['completed', null, 4], name);
    assert.equal(await titlesOf(workspace), ['Buy milk'], name);
    assert.is(requestsWith(server, word).length, 3 + again.length, name);
  }

  /** Makes a todo, and meets a fault that stays; then a person writes again. */
  async function fails(name: string, { fault, message, tries }: Lasting): Promise<void> {
    const { workspace, call, agentId } = await world();
    const word = model.plan([use('create_todo', { title: 'Buy milk' }), fault]);
    const chat = bodyOf(await call('POST /chats', { message: word, agentId, waitSeconds: 100 }), 201);
    assert.is(chat.status, 'failed', name);
    assert.match(chat.errorMessage, message);
    const messages = await messagesOf(workspace, chat.id);
    assert.equal([messages.at(-1).role, messages.at(-1).text], ['system', chat.errorMessage]);
    assert.not.match(JSON.stringify(messages), new RegExp(secretKey));
    assert.is(requestsWith(server, word).length, 1 + tries, name);
    assert.equal(await titlesOf(workspace), ['Buy milk'], 'what was done stays, once');
    const next = model.plan([{ text: 'Here I am again.' }]);
    const sent = await call(`POST /chats/${chat.id}/messages`, { message: next, waitSeconds: 100 });
    const run = bodyOf(sent, 202);
    assert.equal([run.status, run.replies.at(-1)?.text], ['completed', 'Here I am again.'], name);
    assert.is((await chatNow(workspace, chat.id)).errorMessage, null);
  }

  test('a fault that may pass is waited out without doing anything twice or by half; one that lasts fails the chat in words for a person, and the next message works', async () => {
    await Promise.all([
      ...Object.entries(passing).map(([name, fault]) => outlasts(name, fault)),
      ...Object.entries(lasting).map(([name, fault]) => fails(name, fault)),
    ]);
  });

  test('agent minutes count the asking, not the waits between tries', async () => {
    const { workspace, call, agentId } = await world();
    const please = { status: 429, headers: { 'retry-after': '2' } };
    const word = model.plan([please, { text: 'Thank you for waiting.', delayMs: 300 }]);
    const began = Date.now();
    bodyOf(await call('POST /chats', { message: word, agentId, waitSeconds: 100 }), 201);
    const took = Date.now() - began;
    assert.ok(took > 2000, 'it waited as long as it was asked to');
    const [turn] = await tandem.db.rows<{ active: number }>(
      'select active_ms as active from chat_turns where workspace_id = $1',
      [workspace.workspaceId],
    );
    assert.ok(turn && turn.active >= 300 && turn.active < took - 2000, `${turn?.active} of ${took} ms`);
    assert.is(bodyOf(await call('GET /me')).workspace.agentMinutesRemaining, 599.9);
  });

  test('what a model says arrives over the stream while it says it, on any process; an answer started again replaces it', async () => {
    const { workspace, call, agentId } = await world();
    const text = 'It takes a while to say all of this, word by word, to whoever listens.';
    const broken = { text: 'I never get to the end of this sentence', delayMs: 300, eventMs: 60 };
    const open = Promise.withResolvers<void>();
    let [last, isBroken] = [0, false];
    // What is said before both streams are open does not arrive. A request given up as silent meanwhile is a dead one.
    const word = model.plan(async (_asked, n) => {
      last = n;
      await open.promise;
      if (n < last || isBroken) return { text, eventMs: 60 };
      isBroken = true;
      return { ...broken, after: 8, fault: 'reset' };
    });
    const { id } = bodyOf(await call('POST /chats', { message: word, agentId }), 201);
    const streams = await Promise.all(
      [tandem, beside].map(({ url }) => follow(`${url}/api/v1/chats/${id}/stream`, workspace.key)),
    );
    for (const stream of streams) await stream.until(() => true);
    open.resolve();
    for (const { ended, events } of streams) {
      await within(() => 'the stream ends', ended);
      const kinds = events.map(({ event }) => event);
      const seen = events.map((_, place) => provisional(events.slice(0, place + 1)));
      assert.ok(
        seen.some((each) => each.startsWith('I never')),
        kinds.join(' '),
      );
      assert.ok(new Set(seen).size > 4, kinds.join(' '));
      const last = seen.at(-1) ?? '';
      assert.ok(last.length > 10 && text.startsWith(last), last);
      assert.ok(kinds.lastIndexOf('delta') < kinds.lastIndexOf('message'), 'none after the message');
      const message = events.findLast(({ event }) => event === 'message');
      assert.equal([message?.id, message?.data.text], ['2', text]);
    }
  });

  test('cancelling leaves the provider at once, also when another process is asked to', async () => {
    for (const asked of [tandem, beside]) {
      // Without the renewals of the lease, which would notice it too.
      const thaw = freezeTimers();
      const { workspace, call, agentId } = await world();
      const word = model.plan([{ text: 'I think about', after: 3, fault: 'silence' }]);
      const { id } = bodyOf(await call('POST /chats', { message: word, agentId }), 201);
      await until(() => requestsWith(server, word).length > 0);
      const headers = { authorization: `Bearer ${workspace.key}` };
      const cancelled = await asked.call(`POST /chats/${id}/cancel`, undefined, { headers });
      assert.is(bodyOf(cancelled).status, 'cancelled');
      await until(() => requestsWith(server, word)[0]?.ended).finally(thaw);
      assert.is(requestsWith(server, word)[0]?.ended, 'client left');
      assert.is((await messagesOf(workspace, id)).length, 1);
      assert.is(requestsWith(server, word).length, 1, 'and it is not asked again');
    }
  });

  test('titles, summaries and estimates are written by the models of their purposes', async () => {
    const { workspace, call, agentId } = await world();
    const todo = bodyOf(await call('POST /todos', { title: 'Water the plants' }), 201);
    const word = model.plan([{ text: 'Hello.' }]);
    const { id: chatId } = bodyOf(await call('POST /chats', { message: `Hello ${word}` }), 201);
    await settled(workspace, chatId);
    const work = model.plan([use('complete_todo', { todoId: todo.id }), { text: 'All watered.' }]);
    const run = await startRun(workspace, todo.id, work, agentId);
    await endOfRun(workspace, todo.id);
    const estimated = await untilAnswer(
      () => call(`GET /todos/${todo.id}`),
      ({ body }) => body.minutesSaved !== null,
    );
    const { minutesSaved, minutesSavedReason, minutesSavedConfidence } = estimated.body;
    assert.equal([minutesSaved, minutesSavedConfidence], [42, 'high']);
    assert.is(minutesSavedReason, 'Two hands would have needed as long.');
    const written = await untilAnswer(
      () => call(`GET /chats/${chatId}`),
      ({ body }) => body.title !== null && body.subtitle !== null,
    );
    assert.equal(
      [written.body.title, written.body.subtitle],
      [`Written by ${models.titles}`, `Written by ${models.summaries}`],
    );
    assert.is((await chatNow(workspace, run.chatId)).title, 'Water the plants', 'a run is named after its todo');
    const skill = bodyOf(await call(`POST /agents/${agentId}/skills`, { name: 'Watering', instructions: word }), 201);
    await untilAnswer(
      () => call(`GET /agents/${agentId}/skills/${skill.id}`),
      ({ body }) => body.summary === `Written by ${models.summaries}`,
    );
    const [title] = requestsWith(server, word, models.titles);
    assert.match(JSON.stringify(title?.asked?.messages), /<data-([0-9a-f]{16}) kind=[^>]*>[^<]*plan-[^<]*<\/data-\1>/);
    assert.is(bodyOf(await call('GET /me')).workspace.agentMinutesRemaining, 599.8, 'texts cost nobody minutes');
  });

  test('a model of titles that fails leaves the writing to the built-in writer', async () => {
    const { workspace, call } = await world();
    const message = `Please order desks, no texts today. ${model.plan([{ text: 'Ordered.' }])}`;
    const { id } = bodyOf(await call('POST /chats', { message }), 201);
    const { body } = await untilAnswer(
      () => call(`GET /chats/${id}`),
      ({ body: chat }) => chat.title !== null,
    );
    assert.match(body.title, /^Order desks/);
    assert.is((await settled(workspace, id)).body.status, 'completed');
  });

  test.run();
}

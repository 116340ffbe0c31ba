import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newChat, playAgent, settlings, startWithoutAgents } from '../support/chat-fixtures.ts';
import { assertFrame } from '../support/frame.ts';
import { freezeTimers } from '../support/frozen-timers.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { until, within } from '../support/until.ts';

const test = suite('waiting for agents');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

/** Starts the timers that a test froze: a wait ends there by what happens in its chat, not by a poll or its limit. */
let thaw = () => {};
test.after.each(() => thaw());

/** How many requests and turns of the service listen to a chat now. */
async function listening({ url }: TestService = tandem): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^tandem_live_subscribers (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
}

async function timed<Result>(work: Promise<Result>): Promise<[Result, number]> {
  const start = performance.now();
  return [await work, performance.now() - start];
}

/** The one chat of the workspace, once it is there. */
async function onlyChat({ call }: TestWorkspace): Promise<string> {
  let id = '';
  await until(async () => {
    id = (await call('GET /chats')).body.data[0]?.id ?? '';
    return id !== '';
  });
  return id;
}

async function agentOf(workspace: TestWorkspace) {
  const chatId = await onlyChat(workspace);
  return playAgent(tandem, workspace.workspaceId, chatId);
}

for (const [state, settle] of Object.entries(settlings)) {
  test(`createChat with waitSeconds answers the chat as soon as it is ${state}`, async () => {
    thaw = freezeTimers();
    const workspace = await tandem.workspace();
    const answer = workspace.call('POST /chats', { message: 'x', waitSeconds: 60 });
    const agent = await agentOf(workspace);
    await until(
      async () => (await listening()) === 1,
      () => 'it waits',
    );
    await agent.write('On my way.');
    await settle(agent);
    const { status, body, headers } = assertFrame(await within(() => 'the answer', answer));
    assert.equal([status, body.status], [201, state]);
    const read = await workspace.call(`GET /chats/${body.id}`);
    assert.equal(body, read.body);
    assert.is(headers.get('etag'), read.headers.get('etag'));
    assert.is(await listening(), 0);
  });
}

test('createChat answers the chat as it stands when the time is over, and the agent works on', async () => {
  thaw = freezeTimers(1500);
  const workspace = await tandem.workspace();
  const [{ status, body }, ms] = await timed(workspace.call('POST /chats', { message: 'x', waitSeconds: 1 }));
  assert.equal([status, body.status], [201, 'running']);
  assert.ok(ms >= 1000, `${ms} ms`);
  await (await agentOf(workspace)).finish('Late, but done.');
  assert.is((await workspace.call(`GET /chats/${body.id}`)).body.status, 'completed');
  assert.is((await workspace.call('POST /chats', { message: 'x', waitSeconds: 0 })).body.status, 'running');
});

test('sendMessage with waitSeconds answers the replies, all of them and in order', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { chat, path, agent } = await newChat(tandem, workspace);
  await agent.finish('First.');
  const answer = call(`POST ${path}/messages`, { message: 'And then?', waitSeconds: 60 });
  await until(
    async () => (await call(`GET ${path}`)).body.status === 'running',
    () => 'the turn begins',
  );
  for (const text of ['One', 'Two']) await agent.write(text);
  await agent.finish('Three');
  const { status, body } = assertFrame(await answer);
  const { data: replies } = (await call(`GET ${path}/messages?afterSequence=3`)).body;
  assert.is(status, 202);
  assert.equal(body, {
    object: 'chat_run',
    chatId: chat.id,
    status: 'completed',
    messageSequence: 3,
    replies,
    timedOut: false,
  });
  assert.equal(
    replies.map(({ text }: { text: string }) => text),
    ['One', 'Two', 'Three'],
  );
});

test('when waitSeconds runs out, timedOut is true, what was written so far is there, and the agent works on', async () => {
  // The time begins to run when the agent has written.
  thaw = freezeTimers();
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { path, agent } = await newChat(tandem, workspace);
  await agent.finish('First.');
  const answer = timed(call(`POST ${path}/messages`, { message: 'And then?', waitSeconds: 5 }));
  await until(
    async () => (await call(`GET ${path}`)).body.status === 'running',
    () => 'the turn begins',
  );
  await agent.write('Let me see.');
  thaw();
  const [{ body }, ms] = await answer;
  assert.ok(ms >= 5000, `${ms} ms`);
  assert.equal([body.status, body.timedOut, body.replies.length], ['running', true, 1]);
  await agent.finish('There.');
  assert.is((await call(`GET ${path}`)).body.status, 'completed');
});

test('a retry with its key and waitSeconds waits again and answers the resource as it stands; without, the first answer', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const headers = { 'idempotency-key': 'once' };
  const waiting = { message: 'x', waitSeconds: 1 };
  const first = await call('POST /chats', waiting, { headers });
  assert.is(first.body.status, 'running');
  const again = call('POST /chats', { message: 'x', waitSeconds: 60 }, { headers });
  assert.is((await again).body.code, 'idempotency_key_reused', 'waitSeconds is part of the body');
  const retry = timed(call('POST /chats', waiting, { headers }));
  const [replayed, ms] = await retry;
  assert.ok(ms >= 1000, 'it waits again');
  assert.is(replayed.headers.get('idempotency-replayed'), 'true');
  await (await agentOf(workspace)).finish('Done.');
  const late = await call('POST /chats', waiting, { headers });
  assert.equal([late.status, late.body.status, late.body.id], [201, 'completed', first.body.id]);
  assert.is(late.headers.get('idempotency-replayed'), 'true');
  assert.is((await call('GET /chats')).body.data.length, 1);

  const path = `/chats/${first.body.id}`;
  const bare = () => call(`POST ${path}/messages`, { message: 'y' }, { headers });
  const held = () =>
    call(`POST ${path}/messages`, { message: 'z', waitSeconds: 1 }, { headers: { 'idempotency-key': 'z' } });
  const stored = await bare();
  await (await agentOf(workspace)).finish('Done again.');
  assert.equal((await bare()).body, stored.body, 'the first answer, though the chat went on');
  const sent = await held();
  assert.equal([sent.body.status, sent.body.timedOut], ['running', true]);
  await (await agentOf(workspace)).finish('And again.');
  const resent = await held();
  assert.equal([resent.body.status, resent.body.timedOut, resent.body.messageSequence], ['completed', false, 5]);
  assert.equal(
    resent.body.replies.map(({ text }: { text: string }) => text),
    ['And again.'],
  );
});

test('twins with one key hold no connection while they wait, and answer the same', async () => {
  const workspace = await tandem.workspace();
  const headers = { 'idempotency-key': 'twins' };
  const body = { message: 'x', waitSeconds: 60 };
  const answers = Array.from({ length: 20 }, () => workspace.call('POST /chats', body, { headers }));
  const agent = await agentOf(workspace);
  await until(
    async () => (await listening()) === 20,
    () => 'all of them wait',
  );
  assert.is((await workspace.call('GET /me')).status, 200);
  await agent.finish('Done.');
  const received = await Promise.all(answers);
  assert.is(new Set(received.map(({ text }) => text)).size, 1);
  assert.is(received[0]?.body.status, 'completed');
  assert.is((await workspace.call('GET /chats')).body.data.length, 1);
});

test('a client that disconnects ends its wait and nothing else', async () => {
  const workspace = await tandem.workspace();
  const gone = new AbortController();
  const init = {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.key}`, 'content-type': 'application/json' },
  };
  const body = JSON.stringify({ message: 'x', waitSeconds: 120 });
  const request = fetch(`${tandem.url}/api/v1/chats`, { ...init, body, signal: gone.signal }).catch((error) => error);
  const agent = await agentOf(workspace);
  await until(
    async () => (await listening()) === 1,
    () => 'it waits',
  );
  gone.abort();
  assert.instance(await request, Error);
  await until(
    async () => (await listening()) === 0,
    () => 'nobody listens any more',
  );
  const path = `/chats/${await onlyChat(workspace)}`;
  assert.is((await workspace.call(`GET ${path}`)).body.status, 'running');
  await agent.finish('Done all the same.');
  assert.is((await workspace.call(`GET ${path}`)).body.status, 'completed');
});

test('a chat that is erased while somebody waits ends the wait', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { path, agent } = await newChat(tandem, workspace);
  await agent.finish('Done.');
  const sent = call(`POST ${path}/messages`, { message: 'x', waitSeconds: 60 });
  await until(
    async () => (await listening()) === 1,
    () => 'the first one waits',
  );
  const polled = call(`GET ${path}/messages?afterSequence=3&waitSeconds=25`);
  await until(
    async () => (await listening()) === 2,
    () => 'both wait',
  );
  await call(`DELETE ${path}?permanent=true`);
  const { status, body } = await sent;
  assert.equal([status, body.status, body.timedOut, body.replies], [202, 'cancelled', false, []]);
  assert.is((await polled).status, 404);
});

test('listMessages with waitSeconds returns with the first message, with the end of the work, or when the time is over', async () => {
  thaw = freezeTimers(1500);
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { path, agent } = await newChat(tandem, workspace);
  const poll = (after: number, seconds = 25) =>
    within(() => 'the answer', call(`GET ${path}/messages?afterSequence=${after}&waitSeconds=${seconds}`));
  const early = await poll(0);
  assert.is(early.body.data.length, 1, 'what is there is answered at once');
  const waiting = poll(1);
  await until(
    async () => (await listening()) === 1,
    () => 'it waits',
  );
  await agent.write('Hello.');
  const first = await waiting;
  assert.equal([first.status, first.body.data.length, first.body.data[0].text], [200, 1, 'Hello.']);
  const [late, lateMs] = await timed(poll(2, 1));
  assert.equal([late.status, late.body.data], [200, []]);
  assert.ok(lateMs >= 1000, `${lateMs} ms`);
  const ending = poll(2);
  await until(
    async () => (await listening()) === 1,
    () => 'it waits',
  );
  await agent.end({ outcome: 'failed', errorMessage: 'No.' });
  const ended = await ending;
  assert.equal([ended.body.data, ended.body.hasMore], [[], false]);
  assert.equal((await poll(2)).body.data, [], 'nobody is at work: there is nothing to wait for');
  assert.is((await call(`GET ${path}/messages?waitSeconds=26`)).body.param, 'waitSeconds');
});

test('a thousand waiters cost no connection, leave nothing behind, and are all answered', async () => {
  thaw = freezeTimers();
  const service = await startWithoutAgents({ DATABASE_POOL_SIZE: '4' });
  try {
    const workspace = await service.workspace();
    const chats = await Promise.all(Array.from({ length: 10 }, () => newChat(service, workspace)));
    const waiters = chats.flatMap(({ path }) =>
      Array.from({ length: 100 }, () => workspace.call(`GET ${path}/messages?afterSequence=1&waitSeconds=25`)),
    );
    await until(
      async () => (await listening(service)) === 1000,
      () => 'all of them wait',
    );
    assert.is((await workspace.call('GET /todos')).status, 200);
    assert.is(await listening(service), 1000, 'another request is answered meanwhile');
    const held = `select from pg_stat_activity where state like 'idle in transaction%' and datname = current_database()`;
    // Others of this database may be between two statements for a moment.
    await until(async () => (await service.db.rows(held, [])).length === 0);
    await Promise.all(chats.map(({ agent }) => agent.finish('Done.')));
    const answers = await Promise.all(waiters);
    assert.ok(answers.every((answer) => answer.status === 200 && answer.body.data[0].text === 'Done.'));
    assert.is(await listening(service), 0);
  } finally {
    await service.close();
  }
});

test('a process that stops answers who waits, before it closes', async () => {
  thaw = freezeTimers();
  const service = await startWithoutAgents();
  const workspace = await service.workspace();
  const chat = workspace.call('POST /chats', { message: 'x', waitSeconds: 120 });
  await until(
    async () => (await listening(service)) === 1,
    () => 'it waits',
  );
  await within(() => 'the process stops', service.close());
  const { status, body } = await chat;
  assert.equal([status, body.status], [201, 'running']);
});

test.run();

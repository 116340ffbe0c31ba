import { Agent, request } from 'node:http';
import { PassThrough } from 'node:stream';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTRPCClient, httpBatchStreamLink, httpLink, TRPCClientError } from '@trpc/client';
import type { AppRouter } from 'tandem';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Heartbeats, writeEvents } from '../../adapters/rest/event-stream.ts';
import { pollMs } from '../../domain/chats/wait.ts';
import { newChat, sendDelta, settlings, startWithoutAgents } from '../support/chat-fixtures.ts';
import { type EventStream, follow, type StreamEvent } from '../support/event-source.ts';
import { assertFrame, revoke } from '../support/frame.ts';
import { freezeTimers, withFrozenTimers } from '../support/frozen-timers.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { until, within } from '../support/until.ts';

const test = suite('the stream of a chat');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

function stream({ key }: Pick<TestWorkspace, 'key'>, path: string, query = '', headers: Record<string, string> = {}) {
  return follow(`${tandem.url}/api/v1${path}/stream${query}`, key, headers);
}

async function measure(name: string): Promise<number> {
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

const nobodyListens = () =>
  until(
    async () => (await measure('tandem_live_subscribers')) === 0,
    () => 'nobody listens',
  );
const kinds = ({ events }: EventStream) => events.map(({ event, id, data }) => [event, id ?? data.status ?? data.text]);
const isDone = ({ event }: StreamEvent) => event === 'done';
const isMessage = (sequence: number) => (event: StreamEvent) =>
  event.event === 'message' && event.id === String(sequence);

test('what happened and what happens: messages with their sequence as id, status, done, and the end', async () => {
  const workspace = await tandem.workspace();
  const { path, agent } = await newChat(tandem, workspace);
  await agent.write('On it.');
  const reader = await stream(workspace, path);
  await reader.until(({ event }) => event === 'status');
  assert.equal(kinds(reader), [
    ['message', '1'],
    ['message', '2'],
    ['status', 'running'],
  ]);
  await agent.write('Nearly.');
  await reader.until(isMessage(3));
  await agent.finish('Done.');
  await reader.ended;
  assert.equal(kinds(reader).slice(3), [
    ['message', '3'],
    ['message', '4'],
    ['status', 'completed'],
    ['done', 'completed'],
  ]);
  const { data: messages } = (await workspace.call(`GET ${path}/messages`)).body;
  assert.equal(
    reader.events.filter(({ event }) => event === 'message').map(({ data }) => data),
    messages,
  );
  await nobodyListens();
});

test('it is answered with the headers of every response, and those that keep proxies from holding it', async () => {
  const workspace = await tandem.workspace();
  const { path } = await newChat(tandem, workspace);
  const reader = await stream(workspace, path);
  assertFrame({ status: reader.status, headers: reader.headers, body: undefined, text: '' });
  assert.is(reader.status, 200);
  assert.is(reader.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.is(reader.headers.get('cache-control'), 'no-store');
  assert.is(reader.headers.get('x-accel-buffering'), 'no');
  reader.leave();
  await nobodyListens();
});

for (const [state, settle] of Object.entries(settlings)) {
  test(`a chat that is ${state} is streamed whole, and the stream is done`, async () => {
    const workspace = await tandem.workspace();
    const { path, agent } = await newChat(tandem, workspace);
    const live = await stream(workspace, path);
    await live.until(({ event }) => event === 'status');
    await settle(agent);
    await live.ended;
    const late = await stream(workspace, path);
    await late.ended;
    const lateKinds = kinds(late);
    assert.equal(lateKinds.slice(-2), [
      ['status', state],
      ['done', state],
    ]);
    assert.equal(kinds(live).slice(-2), lateKinds.slice(-2));
    assert.equal(
      live.events.filter(({ event }) => event === 'message'),
      late.events.filter(({ event }) => event === 'message'),
    );
  });
}

test('a reader that comes back continues after the last id, without loss or repetition', async () => {
  const workspace = await tandem.workspace();
  const { path, agent } = await newChat(tandem, workspace);
  const work = (async () => {
    for (let n = 2; n <= 30; n++) {
      await agent.write(`Message ${n}`);
      await sleep(10);
    }
    await agent.finish('Message 31');
  })();
  const seen: number[] = [];
  for (let over = false; !over; ) {
    const last = seen.at(-1);
    const reader = await stream(workspace, path, '', last === undefined ? {} : { 'last-event-id': String(last) });
    await Promise.race([reader.ended, sleep(60)]);
    reader.leave();
    await reader.ended;
    seen.push(...reader.events.filter(({ event }) => event === 'message').map(({ id }) => Number(id)));
    over = reader.events.some(isDone);
  }
  await work;
  assert.equal(
    seen,
    Array.from({ length: 31 }, (_, n) => n + 1),
  );
  await nobodyListens();
});

test('afterSequence begins later, and Last-Event-ID wins over it', async () => {
  const workspace = await tandem.workspace();
  const { path, agent } = await newChat(tandem, workspace);
  for (const text of ['Two', 'Three']) await agent.write(text);
  await agent.finish('Four');
  const ids = async (query: string, headers = {}) => {
    const reader = await stream(workspace, path, query, headers);
    await reader.ended;
    return reader.events.flatMap(({ event, id }) => (event === 'message' ? [Number(id)] : []));
  };
  assert.equal(await ids('?afterSequence=2'), [3, 4]);
  assert.equal(await ids('?afterSequence=4'), []);
  assert.equal(await ids('?afterSequence=1', { 'last-event-id': '3' }), [4]);
  assert.equal(await ids('?afterSequence=3', { 'last-event-id': '1' }), [2, 3, 4]);
  assert.equal(await ids('?afterSequence=3', { 'last-event-id': '' }), [4]);
});

test('pieces of a message come while it is written, and none after it', async () => {
  const workspace = await tandem.workspace();
  const { chat, path, agent } = await newChat(tandem, workspace);
  const reader = await stream(workspace, path);
  await reader.until(({ event }) => event === 'status');
  const deltas: [offset: number, text: string][] = [
    [0, 'Hel'],
    [3, 'lo '],
    [0, 'Hi '],
    [3, 'there'],
  ];
  for (const [offset, text] of deltas) {
    await sendDelta(tandem, { chatId: chat.id, sequence: 2, offset, text });
    await reader.until(({ event, data }) => event === 'delta' && data.text.endsWith(text));
  }
  await sendDelta(tandem, { chatId: chat.id, sequence: 1, offset: 0, text: 'too late' });
  await agent.finish('Hi there');
  await reader.until(({ event, data }) => event === 'message' && data.sequence === 2);
  await sendDelta(tandem, { chatId: chat.id, sequence: 2, offset: 8, text: 'too late' });
  await reader.ended;
  assert.equal(kinds(reader).slice(2), [
    ['delta', 'Hel'],
    ['delta', 'lo '],
    ['delta', 'Hi '],
    ['delta', 'there'],
    ['message', '2'],
    ['status', 'completed'],
    ['done', 'completed'],
  ]);
  const shown = reader.events.reduce(
    (text, { event, data }) => (event === 'delta' ? text.slice(0, data.offset) + data.text : text),
    '',
  );
  assert.is(shown, 'Hi there', 'an answer that began anew replaces what was shown');
  assert.equal(reader.events[2]?.data, { sequence: 2, offset: 0, text: 'Hel' });
  assert.is(reader.events[2]?.id, undefined);
});

test('many pieces come each once and in order', async () => {
  const workspace = await tandem.workspace();
  const { chat, path } = await newChat(tandem, workspace);
  const reader = await stream(workspace, path);
  await reader.until(({ event }) => event === 'status');
  const pieces = Array.from({ length: 200 }, (_, n) => `${n} `);
  let offset = 0;
  for (const text of pieces) {
    await sendDelta(tandem, { chatId: chat.id, sequence: 2, offset, text });
    offset += text.length;
  }
  await reader.until(({ event, data }) => event === 'delta' && data.text.endsWith('199 '));
  const texts = reader.events.flatMap(({ event, data }) => (event === 'delta' ? [data.text] : []));
  assert.is(texts.join(''), pieces.join(''));
  reader.leave();
  await nobodyListens();
});

test('what is refused is refused before the stream, in the one envelope', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const { path } = await newChat(tandem, workspace);
  const foreign = await newChat(tandem, other);
  const refused = async (at: string, query = '', headers = {}, key = workspace.key) => {
    const { status, headers: returned, text } = await stream({ key }, at, query, headers);
    const { body } = assertFrame({ status, headers: returned, text, body: JSON.parse(text) });
    return [status, body.code, body.param];
  };
  for (const at of [foreign.path, `/chats/${crypto.randomUUID()}`]) {
    assert.equal(await refused(at), [404, 'resource_not_found', 'chatId']);
  }
  assert.equal(await refused('/chats/nonsense'), [400, 'validation_failed', 'chatId']);
  assert.equal(await refused(path, '?afterSequence=-1'), [400, 'validation_failed', 'afterSequence']);
  for (const id of ['x', '-1', '1.5', '9'.repeat(30)]) {
    assert.equal(await refused(path, '', { 'last-event-id': id }), [400, 'validation_failed', 'Last-Event-ID'], id);
  }
  assert.equal(await refused(path, '', {}, 'garbage'), [401, 'invalid_api_key', null]);
  assert.equal(await refused(path, '', {}, await workspace.mint(['chats:write'])), [403, 'missing_scope', null]);
  assert.is(await measure('tandem_live_subscribers'), 0);
});

test('HEAD answers the headers alone', async () => {
  const workspace = await tandem.workspace();
  const { path } = await newChat(tandem, workspace);
  const headers = { authorization: `Bearer ${workspace.key}` };
  const response = await fetch(`${tandem.url}/api/v1${path}/stream`, { method: 'HEAD', headers });
  assert.equal([response.status, await response.text()], [200, '']);
  assert.is(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  await nobodyListens();
});

test('readers that leave, however they do, leave nothing behind', async () => {
  const workspace = await tandem.workspace();
  const { path, agent } = await newChat(tandem, workspace);
  const readers = await Promise.all(Array.from({ length: 50 }, () => stream(workspace, path)));
  await Promise.all(readers.map((each) => each.until(({ event }) => event === 'status')));
  assert.is(await measure('tandem_live_subscribers'), 50);
  for (const each of readers) each.leave();
  await nobodyListens();
  await agent.finish('Nobody is there.');
  assert.is((await workspace.call(`GET ${path}`)).body.status, 'completed');
});

test('a reader that takes nothing delays nobody and costs little memory', async () => {
  const workspace = await tandem.workspace();
  const { path, agent } = await newChat(tandem, workspace);
  const headers = { authorization: `Bearer ${workspace.key}` };
  const stuck = request(`${tandem.url}/api/v1${path}/stream`, { headers });
  const answered = new Promise((resolve) => stuck.once('response', (response) => resolve(response.pause())));
  stuck.on('error', () => {});
  stuck.end();
  await answered;
  const reader = await stream(workspace, path);
  for (let n = 0; n < 200; n++) await agent.write('x'.repeat(30_000));
  await reader.until(isMessage(201));
  await agent.finish('Done.');
  await reader.ended;
  assert.is(reader.events.filter(({ event }) => event === 'message').length, 202);
  assert.is(await measure('tandem_live_subscribers'), 1, 'the other one has not read it all');
  stuck.destroy();
  await nobodyListens();
});

test('a revoked key reads no further message, and its stream ends; so does that of a removed member', async () => {
  const workspace = await tandem.workspace();
  const { path, agent } = await newChat(tandem, workspace);
  const key = await workspace.mint(['chats:read']);
  // A stream looks again every five seconds: longer timers do not end here.
  const thaw = freezeTimers(pollMs + 1);
  const [revoked, kept] = [await stream({ key }, path), await stream(workspace, path)];
  await Promise.all([revoked, kept].map((each) => each.until(({ event }) => event === 'status')));
  await revoke(tandem, key);
  await agent.write('A secret');
  await kept.until(isMessage(2));
  await revoked.ended;
  assert.equal(kinds(revoked), [
    ['message', '1'],
    ['status', 'running'],
  ]);
  assert.is((await stream({ key }, path)).status, 401);
  const remove = 'update members set removed_at = now() where workspace_id = $1 and user_id = $2';
  await tandem.db.rows(remove, [workspace.workspaceId, workspace.userId]);
  await within(() => 'the end of the stream, though nothing happens in the chat', kept.ended).finally(thaw);
  assert.not.ok(kept.events.some(isDone));
});

test('erasing the chat ends the stream', async () => {
  const workspace = await tandem.workspace();
  const { path } = await newChat(tandem, workspace);
  const reader = await stream(workspace, path);
  await reader.until(({ event }) => event === 'status');
  await workspace.call(`DELETE ${path}?permanent=true`);
  await reader.ended;
  assert.not.ok(reader.events.some(isDone));
});

test('a process that stops ends its streams, so that their readers come back elsewhere', async () => {
  const service = await startWithoutAgents();
  const workspace = await service.workspace();
  const { path } = await newChat(service, workspace);
  const agent = new Agent({ keepAlive: true });
  const reader = await follow(`${service.url}/api/v1${path}/stream`, workspace.key, {}, agent);
  await reader.until(({ event }) => event === 'status');
  // Though the client would use the connection again, and without the limit of a shutdown.
  await withFrozenTimers(() => within(() => 'the process stops', service.close()));
  await reader.ended;
  agent.destroy();
});

test('a workspace has a tenth as many streams of chats as of events and no more, whatever others have', async () => {
  const small = await startWithoutAgents({ STREAMS_PER_WORKSPACE: '20' });
  try {
    const [workspace, other] = [await small.workspace(), await small.workspace()];
    const { path, agent } = await newChat(small, workspace);
    const open = async ({ key }: TestWorkspace, of: string) => {
      const reader = await follow(`${small.url}/api/v1${of}/stream`, key);
      await reader.until(({ event }) => event === 'status');
      return reader;
    };
    const readers = [await open(workspace, path), await open(workspace, path)];
    const { status, headers, body } = await workspace.call(`GET ${path}/stream`);
    assert.equal([status, body.code, headers.get('retry-after')], [429, 'rate_limit_exceeded', '30']);
    assert.match(body.message, 'This workspace has 2 open streams of chats');
    await open(other, (await newChat(small, other)).path);
    await agent.finish('Done.');
    await Promise.all(readers.map(({ ended }) => ended));
    await until(async () => (await workspace.call(`GET ${path}/stream`)).status === 200);
  } finally {
    await small.close();
  }
});

test('requests at once have no more streams, and those that ended before their first event take no place', async () => {
  const small = await startWithoutAgents({ STREAMS_PER_WORKSPACE: '20' });
  try {
    const workspace = await small.workspace();
    const { path, chat } = await newChat(small, workspace);
    const headers = { authorization: `Bearer ${workspace.key}` };
    const plain = `${small.url}/trpc/chats.stream?input=${encodeURIComponent(JSON.stringify({ chatId: chat.id }))}`;
    const missing = '/chats/018f0000-0000-7000-8000-000000000000';
    for (let turn = 0; turn < 3; turn++) {
      const head = await fetch(`${small.url}/api/v1${path}/stream`, { method: 'HEAD', headers });
      assert.is(head.status, 200);
      assert.is((await fetch(plain, { headers })).status, 415);
      assert.is((await workspace.call(`GET ${missing}/stream`)).status, 404);
    }
    const streams = await Promise.all(
      Array.from({ length: 10 }, () => follow(`${small.url}/api/v1${path}/stream`, workspace.key)),
    );
    assert.is(streams.filter(({ status }) => status === 200).length, 2);
    assert.is(streams.filter(({ status }) => status === 429).length, 8);
    for (const stream of streams) stream.leave();
  } finally {
    await small.close();
  }
});

test('silence is filled with a comment every 15 seconds, until the stream ends', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    const end = Promise.withResolvers<void>();
    const body = new PassThrough({ encoding: 'utf8' });
    const written = writeEvents(
      body,
      (async function* () {
        await end.promise;
        yield { event: 'done', data: {} };
      })(),
      new Heartbeats(),
    );
    assert.is(body.read(), 'retry: 2000\n\n');
    for (let beat = 0; beat < 3; beat++) {
      mock.timers.tick(15_000);
      assert.is(body.read(), ':\n\n');
    }
    end.resolve();
    let rest = '';
    for await (const piece of body) rest += piece;
    assert.is(rest, 'event: done\ndata: {}\n\n');
    await written;
    mock.timers.tick(60_000);
  } finally {
    mock.timers.reset();
  }
});

test('over typed tRPC it is an async iterable for a streaming link, and a clear refusal for another', async () => {
  const workspace = await tandem.workspace();
  const { chat, agent } = await newChat(tandem, workspace);
  const options = { url: `${tandem.url}/trpc`, headers: { authorization: `Bearer ${workspace.key}` } };
  const streaming = createTRPCClient<AppRouter>({ links: [httpBatchStreamLink(options)] });
  const events = await streaming.chats.stream.query({ chatId: chat.id });
  const received: unknown[] = [];
  for await (const event of events) {
    received.push(event.event === 'message' ? event.data.text : event.event);
    if (event.event === 'status' && event.data.status === 'running') await agent.finish('Done.');
  }
  assert.equal(received, ['What is due this week?', 'status', 'Done.', 'status', 'done']);
  const plain = createTRPCClient<AppRouter>({ links: [httpLink(options)] });
  const refusal = await plain.chats.stream.query({ chatId: chat.id }).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.instance(refusal, TRPCClientError);
  const { problem } = (refusal as TRPCClientError<AppRouter>).data ?? {};
  assert.equal([problem?.status, problem?.code], [415, 'validation_failed']);
  assert.match(problem?.message ?? '', /httpBatchStreamLink/);
  await nobodyListens();
});

test.run();

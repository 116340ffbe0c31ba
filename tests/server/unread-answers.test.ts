import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UnsentAnswers, unsentAnswers } from '../../adapters/unsent-answers.ts';
import { stalledConnections } from '../../server/runtime/stalled-connections.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { until, within } from '../support/until.ts';

/* Clients that ask for large answers and read none of them, or slowly. */

const test = suite('answers that nobody reads');
const minuteMs = 60_000;
const ofWorkspace = 64 * 2 ** 20;
let tandem: TestService;
let workspace: TestWorkspace;

/** 40 todos of the largest content: 8 MB in one answer, of which a workspace may have eight untaken. */
async function makeLong({ call }: TestWorkspace): Promise<void> {
  const content = '😀'.repeat(50_000);
  for (let made = 0; made < 40; made += 4) {
    const data = Array.from({ length: 4 }, () => ({ content }));
    assert.is((await call('POST /todos/batch', { data })).status, 200);
  }
}

const asRest = '/api/v1/todos?limit=40';
const asTrpc = `/trpc/todos.list?input=${encodeURIComponent(JSON.stringify({ limit: 40 }))}`;

/** Opens a connection that asks and reads nothing. */
function ask(path: string, { key }: TestWorkspace): Socket {
  const { hostname, port, host } = new URL(tandem.url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}

/** The responses to the next requests. */
function nextResponses(): ServerResponse[] {
  const responses: ServerResponse[] = [];
  const note = (_: unknown, response: ServerResponse) => responses.push(response);
  tandem.service.app.server.on('request', note);
  return responses;
}

test.before(async () => {
  tandem = await startTestService();
  workspace = await tandem.workspace();
  await makeLong(workspace);
});
test.after(() => tandem.close());

test('a workspace that leaves large answers untaken gets no more of them, until its connections were ended', async () => {
  const responses = nextResponses();
  const sockets = Array.from({ length: 12 }, (_, place) => ask(place % 2 === 0 ? asRest : asTrpc, workspace));
  await until(() => responses.filter(({ writableEnded }) => writableEnded).length === sockets.length);
  assert.is(responses.filter(({ statusCode }) => statusCode === 200).length, 8);
  assert.is(responses.filter(({ statusCode }) => statusCode === 503).length, 4);
  assert.ok(unsentAnswers.bytes > ofWorkspace / 2 && unsentAnswers.bytes <= ofWorkspace, String(unsentAnswers.bytes));

  const refused = await workspace.call('GET /todos?limit=40');
  assert.is(refused.status, 503);
  assert.is(refused.body.reason, 'unavailable');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  const overTrpc = await fetch(`${tandem.url}${asTrpc}`, { headers: { authorization: `Bearer ${workspace.key}` } });
  assert.is(overTrpc.status, 503);
  assert.ok(Number(overTrpc.headers.get('retry-after')) > 0);
  assert.match(await overTrpc.text(), '"reason":"unavailable"');
  const small = await workspace.call('POST /todos', { title: 'A small one' });
  assert.is(small.status, 201);
  assert.is((await workspace.call(`GET /todos/${small.body.id}`)).status, 200);
  const other = await tandem.workspace();
  const more = { title: 'Large', content: 'x'.repeat(50_000) };
  assert.is((await other.call('POST /todos/batch', { data: [more, more] })).status, 200);
  assert.is((await other.call('GET /todos')).body.data.length, 2);

  const closed = sockets.map((socket) => once(socket, 'close'));
  let now = performance.now();
  await until(() => {
    stalledConnections.check(now);
    now += minuteMs;
    return unsentAnswers.bytes === 0;
  });
  for (const socket of sockets) socket.resume();
  // Those that got a refusal have nothing untaken, and stay open.
  await until(() => sockets.filter(({ closed: isClosed }) => isClosed).length === 8);
  for (const socket of sockets) socket.destroy();
  await within(() => 'the end of all connections', Promise.all(closed));
  assert.is((await workspace.call('GET /todos?limit=40')).body.data.length, 40);
});

test('a client that reads slowly gets its answer', async () => {
  const accepted = once(tandem.service.app.server, 'connection') as Promise<[Socket]>;
  const responses = nextResponses();
  const client = ask(asRest, workspace);
  const [connection] = await accepted;
  await until(() => responses[0]?.writableEnded);
  const left = () =>
    (connection as unknown as { _handle: { writeQueueSize: number } | null })._handle?.writeQueueSize ?? 0;
  assert.ok(left() > 0);
  const pieces: Buffer[] = [];
  let now = performance.now();
  // A minute after the one before, each check sees that something was taken.
  while (left() > 0) {
    const before = left();
    stalledConnections.check(now);
    now += minuteMs;
    await until(() => {
      pieces.push((client.read() as Buffer | null) ?? Buffer.alloc(0));
      return left() < before;
    });
  }
  assert.not.ok(connection.destroyed);
  client.on('data', (piece) => pieces.push(piece)).resume();
  await until(() => responses[0]?.closed);
  await until(() => Buffer.concat(pieces).subarray(-1).toString() === '}');
  client.destroy();
  assert.is(unsentAnswers.bytes, 0);
});

/** An answer to a workspace, as far as it is counted. */
function answerOf(workspaceId: string | null, addressDigits = '') {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => {} });
  const raw = Object.assign(new EventEmitter(), { req: { socket } });
  socket.destroy = () => {
    socket.destroyed = true;
    raw.emit('close');
  };
  return {
    raw,
    socket,
    reply: {
      raw,
      request: { principal: workspaceId && { workspaceId }, addressDigits, raw: { socket } },
    } as unknown as FastifyReply,
  };
}

const text = 'x'.repeat(100_000);

test('what has changed something is answered: the oldest untaken answers of the workspace end for it', () => {
  const answers = new UnsentAnswers({ all: 1_000_000, holder: 250_000 });
  const [first, second, third, elsewhere] = ['a', 'a', 'a', 'b'].map((each) => answerOf(each));
  assert.ok(first && second && third && elsewhere);
  for (const { reply } of [elsewhere, first, second]) answers.count(reply, text, true);
  assert.throws(() => answers.count(third.reply, text, true), /unavailable/);
  answers.count(third.reply, text, false);
  assert.equal(
    [elsewhere, first, second, third].map(({ socket }) => socket.destroyed),
    [false, true, false, false],
  );
  assert.is(answers.bytes, 300_000);
  for (const { raw } of [elsewhere, second, third]) raw.emit('close');
  assert.is(answers.bytes, 0);
});

test('all workspaces together have a limit too, and one answer alone none', () => {
  const answers = new UnsentAnswers({ all: 250_000, holder: 150_000 });
  const [first, second, third, fourth] = ['a', 'b', 'c', 'd'].map((each) => answerOf(each));
  assert.ok(first && second && third && fourth);
  answers.count(first.reply, text, true);
  answers.count(second.reply, text, true);
  assert.throws(() => answers.count(third.reply, text, true), /unavailable/);
  answers.count(third.reply, 'a small answer', true);
  answers.count(fourth.reply, text, false);
  assert.equal(
    [first, second, fourth].map(({ socket }) => socket.destroyed),
    [true, false, false],
  );
  for (const { raw } of [second, fourth]) raw.emit('close');
  answers.count(third.reply, text.repeat(4), true);
  assert.is(answers.bytes, 400_000);
});

test('where the process is full, who holds the most gives way, whoever asks', () => {
  const answers = new UnsentAnswers({ all: 650_000, holder: 400_000 });
  const slow = answerOf('slow');
  const greedy = Array.from({ length: 4 }, () => answerOf('greedy'));
  for (const { reply } of [slow, ...greedy]) answers.count(reply, text, true);
  const another = answerOf('another');
  answers.count(another.reply, text, true);
  const [first, second, ...later] = greedy;
  assert.ok(first && second);
  // A read of somebody who holds little is answered, and ends the oldest answer of who holds the most.
  answers.count(answerOf('a third').reply, text, true);
  assert.ok(first.socket.destroyed);
  assert.throws(() => answers.count(answerOf('greedy').reply, text, true), /unavailable/);
  // A change of who holds the most ends an answer of its own, not the oldest of all.
  answers.count(answerOf('greedy').reply, text, false);
  assert.equal(
    [second, slow, another, ...later].map(({ socket }) => socket.destroyed),
    [true, false, false, false, false],
  );
  assert.is(answers.bytes, 600_000);
});

test('a change that is larger than all that is held is answered', () => {
  const answers = new UnsentAnswers({ all: 250_000, holder: 250_000 });
  const [first, second] = [answerOf('a'), answerOf('b')];
  for (const { reply } of [first, second]) answers.count(reply, text, true);
  answers.count(answerOf('c').reply, text.repeat(4), false);
  assert.ok(first.socket.destroyed && second.socket.destroyed);
  assert.is(answers.bytes, 400_000);
});

test('clients without a credential are distinguished by their addresses', () => {
  const answers = new UnsentAnswers({ all: 1_000_000, holder: 150_000 });
  answers.count(answerOf(null, 'here').reply, text, true);
  assert.throws(() => answers.count(answerOf(null, 'here').reply, text, true), /unavailable/);
  answers.count(answerOf(null, 'there').reply, text, true);
  assert.is(answers.bytes, 200_000);
});

test.run();

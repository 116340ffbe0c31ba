import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type WebSocket as Connection, WebSocketServer } from 'ws';
import {
  type Link,
  type LinkEnd,
  type LinkTimes,
  openLink,
  type RecordingStatus,
} from '../../web/src/captures/recorder/link.ts';
import { Outbox } from '../../web/src/captures/recorder/outbox.ts';
import { until } from '../support/mail-server.ts';

/*
 * The link of a recorder against a simulated service that misbehaves as each test needs. recording.test.ts runs it
 * against the real service.
 */

const test = suite('the recorder: outbox and link');

/** Reconnects at once, and never gives up a service because it is slow. */
const times: LinkTimes = {
  connectMs: 60_000,
  idleMs: 60_000,
  pongTimeoutMs: 60_000,
  quickPongTimeoutMs: 60_000,
  heartbeatMs: 20,
  firstWaitMs: 5,
  maxWaitMs: 20,
};

/** A chunk of one byte. */
const chunk = (byte: number, begins = byte === 0) => ({ audio: new Blob([Uint8Array.of(byte)]), begins, ms: 500 });

interface Received {
  protocol: string;
  /** Sequence, whether a part begins, and the byte of each chunk. */
  chunks: [sequence: number, begins: boolean, byte: number | undefined][];
  texts: string[];
  connection: Connection;
}

/** A service that does `serve` on every connection; what it received, connection by connection. */
async function serviceThat(serve: (received: Received, place: number) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  const received: Received[] = [];
  server.on('connection', (connection) => {
    const one: Received = { protocol: connection.protocol, chunks: [], texts: [], connection };
    received.push(one);
    connection.on('message', (data: Buffer, isBinary) => {
      if (isBinary) one.chunks.push([data.readUInt32BE(1), data.readUInt8(0) === 1, data.subarray(5)[0]]);
      else one.texts.push(JSON.parse(data.toString()).type);
      connection.emit('received');
    });
    serve(one, received.length - 1);
  });
  const close = () => {
    for (const { connection } of received) connection.terminate();
    server.close();
  };
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/recordings`, received, close };
}

const send = ({ connection }: Received, frame: object) => connection.send(JSON.stringify(frame));
const ready = (received: Received, nextSequence: number, window = 32) =>
  send(received, { type: 'ready', resumeToken: 'again', nextSequence, window, maxDurationSeconds: 60 });

interface Opened {
  link: Link;
  outbox: Outbox;
  ends: LinkEnd[];
  asked: () => number;
}

function open(url: string, status: RecordingStatus = 'recording', limits: Partial<LinkTimes> = {}): Opened {
  const outbox = new Outbox();
  const ends: LinkEnd[] = [];
  let asked = 0;
  const parts = {
    socketUrl: url,
    secret: 'once',
    resumes: false,
    mediaType: 'audio/webm',
    outbox,
    status: async () => {
      asked += 1;
      return status;
    },
    onReady: () => {},
    onChange: () => {},
    onEnd: (end: LinkEnd) => ends.push(end),
  };
  return { link: openLink(parts, { ...times, ...limits }), outbox, ends, asked: () => asked };
}

test('chunks are sent in order within the window, and the stop after the last of them', async () => {
  const service = await serviceThat((received) => ready(received, 0, 2));
  const { link, outbox, ends } = open(service.url);
  for (const byte of [0, 1, 2]) outbox.add(chunk(byte));
  link.stop();
  await until(() => service.received[0]?.chunks.length === 2);
  const [received] = service.received;
  if (!received) throw new Error('nobody connected');
  assert.is(received.protocol, 'tandem.once');
  assert.equal(received.texts, ['format']);
  assert.is(outbox.unsavedMs, 1500);
  send(received, { type: 'ack', sequence: 0 });
  await until(() => received.texts.includes('stop'));
  assert.equal(received.chunks, [
    [0, true, 0],
    [1, false, 1],
    [2, false, 2],
  ]);
  send(received, { type: 'ack', sequence: 2 });
  send(received, { type: 'stopped', reason: 'stopped' });
  await until(() => ends.length > 0);
  assert.equal(ends, [{ by: 'stop', reason: 'stopped' }]);
  assert.is(outbox.unsavedMs, 0);
  service.close();
});

test('what a broken connection did not acknowledge is sent again on the next, and nothing else is', async () => {
  const service = await serviceThat((received, place) => {
    if (place === 0) ready(received, 0);
    else ready(received, 2);
  });
  const { link, outbox } = open(service.url);
  for (const byte of [0, 1, 2]) outbox.add(chunk(byte));
  link.push();
  await until(() => service.received[0]?.chunks.length === 3);
  const [first] = service.received;
  if (first) send(first, { type: 'ack', sequence: 0 });
  first?.connection.terminate();
  outbox.add(chunk(3));
  await until(() => service.received[1]?.chunks.length === 2);
  assert.is(service.received[1]?.protocol, 'tandem.again');
  assert.equal(service.received[1]?.chunks, [
    [2, false, 2],
    [3, false, 3],
  ]);
  link.close();
  service.close();
});

test('a window that was loaded again continues where the service says, with a new part', async () => {
  const service = await serviceThat((received) => ready(received, 7));
  const { link, outbox } = open(service.url);
  outbox.add(chunk(0));
  outbox.add(chunk(1));
  link.push();
  await until(() => service.received[0]?.chunks.length === 2);
  assert.equal(service.received[0]?.chunks, [
    [7, true, 0],
    [8, false, 1],
  ]);
  link.close();
  service.close();
});

test('a service that falls silent without hanging up is left, and connected to again', async () => {
  const service = await serviceThat((received) => ready(received, 0));
  const { link } = open(service.url, 'recording', { idleMs: 40, pongTimeoutMs: 60 });
  await until(() => service.received.length > 1);
  assert.equal(service.received[0]?.texts, ['format', 'ping']);
  link.close();
  service.close();
});

test('a service that never gets ready is left too', async () => {
  const service = await serviceThat((received, place) => {
    if (place > 0) ready(received, 0);
  });
  const { link } = open(service.url, 'recording', { connectMs: 300 });
  assert.is(link.state, 'connecting');
  await until(() => link.state === 'open');
  assert.ok(service.received.length > 1);
  link.close();
  service.close();
});

test('a recording that ended while the link was cut off is over, and one that was erased too', async () => {
  for (const [status, end] of [
    ['over', { by: 'stop', reason: null }],
    ['erased', { by: 'erased' }],
  ] as const) {
    const service = await serviceThat((received, place) => {
      if (place === 0) ready(received, 0);
      else received.connection.terminate();
    });
    const { link, ends } = open(service.url, status);
    await until(() => link.state === 'open');
    service.received[0]?.connection.terminate();
    await until(() => ends.length > 0);
    assert.equal(ends, [end]);
    service.close();
  }
});

test('a token that was spent on a connection which broke is given up; one to resume with never is', async () => {
  const refusing = await serviceThat(({ connection }) => connection.terminate());
  const { ends, outbox } = open(refusing.url);
  outbox.add(chunk(0));
  await until(() => ends.length > 0);
  assert.equal(ends, [{ by: 'refused' }]);
  assert.is(outbox.unsavedMs, 500);
  refusing.close();
  const flaky = await serviceThat((received, place) => {
    if (place === 0 || place > 7) ready(received, 0);
    else received.connection.terminate();
  });
  const again = open(flaky.url);
  await until(() => again.link.state === 'open');
  flaky.received[0]?.connection.terminate();
  await until(() => flaky.received.length === 9 && again.link.state === 'open');
  assert.equal(again.ends, []);
  assert.ok(again.asked() > 0);
  again.link.close();
  flaky.close();
});

test('another window that takes over ends it, and so do faults that repeat', async () => {
  const service = await serviceThat((received) => received.connection.close(4001, 'replaced'));
  const replaced = open(service.url);
  await until(() => replaced.ends.length > 0);
  assert.equal(replaced.ends, [{ by: 'replaced' }]);
  service.close();
  const faulty = await serviceThat((received) => {
    ready(received, 0);
    send(received, { type: 'error', code: 'sequence_gap', message: 'Chunk 0 is expected.' });
    received.connection.close(4000);
  });
  const faults = open(faulty.url);
  await until(() => faults.ends.length > 0);
  assert.equal(faults.ends, [{ by: 'fault', message: 'Chunk 0 is expected.' }]);
  assert.is(faulty.received.length, 5);
  faulty.close();
});

test('all audio of a window can be sent once more, as another recording, and is there as files', async () => {
  const outbox = new Outbox();
  for (const [byte, begins] of [
    [0, true],
    [1, false],
    [2, true],
  ] as const)
    outbox.add(chunk(byte, begins));
  outbox.resume(0);
  for (let place = 0; place < 3; place++) outbox.take(32);
  outbox.acknowledge(1);
  assert.is(outbox.unsavedMs, 500);
  outbox.startOver();
  assert.is(outbox.unsavedMs, 1500);
  outbox.resume(0);
  const sequences = [outbox.take(32), outbox.take(32), outbox.take(32), outbox.take(32)].map((next) => next?.sequence);
  assert.equal(sequences, [0, 1, 2, undefined]);
  const parts = await Promise.all(outbox.parts().map((part) => part.bytes()));
  assert.equal(
    parts.map((bytes) => [...bytes]),
    [[0, 1], [2]],
  );
});

test('minutes that come at once are cut into chunks that the service takes', async () => {
  const outbox = new Outbox();
  outbox.add({ audio: new Blob([new Uint8Array(1_200_000)], { type: 'audio/webm' }), begins: true, ms: 3000 });
  outbox.resume(0);
  const taken = [outbox.take(9), outbox.take(9), outbox.take(9), outbox.take(9)].map((next) => next?.chunk);
  assert.equal(
    taken.map((each) => each && [each.audio.size, each.begins, each.audio.type, each.ms]),
    [
      [524_288, true, 'audio/webm', 1000],
      [524_288, false, 'audio/webm', 1000],
      [151_424, false, 'audio/webm', 1000],
      undefined,
    ],
  );
});

test.run();

import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type WebSocket as Connection, WebSocketServer } from 'ws';
import { type Link, type LinkEnd, type LinkTimes, openLink, type Standing } from '../web/src/captures/recorder/link.ts';
import { Outbox } from '../web/src/captures/recorder/outbox.ts';
import { until } from './post-box.ts';

/*
 * The link of a recorder, with a service on the other side that behaves as badly as a test wants. That both sides
 * understand each other is for pages-recording.test.ts to tell.
 */

const test = suite('the recorder: outbox and link');

const quick: LinkTimes = {
  connectMs: 300,
  quietMs: 40,
  answerMs: 60,
  hurriedAnswerMs: 40,
  beatMs: 20,
  firstWaitMs: 5,
  longestWaitMs: 20,
};

/** A chunk of one byte. */
const chunk = (byte: number, begins = byte === 0) => ({ audio: new Blob([Uint8Array.of(byte)]), begins, ms: 500 });

interface Heard {
  protocol: string;
  /** Sequence, whether a part begins, and the byte of each chunk. */
  chunks: [sequence: number, begins: boolean, byte: number | undefined][];
  texts: string[];
  connection: Connection;
}

/** A service that does `serve` on every connection; what it heard, connection by connection. */
async function serviceThat(serve: (heard: Heard, place: number) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  const heard: Heard[] = [];
  server.on('connection', (connection) => {
    const one: Heard = { protocol: connection.protocol, chunks: [], texts: [], connection };
    heard.push(one);
    connection.on('message', (data: Buffer, isBinary) => {
      if (isBinary) one.chunks.push([data.readUInt32BE(1), data.readUInt8(0) === 1, data.subarray(5)[0]]);
      else one.texts.push(JSON.parse(data.toString()).type);
      connection.emit('heard');
    });
    serve(one, heard.length - 1);
  });
  const close = () => {
    for (const { connection } of heard) connection.terminate();
    server.close();
  };
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/recordings`, heard, close };
}

const say = ({ connection }: Heard, frame: object) => connection.send(JSON.stringify(frame));
const ready = (heard: Heard, nextSequence: number, window = 32) =>
  say(heard, { type: 'ready', resumeToken: 'again', nextSequence, window, maxDurationSeconds: 60 });

interface Opened {
  link: Link;
  outbox: Outbox;
  ends: LinkEnd[];
  asked: () => number;
}

function open(url: string, standing: Standing = 'recording', outbox = new Outbox()): Opened {
  const ends: LinkEnd[] = [];
  let asked = 0;
  const parts = {
    socketUrl: url,
    secret: 'once',
    resumes: false,
    mediaType: 'audio/webm',
    outbox,
    standing: async () => {
      asked += 1;
      return standing;
    },
    onReady: () => {},
    onChange: () => {},
    onEnd: (end: LinkEnd) => ends.push(end),
  };
  return { link: openLink(parts, quick), outbox, ends, asked: () => asked };
}

test('chunks go out in order, no more than the window allows; the stop only after the last of them', async () => {
  const service = await serviceThat((heard) => ready(heard, 0, 2));
  const { link, outbox, ends } = open(service.url);
  for (const byte of [0, 1, 2]) outbox.add(chunk(byte));
  link.stop();
  await until(() => service.heard[0]?.chunks.length === 2);
  const [heard] = service.heard;
  if (!heard) throw new Error('nobody connected');
  assert.is(heard.protocol, 'tandem.once');
  assert.equal(heard.texts, ['format']);
  assert.is(outbox.unsavedMs, 1500);
  say(heard, { type: 'ack', sequence: 0 });
  await until(() => heard.texts.includes('stop'));
  assert.equal(heard.chunks, [
    [0, true, 0],
    [1, false, 1],
    [2, false, 2],
  ]);
  say(heard, { type: 'ack', sequence: 2 });
  say(heard, { type: 'stopped', reason: 'stopped' });
  await until(() => ends.length > 0);
  assert.equal(ends, [{ by: 'stop', reason: 'stopped' }]);
  assert.is(outbox.unsavedMs, 0);
  service.close();
});

test('what a broken connection did not acknowledge is sent again on the next, and nothing else is', async () => {
  const service = await serviceThat((heard, place) => {
    if (place === 0) ready(heard, 0);
    else ready(heard, 2);
  });
  const { link, outbox } = open(service.url);
  for (const byte of [0, 1, 2]) outbox.add(chunk(byte));
  link.push();
  await until(() => service.heard[0]?.chunks.length === 3);
  const [first] = service.heard;
  if (first) say(first, { type: 'ack', sequence: 0 });
  first?.connection.terminate();
  outbox.add(chunk(3));
  await until(() => service.heard[1]?.chunks.length === 2);
  assert.is(service.heard[1]?.protocol, 'tandem.again');
  assert.equal(service.heard[1]?.chunks, [
    [2, false, 2],
    [3, false, 3],
  ]);
  link.close();
  service.close();
});

test('a window that was loaded again goes on where the service says, with a new part', async () => {
  const service = await serviceThat((heard) => ready(heard, 7));
  const { link, outbox } = open(service.url);
  outbox.add(chunk(0));
  outbox.add(chunk(1));
  link.push();
  await until(() => service.heard[0]?.chunks.length === 2);
  assert.equal(service.heard[0]?.chunks, [
    [7, true, 0],
    [8, false, 1],
  ]);
  link.close();
  service.close();
});

test('a service that falls silent without hanging up is left, and connected to again', async () => {
  const service = await serviceThat((heard) => ready(heard, 0));
  const { link } = open(service.url);
  await until(() => service.heard.length === 2);
  assert.equal(service.heard[0]?.texts, ['format', 'ping']);
  link.close();
  service.close();
});

test('a service that never gets ready is left too', async () => {
  const service = await serviceThat((heard, place) => {
    if (place > 0) ready(heard, 0);
  });
  const { link } = open(service.url);
  assert.is(link.state, 'connecting');
  await until(() => link.state === 'open');
  assert.is(service.heard.length, 2);
  link.close();
  service.close();
});

test('a recording that ended while the link was cut off is over, and one that was erased too', async () => {
  for (const [standing, end] of [
    ['over', { by: 'stop', reason: null }],
    ['erased', { by: 'erased' }],
  ] as const) {
    const service = await serviceThat((heard, place) => {
      if (place === 0) ready(heard, 0);
      else heard.connection.terminate();
    });
    const { link, ends } = open(service.url, standing);
    await until(() => link.state === 'open');
    service.heard[0]?.connection.terminate();
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
  const flaky = await serviceThat((heard, place) => {
    if (place === 0 || place > 7) ready(heard, 0);
    else heard.connection.terminate();
  });
  const again = open(flaky.url);
  await until(() => again.link.state === 'open');
  flaky.heard[0]?.connection.terminate();
  await until(() => flaky.heard.length === 9 && again.link.state === 'open');
  assert.equal(again.ends, []);
  assert.ok(again.asked() > 0);
  again.link.close();
  flaky.close();
});

test('another window that takes over ends it, and so do faults that repeat', async () => {
  const service = await serviceThat((heard) => heard.connection.close(4001, 'replaced'));
  const replaced = open(service.url);
  await until(() => replaced.ends.length > 0);
  assert.equal(replaced.ends, [{ by: 'replaced' }]);
  service.close();
  const faulty = await serviceThat((heard) => {
    ready(heard, 0);
    say(heard, { type: 'error', code: 'sequence_gap', message: 'Chunk 0 is expected.' });
    heard.connection.close(4000);
  });
  const faults = open(faulty.url);
  await until(() => faults.ends.length > 0);
  assert.equal(faults.ends, [{ by: 'fault', message: 'Chunk 0 is expected.' }]);
  assert.is(faulty.heard.length, 5);
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

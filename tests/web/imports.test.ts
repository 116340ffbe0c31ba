import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocketServer } from 'ws';
import { decoded, kindOf, titleOf, transcriptIn } from '../../web/src/captures/import-files.ts';
import { wavOf } from '../../web/src/captures/wav.ts';
import { readAudio } from '../support/audio-fixtures.ts';

const test = suite('files that are imported');

interface Sending {
  session: { socketUrl: string; token: string };
  audio: { wav: Blob; seconds: number };
  status(): Promise<string>;
  onProgress(share: number): void;
}
// By its name: the file needs types of a browser, which the tests do without.
const audioFile: string = '../../web/src/captures/audio-file.ts';
const { sendAudio } = (await import(audioFile)) as { sendAudio(sending: Sending): Promise<string | null> };

const file = (name: string, type = '', size = 1) => ({ name, type, size });

test('a file is a transcript or a recording by its ending, or by its type where it has none', () => {
  for (const name of ['a.vtt', 'A.SRT', 'b.c.txt'])
    assert.is(kindOf(file(name, 'application/octet-stream')), 'transcript');
  for (const name of ['a.m4a', 'A.MP3', 'b.opus', 'c.wav', 'd.webm']) assert.is(kindOf(file(name)), 'audio');
  assert.is(kindOf(file('shared', 'audio/ogg')), 'audio');
  assert.is(kindOf(file('shared', 'text/plain;charset=utf-8')), 'transcript');
});

test('other files, empty ones and those that are too large are refused with what to do', () => {
  assert.throws(() => kindOf(file('a.pdf', 'application/pdf')), /neither a transcript \(\.vtt, \.srt, \.txt\) nor/);
  assert.throws(() => kindOf(file('a.vtt', 'text/vtt', 0)), /The file is empty/);
  assert.throws(() => kindOf(file('a.vtt', 'text/vtt', 9 * 2 ** 20)), /Cut it into parts/);
  assert.throws(() => kindOf(file('a.mp3', 'audio/mpeg', 257 * 2 ** 20)), /larger than 256 MB/);
});

test('texts are read as UTF-8, UTF-16 with its mark, or Windows-1252', () => {
  const text = 'Zoë: naïve – yes';
  assert.is(decoded(Buffer.from(text)), text);
  assert.is(decoded(Buffer.from(`\ufeff${text}`)), text, 'without the byte order mark');
  assert.is(decoded(Buffer.from(`\ufeff${text}`, 'utf16le')), text);
  assert.is(decoded(Buffer.from(`\ufeff${text}`, 'utf16le').swap16()), text);
  assert.is(decoded(Buffer.from([0x5a, 0x6f, 0xeb, 0x20, 0x96])), 'Zoë –');
});

test('a transcript is measured as the request that sends it', async () => {
  const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello';
  assert.equal(await transcriptIn(new File([vtt], 'a.vtt')), { format: 'vtt', body: vtt });
  assert.is((await transcriptIn(new File(['Ada: hello'], 'shared', { type: 'text/plain' }))).format, 'text');
  const refusalOf = (text: string) => transcriptIn(new File([text], 'a.txt')).then(() => '', String);
  assert.match(await refusalOf(' \n'), 'empty');
  assert.match(await refusalOf('a'.repeat(4_000_001)), 'longer than');
  assert.match(await refusalOf('"'.repeat(2_100_000)), 'longer than', 'each quote is two bytes of JSON');
  assert.is(await refusalOf('a'.repeat(4_000_000)), '');
});

test('a title is the name of the file without its ending', () => {
  assert.is(titleOf('Weekly_stand-up  3.m4a'), 'Weekly stand-up 3');
  assert.is(titleOf('.wav'), null);
  assert.is([...(titleOf(`${'a'.repeat(400)}.wav`) ?? '')].length, 300);
});

test('decoded audio of any number of channels is one channel of a WAV file that the service reads', async () => {
  const left = new Float32Array(16_000).fill(1);
  const right = new Float32Array(16_000).fill(-0.5);
  const bytes = new Uint8Array(wavOf([left, right]));
  const view = new DataView(bytes.buffer);
  assert.is(view.getInt16(44, true), Math.round(0.25 * 0x7fff));
  const { packets } = await readAudio(bytes);
  assert.ok(packets.length > 0);
  assert.is(new DataView(wavOf([new Float32Array([3, -3])])).getInt16(44, true), 0x7fff, 'what is too loud is cut');
});

/** Sends a recording of three chunks to a service that stores `count` of them and sends `last` then. */
async function sent(count: number, last: object): Promise<string | null> {
  const service = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => service.once('listening', resolve));
  service.on('connection', (connection) => {
    const send = (frame: object) => connection.send(JSON.stringify(frame));
    send({ type: 'ready', resumeToken: 'again', nextSequence: 0, window: 1, maxDurationSeconds: 60 });
    let stored = 0;
    if (count === 0) send(last);
    connection.on('message', (_, isBinary) => {
      if (!isBinary || stored === count) return;
      send({ type: 'ack', sequence: stored });
      stored += 1;
      if (stored === count) send(last);
    });
  });
  const { port } = service.address() as AddressInfo;
  const sending: Sending = {
    session: { socketUrl: `ws://127.0.0.1:${port}/`, token: 'once' },
    audio: { wav: new Blob([new Uint8Array(1_200_000)]), seconds: 0.7 },
    status: async () => 'recording',
    onProgress: () => {},
  };
  return sendAudio(sending).finally(() => {
    for (const client of service.clients) client.terminate();
    service.close();
  });
}

test('of a recording that the service ends before its end, the part that is stored is kept', async () => {
  assert.is(await sent(3, { type: 'stopped', reason: 'stopped' }), null);
  assert.match((await sent(1, { type: 'stopped', reason: 'max_size' })) ?? '', 'What it allows was kept.');
  assert.match((await sent(1, { type: 'stopped', reason: 'connection_lost' })) ?? '', 'What it received was kept.');
});

test('a recording of which nothing is stored, or that the service refuses, has failed', async () => {
  const problemOf = (sending: Promise<string | null>) => sending.then(() => '', String);
  assert.match(await problemOf(sent(0, { type: 'stopped', reason: 'connection_lost' })), 'Try again.');
  assert.match(await problemOf(sent(1, { type: 'error', code: 'erased', message: 'It is gone.' })), 'Try again.');
});

test.run();

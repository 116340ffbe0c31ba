import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decoded, kindOf, titleOf, transcriptIn } from '../../web/src/captures/import-files.ts';
import { wavOf } from '../../web/src/captures/wav.ts';
import { readAudio } from '../support/audio-fixtures.ts';

const test = suite('files that are imported');

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

test.run();

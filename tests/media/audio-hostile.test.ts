import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { BufferTarget, EncodedAudioPacketSource, EncodedPacket, Output, WebMOutputFormat } from 'mediabunny';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupChunks } from '../../media/audio/chunks.ts';
import { type FileBytes, fileBytes } from '../../media/audio/file-bytes.ts';
import { pieces } from '../../media/audio/pieces.ts';
import { createTimeline } from '../../media/audio/timeline.ts';
import { type AudioBytes, openTrack } from '../../media/audio/tracks.ts';
import { wavDocuments } from '../../media/audio/wav-documents.ts';
import { openWebmStream, webmDocuments } from '../../media/audio/webm-stream.ts';
import { assembled, partOf, readAudio, recorded, toneOf, wavOf } from '../support/audio-fixtures.ts';
import { temporaryDirectory } from '../support/people.ts';

const test = suite('hostile audio');
const directory = temporaryDirectory();
const scratch = join(directory.path, 'scratch');
const whole = Buffer.concat(recorded[0] ?? []);
test.after(() => directory.remove());

const hex = (digits: string) => Buffer.from(digits, 'hex');
const repeated = (digits: string, length: number) => Buffer.alloc(length, hex(digits));

/** A file that is read without a turn of the event loop, and what is written to it. */
function fileOf(bytes: Buffer) {
  const written: { at: number; text: string }[] = [];
  const handle = {
    stat: async () => ({ size: bytes.length }),
    read: async (into: Buffer, offset: number, length: number, at: number) => ({
      bytesRead: bytes.copy(into, offset, at, Math.min(at + length, bytes.length)),
    }),
    write: async (from: Buffer, _: number, __: number, at: number) => {
      written.push({ at, text: from.toString('latin1') });
      from.copy(bytes, at);
    },
  };
  return { handle: handle as unknown as FileHandle, written };
}

/** The file, and how often it was asked: in all, and at most between two turns of the event loop. */
async function counted(bytes: Buffer) {
  const file = await fileBytes(fileOf(bytes).handle);
  const asked = { inAll: 0, atOnce: 0 };
  let sinceTurn = 0;
  let ended = false;
  void (async () => {
    for (; !ended; sinceTurn = 0) await turn();
  })();
  const ask = () => {
    asked.inAll++;
    asked.atOnce = Math.max(asked.atOnce, ++sinceTurn);
  };
  const counting: FileBytes = {
    size: file.size,
    read: (...args) => {
      ask();
      return file.read(...args);
    },
    find: (...args) => {
      ask();
      return file.find(...args);
    },
  };
  const stop = () => {
    ended = true;
    return asked;
  };
  return { file: counting, stop };
}

/** Bytes in which a text was searched while `work` ran. */
async function bytesSearched(work: () => Promise<unknown>): Promise<number> {
  const { indexOf } = Buffer.prototype;
  let bytes = 0;
  Buffer.prototype.indexOf = function (this: Buffer, value: string | number | Uint8Array, from?: unknown) {
    const found = indexOf.call(this, value, Number(from ?? 0));
    bytes += (found < 0 ? this.length : found) - Number(from ?? 0);
    return found;
  };
  try {
    await work();
  } finally {
    Buffer.prototype.indexOf = indexOf;
  }
  return bytes;
}

test('bytes that look like elements beyond the end are searched once, with turns for others', async () => {
  const size = 2 ** 17;
  for (const pattern of ['1a45dfa31f1f1f1f', '1f43b67500', '1a45dfa380', 'a380', '00']) {
    const { file, stop } = await counted(repeated(pattern, size));
    const searched = await bytesSearched(() => webmDocuments(file));
    assert.ok(searched <= 4 * size, `${pattern}: ${searched} bytes`);
    const { atOnce, inAll } = stop();
    assert.ok(atOnce <= 2000, `${pattern}: ${atOnce} of ${inAll} reads at once`);
  }
});

test('a search finds the same places whatever was searched before', async () => {
  const bytes = Buffer.alloc(200_000);
  const patterns = [hex('1a45dfa3'), hex('1f43b675')];
  const places = [70_000, 5, 65_534, 5, 70_001, 199_996, 131_071, 0];
  for (const [index, at] of [5, 65_534, 131_072, 199_996].entries()) patterns[index % 2]?.copy(bytes, at);
  const file = await fileBytes(fileOf(bytes).handle);
  const found = [];
  for (const from of places) found.push(await file.find(patterns, from));
  assert.equal(found, [131_072, 5, 65_534, 5, 131_072, 199_996, 131_072, 5]);
  assert.is(await file.find(patterns, 199_997), -1);
});

test('of many documents without tracks only the first header is read', async () => {
  const many = repeated('1a45dfa380', 100_000);
  const { file, stop } = await counted(many);
  assert.is(await openWebmStream(file, { start: 0, end: many.length }), null);
  assert.ok(stop().inAll <= 10);
  const element = (id: string, bytes: number) =>
    Buffer.concat([hex(id), hex('01'), Buffer.alloc(7), Buffer.alloc(bytes)]);
  const large = Buffer.concat([
    element('1a45dfa3', 40_000),
    hex('1853806701ffffffffffffff'),
    element('1654ae6b', 40_000),
  ]);
  large.writeUIntBE(40_000, 6, 6);
  large.writeUIntBE(40_000, large.length - 40_006, 6);
  const tooLarge = await fileBytes(fileOf(large).handle);
  assert.is(await openWebmStream(tooLarge, { start: 0, end: large.length }), null);
  const { leftOut, outcome } = await assembled(scratch, partOf(many));
  assert.equal([outcome, leftOut], ['unreadable', [{ part: 0, reason: 'unreadable', size: many.length }]]);
});

test('what became of each part is found without comparing it with each document', async () => {
  const documents = 50;
  const parts = Array.from({ length: 20 }, () => partOf(repeated('1a45dfa380', 5 * documents)));
  const { filter } = Array.prototype;
  let compared = 0;
  Array.prototype.filter = function (this: unknown[], ...args: Parameters<typeof filter>) {
    compared += this.length;
    return filter.apply(this, args);
  };
  try {
    assert.is((await assembled(scratch, ...parts)).leftOut.length, 20);
  } finally {
    Array.prototype.filter = filter;
  }
  assert.ok(compared <= 3 * 20 * documents, String(compared));
});

test('a recording of chunks that all begin a part has few parts, and keeps every chunk', () => {
  const chunks = Array.from({ length: 144_000 }, (_, sequence) => ({ key: '', size: 1, sequence, begins: true }));
  const parts = groupChunks(chunks);
  assert.is(parts.length, 1000);
  assert.equal(
    parts.flat().map(({ sequence }) => sequence),
    chunks.map(({ sequence }) => sequence),
  );
});

test('packets whose timestamps do not advance follow one another', async () => {
  for (const step of [0, 1e-9, -0.5, -0.001]) {
    const timeline = createTimeline();
    timeline.follow();
    let last = -1;
    for (let packet = 0; packet < 1000; packet++) {
      const at = timeline.place({ data: Buffer.alloc(1), timestamp: 7 + step * packet, duration: 0.02 });
      assert.ok(at - last >= 0.001, `${step}: ${at} after ${last}`);
      last = at;
    }
    assert.ok(Math.abs(timeline.end - 20) < 0.5, `${step}: ${timeline.end}`);
  }
});

test('a clock that stands still makes a recording as long as its packets', async () => {
  const still = Buffer.from(whole);
  const at = still.indexOf(hex('2ad7b183'));
  still.fill(0, at + 4, at + 7);
  const assembly = await assembled(scratch, partOf(still));
  const { packets } = await readAudio(assembly.bytes);
  assert.is(packets.length, (await readAudio(whole)).packets.length);
  assert.is(assembly.outcome === 'assembled' && assembly.durationMs, 60 * packets.length);
  assert.ok(packets.every(({ timestamp }, index) => index === 0 || timestamp > (packets[index - 1]?.timestamp ?? 0)));
});

test('a stored file whose timestamps stand still is refused instead of cut without end', async () => {
  const output = new Output({ format: new WebMOutputFormat(), target: new BufferTarget() });
  const source = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(source);
  await output.start();
  const bytesOf = (bytes: Buffer): AudioBytes => ({
    size: bytes.length,
    read: async (start, end) => bytes.subarray(start, end),
  });
  const track = await openTrack(bytesOf(whole));
  for (const { data } of (await readAudio(whole)).packets)
    await source.add(new EncodedPacket(data, 'key', 0, 0.06), track ? { decoderConfig: track.config } : undefined);
  await output.finalize();
  const still = Buffer.from((output.target as BufferTarget).buffer ?? new ArrayBuffer(0));
  const cut = async () => {
    let count = 0;
    for await (const _ of pieces(bytesOf(still), { maxMs: 600_000, maxBytes: 10_000 }))
      if (++count === 50) return 'without end';
    return 'to its end';
  };
  assert.instance(await cut().catch((error: Error) => error), RangeError);
});

test('a WAV file of empty chunks is unreadable after a thousand of them', async () => {
  const riff = Buffer.from('RIFF????WAVE', 'latin1');
  const empty = Buffer.concat([riff, repeated(Buffer.from('LIST\0\0\0\0').toString('hex'), 2 ** 17)]);
  const { handle, written } = fileOf(empty);
  assert.equal(await wavDocuments(await fileBytes(handle), handle), []);
  assert.is(written.length, 1000);
});

test('chunks of a WAV file that readers skip already are not written again', async () => {
  const sound = wavOf(toneOf(100));
  const junk = Buffer.concat([
    sound.subarray(0, 12),
    repeated(Buffer.from('JUNK\0\0\0\0').toString('hex'), 80),
    sound.subarray(12),
  ]);
  const { handle, written } = fileOf(junk);
  assert.equal(await wavDocuments(await fileBytes(handle), handle), [{ start: 0, end: junk.length }]);
  assert.equal(
    written.map(({ at }) => at),
    [4],
  );
});

test.run();

import { mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { BufferTarget, EncodedAudioPacketSource, EncodedPacket, Output, WebMOutputFormat } from 'mediabunny';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assemble } from '../../media/audio/assemble.ts';
import { groupChunks, storedParts } from '../../media/audio/chunks.ts';
import { opusDuration } from '../../media/audio/codecs.ts';
import { durationMs, pieces, storedAudio } from '../../media/audio/pieces.ts';
import { inScratch, removeAbandonedScratch, removeScratch } from '../../media/audio/scratch.ts';
import { type AudioBytes, openTrack } from '../../media/audio/tracks.ts';
import { createDiskStore } from '../../media/storage/disk.ts';
import { audioKey, chunkKey } from '../../media/storage/keys.ts';
import { type AudioStore, MissingAudio } from '../../media/storage/store.ts';
import { assembled, dataOf, partOf, readAudio, recorded, toneOf, wavOf } from '../support/audio-fixtures.ts';
import { temporaryDirectory } from '../support/people.ts';
import { until } from '../support/until.ts';

const directory = temporaryDirectory();
const scratch = join(directory.path, 'scratch');
const [first = [], second = []] = recorded;
const wholes = recorded.map((chunks) => Buffer.concat(chunks));
const [whole = Buffer.alloc(0), other = Buffer.alloc(0)] = wholes;
const original = await readAudio(whole);
const originals = [dataOf(original.packets), dataOf((await readAudio(other)).packets)] as const;
const headerOnly = whole.subarray(0, whole.indexOf(Buffer.from('1f43b675', 'hex')));
const place = () => ({ workspaceId: crypto.randomUUID(), recordingId: crypto.randomUUID() });

const inMemory = (bytes: Buffer): AudioBytes => ({
  size: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
});

const joining = suite('joining chunks into one file');
joining.after(() => directory.remove());

joining(
  'what the browser recorded becomes a file with a duration and an index, packet by packet the same',
  async () => {
    assert.is(original.duration, null);
    const { bytes, ...assembly } = await assembled(scratch, partOf(...first));
    const found = await readAudio(bytes);
    assert.equal(dataOf(found.packets), originals[0]);
    assert.equal(assembly, {
      outcome: 'assembled',
      leftOut: [],
      extension: 'webm',
      contentType: 'audio/webm',
      size: bytes.length,
      durationMs: Math.round(1000 * (found.duration ?? 0)),
    });
    const recordedMs = 60 * originals[0].length;
    assert.ok(Math.abs(1000 * (found.duration ?? 0) - recordedMs) <= 120, String(found.duration));
    assert.is(found.mimeType, 'audio/webm; codecs="opus"');
    assert.ok(bytes.includes(Buffer.from('1c53bb6b', 'hex')), 'it has Cues');
  },
);

joining('later parts follow earlier ones in time, and the same parts make the same bytes', async () => {
  const join = () => assembled(scratch, partOf(...first), partOf(...second), partOf(...first));
  const { bytes, ...assembly } = await join();
  const found = await readAudio(bytes);
  assert.equal(dataOf(found.packets), [...originals[0], ...originals[1], ...originals[0]]);
  const times = found.packets.map(({ timestamp }) => timestamp);
  for (const [index, time] of times.entries())
    if (index > 0) assert.ok(Math.abs(time - (times[index - 1] ?? 0) - 0.06) < 0.03, `${index}: ${time}`);
  if (assembly.outcome !== 'assembled') throw new Error(assembly.outcome);
  assert.ok(Math.abs(assembly.durationMs - 60 * times.length) < 200);
  assert.ok((await join()).bytes.equals(bytes));
});

joining('a recording that lost its end anywhere keeps every packet that came whole', async () => {
  let at = 0;
  const ends = original.packets.map(({ data }) => {
    at = whole.indexOf(data, at) + data.length;
    return at;
  });
  const last = whole.length;
  const cuts = [...Array.from({ length: 60 }, (_, n) => last - 1 - 7 * n), ...first.map((_, n) => 300 + 611 * n)];
  for (const cut of cuts.filter((each) => each < last && each >= (ends[0] ?? 0))) {
    const { bytes } = await assembled(scratch, partOf(whole.subarray(0, cut)));
    const kept = ends.filter((end) => end <= cut).length;
    assert.equal(dataOf((await readAudio(bytes)).packets), originals[0].slice(0, kept), `cut at ${cut}`);
  }
});

joining('a file whose clusters tell their sizes may lose its end too', async () => {
  const { bytes } = await assembled(scratch, partOf(whole));
  for (const part of [0.35, 0.6, 0.97]) {
    const cut = await assembled(scratch, partOf(bytes.subarray(0, Math.floor(bytes.length * part))));
    const kept = dataOf((await readAudio(cut.bytes)).packets);
    assert.equal(kept, originals[0].slice(0, kept.length));
    assert.ok(Math.abs(kept.length / originals[0].length - part) < 0.1, `${kept.length} of ${originals[0].length}`);
  }
});

joining(
  'a chunk that is missing in the middle costs what was in it, and no more than a cluster around it',
  async () => {
    for (const missing of [5, 9, 14]) {
      const { bytes } = await assembled(scratch, partOf(...first.filter((_, index) => index !== missing)));
      const kept = dataOf((await readAudio(bytes)).packets);
      const lost = originals[0].filter((data) => !kept.includes(data));
      assert.ok(kept.length >= originals[0].length - 12, `${kept.length} without chunk ${missing}`);
      assert.ok(lost.length > 0);
      assert.is(kept.at(-1), originals[0].at(-1));
      assert.equal(kept.slice(0, 10), originals[0].slice(0, 10));
    }
  },
);

joining('a second recorder in the same part, unmarked, is found', async () => {
  const { bytes } = await assembled(scratch, partOf(...first, ...second));
  assert.equal(dataOf((await readAudio(bytes)).packets), [...originals[0], ...originals[1]]);
});

joining('parts that hold nothing are told and do no harm to the others', async () => {
  const garbage = Buffer.from('This is a letter, not a recording. '.repeat(50));
  const parts = [
    partOf(),
    partOf(headerOnly),
    partOf(...first),
    partOf(garbage),
    partOf(new Uint8Array(0)),
    partOf(...second),
  ];
  const { bytes, ...assembly } = await assembled(scratch, ...parts);
  assert.is(assembly.outcome, 'assembled');
  assert.equal(assembly.leftOut, [
    { part: 0, reason: 'empty', size: 0 },
    { part: 1, reason: 'empty', size: headerOnly.length },
    { part: 3, reason: 'unreadable', size: garbage.length },
    { part: 4, reason: 'empty', size: 0 },
  ]);
  assert.equal(dataOf((await readAudio(bytes)).packets), [...originals[0], ...originals[1]]);
});

joining('when nothing can be read nothing is saved, and it says whether there was anything', async () => {
  const never = { scratch, name: 'never', save: async () => assert.unreachable('it saved') };
  const nothing = [[], [partOf()], [partOf(headerOnly), partOf()], [partOf(wavOf(Buffer.alloc(0)))]];
  for (const parts of nothing) assert.is((await assemble(parts, never)).outcome, 'empty');
  const withoutChunks = Buffer.from('RIFF????WAVEnothing here is a chunk');
  const unreadable = [
    [partOf(withoutChunks)],
    [partOf(), partOf(headerOnly.subarray(0, 60))],
    [partOf(whole.subarray(900))],
  ];
  for (const parts of unreadable) assert.is((await assemble(parts, never)).outcome, 'unreadable');
});

joining('parts that cannot be joined: what plays longest is kept, the rest is told', async () => {
  const short = wavOf(toneOf(1000));
  const mixed = await assembled(scratch, partOf(short), partOf(...first));
  assert.equal(mixed.leftOut, [{ part: 0, reason: 'another_format', size: short.length }]);
  assert.equal(dataOf((await readAudio(mixed.bytes)).packets), originals[0]);
  const long = await assembled(scratch, partOf(wavOf(toneOf(3000))), partOf(...first), partOf(wavOf(toneOf(4000))));
  assert.equal(long.leftOut, [{ part: 1, reason: 'another_format', size: whole.length }]);
  assert.ok(long.bytes.subarray(44).equals(Buffer.concat([toneOf(3000), toneOf(4000)])));
  const rates = await assembled(scratch, partOf(wavOf(toneOf(500))), partOf(wavOf(toneOf(900), { rate: 44_100 })));
  assert.is(rates.leftOut.length, 1);
});

joining('one and two channels of Opus are joined: every decoder takes both', async () => {
  const stereo = Buffer.from(other);
  const head = stereo.indexOf('OpusHead');
  stereo[head + 9] = 2;
  const { bytes, leftOut } = await assembled(scratch, partOf(whole), partOf(stereo));
  assert.equal(leftOut, []);
  assert.is((await readAudio(bytes)).packets.length, originals[0].length + originals[1].length);
  stereo[head + 18] = 255;
  assert.is((await assembled(scratch, partOf(whole), partOf(stereo))).leftOut[0]?.reason, 'another_format');
});

joining('a WAV stream is read whatever its header says of sizes, in chunks cut anywhere', async () => {
  const samples = toneOf(1500);
  const all = [0, 0xffffffff, 0x7fffff00, 4096, samples.length + 1000];
  for (const data of all) {
    const file = wavOf(samples, { sizes: { riff: data === 0 ? 0 : Math.min(data + 36, 0xffffffff), data } });
    const chunks = [
      file.subarray(0, 7),
      file.subarray(7, 43),
      file.subarray(43, 46),
      file.subarray(46, 1001),
      file.subarray(1001),
    ];
    const { bytes, ...assembly } = await assembled(scratch, partOf(...chunks));
    assert.ok(bytes.equals(wavOf(samples)), String(data));
    assert.equal(assembly, {
      outcome: 'assembled',
      leftOut: [],
      extension: 'wav',
      contentType: 'audio/wav',
      size: bytes.length,
      durationMs: 1500,
    });
  }
});

joining(
  'what stands behind the samples of a WAV file is not taken for sound, and half a sample is dropped',
  async () => {
    const samples = toneOf(200);
    const listed = Buffer.concat([wavOf(samples), Buffer.from('LIST\x0c\0\0\0INFOISFT\0\0\0\0', 'latin1')]);
    assert.ok((await assembled(scratch, partOf(listed))).bytes.equals(wavOf(samples)));
    const cut = wavOf(samples).subarray(0, 44 + 1001);
    assert.ok((await assembled(scratch, partOf(cut))).bytes.equals(wavOf(samples.subarray(0, 1000))));
  },
);

joining('WAV of every usual depth and number of channels is joined sample by sample', async () => {
  const shapes = [
    { bits: 8 },
    { bits: 16, channels: 2, rate: 44_100 },
    { bits: 24, rate: 48_000 },
    { bits: 32, channels: 2 },
    { bits: 32, float: true, rate: 96_000 },
    { bits: 64, float: true },
  ];
  for (const shape of shapes) {
    const samples = Buffer.from(Array.from({ length: 48_000 }, (_, n) => (n * 7) % 251));
    const { bytes, ...assembly } = await assembled(
      scratch,
      partOf(wavOf(samples, shape)),
      partOf(wavOf(samples, shape)),
    );
    const twice = wavOf(Buffer.concat([samples, samples]), shape);
    assert.ok(bytes.equals(twice), JSON.stringify(shape));
    const frame = ((shape.channels ?? 1) * shape.bits) / 8;
    const seconds = (2 * samples.length) / frame / (shape.rate ?? 16_000);
    assert.is(assembly.outcome === 'assembled' && assembly.durationMs, Math.round(1000 * seconds));
  }
});

joining('a header of WAV that makes no sense is unreadable, not endless', async () => {
  const never = { scratch, name: 'never', save: async () => assert.unreachable('it saved') };
  const broken: [number, number][] = [
    [32, 0],
    [22, 0],
    [24, 0],
    [34, 0],
  ];
  for (const [at, value] of broken) {
    const file = wavOf(toneOf(100));
    file.writeUInt16LE(value, at);
    if (at === 24) file.writeUInt16LE(0, 26);
    assert.is((await assemble([partOf(file)], never)).outcome, 'unreadable', String(at));
  }
});

joining('a clock that jumps leaves no silence behind: the recording is as long as what was recorded', async () => {
  const output = new Output({ format: new WebMOutputFormat({ appendOnly: true }), target: new BufferTarget() });
  const source = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(source);
  await output.start();
  const track = await openTrack(inMemory(whole));
  let at = 0;
  for (const [index, { data }] of original.packets.entries()) {
    if (index === 20) at += 7200;
    if (index === 40) at += 0.5;
    await source.add(new EncodedPacket(data, 'key', at, 0.06), track ? { decoderConfig: track.config } : undefined);
    at += 0.06;
  }
  await output.finalize();
  const jumped = Buffer.from((output.target as BufferTarget).buffer ?? new ArrayBuffer(0));
  const assembly = await assembled(scratch, partOf(jumped));
  assert.is(assembly.outcome === 'assembled' && assembly.durationMs, 60 * original.packets.length + 500);
});

joining('bytes changed, cut, doubled or shuffled at random never break it', async () => {
  let seed = 20261120;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const sources = [whole, other, wavOf(toneOf(300)), (await assembled(scratch, partOf(whole))).bytes];
  const outcomes = new Set<string>();
  for (let round = 0; round < 100; round++) {
    let file = Buffer.from(sources[round % sources.length] ?? whole);
    for (let change = 0; change < 1 + random(6); change++) {
      const [at, length] = [random(file.length), random(400)];
      const kind = random(4);
      if (kind === 0) file[at] = random(256);
      else if (kind === 1) file = Buffer.concat([file.subarray(0, at), file.subarray(at + length)]);
      else if (kind === 2) file = Buffer.concat([file.subarray(0, at + length), file.subarray(at)]);
      else file.fill(random(256), at, Math.min(at + length, file.length));
      if (random(3) === 0) file[random(Math.min(200, file.length))] = random(256);
    }
    const assembly = await assembled(scratch, partOf(file));
    outcomes.add(assembly.outcome);
    if (assembly.outcome !== 'assembled') continue;
    const found = await readAudio(assembly.bytes);
    assert.ok(found.packets.length > 0);
    assert.ok(assembly.durationMs < 60_000, `round ${round} plays ${assembly.durationMs} ms`);
  }
  assert.ok(outcomes.has('assembled') && outcomes.has('unreadable'), [...outcomes].join());
});

joining('a file that nobody reads is not opened', async () => {
  let unread: AsyncIterable<Uint8Array> | undefined;
  const save = async ({ bytes }: { bytes: AsyncIterable<Uint8Array> }) => {
    unread = bytes;
    throw new Error('the lease was lost');
  };
  const fail = (error: NodeJS.ErrnoException) => error.code ?? error.message;
  assert.is(await assemble([partOf(whole)], { scratch, name: 'any', save }).then(String, fail), 'the lease was lost');
  const read = async () => {
    for await (const piece of unread ?? []) return `${piece.length} bytes`;
    return 'nothing';
  };
  assert.is(await read().catch(fail), 'ENOENT');
});

joining(
  'whatever fails, nothing stays behind; what a crash left of a recording goes when it is joined again',
  async () => {
    async function* breaking() {
      yield whole.subarray(0, 5000);
      throw new Error('the store broke');
    }
    const fail = (error: Error) => error.message;
    const save = async () => {
      throw new Error('no room');
    };
    const name = crypto.randomUUID();
    const directoryOf = (of: string) => join(scratch, `tandem-audio-${of}-crash`);
    const make = (of: string) => mkdir(directoryOf(of), { recursive: true });
    assert.is(await assemble([breaking()], { scratch, name, save }).then(String, fail), 'the store broke');
    assert.is(await assemble([partOf(whole)], { scratch, name, save }).then(String, fail), 'no room');
    assert.equal(await readdir(scratch), []);
    await Promise.all([make(name), make('other')]);
    assert.is(await assemble([partOf(whole)], { scratch, name, save }).then(String, fail), 'no room');
    assert.equal(await readdir(scratch), ['tandem-audio-other-crash']);
    await removeScratch(scratch, 'other');
    assert.equal(await readdir(scratch), []);
    await removeScratch(join(scratch, 'none'), 'other');
  },
);

joining('directories of processes that died are removed, those in use and those of others are not', async () => {
  await removeAbandonedScratch(join(scratch, 'none'));
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  for (const [name, minutes] of [
    ['tandem-audio-old', 16],
    ['tandem-audio-new', 14],
    ['of-somebody-else', 9999],
  ] as const) {
    await mkdir(join(scratch, name));
    await utimes(join(scratch, name), minutesAgo(minutes), minutesAgo(minutes));
  }
  await removeAbandonedScratch(scratch);
  assert.equal((await readdir(scratch)).sort(), ['of-somebody-else', 'tandem-audio-new']);
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    await inScratch(scratch, 'long', async (path) => {
      await utimes(path, minutesAgo(30), minutesAgo(30));
      mock.timers.tick(60_000);
      await until(async () => (await stat(path)).mtime > minutesAgo(1));
    });
  } finally {
    mock.timers.reset();
  }
});

joining('the length of a packet of Opus is read as RFC 6716 has it', () => {
  const lengths: [number[], number | null][] = [
    [[0x00], 0.01],
    [[0x18], 0.06],
    [[0x60], 0.01],
    [[0x68], 0.02],
    [[0x80], 0.0025],
    [[0xf8], 0.02],
    [[0xf9], 0.04],
    [[0xfa], 0.04],
    [[0xfb, 0x03], 0.06],
    [[0xfb, 0x83], 0.06],
    [[0x1b, 0x02], 0.12],
    [[0x1b, 0x03], null],
    [[0xfb, 0x00], null],
    [[0xfb], null],
    [[], null],
  ];
  for (const [bytes, seconds] of lengths) assert.is(opusDuration(Uint8Array.from(bytes)), seconds, String(bytes));
});

const stored = suite('recordings in the store');
const store = createDiskStore(join(directory.path, 'audio'));

async function put(parts: readonly (readonly Buffer[])[], into: AudioStore = store) {
  const recording = place();
  let sequence = 0;
  for (const part of parts)
    for (const [index, chunk] of part.entries()) await into.put(chunkKey(recording, sequence++, index === 0), chunk);
  return recording;
}

stored('the chunks of a recording come in order, in the parts that they were recorded in', async () => {
  const recording = await put(recorded);
  await store.put(`${recording.workspaceId}/${recording.recordingId}/chunks/notes.txt`, whole);
  const parts = await storedParts(store, recording);
  assert.is(parts.length, 2);
  for (const [index, part] of parts.entries()) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of part) chunks.push(chunk);
    assert.equal(
      chunks.map((chunk) => chunk.length),
      recorded[index]?.map((chunk) => chunk.length),
    );
    assert.ok(Buffer.concat(chunks).equals(wholes[index] ?? Buffer.alloc(0)));
  }
  assert.equal(await storedParts(store, place()), []);
});

stored('a chunk that was stored with and without its mark counts once', () => {
  const chunk = (sequence: number, begins: boolean) => ({ key: `${sequence}${begins}`, size: 1, sequence, begins });
  const grouped = groupChunks([chunk(3, false), chunk(0, false), chunk(2, false), chunk(2, true), chunk(1, false)]);
  assert.equal(
    grouped.map((part) => part.map(({ key }) => key)),
    [
      ['0false', '1false'],
      ['2true', '3false'],
    ],
  );
});

stored('no more than a few chunks are fetched ahead, and one that vanished is a fault', async () => {
  const recording = await put([Array.from({ length: 40 }, () => Buffer.from('x'))]);
  let [open, most] = [0, 0];
  const counting: AudioStore = {
    ...store,
    read: async function* (key, range) {
      most = Math.max(most, ++open);
      yield* store.read(key, range);
      open--;
    },
  };
  const [part = partOf()] = await storedParts(counting, recording);
  let read = 0;
  for await (const chunk of part) read += chunk.length;
  assert.is(read, 40);
  assert.ok(most > 1 && most <= 8, String(most));
  const [vanishing = partOf()] = await storedParts(store, recording);
  await store.remove(`${recording.workspaceId}/`);
  const error = await assembled(scratch, vanishing).catch((each: Error) => each);
  assert.instance(error, MissingAudio);
});

stored('a recording is joined from its chunks and kept as one file', async () => {
  const recording = await put(recorded);
  const assembly = await assemble(await storedParts(store, recording), {
    scratch,
    name: recording.recordingId,
    save: ({ extension, size, bytes }) => store.putStream(audioKey(recording, extension), size, bytes),
  });
  assert.is(assembly.outcome, 'assembled');
  const audio = await storedAudio(store, audioKey(recording, 'webm'));
  assert.is(await durationMs(audio), assembly.outcome === 'assembled' && assembly.durationMs);
  assert.instance(await storedAudio(store, audioKey(place(), 'wav')).catch((error: Error) => error), MissingAudio);
});

const cutting = suite('cutting a file into pieces');
let long: Buffer;
cutting.before(async () => {
  long = (await assembled(scratch, ...Array.from({ length: 12 }, () => partOf(whole)))).bytes;
});

async function allPieces(audio: AudioBytes, limits: { maxMs: number; maxBytes: number }, fromMs = 0) {
  const all = [];
  for await (const piece of pieces(audio, limits, fromMs)) all.push({ ...piece, bytes: Buffer.from(piece.bytes) });
  return all;
}

cutting('each piece is a complete file within the limits, and together they are the whole', async () => {
  const packets = dataOf((await readAudio(long)).packets);
  for (const limits of [
    { maxMs: 20_000, maxBytes: 1_000_000 },
    { maxMs: 600_000, maxBytes: 30_000 },
    { maxMs: 600_000, maxBytes: 1_000_000 },
  ]) {
    const cut = await allPieces(inMemory(long), limits);
    let at = 0;
    const found: string[] = [];
    for (const { startMs, endMs, bytes, contentType } of cut) {
      assert.is(startMs, at);
      at = endMs;
      const piece = await readAudio(bytes);
      assert.is(piece.packets[0]?.timestamp, 0);
      assert.ok(bytes.length <= limits.maxBytes && endMs - startMs <= limits.maxMs, `${endMs - startMs} ms`);
      assert.ok(Math.abs((piece.duration ?? 0) * 1000 - (endMs - startMs)) <= 120);
      assert.is(contentType, 'audio/webm');
      found.push(...dataOf(piece.packets));
    }
    assert.equal(found, packets);
    assert.is(at, await durationMs(inMemory(long)));
  }
});

cutting('a piece can be made again without those before it, byte for byte', async () => {
  const wav = wavOf(toneOf(9000, [3000, 3400], 22_050), { rate: 22_050 });
  for (const [file, maxMs] of [
    [long, 13_000],
    [wav, 2500],
  ] as const) {
    const limits = { maxMs, maxBytes: 10_000_000 };
    const cut = await allPieces(inMemory(file), limits);
    assert.ok(cut.length >= 4);
    for (const [index, piece] of cut.entries()) {
      const again = await allPieces(inMemory(file), limits, piece.startMs);
      assert.equal(
        again.map(({ startMs, endMs }) => [startMs, endMs]),
        cut.slice(index).map(({ startMs, endMs }) => [startMs, endMs]),
      );
      assert.ok(again[0]?.bytes.equals(piece.bytes), `piece ${index}`);
    }
    assert.equal(await allPieces(inMemory(file), limits, cut.at(-1)?.endMs), []);
  }
});

cutting('the samples of a WAV file are cut without loss, at a pause near the limit', async () => {
  const samples = toneOf(10_000, [3600, 3900]);
  const cut = await allPieces(inMemory(wavOf(samples)), { maxMs: 4000, maxBytes: 1_000_000 });
  assert.ok(Buffer.concat(cut.map(({ bytes }) => bytes.subarray(44))).equals(samples));
  const [{ endMs } = { endMs: 0 }] = cut;
  assert.ok(endMs > 3600 && endMs <= 3900, String(endMs));
  const small = await allPieces(inMemory(wavOf(samples)), { maxMs: 60_000, maxBytes: 50_000 });
  assert.ok(small.length >= 7 && small.every(({ bytes }) => bytes.length <= 50_000));
  assert.ok(Buffer.concat(small.map(({ bytes }) => bytes.subarray(44))).equals(samples));
});

cutting('a recording is cut in a pause near the limit', async () => {
  const sizes = (await readAudio(long)).packets.map(({ data, timestamp }) => [timestamp * 1000, data.length] as const);
  for (const maxMs of [5600, 10_800, 16_200]) {
    const [piece] = await allPieces(inMemory(long), { maxMs, maxBytes: 1_000_000 });
    const endMs = piece?.endMs ?? 0;
    const around = sizes.filter(([ms]) => Math.abs(ms - endMs) < 150).map(([, size]) => size);
    assert.ok(endMs > maxMs * 0.8 && Math.max(...around) < 20, `${maxMs}: ${around}`);
  }
});

cutting('limits that no packet fits are refused, and what cannot be read has no pieces', async () => {
  const refused = await allPieces(inMemory(long), { maxMs: 10, maxBytes: 1_000_000 }).catch((error: Error) => error);
  assert.instance(refused, RangeError);
  assert.equal(await allPieces(inMemory(Buffer.from('nothing')), { maxMs: 1000, maxBytes: 1000 }), []);
  assert.is(await durationMs(inMemory(Buffer.from('nothing'))), 0);
});

cutting('a store that fails in the middle is a fault, not the end of the recording', async () => {
  const key = audioKey(place(), 'webm');
  await store.put(key, long);
  const audio = await storedAudio(store, key);
  assert.is((await allPieces(audio, { maxMs: 40_000, maxBytes: 1_000_000 })).length, 2);
  const broken = { ...audio, read: async () => Promise.reject(new Error('the disk broke')) };
  assert.is(((await durationMs(broken).catch((error: Error) => error)) as Error).message, 'the disk broke');
  const shorter = { ...audio, size: audio.size + 1000 };
  const error = await allPieces(shorter, { maxMs: 30_000, maxBytes: 1_000_000 }).catch((each: Error) => each);
  assert.match(String(error), /bytes of audio came instead of/);
});

stored.run();
cutting.run();
joining.run();

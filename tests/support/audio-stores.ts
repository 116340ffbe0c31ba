import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { audioKey, chunkKey, chunkOf, chunkPrefix, recordingPrefix } from '../../media/storage/keys.ts';
import { type AudioStore, type ByteRange, MissingAudio } from '../../media/storage/store.ts';

/** The place of another recording. */
export const place = () => ({ workspaceId: crypto.randomUUID(), recordingId: crypto.randomUUID() });
/** A text in UTF-8. */
export const bytes = (text: string) => new TextEncoder().encode(text);

/** An object, or a range of it, in one piece. */
export async function readAll(store: AudioStore, key: string, range?: ByteRange): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.read(key, range)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The bytes in pieces of `length`. */
export async function* inPieces(whole: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += length) yield whole.subarray(at, at + length);
}

/** What the work throws. */
export async function fails(work: Promise<unknown> | (() => Promise<unknown>)): Promise<Error> {
  return (typeof work === 'function' ? work() : work).then(
    () => assert.unreachable('it went through') as never,
    (error: Error) => error,
  );
}

/** A suite of what every store promises. */
export function storePromises(name: string, open: () => AudioStore | Promise<AudioStore>) {
  const test = suite(`the audio store, ${name}`);
  let store: AudioStore;
  test.before(async () => {
    store = await open();
  });

  test('what was put is listed in the order of its keys, has its size and reads the same', async () => {
    const recording = place();
    const chunks = [2, 10, 0, 1].map((sequence) => chunkKey(recording, sequence, sequence === 0));
    for (const key of chunks) await store.put(key, bytes(key));
    await store.put(audioKey(recording, 'webm'), bytes('whole'));
    const listed = await store.list(chunkPrefix(recording));
    assert.equal(
      listed,
      [...chunks].sort().map((key) => ({ key, size: key.length })),
    );
    assert.equal(
      listed.map((each) => [chunkOf(each)?.sequence, chunkOf(each)?.begins]),
      [
        [0, true],
        [1, false],
        [2, false],
        [10, false],
      ],
    );
    for (const { key, size } of listed) {
      assert.is((await readAll(store, key)).toString(), key);
      assert.is(await store.size(key), size);
    }
    assert.is((await store.list(recordingPrefix(recording))).length, 5);
  });

  test('a range gives its bytes, both ends included, and nothing from beyond the end', async () => {
    const key = audioKey(place(), 'wav');
    await store.put(key, bytes('0123456789'));
    const read = async (start: number, end: number) => (await readAll(store, key, { start, end })).toString();
    assert.equal(
      [await read(0, 0), await read(3, 5), await read(8, 99), await read(10, 20), await read(0, 9)],
      ['0', '345', '89', '', '0123456789'],
    );
    for (const [start, end] of [
      [-1, 3],
      [4, 3],
      [0.5, 2],
      [0, Number.NaN],
    ] as const)
      assert.instance(await fails(readAll(store, key, { start, end })), RangeError);
  });

  test('what is not there is missing, has no size, and is no fault to list or remove', async () => {
    const recording = place();
    assert.instance(await fails(readAll(store, chunkKey(recording, 0, true))), MissingAudio);
    assert.instance(await fails(readAll(store, audioKey(recording, 'wav'), { start: 0, end: 1 })), MissingAudio);
    assert.is(await store.size(chunkKey(recording, 0, true)), null);
    assert.equal(await store.list(recordingPrefix(recording)), []);
    await store.remove(recordingPrefix(recording));
  });

  test('putting again replaces, and an empty object is an object', async () => {
    const key = chunkKey(place(), 7, false);
    await store.put(key, bytes('first'));
    await store.put(key, bytes('second'));
    await store.put(key, bytes('second'));
    assert.is((await readAll(store, key)).toString(), 'second');
    await store.put(key, new Uint8Array(0));
    assert.is(await store.size(key), 0);
    assert.is((await readAll(store, key)).length, 0);
    assert.is((await readAll(store, key, { start: 0, end: 5 })).length, 0);
  });

  test('something large that comes in pieces reads the same, whole and in ranges', async () => {
    const key = audioKey(place(), 'webm');
    const whole = randomBytes(11 * 2 ** 20 + 17);
    await store.putStream(key, whole.length, inPieces(whole, 300_007));
    assert.is(await store.size(key), whole.length);
    assert.ok((await readAll(store, key)).equals(whole));
    const [start, end] = [5 * 2 ** 20 - 3, 10 * 2 ** 20 + 3];
    assert.ok((await readAll(store, key, { start, end })).equals(whole.subarray(start, end + 1)));
  });

  test('nothing is there when other than the announced bytes come, or when their source fails', async () => {
    const small = randomBytes(1000);
    const large = randomBytes(6 * 2 ** 20);
    for (const [whole, size] of [
      [small, 999],
      [small, 1001],
      [small, 0],
      [large, large.length - 1],
      [large, large.length + 1],
    ] as const) {
      const key = audioKey(place(), 'webm');
      const error = await fails(store.putStream(key, size, inPieces(whole, 4096)));
      assert.match(error.message, /bytes of audio came where \d+ were announced/);
      assert.is(await store.size(key), null);
    }
    async function* breaking() {
      yield large.subarray(0, 5.5 * 2 ** 20);
      throw new Error('the source broke');
    }
    const key = audioKey(place(), 'webm');
    assert.is((await fails(store.putStream(key, large.length, breaking()))).message, 'the source broke');
    assert.is(await store.size(key), null);
  });

  test('an object that is being replaced stays as it was until the new one is whole', async () => {
    const key = audioKey(place(), 'wav');
    await store.put(key, bytes('old'));
    async function* watched() {
      yield bytes('ne');
      assert.is((await readAll(store, key)).toString(), 'old');
      yield bytes('wer');
    }
    await store.putStream(key, 5, watched());
    assert.is((await readAll(store, key)).toString(), 'newer');
  });

  test('removing takes what lies below the prefix and nothing beside it', async () => {
    const recording = place();
    const other = { ...recording, recordingId: `${recording.recordingId}0` };
    for (let sequence = 0; sequence < 40; sequence++) await store.put(chunkKey(recording, sequence, false), bytes('x'));
    await store.put(audioKey(recording, 'wav'), bytes('audio'));
    await store.put(audioKey(other, 'wav'), bytes('other'));
    await store.remove(chunkPrefix(recording));
    assert.equal(await store.list(recordingPrefix(recording)), [{ key: audioKey(recording, 'wav'), size: 5 }]);
    await store.remove(recordingPrefix(recording));
    await store.remove(recordingPrefix(recording));
    assert.equal(await store.list(recordingPrefix(recording)), []);
    assert.is(await store.size(audioKey(other, 'wav')), 5);
  });

  test('many writers at a time lose nothing', async () => {
    const recording = place();
    const sequences = Array.from({ length: 60 }, (_, sequence) => sequence);
    await Promise.all(sequences.map((each) => store.put(chunkKey(recording, each, false), bytes(`chunk ${each}`))));
    const listed = await store.list(chunkPrefix(recording));
    const texts = await Promise.all(listed.map(async ({ key }) => (await readAll(store, key)).toString()));
    assert.equal(
      texts,
      sequences.map((each) => `chunk ${each}`),
    );
  });

  test('a name that is no key and a prefix that is none are refused before anything is done', async () => {
    const names = [
      '',
      'a',
      '/a/b',
      'a/../b',
      '../a',
      'a/./b',
      'a//b',
      'a/b/',
      'a/.b',
      'a/b\0',
      'a\\b/c',
      'a/ b',
      'ä/b',
    ];
    for (const key of [...names, `a/${'b'.repeat(101)}`, 'a/b/c/d/e/f/g', 'a/b\n']) {
      const each = [
        () => store.put(key, bytes('x')),
        () => store.putStream(key, 1, inPieces(bytes('x'), 1)),
        () => readAll(store, key),
        () => store.size(key),
      ];
      for (const work of each) assert.instance(await fails(work), RangeError, JSON.stringify(key));
    }
    for (const prefix of ['', '/', 'a', 'a/b', '../', 'a/../', './', 'a//', '.incoming/', 'a/\n'])
      for (const work of [() => store.list(prefix), () => store.remove(prefix)])
        assert.instance(await fails(work), RangeError, JSON.stringify(prefix));
  });
  return test;
}

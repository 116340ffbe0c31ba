import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { once } from 'node:events';
import { mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDiskStore } from '../../media/storage/disk.ts';
import { audioKey, chunkKey, chunkOf, chunkPrefix, recordingPrefix } from '../../media/storage/keys.ts';
import { createS3Store } from '../../media/storage/s3.ts';
import { elements, textOf } from '../../media/storage/s3-xml.ts';
import { openAudioStore } from '../../media/storage/settings.ts';
import { type AudioStore, type ByteRange, MissingAudio, StoreFault } from '../../media/storage/store.ts';
import { ConfigError, parseConfig } from '../../server/config.ts';
import { temporaryDirectory } from '../support/people.ts';
import { freePort } from '../support/ports.ts';
import { type S3Fault, startS3, type TestS3 } from '../support/s3-server.ts';
import { signatureFault } from '../support/s3-signature.ts';
import { within } from '../support/until.ts';

const shortRetries = { maxTries: 4, firstPauseMs: 5, silenceMs: 20_000 };
const place = () => ({ workspaceId: crypto.randomUUID(), recordingId: crypto.randomUUID() });
const bytes = (text: string) => new TextEncoder().encode(text);

async function readAll(store: AudioStore, key: string, range?: ByteRange): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.read(key, range)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* inPieces(whole: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += length) yield whole.subarray(at, at + length);
}

async function fails(work: Promise<unknown> | (() => Promise<unknown>)): Promise<Error> {
  return (typeof work === 'function' ? work() : work).then(
    () => assert.unreachable('it went through') as never,
    (error: Error) => error,
  );
}

/** What every store promises. */
function promises(name: string, open: () => AudioStore | Promise<AudioStore>) {
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

const directory = temporaryDirectory();
const disk = promises('on disk', () => createDiskStore(join(directory.path, 'audio')));
disk.after(() => directory.remove());

disk('its files are for their owner alone', async () => {
  const store = createDiskStore(join(directory.path, 'modes'));
  const key = chunkKey(place(), 0, true);
  await store.put(key, bytes('x'));
  let path = join(directory.path, 'modes');
  for (const name of ['', ...key.split('/')]) {
    path = join(path, name);
    assert.is((await stat(path)).mode & 0o077, 0, path);
  }
});

disk('a symbolic link leads nobody out of it', async () => {
  const root = join(directory.path, 'linked');
  const outside = join(directory.path, 'outside');
  const store = createDiskStore(root);
  await store.put('inside/file', bytes('x'));
  await mkdir(join(outside, 'recording'), { recursive: true });
  await writeFile(join(outside, 'recording/secret'), 'secret');
  await symlink(outside, join(root, 'workspace'));
  await symlink(join(outside, 'recording/secret'), join(root, 'inside/link'));
  for (const work of [
    () => readAll(store, 'workspace/recording/secret'),
    () => readAll(store, 'inside/link'),
    () => store.put('workspace/recording/secret', bytes('mine')),
    () => store.put('workspace/new/file', bytes('mine')),
    () => store.list('workspace/recording/'),
    () => store.remove('workspace/'),
    () => store.size('inside/link'),
  ])
    assert.match((await fails(work)).message, /is a symbolic link/);
  assert.equal(await store.list('inside/'), [{ key: 'inside/file', size: 1 }]);
  await store.remove('inside/');
  assert.equal(await readdir(outside, { recursive: true }), ['recording', 'recording/secret']);
});

disk('a process killed in the middle of a file leaves nothing under its key, and what it left is swept', async () => {
  const root = join(directory.path, 'killed');
  const key = audioKey(place(), 'webm');
  const script = `
    const { createDiskStore } = await import(${JSON.stringify(new URL('../../media/storage/disk.ts', import.meta.url))});
    async function* half() {
      yield new Uint8Array(100000);
      console.log('half');
      await new Promise((resolve) => setTimeout(resolve, 60000));
    }
    await createDiskStore(${JSON.stringify(root)}).putStream(${JSON.stringify(key)}, 200000, half());`;
  const run = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface(run.stdout), 'line');
  run.kill('SIGKILL');
  await once(run, 'exit');
  const left = await readdir(join(root, '.incoming'));
  assert.is(left.length, 1);
  assert.is(await createDiskStore(root).size(key), null);
  await createDiskStore(root).tidy?.();
  assert.equal(await readdir(join(root, '.incoming')), left);
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  await utimes(join(root, '.incoming', left[0] ?? ''), longAgo, longAgo);
  await createDiskStore(root).tidy?.();
  assert.equal(await readdir(join(root, '.incoming')), []);
});

disk('what a crash left is swept a day later, be it a directory, and nothing where there is no store yet', async () => {
  const root = join(directory.path, 'left-behind');
  const store = createDiskStore(root);
  await store.tidy?.();
  const left = (name: string) => join(root, '.incoming', name);
  await mkdir(left('id-of-a-store/id'), { recursive: true });
  await writeFile(left('half'), 'x');
  const dayAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  await utimes(left('id-of-a-store'), dayAgo, dayAgo);
  await store.tidy?.();
  assert.equal(await readdir(join(root, '.incoming')), ['half']);
});

disk('what the file system refuses is a fault of the store that names its code', async () => {
  const path = join(directory.path, 'a-file');
  await writeFile(path, 'x');
  const store = createDiskStore(path);
  for (const work of [() => store.put('a/b', bytes('x')), () => store.list('a/'), () => store.size('a/b')]) {
    const error = await fails(work);
    assert.instance(error, StoreFault);
    assert.match(error.message, /^The audio store on disk failed \(E\w+\)\.$/);
  }
  const other = createDiskStore(join(directory.path, 'in-the-way'));
  await other.put('a/b', bytes('x'));
  assert.instance(await fails(other.put('a/b/c', bytes('x'))), StoreFault);
  assert.equal(await readdir(join(directory.path, 'in-the-way/.incoming')), []);
});

disk('files that others put there are not listed', async () => {
  const root = join(directory.path, 'foreign');
  const store = createDiskStore(root);
  await store.put('workspace/recording/file', bytes('x'));
  await writeFile(join(root, 'workspace/recording/.hidden'), 'x');
  await writeFile(join(root, 'workspace/recording/with space'), 'x');
  assert.equal(await store.list('workspace/'), [{ key: 'workspace/recording/file', size: 1 }]);
});

let s3: TestS3;
const bucket = promises('in S3', async () => {
  s3 = await startS3();
  // TEST_S3: the settings of another bucket, as JSON, to which the same promises are put.
  const elsewhere = process.env.TEST_S3;
  return createS3Store(elsewhere ? JSON.parse(elsewhere) : s3.settings, shortRetries, 7);
});
bucket.after(() => s3.close());

bucket('the check of signatures knows the example of AWS, and refuses it with one letter changed', () => {
  const request = {
    method: 'GET',
    url: '/test.txt',
    body: new Uint8Array(0),
    headers: {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'x-amz-date': '20130524T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    },
  };
  const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  assert.is(signatureFault(request, secret), null);
  assert.is(signatureFault({ ...request, url: '/test.txT' }, secret), 'another signature');
  assert.is(signatureFault({ ...request, body: bytes('x') }, secret), 'another payload');
});

bucket('large audio goes up in parts of 5 MiB, small audio at once', async () => {
  const store = createS3Store(s3.settings, shortRetries);
  const key = audioKey(place(), 'webm');
  s3.seen.length = 0;
  await store.putStream(key, 11 * 2 ** 20, inPieces(new Uint8Array(11 * 2 ** 20), 70_001));
  const asked = s3.seen.map(({ method, url }) => `${method} ${url.replace(/.*\?/, '').replace(/uploadId=\w+/, 'id')}`);
  assert.equal(asked, [
    'POST uploads=',
    'PUT partNumber=1&id',
    'PUT partNumber=2&id',
    'PUT partNumber=3&id',
    'POST id',
  ]);
  const sizes = s3.seen.slice(1, 4).map(({ headers }) => Number(headers['content-length']));
  assert.equal(sizes, [5 * 2 ** 20, 5 * 2 ** 20, 2 ** 20]);
  s3.seen.length = 0;
  await store.put(key, bytes('x'));
  assert.equal(
    s3.seen.map(({ method }) => method),
    ['PUT'],
  );
});

bucket('every request survives errors that pass, resets and lost answers', async () => {
  const store = createS3Store(s3.settings, shortRetries);
  const whole = randomBytes(5 * 2 ** 20 + 1000);
  const kinds: S3Fault[] = [503, 429, 'reset', 'lost'];
  for (const kind of kinds) {
    const recording = place();
    const [chunk, audio] = [chunkKey(recording, 0, true), audioKey(recording, 'wav')];
    const meet = (to: RegExp) => s3.failNext(kind, to, 2);
    meet(/^PUT .*chunks/);
    await store.put(chunk, bytes('chunk'));
    for (const to of [/uploads=/, /partNumber=2/, /^POST .*uploadId/]) meet(to);
    await store.putStream(audio, whole.length, inPieces(whole, 100_000));
    meet(/^HEAD/);
    assert.is(await store.size(audio), whole.length, String(kind));
    meet(/^GET .*audio/);
    assert.ok((await readAll(store, audio)).equals(whole), String(kind));
    meet(/list-type/);
    assert.is((await store.list(recordingPrefix(recording))).length, 2);
    meet(/^DELETE/);
    await store.remove(recordingPrefix(recording));
    assert.equal(await store.list(recordingPrefix(recording)), []);
  }
});

bucket('a store that falls silent is asked again, before its answer and in the middle of it', async () => {
  const store = createS3Store(s3.settings, { ...shortRetries, maxTries: 8, silenceMs: 300 });
  const key = audioKey(place(), 'wav');
  s3.failNext('silent', /^PUT/);
  await store.put(key, bytes('0123456789'));
  s3.failNext('silent', /^GET .*audio/);
  s3.failNext('stuck', /^GET .*audio/);
  assert.is((await readAll(store, key)).toString(), '0123456789');
});

bucket('a list that drips or is far too long is given up and asked for again', async () => {
  const store = createS3Store(s3.settings, { ...shortRetries, maxTries: 8, totalMs: 2000 });
  const key = audioKey(place(), 'wav');
  await createS3Store(s3.settings, shortRetries).put(key, bytes('x'));
  for (const kind of ['drip', 'bloated'] as const) {
    s3.failNext(kind, /list-type/);
    assert.equal(await within(() => kind, store.list(`${key.split('/')[0]}/`)), [{ key, size: 1 }]);
  }
});

bucket('a transfer that takes too long goes on with another request', async () => {
  const store = createS3Store(s3.settings, { ...shortRetries, maxTries: 100, totalMs: 300 });
  const key = audioKey(place(), 'wav');
  const whole = randomBytes(8 * 2 ** 20);
  await createS3Store(s3.settings, shortRetries).put(key, whole);
  s3.seen.length = 0;
  const pieces: Uint8Array[] = [];
  for await (const piece of store.read(key)) {
    // Longer than one request may take.
    if (pieces.length === 0) await new Promise((resolve) => setTimeout(resolve, 600));
    pieces.push(piece);
  }
  assert.ok(Buffer.concat(pieces).equals(whole));
  assert.ok(s3.seen.length > 1);
});

bucket('a transfer that breaks off goes on where it stopped, only with the same object', async () => {
  const store = createS3Store(s3.settings, shortRetries);
  const key = audioKey(place(), 'wav');
  const whole = randomBytes(3 * 2 ** 20);
  await store.put(key, whole);
  s3.failNext('cut', /^GET .*audio/, 3);
  s3.seen.length = 0;
  assert.ok((await readAll(store, key)).equals(whole));
  const [first, second] = s3.seen;
  assert.is(s3.seen.length, 4);
  assert.is(first?.headers.range, undefined);
  assert.match(second?.headers.range ?? '', /^bytes=[1-9]\d+-$/);
  assert.match(String(second?.headers['if-match']), /^".+"$/);
  s3.failNext('cut', /^GET .*audio/, 1);
  const part = await readAll(store, key, { start: 1000, end: 2_000_000 });
  assert.ok(part.equals(whole.subarray(1000, 2_000_001)));
});

bucket('an upload that cannot be finished is aborted', async () => {
  const store = createS3Store(s3.settings, shortRetries);
  const key = audioKey(place(), 'webm');
  const begun = s3.uploads.size;
  const put = () => store.putStream(key, 6 * 2 ** 20, inPieces(new Uint8Array(6 * 2 ** 20), 65_536));
  for (const [kind, to] of [
    [503, /partNumber=2/],
    ['error-in-200', /^POST .*uploadId/],
  ] as const) {
    s3.failNext(kind, to, shortRetries.maxTries);
    assert.instance(await fails(put()), StoreFault);
    assert.is(s3.uploads.size, begun);
    assert.is(await store.size(key), null);
  }
  s3.failNext('error-in-200', /^POST .*uploadId/, 1);
  await put();
  assert.is(await store.size(key), 6 * 2 ** 20);
});

bucket('a fault that may pass is reported after the last try, any other at once, both without any secret', async () => {
  const key = chunkKey(place(), 0, true);
  s3.failNext(503, /^PUT/, shortRetries.maxTries);
  const busy = await fails(createS3Store(s3.settings, shortRetries).put(key, bytes('x')));
  assert.is(
    busy.message,
    `The audio store answered 503 SlowDown to PUT tandem/${key} in bucket audio-test. (Tried 4 times.)`,
  );
  const secretAccessKey = 'quite/another+secret';
  s3.seen.length = 0;
  const wrong = await fails(createS3Store({ ...s3.settings, secretAccessKey }, shortRetries).put(key, bytes('x')));
  assert.is(
    wrong.message,
    `The audio store answered 403 SignatureDoesNotMatch to PUT tandem/${key} in bucket audio-test.`,
  );
  assert.is(s3.seen.length, 1);
  const nobody = { ...s3.settings, endpoint: `http://127.0.0.1:${await freePort()}` };
  const away = await fails(createS3Store(nobody, shortRetries).list('workspace/'));
  assert.match(away.message, /^The audio store did not answer GET \(list\) \(ECONNREFUSED\)\. \(Tried 4 times\.\)$/);
  const elsewhere = await fails(
    createS3Store({ ...s3.settings, bucket: 'no-such' }, shortRetries).put(key, bytes('x')),
  );
  assert.match(elsewhere.message, 'answered 404 NoSuchBucket');
  for (const error of [busy, wrong, away, elsewhere]) {
    const exposed = JSON.stringify([error.message, error.stack, error.cause]);
    for (const secret of [s3.settings.secretAccessKey, secretAccessKey, 'AKIDOFTHETESTS'])
      assert.not.match(exposed, secret);
  }
});

bucket('the bucket may stand in the host', async () => {
  const lookup = dns.lookup;
  // Not every machine resolves names below localhost.
  const onLoopback = (name: string, ...rest: unknown[]) =>
    (lookup as (...all: unknown[]) => void)(name.replace(/^.*\.localhost$/, 'localhost'), ...rest);
  dns.lookup = onLoopback as typeof dns.lookup;
  try {
    const key = chunkKey(place(), 0, true);
    s3.seen.length = 0;
    const store = createS3Store({ ...s3.settings, pathStyle: false }, shortRetries);
    await store.put(key, bytes('hosted'));
    assert.match(s3.seen[0]?.headers.host ?? '', /^audio-test\.localhost:/);
    assert.is(s3.seen[0]?.url, `/tandem/${key}`);
    assert.is((await readAll(createS3Store(s3.settings), key)).toString(), 'hosted');
    assert.equal(await store.list(`${key.split('/')[0]}/`), [{ key, size: 6 }]);
  } finally {
    dns.lookup = lookup;
  }
});

bucket('a reader that stops early leaves no transfer behind', async () => {
  const store = createS3Store(s3.settings, shortRetries);
  const key = audioKey(place(), 'wav');
  await store.put(key, new Uint8Array(4 * 2 ** 20));
  for await (const piece of store.read(key)) {
    assert.ok(piece.length > 0);
    break;
  }
  assert.is(await store.size(key), 4 * 2 ** 20);
});

const settings = suite('the settings of the audio store');
const s3Settings = {
  S3_ENDPOINT: 'https://s3.example.com/',
  S3_REGION: 'eu-1',
  S3_BUCKET: 'the-bucket',
  S3_ACCESS_KEY_ID: 'AKIDOFTHETEST',
  S3_SECRET_ACCESS_KEY: 'never/shown+anywhere=',
};

function configErrorOf(environment: Record<string, string>): string {
  try {
    parseConfig(environment);
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('it was accepted');
}

settings('without any, audio lies in the data directory; AUDIO_DIR says where else', async () => {
  const { path, remove } = temporaryDirectory();
  const key = chunkKey(place(), 0, true);
  await openAudioStore(parseConfig({ DATA_DIR: path })).put(key, bytes('x'));
  await openAudioStore(parseConfig({ DATA_DIR: path, AUDIO_DIR: join(path, 'elsewhere') })).put(key, bytes('x'));
  assert.is((await stat(join(path, 'audio', key))).size, 1);
  assert.is((await stat(join(path, 'elsewhere', key))).size, 1);
  remove();
});

settings('half a bucket is named at start-up, by what is missing, and never with its secret', () => {
  for (const name of Object.keys(s3Settings)) {
    const rest = Object.fromEntries(Object.entries(s3Settings).filter(([each]) => each !== name));
    const message = configErrorOf(rest);
    assert.match(message, new RegExp(`^ {2}${name} is missing: audio in S3 needs S3_ENDPOINT, S3_REGION`, 'm'));
    assert.is(message.match(/is missing/g)?.length, 1);
    assert.not.match(message, s3Settings.S3_SECRET_ACCESS_KEY);
  }
  assert.is(configErrorOf({ S3_PREFIX: 'x' }).match(/is missing/g)?.length, 5);
});

settings('what cannot be is named, and secrets are not repeated', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ AUDIO_DIR: '/srv/audio' }, /AUDIO_DIR says that audio lies on disk, and S3_… that it lies in a bucket/],
    [{ S3_ENDPOINT: 's3.example.com' }, /S3_ENDPOINT must be an http or https address/],
    [{ S3_ENDPOINT: 'https://me:pass@s3.example.com' }, /S3_ENDPOINT must be an address without a name/],
    [{ S3_BUCKET: 'The_Bucket' }, /S3_BUCKET must be the name of a bucket/],
    [{ S3_PREFIX: 'a/../b' }, /S3_PREFIX must be names/],
    [{ S3_PATH_STYLE: 'yes' }, /S3_PATH_STYLE must be true .* or false/],
    [{ S3_SECRET_ACCESS_KEY: 'never/shown two' }, /S3_SECRET_ACCESS_KEY must be one word/],
  ];
  for (const [environment, expected] of wrong) {
    const message = configErrorOf({ ...s3Settings, ...environment });
    assert.match(message, expected);
    assert.not.match(message, /never\/shown|AKIDOFTHETEST|me:pass/);
  }
});

settings('a prefix may be written with or without its slashes', () => {
  for (const [given, meant] of [
    ['tandem', 'tandem/'],
    ['/tandem/audio//', 'tandem/audio/'],
    ['/', ''],
  ])
    assert.is(parseConfig({ ...s3Settings, S3_PREFIX: given }).S3_PREFIX, meant);
  assert.is(parseConfig({ ...s3Settings, S3_PATH_STYLE: 'false' }).S3_PATH_STYLE, false);
});

settings('the answers of S3 are read with their entities and attributes, element by element', () => {
  const xml = `<?xml version="1.0"?><List xmlns="http://x/"><IsTruncated>true</IsTruncated>
    <Contents><Key>a&amp;b&#x20;c&#100;&lt;&unknown;</Key><Size>12</Size></Contents>
    <Contents ><Key/><Size>3</Size></Contents><NextContinuationToken>1/x+y==&quot;</NextContinuationToken></List>`;
  assert.is(textOf(xml, 'Key'), 'a&b cd<&unknown;');
  assert.is(elements(xml, 'Contents').length, 2);
  assert.is(textOf(xml, 'NextContinuationToken'), '1/x+y=="');
  assert.is(textOf(xml, 'IsTruncated'), 'true');
  assert.is(textOf(xml, 'Error'), null);
  assert.is(textOf('<Key>&#x110000;&amp;lt;</Key>', 'Key'), '&#x110000;&lt;');
});

for (const each of [disk, bucket, settings]) each.run();

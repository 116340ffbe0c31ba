import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import * as assert from 'uvu/assert';
import { audioKey, chunkKey, recordingPrefix } from '../../media/storage/keys.ts';
import { createS3Store } from '../../media/storage/s3.ts';
import { elements, textOf } from '../../media/storage/s3-xml.ts';
import { StoreFault } from '../../media/storage/store.ts';
import { bytes, fails, inPieces, place, readAll, storePromises } from '../support/audio-stores.ts';
import { freePort } from '../support/ports.ts';
import { type S3Fault, startS3, type TestS3 } from '../support/s3-server.ts';
import { signatureFault } from '../support/s3-signature.ts';
import { within } from '../support/until.ts';

const shortRetries = { maxTries: 4, firstPauseMs: 5, silenceMs: 20_000 };

let s3: TestS3;
const bucket = storePromises('in S3', async () => {
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

bucket('the answers of S3 are read with their entities and attributes, element by element', () => {
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

bucket.run();

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TranscriptionFault } from '../../media/transcription/index.ts';
import { freezeTimers } from '../support/frozen-timers.ts';
import { closeTranscriptionServers, secretKey, underTest } from '../support/transcription-fixtures.ts';
import { type RawReply, refusal } from '../support/transcription-server.ts';
import { until, within } from '../support/until.ts';

const test = suite('faults of transcription');
test.after(closeTranscriptionServers);

interface Expected {
  reply: RawReply;
  /** How often it is asked. */
  asked?: number;
  retryable: boolean;
  message: RegExp;
  retryAfterMs?: number;
}

/** What may pass is tried three times, with no word on when to return. */
const passing = (reply: RawReply, message: RegExp): Expected => ({ reply, asked: 3, retryable: true, message });
const final = (reply: RawReply, message: RegExp): Expected => ({ reply, retryable: false, message });

const pleaseWait = /received too many requests\. Try again in/;
const unavailable = /is overloaded or unavailable \(5\d\d\)\. Try again in a minute\./;
const notRead = /’s answer was interrupted or could not be read\. Try again in a minute\./;
const brokenOff = /^The connection to the transcription provider was lost\. Try again in a minute\./;
const unreadableAudio = /could not read the audio: .* must use one that takes WebM \(Opus\) and WAV files\.$/;
const tooLong = /pieces .* are too long .* must lower TRANSCRIPTION_PIECE_MINUTES\.$/;
const noCredit = /account has no credit left: the operator of this service must add some\.$/;
const json = { 'content-type': 'application/json' };
const page = { 'content-type': 'text/html; charset=utf-8' };

const faults: Record<string, Expected> = {
  '401': final(refusal(401), /refused the key of this service: .* must correct TRANSCRIPTION_API_KEY\.$/),
  '402': final(refusal(402), noCredit),
  '403': final(refusal(403), /what TRANSCRIPTION_API_KEY may use, and TRANSCRIPTION_MODEL\.$/),
  '404': final(refusal(404), /has no such model: .* TRANSCRIPTION_MODEL and TRANSCRIPTION_BASE_URL\.$/),
  '413': final({ status: 413, headers: page, body: '<html>Too large</html>' }, tooLong),
  '400': final(refusal(400), /refused the request \(400\): .* TRANSCRIPTION_MODEL and TRANSCRIPTION_BASE_URL\.$/),
  '400 as the piece is too long': final(
    refusal(400, { message: 'audio duration 2263.8 seconds is longer than 1400 seconds, the maximum for this model' }),
    tooLong,
  ),
  '400 as the audio cannot be read': final(refusal(400, { message: 'Invalid file format.' }), unreadableAudio),
  '415': final(refusal(415, { message: 'Unsupported audio.' }), unreadableAudio),
  '422 of another shape': final({ status: 422, json: { detail: [{ loc: ['body', 'x'], msg: 'wrong' }] } }, /\(422\)/),
  '501': final(refusal(501), /\(501\)/),
  '429 for want of credit': final(refusal(429, { code: 'insufficient_quota' }), noCredit),
  'an error about the audio with status 200 (whisper.cpp)': final(
    { json: { error: 'failed to read WAV file' } },
    unreadableAudio,
  ),
  'a redirect': final(
    { status: 307, headers: { location: 'http://127.0.0.1:9/elsewhere' }, body: '' },
    /address redirects to another one: .* must set TRANSCRIPTION_BASE_URL to that address\.$/,
  ),
  '500 that says that another try is useless': final(
    { ...refusal(500), headers: { 'x-should-retry': 'false' } },
    /unavailable \(500\)\.$/,
  ),
  '408': passing(refusal(408), /took too long/),
  '409': passing(refusal(409), /unavailable \(409\)/),
  '425': passing(refusal(425), /unavailable \(425\)/),
  '429': passing(refusal(429), pleaseWait),
  '500': passing(refusal(500), unavailable),
  '502 with a page of a proxy': passing({ status: 502, headers: page, body: '<html>Bad gateway</html>' }, unavailable),
  '503 in words about audio': passing(refusal(503, { message: 'Too large a load to read audio files.' }), unavailable),
  '503 with nothing': passing({ status: 503, body: '' }, unavailable),
  '500 with more than is read': passing({ status: 500, body: 'x'.repeat(300_000) }, unavailable),
  '503 with Retry-After in seconds': {
    ...passing({ ...refusal(503), headers: { 'retry-after': '3' } }, /Try again in 3 s\./),
    retryAfterMs: 3000,
  },
  '429 with Retry-After of more than is waited for': {
    ...passing(
      { ...refusal(429), headers: { 'retry-after': '300' } },
      /received too many requests\. Try again in 5 min\.$/,
    ),
    asked: 1,
    retryAfterMs: 300_000,
  },
  '429 with a Retry-After that is past': {
    ...passing({ ...refusal(429), headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } }, pleaseWait),
    retryAfterMs: 0,
  },
  '429 with a Retry-After that means nothing': passing(
    { ...refusal(429), headers: { 'retry-after': 'soon' } },
    /Try again in a minute\./,
  ),
  'an error with a status of its own with status 200': {
    ...passing({ json: { error: { code: 429 } }, headers: { ...json, 'retry-after': '9' } }, /in 9 s\./),
    retryAfterMs: 9000,
  },
  'an error of no kind with status 200': passing(
    { json: { error: 'failed to process' } },
    /ended its answer with an error/,
  ),
  'a web page in place of an answer': passing(
    { headers: page, body: '<!DOCTYPE html><p>Welcome' },
    /returned a web page; if this continues, .* must check TRANSCRIPTION_BASE_URL\. Try again/,
  ),
  'JSON that ends in the middle': passing({ body: '{"text":"One tw' }, notRead),
  'JSON that ends in the middle, as plain text': passing(
    { headers: { 'content-type': 'text/plain' }, body: '{"text":"One tw' },
    notRead,
  ),
  'JSON that is no transcript': passing({ json: { status: 'ok' } }, notRead),
  'a number': passing({ json: 42 }, notRead),
  'a list of other things': passing({ json: [1, 2] }, notRead),
  'an empty body where JSON was asked for': passing({ body: '' }, notRead),
  'something else altogether': passing({ headers: { 'content-type': 'audio/webm' }, body: 'x' }, notRead),
  'nothing at all (204)': passing({ status: 204, body: '' }, notRead),
  'more than 20 MiB': {
    ...passing({ json: { text: 'x'.repeat(20 * 1024 * 1024) } }, /answer did not end\. Try again/),
    asked: 3,
  },
  'a reset before the answer': passing({ fault: 'reset' }, brokenOff),
  'a reset in the middle': passing({ json: { text: 'One two three four.' }, fault: 'cut' }, brokenOff),
  'a reset in the middle of plain text': passing(
    { headers: { 'content-type': 'text/plain' }, body: 'One two three four.', fault: 'cut' },
    brokenOff,
  ),
};

for (const [name, { reply, asked = 1, retryable, message, retryAfterMs }] of Object.entries(faults)) {
  test(`${name}: a fault that ${retryable ? 'may pass' : 'will not pass'}`, async () => {
    const { fault, server, active, lines } = await underTest(reply);
    const found = await fault();
    assert.instance(found, TranscriptionFault);
    assert.match(found.message, message);
    assert.is(found.retryable, retryable);
    assert.is(found.retryAfterMs, retryAfterMs);
    assert.is(server.requests.length, asked);
    assert.equal(active, [], 'what failed costs nothing');
    const warnings = lines.filter((line) => line.includes('"level":40'));
    assert.is(warnings.length, asked, 'one line in the log for each');
    assert.not.match([...lines, found.message].join('\n'), /One two|Welcome|process|elsewhere'|Invalid file/);
  });
}

test('what passes is tried again, and only the answer costs anything', async () => {
  const replies: RawReply[] = [refusal(503), { fault: 'reset' }];
  const { ask, server, waits, active } = await underTest((_, n) => replies[n - 1] ?? 'At last.');
  assert.is((await ask())[0]?.text, 'At last.');
  assert.is(server.requests.length, 3);
  assert.equal(waits, [500, 1000]);
  assert.is(active.length, 1);
});

test('the last fault says how often it was tried', async () => {
  const { fault } = await underTest(refusal(500));
  assert.is(
    (await fault()).message,
    'The transcription provider is overloaded or unavailable (500). Try again in a minute. (Tried 3 times.)',
  );
});

test('it waits as long as the provider asks for, and a little more', async () => {
  const before = Date.now();
  const soon = new Date(before + 10_000).toUTCString();
  const replies = [
    { ...refusal(429), headers: { 'retry-after': soon } },
    { ...refusal(503), headers: { 'retry-after-ms': '250' } },
  ];
  const { ask, waits } = await underTest((_, n) => replies[n - 1] ?? 'At last.');
  await ask();
  const [first = 0, second] = waits;
  assert.ok(first > Date.parse(soon) - Date.now() && first <= Date.parse(soon) - before + 1000, `${first} ms`);
  assert.is(second, 1250);
});

for (const [name, reply] of Object.entries<RawReply>({
  'does not come': { fault: 'silence' },
  'does not end': { json: { text: 'One two three four.' }, fault: 'stall' },
})) {
  test(`an answer that ${name} is given up in time, and after half a minute of asking not asked for again`, async () => {
    let now = 0;
    const clock = () => {
      now += 30_000;
      return now;
    };
    const { fault, server, active, lines } = await underTest(reply, {}, { clock, timeoutSeconds: 0.2 });
    // The time begins once the request is there: it is short.
    const thaw = freezeTimers(100);
    const asking = fault();
    await until(() => server.requests[0]?.file !== undefined).finally(thaw);
    const { message, retryable } = await asking;
    assert.match(
      message,
      /gave no answer within 0\.2 s; .* must lower TRANSCRIPTION_PIECE_MINUTES\. Try again in a minute\.$/,
    );
    assert.is(retryable, true);
    await until(() => server.requests[0]?.ended);
    assert.is(server.requests[0]?.ended, 'client left');
    assert.is(server.requests.length, 1);
    assert.equal(active, []);
    assert.match(lines.join(), '"late":true,');
  });
}

test('no key follows a redirect', async () => {
  const other = await underTest('Hello.');
  const location = `${other.server.url}/audio/transcriptions`;
  const { fault } = await underTest({ status: 308, headers: { location }, body: '' });
  await fault();
  assert.is(other.server.requests.length, 0);
});

test('a server that is not there cannot be reached', async () => {
  const { server, ask } = await underTest();
  await ask();
  await server.close();
  const closed = await underTest(undefined, { TRANSCRIPTION_BASE_URL: server.url });
  const { message, retryable } = await closed.fault();
  assert.match(message, 'The transcription provider cannot be reached (ECONNREFUSED). Try again in a minute.');
  assert.is(retryable, true);
});

test('what answers and is no HTTP server is a fault that may pass', async () => {
  const nobody = createServer((socket) => socket.resume().end('220 mail.example.com ESMTP\r\n'));
  nobody.listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const { port } = nobody.address() as AddressInfo;
  const { fault } = await underTest(undefined, { TRANSCRIPTION_BASE_URL: `http://127.0.0.1:${port}/v1` });
  const found = await fault();
  nobody.close();
  assert.match(found.message, /cannot be reached \(NOT_HTTP\)\. Try again in a minute\./);
  assert.is(found.retryable, true);
});

const stopped = new Error('the capture was deleted');

for (const [name, reply] of Object.entries<RawReply>({
  'before the answer': { fault: 'silence' },
  'between two tries': { ...refusal(429), headers: { 'retry-after': '15' } },
})) {
  test(`an abort ${name} ends it at once with its reason`, async () => {
    const thaw = freezeTimers();
    const sleep = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });
    const { ask, server, active } = await underTest(reply, {}, { sleep });
    const controller = new AbortController();
    const asking = ask({}, { signal: controller.signal }).catch((error: unknown) => error);
    const silent = reply.fault === 'silence';
    await until(() => (silent ? server.requests[0]?.file !== undefined : server.requests[0]?.ended === 'answered'));
    controller.abort(stopped);
    assert.is(await within(() => 'the request ends', asking).finally(thaw), stopped);
    await until(() => server.requests[0]?.ended);
    assert.is(server.requests[0]?.ended, silent ? 'client left' : 'answered');
    assert.is(server.requests.length, 1);
    assert.equal(active, []);
  });
}

test('a call that is aborted beforehand sends no request', async () => {
  const { ask, server } = await underTest();
  const reason = await ask({}, { signal: AbortSignal.abort(stopped) }).catch((error: unknown) => error);
  assert.is(reason, stopped);
  assert.is(server.requests.length, 0);
});

test('an error of ours is not taken for a fault of the provider', async () => {
  const bug = new RangeError('a bug of ours');
  const { ask, server } = await underTest();
  const onActive = () => {
    throw bug;
  };
  assert.is(await ask({}, { onActive }).catch((error: unknown) => error), bug);
  assert.is(server.requests.length, 1);
});

test('the key appears neither in a fault nor in the log', async () => {
  const { fault, lines } = await underTest(refusal(401, { message: `Incorrect API key provided: ${secretKey}` }));
  const { message, stack } = await fault();
  assert.not.match([message, stack, ...lines].join('\n'), secretKey);
});

test.run();

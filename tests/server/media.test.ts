import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { chromium } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handleFailures } from '../../adapters/http.ts';
import { connect, type Database } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { createWorkspace } from '../../db/seed.ts';
import type { ServiceSettings } from '../../domain/context.ts';
import type { AudioRef } from '../../domain/media.ts';
import { createDiskStore } from '../../media/storage/disk.ts';
import { audioKey } from '../../media/storage/keys.ts';
import type { AudioStore } from '../../media/storage/store.ts';
import { createGate, guard } from '../../server/access/gate.ts';
import { Limiter } from '../../server/access/limiter.ts';
import { rangeOf } from '../../server/downloads/headers.ts';
import { mediaLinks } from '../../server/downloads/links.ts';
import { mountMedia } from '../../server/downloads/mount.ts';
import { endConnectionsOnClose } from '../../server/runtime/connections.ts';
import { endStalledConnections, stalledConnections } from '../../server/runtime/stalled-connections.ts';
import { assembled, partOf, recorded, toneOf, wavOf } from '../support/audio-fixtures.ts';
import { chromiumArgs, findChromium } from '../support/browser.ts';
import { withFrozenTimers } from '../support/frozen-timers.ts';
import { testDatabaseUrl } from '../support/harness.ts';
import { temporaryDirectory } from '../support/people.ts';
import { until, within } from '../support/until.ts';

const test = suite('links to audio');
const directory = temporaryDirectory();
const disk = createDiskStore(join(directory.path, 'audio'));
const key = createSecretKey(randomBytes(32));
const service = { publicUrl: '' } as ServiceSettings;
const links = mediaLinks(key);
const linkOf = (audio: AudioRef, made = links) => made.urlFor({ ...audio, publicUrl: service.publicUrl, now });
const wav = wavOf(toneOf(2000));
let now = new Date('2026-11-20T10:00:00.000Z');
let db: Database;
let app: FastifyInstance;

/** Counts what is read, and how many reads are under way, which begin after `held`. */
const reads = { open: 0, bytes: 0, held: Promise.resolve() };
const store: AudioStore = {
  ...disk,
  read: async function* (name, range) {
    reads.open++;
    try {
      await reads.held;
      for await (const piece of disk.read(name, range)) {
        reads.bytes += piece.length;
        yield piece;
      }
    } finally {
      reads.open--;
    }
  },
};

async function startApp(perAddress = 1_000_000, maxPerWorkspace = 100) {
  const made = fastify({ trustProxy: true, routerOptions: { maxParamLength: 65_536 } });
  endConnectionsOnClose(made);
  endStalledConnections(made);
  guard(made, createGate(new Limiter(db, perAddress), perAddress, service));
  handleFailures(made, service);
  mountMedia(made, { db, store, key, maxPerWorkspace, clock: () => now });
  const player = '<!doctype html><title>Player</title><audio></audio>';
  const policy = "default-src 'none'; media-src 'self'";
  made.get('/player', async (_, reply) =>
    reply.type('text/html').header('Content-Security-Policy', policy).send(player),
  );
  return { app: made, url: await made.listen({ host: '127.0.0.1', port: 0 }) };
}

/** A capture of its own workspace with this audio. */
async function recordingOf(audio: Uint8Array | null, extension: 'wav' | 'webm' = 'wav'): Promise<AudioRef> {
  const seed = { workspaceName: 'Test', userName: 'Tess', timezone: 'UTC', agentMinutes: 1, passwordHash: 'none' };
  const { workspaceId, userId } = await createWorkspace(db, { ...seed, email: `${crypto.randomUUID()}@example.com` });
  const recording = { workspaceId, captureId: crypto.randomUUID(), recordingId: crypto.randomUUID() };
  if (audio) await disk.put(audioKey(recording, extension), audio);
  const text = `insert into captures (workspace_id, id, type, status, user_id, recording_id, audio_key, audio_type)
    values ($1, $2, 'recording', 'completed', $3, $4, $5, $6)`;
  const kept = audio ? [audioKey(recording, extension), `audio/${extension}`] : [null, null];
  await db.rows(text, [workspaceId, recording.captureId, userId, recording.recordingId, ...kept]);
  return recording;
}

const linkTo = async (audio: Uint8Array | null = wav, extension?: 'wav' | 'webm') =>
  linkOf(await recordingOf(audio, extension));
const get = (url: string, headers: Record<string, string> = {}, method = 'GET') => fetch(url, { method, headers });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

test.before(async () => {
  db = connect(testDatabaseUrl(), { poolSize: 4 });
  await migrate(db.driver);
  const started = await startApp();
  app = started.app;
  service.publicUrl = started.url;
});
test.after(async () => {
  // A client's connection that becomes idle only now would be waited for until its keep-alive ends, 72 s later.
  app.server.closeAllConnections();
  await app.close();
  await db.close();
  directory.remove();
});

test('a link gives the whole audio, to be played in place and by nobody else', async () => {
  const recording = await recordingOf(wav);
  const link = linkOf(recording);
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/media\/[\w-]{74}\.[\w-]{43}$/);
  const response = await get(link);
  assert.is(response.status, 200);
  assert.ok((await bytesOf(response)).equals(wav));
  const {
    date,
    connection,
    'keep-alive': _,
    etag,
    'x-request-id': id,
    ...headers
  } = Object.fromEntries(response.headers);
  assert.ok(date && connection && id);
  assert.match(etag ?? '', /^"[\w-]{22}"$/);
  assert.equal(headers, {
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=900',
    'content-disposition': `inline; filename="recording-${recording.recordingId}.wav"`,
    'content-length': String(wav.length),
    'content-security-policy':
      "default-src 'none'; media-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-same-origin",
    'content-type': 'audio/wav',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
});

test('HEAD answers the same without the bytes, whatever range it names', async () => {
  const link = await linkTo(wav);
  reads.bytes = 0;
  for (const headers of [{}, { range: 'bytes=0-9' }, { range: 'bytes=9999999-' }]) {
    const response = await get(link, headers, 'HEAD');
    assert.is(response.status, 200);
    assert.is(response.headers.get('content-length'), String(wav.length));
    assert.is(response.headers.get('content-type'), 'audio/wav');
    assert.is((await bytesOf(response)).length, 0);
  }
  assert.is(reads.bytes, 0);
});

test('a range gives 206 with its bytes: from both ends, open, and beyond the end', async () => {
  const link = await linkTo(wav);
  const last = wav.length - 1;
  const ranges: [string, number, number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=100-199', 100, 199],
    ['bytes=1000-', 1000, last],
    ['bytes=-500', last - 499, last],
    ['bytes=-99999999', 0, last],
    [`bytes=${last}-99999999`, last, last],
    ['BYTES= 5-7 ', 5, 7],
  ];
  for (const [range, start, end] of ranges) {
    const response = await get(link, { range });
    assert.is(response.status, 206, range);
    assert.is(response.headers.get('content-range'), `bytes ${start}-${end}/${wav.length}`);
    assert.is(response.headers.get('content-length'), String(end + 1 - start));
    assert.ok((await bytesOf(response)).equals(wav.subarray(start, end + 1)), range);
  }
});

test('a range that cannot be is 416 with the size; one that is none to honour gives the whole', async () => {
  const link = await linkTo(wav);
  for (const range of [`bytes=${wav.length}-`, 'bytes=99999999-99999999', 'bytes=-0']) {
    const response = await get(link, { range });
    assert.is(response.status, 416, range);
    assert.is(response.headers.get('content-range'), `bytes */${wav.length}`);
    const body = (await response.json()) as { object: string; code: string; message: string };
    assert.equal([body.object, body.code], ['error', 'validation_failed']);
    assert.is(body.message, `The range lies beyond the ${wav.length} bytes of this audio.`);
  }
  for (const range of ['bytes=5-3', 'bytes=0-1,5-6', 'items=0-1', 'bytes=a-b', 'bytes=-', 'bytes'])
    assert.is((await get(link, { range })).status, 200, range);
  assert.is(rangeOf('bytes=0-', 0), 'unsatisfiable');
  assert.equal(rangeOf('bytes=1-99999999999999999999', 10), { start: 1, end: 9 });
});

test('a range continues with the same audio alone (If-Range), and what a client has is not sent again', async () => {
  const link = await linkTo(wav);
  const tag = (await get(link, {}, 'HEAD')).headers.get('etag') ?? '';
  const range = 'bytes=10-19';
  assert.is((await get(link, { range, 'if-range': tag })).status, 206);
  for (const other of ['"another"', `W/${tag}`, 'Fri, 20 Nov 2026 10:00:00 GMT'])
    assert.is((await get(link, { range, 'if-range': other })).status, 200, other);
  const unchanged = await get(link, { 'if-none-match': `"x", ${tag}` });
  assert.is(unchanged.status, 304);
  assert.is(unchanged.headers.get('etag'), tag);
  assert.is((await get(link, { 'if-none-match': '"x"' })).status, 200);
});

test('an empty file is empty, and no range of it can be', async () => {
  const link = await linkTo(new Uint8Array(0));
  assert.is((await get(link)).headers.get('content-length'), '0');
  assert.is((await get(link, { range: 'bytes=0-' })).status, 416);
});

test('a link opens for 15 minutes, not a millisecond longer, and no cache keeps the audio longer', async () => {
  const link = await linkTo(wav);
  const made = now;
  now = new Date(made.getTime() + 899_999);
  const late = await get(link, { range: 'bytes=0-3' });
  assert.is(late.status, 206);
  assert.is(late.headers.get('cache-control'), 'private, max-age=0');
  now = new Date(made.getTime() + 900_000);
  const response = await get(link);
  now = made;
  const { requestId, ...body } = (await response.json()) as Record<string, unknown>;
  assert.is(response.headers.get('x-request-id'), requestId);
  const message = 'This link to audio has expired. Read the capture again: its mediaUrl is a new one.';
  assert.equal(body, {
    object: 'error',
    type: `${service.publicUrl}/docs/errors#resource_not_found`,
    title: 'Not found',
    status: 404,
    code: 'resource_not_found',
    detail: message,
    message,
    param: null,
    retryable: false,
    docUrl: `${service.publicUrl}/docs/errors#resource_not_found`,
    errors: [],
    reason: 'link_expired',
  });
  assert.is(response.headers.get('cache-control'), 'no-store');
});

test('a forged link opens nothing: no character of it may be another, and no other key makes one', async () => {
  const link = await linkTo(wav);
  const token = link.split('/').at(-1) ?? '';
  for (let at = 0; at < token.length; at++) {
    const character = token[at] === 'A' ? 'B' : 'A';
    assert.is(links.read(`${token.slice(0, at)}${character}${token.slice(at + 1)}`), null, `character ${at}`);
  }
  const recording = await recordingOf(wav);
  const strange = linkOf(recording, mediaLinks(createSecretKey(randomBytes(32))));
  const [payload] = token.split('.');
  const forged = [strange, `${service.publicUrl}/media/${payload}`, `${link}A`, `${service.publicUrl}/media/%00.x`];
  // The unused bits of the last letter: the same bytes, another spelling.
  const spelled = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = spelled.indexOf(token.at(-1) ?? '');
  forged.push(`${link.slice(0, -1)}${spelled[last + 1]}`);
  for (const each of forged) {
    const response = await get(each);
    assert.is(response.status, 404, each);
    assert.match(((await response.json()) as { message: string }).message, 'is not valid');
  }
  assert.is((await get(`${service.publicUrl}/media/`)).status, 404);
});

test('a link ends with its capture, and opens neither another recording nor a capture without audio', async () => {
  const recording = await recordingOf(wav);
  const link = linkOf(recording);
  assert.is((await get(link)).status, 200);
  const other = await recordingOf(wav);
  for (const mixed of [
    { ...recording, recordingId: other.recordingId },
    { ...recording, captureId: other.captureId },
    { ...recording, workspaceId: other.workspaceId },
  ])
    assert.is((await get(linkOf(mixed))).status, 404);
  assert.is((await get(await linkTo(null))).status, 404);
  await db.rows('delete from captures where workspace_id = $1 and id = $2', [
    recording.workspaceId,
    recording.captureId,
  ]);
  const gone = await get(link);
  assert.is(gone.status, 404);
  assert.is(((await gone.json()) as { code: string }).code, 'resource_not_found');
});

test('audio that the store lost is 404, not half an answer', async () => {
  const recording = await recordingOf(wav);
  await disk.remove(`${recording.workspaceId}/`);
  for (const method of ['GET', 'HEAD']) assert.is((await get(linkOf(recording), {}, method)).status, 404);
});

test('other methods find nothing here', async () => {
  const link = await linkTo(wav);
  for (const method of ['PUT', 'DELETE', 'POST']) assert.is((await get(link, {}, method)).status, 404);
});

test('a player may ask as often as it likes; forged links spend the budget of their address', async () => {
  const limited = await startApp(5);
  try {
    const link = (await linkTo(wav)).replace(service.publicUrl, limited.url);
    const from = {
      'x-forwarded-for': `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`,
    };
    const statuses = async (url: string, times: number) => {
      const all = [];
      for (let time = 0; time < times; time++) {
        const answer = await get(url, { ...from, range: 'bytes=0-9' });
        // A connection with an answer that is not read would keep the service from closing.
        await bytesOf(answer);
        all.push(answer.status);
      }
      return [...new Set(all)];
    };
    assert.equal(await statuses(link, 12), [206]);
    assert.equal(await statuses(`${limited.url}/media/forged`, 5), [404]);
    assert.equal(await statuses(`${limited.url}/media/forged`, 2), [429]);
    assert.equal(await statuses(link, 3), [206]);
  } finally {
    await limited.app.close();
  }
});

test('a client that goes away ends the read, and one that does not read holds little of the audio', async () => {
  const whole = wavOf(Buffer.alloc(24 * 2 ** 20));
  const link = new URL(await linkTo(whole));
  [reads.open, reads.bytes] = [0, 0];
  const socket = connectTo(Number(link.port), link.hostname);
  socket.write(`GET ${link.pathname} HTTP/1.1\r\nHost: ${link.host}\r\n\r\n`);
  await once(socket, 'readable');
  assert.is(reads.open, 1);
  // Another one reads all of it meanwhile.
  assert.is((await bytesOf(await get(link.href))).length, whole.length);
  await until(() => reads.open === 1);
  const held = reads.bytes - whole.length;
  assert.ok(held > 0 && held < 16 * 2 ** 20, `${held} bytes`);
  socket.destroy();
  await until(() => reads.open === 0);
});

/** A client that takes nothing of the audio but what fits in the buffers between. */
async function unread(link: URL) {
  const socket = connectTo(Number(link.port), link.hostname);
  socket.on('error', () => {}).pause();
  socket.write(`GET ${link.pathname} HTTP/1.1\r\nHost: ${link.host}\r\n\r\n`);
  return socket;
}

test('a workspace has so many downloads open and no more, whatever others have', async () => {
  const limited = await startApp(1_000_000, 2);
  const at = (link: string) => new URL(link.replace(service.publicUrl, limited.url));
  try {
    const long = wavOf(Buffer.alloc(24 * 2 ** 20));
    const [link, other] = [at(await linkTo(long)), at(await linkTo(wav))];
    [reads.open, reads.bytes] = [0, 0];
    const [first, second] = [await unread(link), await unread(link)];
    await until(() => reads.open === 2);
    const refused = await get(link.href, { range: 'bytes=0-9' });
    const body = (await refused.json()) as { code: string; message: string };
    assert.equal([refused.status, refused.headers.get('retry-after')], [429, '30']);
    assert.equal(body.code, 'rate_limit_exceeded');
    assert.match(body.message, 'This workspace has 2 open downloads of audio');
    assert.is((await get(link.href, {}, 'HEAD')).status, 200);
    assert.is((await bytesOf(await get(other.href))).length, wav.length);
    first.destroy();
    await until(() => reads.open === 1);
    assert.is((await bytesOf(await get(link.href, { range: 'bytes=0-9' }))).length, 10);
    second.destroy();
    await until(() => reads.open === 0);
    for (let time = 0; time < 5; time++) await bytesOf(await get(other.href));
  } finally {
    limited.app.server.closeAllConnections();
    await limited.app.close();
  }
});

test('a download of which nothing is taken for a minute ends', async () => {
  const link = new URL(await linkTo(wavOf(Buffer.alloc(24 * 2 ** 20))));
  [reads.open, reads.bytes] = [0, 0];
  const socket = await unread(link);
  await until(() => reads.open === 1);
  // Each check is a minute after the one before; what the buffers take meanwhile is progress.
  let now = performance.now();
  await until(() => {
    stalledConnections.check(now);
    now += 60_000;
    return reads.open === 0;
  });
  socket.destroy();
});

test('a client that goes away before the first bytes are there leaves no read open', async () => {
  const left = await startApp();
  const gone = Promise.withResolvers<void>();
  const beginning = Promise.withResolvers<void>();
  try {
    left.app.server.once('request', (_, response) => response.once('close', gone.resolve));
    const link = new URL((await linkTo(wav)).replace(service.publicUrl, left.url));
    [reads.open, reads.held] = [0, beginning.promise];
    const socket = connectTo(Number(link.port), link.hostname);
    socket.write(`GET ${link.pathname} HTTP/1.1\r\nHost: ${link.host}\r\n\r\n`);
    await until(() => reads.open === 1);
    socket.destroy();
    await within(() => 'the service sees that the client is gone', gone.promise);
    beginning.resolve();
    await until(() => reads.open === 0);
  } finally {
    reads.held = Promise.resolve();
    await left.app.close();
  }
});

test('a service that stops does not wait for those who listen', async () => {
  const stopping = await startApp();
  const link = new URL((await linkTo(wavOf(Buffer.alloc(24 * 2 ** 20)))).replace(service.publicUrl, stopping.url));
  const socket = connectTo(Number(link.port), link.hostname);
  socket.on('error', () => {});
  socket.write(`GET ${link.pathname} HTTP/1.1\r\nHost: ${link.host}\r\n\r\n`);
  await once(socket, 'readable');
  await withFrozenTimers(() => within(() => 'the service stops', stopping.app.close()));
  socket.destroy();
  await until(() => reads.open === 0);
});

const executablePath = findChromium();
if (!executablePath) process.stdout.write('No Chromium on this machine to play audio in. Skipped.\n');

/** Runs in the page: plays the audio and returns what a player measures. */
const play = (link: string) => `(async () => {
  const audio = document.querySelector('audio');
  const on = (event) => new Promise((resolve, reject) => {
    audio.addEventListener(event, resolve, { once: true });
    audio.addEventListener('error', () => reject(new Error(audio.error.message)), { once: true });
  });
  audio.muted = true;
  audio.src = ${JSON.stringify(link)};
  await on('loadedmetadata');
  const duration = audio.duration;
  const seeks = [];
  for (const place of [duration * 0.9, 0.5, duration / 2]) {
    audio.currentTime = place;
    await on('seeked');
    seeks.push(Math.abs(audio.currentTime - place));
  }
  audio.currentTime = 0;
  await on('seeked');
  audio.playbackRate = 8;
  await audio.play();
  await on('ended');
  return { duration, seeks, end: audio.currentTime };
})()`;

(executablePath ? test : test.skip)(
  'a browser plays what was joined of two parts to its end, seeks in it, and opens a link by itself',
  async () => {
    const scratch = join(directory.path, 'scratch');
    const [first = [], second = []] = recorded;
    const cut = second.slice(0, -1);
    const webm = await assembled(
      scratch,
      partOf(...first),
      partOf(...cut, (second.at(-1) ?? Buffer.alloc(0)).subarray(0, 40)),
    );
    const sound = await assembled(scratch, partOf(wav), partOf(wav));
    const browser = await chromium.launch({
      ...(executablePath && { executablePath }),
      args: [...chromiumArgs, '--autoplay-policy=no-user-gesture-required'],
    });
    try {
      const page = await browser.newPage();
      await page.goto(`${service.publicUrl}/player`);
      for (const assembly of [webm, sound]) {
        if (assembly.outcome !== 'assembled') throw new Error(assembly.outcome);
        const link = await linkTo(assembly.bytes, assembly.extension);
        const played = (await page.evaluate(play(link))) as { duration: number; seeks: number[]; end: number };
        assert.ok(Math.abs(played.duration * 1000 - assembly.durationMs) < 100, `${played.duration} s`);
        assert.ok(Math.max(...played.seeks) < 0.1, String(played.seeks));
        assert.ok(Math.abs(played.end - played.duration) < 0.1, `${played.end} of ${played.duration} s`);
      }
    } finally {
      await browser.close();
    }
  },
);

test.run();

import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { intakeIsOver } from '../../server/recordings/claims.ts';
import { silenceWatch, stopSilent } from '../../server/recordings/silence.ts';
import { defaultTimes, type IntakeTimes } from '../../server/recordings/times.ts';
import type { TestService } from '../support/harness.ts';
import { chunkFrame, Recorder, refusalOf } from '../support/recorder.ts';
import {
  audio,
  audioDirectory,
  idle,
  openSession,
  type RecordingWorld,
  rowOf,
  socketOf,
  startIntake,
  storedChunks,
} from '../support/recording-fixtures.ts';
import { until, within } from '../support/until.ts';

const test = suite('recordings that meet a slow store, silence and limits');
let directory: Awaited<ReturnType<typeof audioDirectory>>;
/** Has the limits of production: however long a test or a slow disk holds back its store, no connection ends for it. */
let tandem: RecordingWorld;
/** Gives up a store that fails or never answers after a short time. */
let hasty: RecordingWorld;

test.before(async () => {
  directory = await audioDirectory();
  tandem = await startIntake(directory.store, idle);
  const intakeTimes = { renewMs: 100, retryMs: 400, putMs: 4000, leaseMs: 10_000 };
  hasty = await startIntake(directory.store, idle, { intakeTimes });
});
test.after(async () => {
  tandem.store.release();
  hasty.store.release();
  await tandem.close();
  await hasty.close();
  await directory.remove();
});

const newSession = async (service: TestService = tandem) => openSession(await service.workspace());
const log = pino({ level: 'silent' });
const sweep = () => stopSilent({ db: tandem.db }, defaultTimes, log);

async function metric(name: string, { url }: { url: string } = tandem): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^tandem_${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

async function age({ recordingId }: { recordingId: string }, seconds: number): Promise<void> {
  // In functions that Citus runs on columns.
  const earlier = (column: string) => `(${column} at time zone 'UTC' - make_interval(secs => $2)) at time zone 'UTC'`;
  const text = `update recordings set last_audio_at = ${earlier('last_audio_at')}, opened_at = ${earlier('opened_at')}
    where id = $1`;
  await tandem.db.rows(text, [recordingId, seconds]);
}

test('a client that ignores the window meets a socket that is not read, and loses nothing', async () => {
  const session = await newSession();
  const recorder = await Recorder.start(session);
  tandem.store.hold();
  const sent = Array.from({ length: 40 }, () => audio(1_000_000));
  for (const [sequence, each] of sent.entries()) recorder.send(chunkFrame(sequence, each));
  await until(async () => (await metric('recordings_held_bytes')) >= 4 * 2 ** 20);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const held = await metric('recordings_held_bytes');
  assert.ok(held < 4 * 2 ** 20 + 2_000_000, `${held} bytes are held`);
  assert.is(recorder.durable, 0, 'nothing is acknowledged that is not stored');
  for (let count = 0; count < 3; count++) await tandem.store.letOne();
  await until(() => recorder.durable === 3);
  assert.ok((await metric('recordings_held_bytes')) < 4 * 2 ** 20 + 2_000_000);
  tandem.store.release();
  await until(
    () => recorder.durable === sent.length,
    () => `durable ${recorder.durable}, open ${recorder.isOpen}: ${JSON.stringify(recorder.frames.slice(-3))}`,
  );
  assert.is(await recorder.stop(), 'stopped');
  const stored = await storedChunks(tandem.store, session);
  assert.equal(
    stored.map((chunk) => chunk.audio),
    sent,
  );
});

test('of many small chunks no more wait than the window and one read', async () => {
  const session = await newSession();
  const recorder = await Recorder.start(session);
  tandem.store.hold();
  for (let sequence = 0; sequence < 300; sequence++) recorder.send(chunkFrame(sequence, audio(1000)));
  await until(async () => (await metric('recordings_held_bytes')) >= 32_000);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const held = await metric('recordings_held_bytes');
  assert.ok(held <= 32_000 + 2 * 65_536, `${held} bytes are held`);
  tandem.store.release();
  await until(() => recorder.durable === 300);
  await recorder.drop();
});

test('a store that fails for a moment is asked again; the client does not notice', async () => {
  const session = await newSession();
  const recorder = await Recorder.start(session);
  tandem.store.failNext(2);
  const sent = [audio(), audio(), audio()];
  for (const each of sent) recorder.record(each);
  assert.is(await recorder.stop(), 'stopped');
  const stored = await storedChunks(tandem.store, session);
  assert.equal(
    stored.map((chunk) => chunk.audio),
    sent,
  );
});

test('a store that continues failing ends the connection with an error; it is resumed where the store left off', async () => {
  const session = await newSession(hasty);
  const recorder = await Recorder.start(session);
  const sent = Array.from({ length: 10 }, () => audio());
  recorder.record(sent[0] as Buffer);
  await recorder.settled();
  hasty.store.failNext(1000);
  for (const each of sent.slice(1)) recorder.record(each);
  assert.is((await recorder.next('error')).code, 'storage_unavailable');
  assert.equal(await recorder.closed, { code: 4000, reason: '' });
  assert.is(recorder.durable, 1);
  hasty.store.failNext(0);
  assert.is((await recorder.resume()).nextSequence, 1);
  assert.is(await recorder.stop(), 'stopped');
  const stored = await storedChunks(hasty.store, session);
  assert.equal(
    stored.map((chunk) => chunk.audio),
    sent,
  );
});

test('a store that never answers keeps the recording until the lease ran out: its write may still come', async () => {
  const session = await newSession(hasty);
  const recorder = await Recorder.start(session);
  hasty.store.hold();
  const sent = [audio(), audio()];
  for (const each of sent) recorder.record(each);
  assert.is((await recorder.next('error')).code, 'storage_unavailable');
  await recorder.closed;
  assert.is((await rowOf(tandem, session)).isHeld, true);
  const resumed = recorder.resume();
  await new Promise((resolve) => setTimeout(resolve, 300));
  hasty.store.release();
  await within(() => 'the lease runs out', resumed);
  assert.is(recorder.ready.nextSequence, 1, 'the late write was seen');
  assert.is(await recorder.stop(), 'stopped');
  const stored = await storedChunks(hasty.store, session);
  assert.equal(
    stored.map((chunk) => chunk.audio),
    sent,
  );
});

test('a process that stops writes what it has received, lets go and closes with 1012; another one continues', async () => {
  const leaving = await startIntake(directory.store, idle, { intakeTimes: { renewMs: 100 } });
  const session = await newSession();
  const recorder = await Recorder.start({ ...session, socketUrl: socketOf(leaving) });
  leaving.store.hold();
  const sent = Array.from({ length: 8 }, () => audio());
  for (const each of sent) recorder.record(each);
  await until(async () => (await metric('recordings_held_bytes', leaving)) === 8 * 200);
  const closing = leaving.close();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(recorder.isOpen);
  leaving.store.release();
  assert.equal(await recorder.closed, { code: 1012, reason: 'restart' });
  await within(() => 'the process stops', closing);
  assert.is(recorder.durable, 8);
  assert.is((await rowOf(tandem, session)).holder, null);
  assert.is((await recorder.resume(socketOf(tandem))).nextSequence, 8);
  await recorder.stop();
});

test('a process stops in time although a store never answers and a client never takes leave', async () => {
  const leaving = await startIntake(directory.store, { ...idle, SHUTDOWN_SECONDS: '1' });
  const socketUrl = socketOf(leaving);
  const stuck = await Recorder.start({ ...(await newSession()), socketUrl });
  leaving.store.hold();
  stuck.record(audio());
  const deaf = await Recorder.start({ ...(await newSession()), socketUrl });
  deaf.pauseReading();
  await until(() => leaving.store.waiting === 1);
  await within(() => 'the process stops', leaving.close());
  assert.is((await stuck.closed).code, 1006);
  deaf.resumeReading();
  await deaf.closed;
  leaving.store.release();
});

test('five minutes without audio stop a recording: silence where a recorder is connected, connection_lost where none is', async () => {
  const [silent, lost, never, alive] = [await newSession(), await newSession(), await newSession(), await newSession()];
  const recorder = await Recorder.start(silent);
  recorder.record(audio());
  await recorder.settled();
  const gone = await Recorder.start(lost);
  gone.record(audio());
  await gone.settled();
  await gone.drop();
  const living = await Recorder.start(alive);
  await until(async () => (await rowOf(tandem, silent)).chunks === 1 && (await rowOf(tandem, lost)).holder === null);
  for (const each of [silent, lost, never, alive]) await age(each, 320);
  living.record(audio());
  await living.settled();
  await until(async () => (await rowOf(tandem, alive)).chunks === 1);
  while ((await sweep()) > 0);
  assert.equal(
    await Promise.all([silent, lost, never, alive].map(async (each) => (await rowOf(tandem, each)).stopReason)),
    ['silence', 'connection_lost', 'connection_lost', null],
  );
  assert.is((await recorder.next('stopped')).reason, 'silence');
  assert.equal(await recorder.closed, { code: 1000, reason: '' });
  for (const each of [silent, lost, never]) {
    assert.is((await rowOf(tandem, each)).status, 'processing');
    await until(() => intakeIsOver(tandem.db, each));
  }
  assert.is((await refusalOf(socketOf(tandem), gone.ready.resumeToken)).status, 409);
  assert.is(await living.stop(), 'stopped');
});

test('four minutes without audio stop nothing', async () => {
  const session = await newSession();
  await age(session, 240);
  await sweep();
  assert.is((await rowOf(tandem, session)).stopReason, null);
});

test('the time in which the service was away is no silence; the longest duration counts then too', async () => {
  const [session, long] = [await newSession(), await newSession()];
  await age(session, 400);
  await age(long, 20_000);
  const watch = (times: Partial<IntakeTimes>) => silenceWatch({ db: tandem.db }, { ...defaultTimes, ...times }, log);
  const reasons = () => Promise.all([session, long].map(async (each) => (await rowOf(tandem, each)).stopReason));
  // It has just started, and no run was recent enough.
  await watch({})();
  assert.equal(await reasons(), [null, 'connection_lost']);
  await watch({ awayMs: -1, returnMs: 0 })();
  assert.equal(await reasons(), [null, 'connection_lost']);
  await watch({ returnMs: 0 })();
  assert.equal(await reasons(), ['connection_lost', 'connection_lost']);
});

test('a recording that lasts as long as it may is stopped, however it continues', async () => {
  const session = await newSession();
  const recorder = await Recorder.start(session);
  await tandem.db.rows('update recordings set max_seconds = 60 where id = $1', [session.recordingId]);
  await age(session, 61);
  recorder.record(audio());
  await recorder.settled();
  while ((await sweep()) > 0);
  assert.is((await recorder.next('stopped')).reason, 'max_duration');
  assert.is((await storedChunks(tandem.store, session)).length, 1);
});

test('many sweeps at once stop a recording once', async () => {
  const sessions = await Promise.all(Array.from({ length: 5 }, () => newSession()));
  for (const each of sessions) await age(each, 400);
  await Promise.all(Array.from({ length: 4 }, sweep));
  for (const { workspaceId, captureId } of sessions) {
    const text = 'select attempt from capture_work where workspace_id = $1 and capture_id = $2';
    assert.equal([...(await tandem.db.rows(text, [workspaceId, captureId]))], [{ attempt: 0 }]);
  }
});

test('a recording is stopped where it would become larger than it may; what came before is kept', async () => {
  const small = await startIntake(directory.store, { ...idle, RECORDING_MAX_MEGABYTES: '1' });
  try {
    const session = await newSession(small);
    const recorder = await Recorder.start(session);
    const half = audio(524_288);
    recorder.record(half);
    await recorder.settled();
    await recorder.drop();
    await recorder.resume();
    for (const each of [half, audio(1), audio(1)]) recorder.record(each);
    assert.is((await recorder.next('stopped')).reason, 'max_size');
    assert.equal(await recorder.closed, { code: 1000, reason: '' });
    const stored = await storedChunks(small.store, session);
    assert.equal(
      stored.map((chunk) => chunk.audio),
      [half, half],
    );
    assert.is((await rowOf(small, session)).status, 'processing');
  } finally {
    await small.close();
  }
});

test('more than ten chunks for each second that it may last stop a recording', async () => {
  const session = await newSession();
  await tandem.db.rows('update recordings set max_seconds = 2 where id = $1', [session.recordingId]);
  const recorder = await Recorder.start(session);
  for (let count = 0; count < 25; count++) recorder.record(audio(10));
  assert.is((await recorder.next('stopped')).reason, 'max_size');
  assert.is((await storedChunks(tandem.store, session)).length, 20);
});

test('a client that leaves too much unread is cut off', async () => {
  const session = await newSession();
  const recorder = await Recorder.start(session);
  recorder.record(audio());
  await recorder.settled();
  // To fill the buffers of the kernel would take seconds.
  const usual = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'bufferedAmount');
  assert.ok(usual);
  const unread = (bytes: number) =>
    Object.defineProperty(WebSocket.prototype, 'bufferedAmount', { ...usual, get: () => bytes });
  try {
    unread(256 * 1024);
    recorder.send({ type: 'ping' });
    await recorder.next('pong');
    unread(256 * 1024 + 1);
    recorder.send({ type: 'ping' });
    assert.is((await recorder.closed).code, 1006);
  } finally {
    Object.defineProperty(WebSocket.prototype, 'bufferedAmount', usual);
  }
  await until(async () => (await rowOf(tandem, session)).holder === null);
  assert.is((await recorder.resume()).nextSequence, 1);
  await recorder.drop();
});

test.run();

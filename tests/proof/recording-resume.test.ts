import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { intakeIsOver } from '../../server/recordings/claims.ts';
import { recorded } from '../support/audio-fixtures.ts';
import { startProcess, stopProcesses } from '../support/processes.ts';
import { chunkFrame, Recorder } from '../support/recorder.ts';
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
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('recordings that are resumed');
let directory: Awaited<ReturnType<typeof audioDirectory>>;
/** Two processes on one database and one store, whose line may be slow. */
let one: RecordingWorld;
let two: RecordingWorld;

test.before(async () => {
  directory = await audioDirectory();
  const intakeTimes = { renewMs: 300 };
  one = await startIntake(directory.store, idle, { intakeTimes });
  two = await startIntake(directory.store, idle, { intakeTimes });
});
test.after(async () => {
  await stopProcesses();
  await Promise.all([one.close(), two.close()]);
  await directory.remove();
});

const newSession = async () => openSession(await one.workspace());

/** The audio of a recording as it is stored, without a gap and nothing twice. */
async function storedAudio(session: { workspaceId: string; recordingId: string }) {
  const chunks = await storedChunks(directory.store, session);
  assert.equal(
    chunks.map(({ sequence }) => sequence),
    chunks.map((_, place) => place),
  );
  return chunks.map((chunk) => chunk.audio);
}

test('a socket that drops again and again, on either process, loses and doubles nothing', async () => {
  const session = await newSession();
  const recorder = await Recorder.start(session);
  const sent: Buffer[] = [];
  for (let round = 0; round < 12; round++) {
    for (let count = 0; count < 25; count++) {
      const each = audio(400);
      sent.push(each);
      recorder.record(each);
    }
    const wanted = recorder.durable + Math.floor(Math.random() * 20);
    await until(() => recorder.durable >= wanted);
    await recorder.drop();
    const { nextSequence } = await recorder.resume(socketOf(round % 2 === 0 ? two : one));
    assert.ok(nextSequence >= wanted);
  }
  assert.is(await recorder.stop(), 'stopped');
  assert.equal(await storedAudio(session), sent);
  const { sizeBytes, chunks } = await rowOf(one, session);
  assert.equal([sizeBytes, chunks], [sent.length * 400, sent.length]);
});

test('a recorder that hangs is replaced by the one that resumes: it is closed with 4001 and what it sent is kept', async () => {
  const session = await newSession();
  const hanging = await Recorder.start(session);
  const sent = [audio(), audio(), audio()];
  for (const each of sent) hanging.record(each);
  await hanging.settled();
  const resumed = await hanging.anew(socketOf(two));
  assert.equal(await hanging.closed, { code: 4001, reason: 'replaced' });
  assert.is(resumed.ready.nextSequence, 3);
  assert.is(resumed.ready.resumeToken, hanging.ready.resumeToken);
  resumed.record(audio(), true);
  assert.is(await resumed.stop(), 'stopped');
  assert.is((await storedAudio(session)).length, 4);
});

test('a connection that replaces a recorder waits until the last write is done, and continues after it', async () => {
  // Who was replaced writes for as long as its lease would have lasted.
  const lasting = await startIntake(directory.store, idle, { intakeTimes: { renewMs: 300, leaseMs: 600_000 } });
  const session = { ...(await newSession()), socketUrl: socketOf(lasting) };
  const slow = await Recorder.start(session);
  lasting.store.hold();
  const received = [audio(), audio()];
  for (const each of received) slow.record(each);
  await slow.received();
  await until(() => lasting.store.waiting === 1);
  const resumed = slow.anew(socketOf(two));
  let isEarly = false;
  void resumed.then(
    () => {
      isEarly = true;
    },
    () => {},
  );
  // Another one, which nobody replaces, begins and ends meanwhile.
  const beside = await Recorder.start({ ...(await newSession()), socketUrl: socketOf(two) });
  await beside.drop();
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.is(isEarly, false);
  lasting.store.release();
  const recorder = await within(() => 'the one before lets go', resumed);
  assert.is(recorder.ready.nextSequence, 2, 'what was received before is written');
  const part = audio();
  recorder.record(part, true);
  await recorder.stop();
  assert.equal(await storedAudio(session), [...received, part]);
  await lasting.close();
});

test('a connection that replaces a recorder of a killed process waits for the end of its lease', async () => {
  const session = await newSession();
  const recorder = await Recorder.start(session);
  recorder.record(audio());
  await recorder.settled();
  await recorder.drop();
  await until(async () => (await rowOf(one, session)).holder === null);
  const hold = `update recordings set holder = $2::uuid, lease_until = now() + interval '700 ms' where id = $1`;
  const since = Date.now();
  await one.db.rows(hold, [session.recordingId, crypto.randomUUID()]);
  await recorder.resume();
  assert.ok(Date.now() - since >= 690, `${Date.now() - since} ms`);
  assert.is(recorder.ready.nextSequence, 1);
  await recorder.drop();
});

test('a chain of recorders that replace each other on two processes ends with one that can write', async () => {
  const session = await newSession();
  const first = await Recorder.start(session);
  first.record(audio());
  await first.settled();
  const others = await Promise.allSettled(
    Array.from({ length: 6 }, (_, place) => first.anew(socketOf(place % 2 ? one : two))),
  );
  const open = others.flatMap((each) => (each.status === 'fulfilled' && each.value.isOpen ? [each.value] : []));
  const codes = new Set<number>();
  for (const each of open) {
    each.record(audio(), true);
    await each.settled().catch(async () => codes.add((await each.closed).code));
  }
  const left = open.filter((each) => each.isOpen);
  assert.is(left.length, 1);
  assert.ok([...codes].every((code) => code === 4001));
  await left[0]?.stop();
  const stored = await storedAudio(session);
  assert.is(stored.length, left[0]?.durable);
});

test('a holder that could not renew its lease in time acknowledges nothing until it knows better', async () => {
  const frozen = await startIntake(directory.store, idle, { intakeTimes: { leaseMs: 400, renewMs: 150 } });
  try {
    const session = await newSession();
    const recorder = await Recorder.start({ ...session, socketUrl: socketOf(frozen) });
    recorder.record(audio());
    await recorder.settled();
    // Renewals wait for the row, as they would for a database that went silent.
    const free = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const lock = one.db.transaction(async (tx) => {
      await tx.rows('select 1 from recordings where workspace_id = $1 and id = $2 for update', [
        session.workspaceId,
        session.recordingId,
      ]);
      locked.resolve();
      await free.promise;
    });
    await locked.promise;
    await new Promise((resolve) => setTimeout(resolve, 500));
    recorder.record(audio());
    await new Promise((resolve) => setTimeout(resolve, 300));
    const early = [recorder.durable, recorder.isOpen];
    free.resolve();
    await lock;
    assert.equal(early, [1, true]);
    await within(() => 'the lease is renewed', recorder.settled());
    assert.is(await recorder.stop(), 'stopped');
  } finally {
    await frozen.close();
  }
});

test('a holder whose lease ran out before the recording was stopped writes nothing more', async () => {
  const session = await newSession();
  const recorder = await Recorder.start(session);
  recorder.record(audio());
  await recorder.settled();
  one.store.hold();
  recorder.record(audio());
  await until(() => one.store.waiting === 1);
  // As if the process had stood still for longer than its lease.
  const lapse = `update recordings set lease_until = clock_timestamp() - interval '1 ms', stopped_at = now(),
    stop_reason = 'stopped' where id = $1`;
  await one.db.rows(lapse, [session.recordingId]);
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.is((await rowOf(one, session)).isHeld, false, 'it was not renewed');
  assert.is(await intakeIsOver(one.db, session), true);
  one.store.release();
  await recorder.closed;
  assert.is(recorder.durable, 1);
  assert.is(await intakeIsOver(one.db, session), true);
});

test('kill -9 in the middle of the intake loses nothing that was acknowledged; another process continues', async () => {
  const session = await newSession();
  const child = await startProcess({ ...idle, AUDIO_DIR: directory.path });
  const recorder = await Recorder.start({ ...session, socketUrl: socketOf(child) });
  const sent = Array.from({ length: 400 }, () => audio(2000));
  for (const each of sent.slice(0, 300)) recorder.record(each);
  await until(() => recorder.durable > 40);
  child.child.kill('SIGKILL');
  await recorder.closed;
  const acknowledged = recorder.durable;
  assert.ok(acknowledged < 300, 'it was killed in the middle');
  const stored = await storedAudio(session);
  assert.ok(stored.length >= acknowledged);
  assert.equal(stored, sent.slice(0, stored.length));
  assert.is((await rowOf(one, session)).isHeld, true);
  // Its lease, which nobody renews any more, need not be waited for here.
  await one.db.rows('update recordings set lease_until = now() where id = $1', [session.recordingId]);
  assert.is((await recorder.resume(socketOf(two))).nextSequence, stored.length);
  for (const each of sent.slice(300)) recorder.record(each);
  assert.is(await recorder.stop(), 'stopped');
  assert.equal(await storedAudio(session), sent);
});

test('what two pages recorded one after the other becomes one file that plays, with a duration', async () => {
  const working = await startIntake(directory.store, {});
  try {
    const workspace = await working.workspace();
    const session = await openSession(workspace, { title: 'Two pages' });
    const page = await Recorder.start(session);
    for (const chunk of recorded[0] ?? []) page.record(chunk);
    await page.settled();
    await page.drop();
    const anew = await page.anew(socketOf(two));
    for (const [place, chunk] of (recorded[1] ?? []).entries()) anew.record(chunk, place === 0);
    assert.is(await anew.stop(), 'stopped');
    const read = async () => bodyOf(await workspace.call(`GET /captures/${session.captureId}`));
    await until(async () => (await read()).status === 'completed');
    const { durationSeconds, mediaUrl } = await read();
    assert.ok(durationSeconds >= 7 && durationSeconds <= 10, durationSeconds);
    const file = await fetch(mediaUrl);
    assert.equal([file.status, file.headers.get('content-type')], [200, 'audio/webm']);
    assert.equal(await storedChunks(directory.store, session), []);
  } finally {
    await working.close();
  }
});

test('a page that is loaded again continues with a new part behind what the old one sent', async () => {
  const session = await newSession();
  const page = await Recorder.start(session);
  const before = [audio(), audio(), audio()];
  for (const each of before) page.record(each);
  // It is gone before anything is acknowledged.
  const { ready } = page;
  page.send(chunkFrame(3, audio()));
  await page.drop();
  const anew = await page.anew();
  const { nextSequence } = anew.ready;
  assert.is(anew.ready.resumeToken, ready.resumeToken);
  const part = audio();
  anew.record(part, true);
  await anew.stop();
  const chunks = await storedChunks(directory.store, session);
  assert.equal(chunks.at(-1), { sequence: nextSequence, begins: true, audio: part });
  // A connection that breaks off may have carried all of it, or a part.
  const kept = Math.min(before.length, nextSequence);
  assert.equal(
    chunks.slice(0, kept).map((chunk) => chunk.audio),
    before.slice(0, kept),
  );
});

test.run();

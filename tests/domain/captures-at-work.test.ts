import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chunkKey } from '../../media/storage/keys.ts';
import { recorded, toneOf, wavOf } from '../support/audio-fixtures.ts';
import { newNote, setMinutes } from '../support/capture-fixtures.ts';
import type { Answer, TestWorkspace } from '../support/harness.ts';
import { Recorder } from '../support/recorder.ts';
import {
  audioDirectory,
  type OpenedSession,
  openSession,
  type RecordingWorld,
  startIntake,
} from '../support/recording-fixtures.ts';
import { untilAnswer } from '../support/scripted-engine.ts';
import { startTranscriptionServer, type TranscriptionServer } from '../support/transcription-server.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('captures at work');

let directory: Awaited<ReturnType<typeof audioDirectory>>;
let transcription: TranscriptionServer;
/** Transcribes, in pieces of a minute, after each of which others have their turn. */
let tandem: RecordingWorld;

// A date that is over when it is said is none.
const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
const transcript = `The new door is blue. I will send the report to Grace by ${inAWeek}.`;

test.before(async () => {
  directory = await audioDirectory();
  transcription = await startTranscriptionServer();
  const environment = {
    TRANSCRIPTION_BASE_URL: transcription.url,
    TRANSCRIPTION_MODEL: 'whisper-1',
    TRANSCRIPTION_PIECE_MINUTES: '1',
  };
  tandem = await startIntake(directory.store, environment, { capturePauses: [0, 0], captureTurnMs: 0 });
});
test.before.each(() => transcription.answer(() => transcript));
test.after(async () => {
  await tandem.close();
  await transcription.close();
  await directory.remove();
});

const chunksOf = (bytes: Buffer, size = 500_000) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));

/** A recording of these chunks, stopped. */
async function record(workspace: TestWorkspace, chunks: readonly Uint8Array[], mediaType = 'audio/webm', body = {}) {
  const session = await openSession(workspace, body);
  const recorder = await Recorder.start(session, mediaType);
  for (const chunk of chunks) recorder.record(chunk);
  await recorder.settled();
  recorder.send({ type: 'stop' });
  await recorder.next('stopped');
  return session;
}

/** The capture once nothing is done for it any more. */
function settled({ call }: TestWorkspace, { captureId }: Pick<OpenedSession, 'captureId'>): Promise<Answer> {
  return untilAnswer(
    () => call(`GET /captures/${captureId}`),
    ({ body }) => ['completed', 'failed'].includes(body.status),
  );
}

async function keysOf({ workspaceId, recordingId }: OpenedSession): Promise<string[]> {
  const prefix = `${workspaceId}/${recordingId}/`;
  return (await directory.store.list(prefix)).map(({ key }) => key.slice(prefix.length));
}

async function ledgerOf({ workspaceId }: TestWorkspace) {
  const text = `select minutes::float8, capture_id as "captureId", trigger from minute_entries
    where workspace_id = $1 and kind = 'capture' order by created_at, id`;
  return [...(await tandem.db.rows<{ minutes: number; captureId: string; trigger: string }>(text, [workspaceId]))];
}

const longTone = () => wavOf(toneOf(150_000, [0, 0], 8000), { rate: 8000 });

test('a recording is joined, transcribed, summed up and charged; its chunks go and its todos are suggested', async () => {
  const workspace = await tandem.workspace();
  const session = await record(workspace, recorded[0] ?? []);
  const { body } = await settled(workspace, session);
  assert.is(body.status, 'completed');
  assert.is(body.failure, null);
  assert.is(body.transcript, transcript);
  assert.is(body.durationSeconds, 5);
  assert.ok(body.title && body.subtitle && body.summary, JSON.stringify(body));
  assert.equal(await keysOf(session), ['audio.webm']);
  const part = await fetch(body.mediaUrl, { headers: { range: 'bytes=0-3' } });
  assert.is(part.status, 206);
  assert.is(part.headers.get('content-type'), 'audio/webm');
  assert.is(Buffer.from(await part.arrayBuffer()).toString('hex'), '1a45dfa3');

  const todos = bodyOf(await workspace.call(`GET /todos?captureId=${session.captureId}`)).data;
  assert.equal(
    todos.map(({ dueDate, isSuggested, source, captureId }: Record<string, unknown>) => ({
      dueDate,
      isSuggested,
      source,
      captureId,
    })),
    [{ dueDate: inAWeek, isSuggested: true, source: 'auto_suggested', captureId: session.captureId }],
  );
  const found = bodyOf(await workspace.call('GET /captures?query=report'));
  assert.equal(
    found.data.map(({ id }: { id: string }) => id),
    [session.captureId],
  );
  assert.equal(await ledgerOf(workspace), [{ minutes: -0.1, captureId: session.captureId, trigger: 'capture' }]);
  const usage = bodyOf(await workspace.call('GET /usage'));
  assert.is(usage.minutesUsed, 0.1);
  assert.equal(
    usage.byTrigger.find(({ trigger }: { trigger: string }) => trigger === 'capture'),
    { trigger: 'capture', minutes: 0.1, turns: 0 },
  );
});

test('what a person called it stays its title', async () => {
  const workspace = await tandem.workspace();
  const session = await record(workspace, recorded[1] ?? [], 'audio/webm', { title: 'Stand-up', language: 'en' });
  assert.is((await settled(workspace, session)).body.title, 'Stand-up');
  assert.is(transcription.requests.at(-1)?.fields.language, 'en');
});

test('a long recording is transcribed in pieces that are neither asked for nor paid again when one fails', async () => {
  const workspace = await tandem.workspace();
  const before = transcription.requests.length;
  transcription.answer((_, n) => (n - before === 3 ? { status: 401 } : `Piece ${n - before}.`));
  const session = await record(workspace, chunksOf(longTone()), 'audio/wav');
  const { body: failed } = await settled(workspace, session);
  assert.is(failed.status, 'failed');
  const { occurredAt, message, ...failure } = failed.failure;
  assert.equal(failure, { object: 'capture_failure', code: 'transcription_failed', retryable: true });
  assert.match(message, /TRANSCRIPTION_API_KEY/);
  assert.ok(Date.parse(occurredAt) <= Date.now());
  assert.is(failed.transcript, null);
  assert.is(failed.durationSeconds, 150);

  const retried = bodyOf(await workspace.call(`POST /captures/${session.captureId}/retry`));
  assert.is(retried.status, 'processing');
  assert.is(retried.failure, null);
  const { body } = await settled(workspace, session);
  assert.is(body.transcript, 'Piece 1.\n\nPiece 2.\n\nPiece 4.');
  assert.is(transcription.requests.length - before, 4);
  assert.equal(await ledgerOf(workspace), [{ minutes: -0.1, captureId: session.captureId, trigger: 'capture' }]);
});

test('long recordings of one workspace leave the places between their pieces to others', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const before = transcription.requests.length;
  const [first, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  transcription.answer(async (_, n) => {
    await (n - before <= 4 ? first : rest).promise;
    return 'A piece.';
  });
  const sessions: OpenedSession[] = [];
  for (let n = 0; n < 4; n++) sessions.push(await record(workspace, chunksOf(longTone()), 'audio/wav'));
  await until(() => transcription.requests.length - before === 4);
  const id = await newNote(other, 'The new door is blue.');
  first.resolve();
  await untilAnswer(
    () => other.call(`GET /captures/${id}`),
    ({ body }) => body.summary !== null,
  );
  rest.resolve();
  for (const session of sessions) {
    const { body } = await settled(workspace, session);
    assert.is(body.transcript, Array.from({ length: 3 }, () => 'A piece.').join('\n\n'), JSON.stringify(body.failure));
  }
});

test('a fault that passes is tried again, three times in all', async () => {
  const workspace = await tandem.workspace();
  const before = transcription.requests.length;
  transcription.answer(() => ({ status: 429, headers: { 'retry-after': '0' } }));
  const session = await record(workspace, recorded[1] ?? []);
  const { body } = await settled(workspace, session);
  assert.is(body.failure.code, 'transcription_failed');
  assert.is(transcription.requests.length - before, 9, 'three tries of three requests');
  assert.equal(await keysOf(session), ['audio.webm'], 'its audio is kept');
  assert.equal(await ledgerOf(workspace), [], 'a failed call is not charged');
});

test('without minutes it fails, saying so, and continues when there are some', async () => {
  const workspace = await tandem.workspace();
  const session = await openSession(workspace);
  const recorder = await Recorder.start(session);
  for (const chunk of recorded[1] ?? []) recorder.record(chunk);
  await recorder.settled();
  await setMinutes(tandem, workspace, 0);
  recorder.send({ type: 'stop' });
  const { body } = await settled(workspace, session);
  assert.is(body.failure.code, 'insufficient_minutes');
  assert.ok(body.failure.retryable);
  const refused = await workspace.call(`POST /captures/${session.captureId}/retry`);
  assert.is(refused.status, 402);
  await setMinutes(tandem, workspace, 5);
  bodyOf(await workspace.call(`POST /captures/${session.captureId}/retry`));
  assert.is((await settled(workspace, session)).body.status, 'completed');
});

test('a recording without audio fails as no_audio, one without a connection as connection_lost; neither is retried', async () => {
  const workspace = await tandem.workspace();
  const silent = await record(workspace, []);
  assert.is((await settled(workspace, silent)).body.failure.code, 'no_audio');
  const lost = await openSession(workspace);
  await tandem.db.rows(
    `with stopped as (update recordings set stopped_at = now(), stop_reason = 'connection_lost' where id = $1 returning capture_id)
      update captures set status = 'processing' where id in (select capture_id from stopped)`,
    [lost.recordingId],
  );
  await tandem.db.transaction(async (tx) => {
    const { workspaceId, captureId } = lost;
    await tx.rows(
      `insert into capture_work (workspace_id, capture_id, step, lease_until) values ($1, $2, 'assemble', now())`,
      [workspaceId, captureId],
    );
  });
  assert.is((await settled(workspace, lost)).body.failure.code, 'connection_lost');
  for (const { captureId } of [silent, lost]) {
    const { status, body } = await workspace.call(`POST /captures/${captureId}/retry`);
    assert.is(status, 409);
    assert.match(body.message, /cannot be retried/);
  }
});

for (const [extension, chunks, mediaType, copied] of [
  ['webm', recorded[0] ?? [], 'audio/webm', [0, 0]],
  ['wav', [wavOf(toneOf(5000, [0, 0], 8000), { rate: 8000 })], 'audio/wav', [0, 0]],
  ['webm', recorded[0] ?? [], 'audio/webm', [0, 2]],
  ['webm', recorded[0] ?? [], 'audio/webm', [2, 4]],
] as const)
  test(`a database that is older than its audio finds the ${extension} that was joined meanwhile, beside the chunks ${copied.join(' to ')}`, async () => {
    const workspace = await tandem.workspace();
    const { call, workspaceId } = workspace;
    const session = await record(workspace, chunks, mediaType);
    const { body: before } = await settled(workspace, session);
    assert.equal(await keysOf(session), [`audio.${extension}`]);
    for (let sequence = copied[0]; sequence < copied[1]; sequence++)
      await directory.store.put(chunkKey(session, sequence, sequence === 0), chunks[sequence] ?? Buffer.alloc(0));
    // As a backup knows it that was made between the end of the recording and its joining.
    const reset = `update captures set status = 'processing', audio_key = null, audio_type = null, duration_seconds = null,
      transcript = null where workspace_id = $1 and id = $2`;
    await tandem.db.transaction(async (tx) => {
      await tx.rows(reset, [workspaceId, session.captureId]);
      const work = `insert into capture_work (workspace_id, capture_id, step, lease_until) values ($1, $2, 'assemble', now())`;
      await tx.rows(work, [workspaceId, session.captureId]);
    });
    const { body } = await settled(workspace, session);
    assert.equal([body.status, body.failure], ['completed', null]);
    assert.is(body.durationSeconds, before.durationSeconds);
    assert.is(body.transcript, transcript);
    assert.ok((await keysOf(session)).includes(`audio.${extension}`));
    const answer = await fetch(bodyOf(await call(`GET /captures/${session.captureId}`)).mediaUrl);
    assert.is(answer.headers.get('content-type'), mediaType);
    assert.ok((await answer.arrayBuffer()).byteLength > 1000);
  });

test('what is no audio fails, and is kept as it came', async () => {
  const workspace = await tandem.workspace();
  const session = await record(workspace, [Buffer.from('this is no audio, whatever it says')]);
  const { body } = await settled(workspace, session);
  assert.is(body.failure.code, 'no_audio');
  assert.equal(await keysOf(session), ['chunks/00000000p']);
});

test('a part that cannot be joined with the rest is kept beside the file, as it came', async () => {
  const workspace = await tandem.workspace();
  const session = await openSession(workspace);
  const recorder = await Recorder.start(session);
  for (const chunk of recorded[0] ?? []) recorder.record(chunk);
  const broken = Buffer.from('a page that was loaded anew sent this');
  recorder.record(broken, true);
  await recorder.settled();
  recorder.send({ type: 'stop' });
  const { body } = await settled(workspace, session);
  assert.is(body.status, 'completed');
  assert.equal(await keysOf(session), ['audio.webm', 'left-out-1']);
  const kept: Uint8Array[] = [];
  const key = `${session.workspaceId}/${session.recordingId}/left-out-1`;
  for await (const bytes of directory.store.read(key)) kept.push(bytes);
  assert.equal(Buffer.concat(kept), broken);
  assert.match(
    body.summary,
    /\S\n\n\*One part of the recording is missing here: it could not be joined with the rest\. /,
  );
  assert.is(body.transcript, transcript);
});

test('work of a worker that died is found and done', async () => {
  const workspace = await tandem.workspace();
  const id = await newNote(workspace, 'Plan\n\n- [ ] Water the plants');
  await untilAnswer(
    () => workspace.call(`GET /captures/${id}`),
    ({ body }) => body.summary !== null,
  );
  await tandem.db.rows('update captures set summary = null where id = $1', [id]);
  await tandem.db.rows(
    `insert into capture_work (workspace_id, capture_id, step, worker_id, attempt, lease_until)
      values ($1, $2, 'digest', gen_random_uuid(), 7, now() - interval '1 second')`,
    [workspace.workspaceId, id],
  );
  await untilAnswer(
    () => workspace.call(`GET /captures/${id}`),
    ({ body }) => body.summary !== null,
  );
  const todos = bodyOf(await workspace.call(`GET /todos?captureId=${id}`)).data;
  assert.is(todos.length, 1, 'what was suggested is not suggested again');
});

test('a capture that is erased while it is worked on leaves nothing behind', async () => {
  const workspace = await tandem.workspace();
  const asked = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  transcription.answer(async () => {
    asked.resolve();
    await free.promise;
    return transcript;
  });
  const session = await record(workspace, recorded[0] ?? []);
  await asked.promise;
  bodyOf(await workspace.call(`DELETE /captures/${session.captureId}?permanent=true`));
  free.resolve();
  await untilAnswer(
    async () => ({ status: (await keysOf(session)).length }) as Answer,
    ({ status }) => status === 0,
  );
  for (const table of ['captures', 'capture_work', 'capture_pieces', 'capture_search', 'recordings']) {
    const [row] = await tandem.db.rows<{ count: number }>(
      `select count(*)::int as count from ${table} where workspace_id = $1`,
      [workspace.workspaceId],
    );
    assert.is(row?.count, 0, table);
  }
  assert.equal(await ledgerOf(workspace), []);
  assert.equal(bodyOf(await workspace.call('GET /todos')).data, []);
});

test('retryCapture is for failed captures of the own workspace alone', async () => {
  const [workspace, other] = await Promise.all([tandem.workspace(), tandem.workspace()]);
  const id = await newNote(workspace, 'A note never fails.');
  assert.is((await workspace.call(`POST /captures/${id}/retry`)).status, 409);
  assert.is((await other.call(`POST /captures/${id}/retry`)).status, 404);
});

test.run();

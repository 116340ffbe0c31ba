import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stopSilent } from '../../server/recordings/silence.ts';
import { defaultTimes } from '../../server/recordings/times.ts';
import { recorded } from '../support/audio-fixtures.ts';
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
import { refused } from '../support/todo-fixtures.ts';
import { startTranscriptionServer, type TranscriptionServer } from '../support/transcription-server.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/* The rows of SPEC "Capture status" and of CONTRACT §7, with the real workers. */

const test = suite('states of captures with workers');
const transcript = 'I will send the report to Grace by 2026-12-04.';
let directory: Awaited<ReturnType<typeof audioDirectory>>;
let transcription: TranscriptionServer;
let tandem: RecordingWorld;

test.before(async () => {
  directory = await audioDirectory();
  transcription = await startTranscriptionServer();
  const environment = { TRANSCRIPTION_BASE_URL: transcription.url, TRANSCRIPTION_MODEL: 'whisper-1' };
  tandem = await startIntake(directory.store, environment, { capturePauses: [0, 0] });
});
test.before.each(() => transcription.answer(() => transcript));
test.after(async () => {
  await tandem.close();
  await transcription.close();
  await directory.remove();
});

/** A recording that runs, with all its audio acknowledged. */
async function recording(workspace: TestWorkspace, body: object = {}) {
  const session = await openSession(workspace, body);
  const recorder = await Recorder.start(session);
  for (const chunk of recorded[1] ?? []) recorder.record(chunk);
  await recorder.settled();
  return { session, recorder, id: session.captureId };
}

function whenever({ call }: TestWorkspace, id: string, holds: (answer: Answer) => boolean): Promise<Answer> {
  return untilAnswer(() => call(`GET /captures/${id}`), holds);
}

const untilStatus = async (workspace: TestWorkspace, id: string, status: string) =>
  (await whenever(workspace, id, ({ body }) => body.status === status)).body;

/** A recording whose transcription was refused. */
async function failed(workspace: TestWorkspace) {
  transcription.answer(() => ({ status: 401 }));
  const { id, session } = await recording(workspace);
  bodyOf(await workspace.call(`POST /captures/${id}/stop`));
  await untilStatus(workspace, id, 'failed');
  transcription.answer(() => transcript);
  return { id, session };
}

const suggested = async ({ call }: TestWorkspace, id: string) =>
  bodyOf(await call(`GET /todos?captureId=${id}`)).data.map(
    ({ isSuggested, source }: Record<string, unknown>) => isSuggested && source,
  );

const filesOf = ({ workspaceId, recordingId }: OpenedSession) =>
  directory.store.list(`${workspaceId}/${recordingId}/`).then((objects) => objects.length);

const importOf = (body = transcript) => ({ type: 'recording', transcript: { format: 'text', body } });

test('capture: (none) → createCapture `note` → completed; summary and suggested todos follow shortly after', async () => {
  const workspace = await tandem.workspace();
  const made = bodyOf(
    await workspace.call('POST /captures', { type: 'note', content: '# Plan\n\n- [ ] Buy milk' }),
    201,
  );
  assert.is(made.status, 'completed');
  const { body } = await whenever(workspace, made.id, (answer) => answer.body.summary !== null);
  assert.equal([body.status, body.title, body.failure], ['completed', 'Plan', null]);
  assert.ok(body.updatedAt > made.updatedAt, 'it is found by updatedSince');
  assert.equal(await suggested(workspace, made.id), ['auto_suggested']);
});

test('capture: (none) → opening a recording session → recording, when minutes are left; without, 402 leaves nothing', async () => {
  const workspace = await tandem.workspace();
  const { captureId } = await openSession(workspace);
  const listed = bodyOf(await workspace.call('GET /captures')).data;
  assert.equal(
    listed.map(({ id, status }: Record<string, unknown>) => [id, status]),
    [[captureId, 'recording']],
  );
  await setMinutes(tandem, workspace, 0);
  const key = await workspace.session();
  refused(await workspace.call('POST /captures/recordings', {}, { key }), 402, null, 'insufficient_minutes');
  assert.is(bodyOf(await workspace.call('GET /captures?include=totalCount')).totalCount, 1);
});

test('capture: recording → stopCapture → processing → completed, once summary and suggested todos exist', async () => {
  const workspace = await tandem.workspace();
  const { id } = await recording(workspace);
  const stopped = bodyOf(await workspace.call(`POST /captures/${id}/stop`));
  assert.is(stopped.status, 'processing');
  const seen = new Set<string>();
  await untilAnswer(
    () => workspace.call(`GET /captures/${id}`),
    ({ body: { status, summary } }) => {
      seen.add(`${status} ${summary === null ? 'without' : 'with'} summary`);
      return status !== 'processing';
    },
  );
  assert.not.ok(seen.has('processing with summary') || seen.has('completed without summary'), [...seen].join());
  const body = bodyOf(await workspace.call(`GET /captures/${id}`));
  assert.equal([body.status, body.transcript, body.failure], ['completed', transcript, null]);
  assert.equal(await suggested(workspace, id), ['auto_suggested']);
});

test('capture: other → stopCapture → not a running recording → refused, unchanged', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const note = await newNote(workspace, 'Milk');
  await whenever(workspace, note, ({ body }) => body.summary !== null);
  const { id: broken } = await failed(workspace);
  const { id: done } = bodyOf(await call('POST /captures', importOf()), 201);
  await untilStatus(workspace, done, 'completed');
  for (const id of [note, broken, done]) {
    const before = (await call(`GET /captures/${id}`)).headers.get('etag');
    refused(await call(`POST /captures/${id}/stop`), 409, null);
    assert.is((await call(`GET /captures/${id}`)).headers.get('etag'), before);
  }
});

test('capture: active → deleteCapture → archived → restoreCapture → active, in every status; its work continues', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { id } = await recording(workspace);
  const ids = [await newNote(workspace, 'Milk'), (await failed(workspace)).id, id];
  for (const each of ids) assert.is(bodyOf(await call(`DELETE /captures/${each}`)).recoverable, true);
  assert.equal(bodyOf(await call('GET /captures')).data, []);
  bodyOf(await call(`POST /captures/${id}/stop`));
  assert.is((await untilStatus(workspace, id, 'completed')).isArchived, true);
  for (const each of ids) assert.is(bodyOf(await call(`POST /captures/${each}/restore`)).isArchived, false);
  assert.is(bodyOf(await call('GET /captures?include=totalCount')).totalCount, 3);
});

test('capture: active or archived → deleteCapture `permanent` → erased: text and audio are gone, in every status', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const [running, done, broken] = [await recording(workspace), await recording(workspace), await failed(workspace)];
  bodyOf(await call(`POST /captures/${done.id}/stop`));
  await untilStatus(workspace, done.id, 'completed');
  bodyOf(await call(`DELETE /captures/${done.id}`));
  for (const { id } of [running, done, broken]) {
    assert.is(bodyOf(await call(`DELETE /captures/${id}?permanent=true`)).recoverable, false);
    refused(await call(`GET /captures/${id}`), 404, 'captureId');
    refused(await call(`POST /captures/${id}/restore`), 404, 'captureId');
  }
  for (const { session } of [running, done, broken]) await until(async () => (await filesOf(session)) === 0);
});

test('capture: recording → five minutes without audio → processing → completed, with what came', async () => {
  const workspace = await tandem.workspace();
  const { id, session, recorder } = await recording(workspace);
  const { rows } = tandem.db;
  await until(
    async () => (await rows('select from recordings where id = $1 and chunks > 0', [session.recordingId])).length,
  );
  const ago = `update recordings set last_audio_at = now() - interval '6 minutes' where id = $1`;
  await rows(ago, [session.recordingId]);
  await until(() => stopSilent({ db: tandem.db }, defaultTimes, pino({ level: 'silent' })));
  assert.is((await recorder.next('stopped')).reason, 'silence');
  assert.is((await untilStatus(workspace, id, 'completed')).transcript, transcript);
});

test('capture: processing → three tries that fail → failed, with its reason', async () => {
  const workspace = await tandem.workspace();
  const { id } = await recording(workspace);
  const before = transcription.requests.length;
  transcription.answer(() => ({ status: 429, headers: { 'retry-after': '0' } }));
  bodyOf(await workspace.call(`POST /captures/${id}/stop`));
  const { failure, summary } = await untilStatus(workspace, id, 'failed');
  assert.equal([failure.object, failure.code, failure.retryable], ['capture_failure', 'transcription_failed', true]);
  assert.is(summary, null);
  assert.is(transcription.requests.length - before, 9, 'three tries, each of them three requests');
});

test('capture: failed → retryCapture → processing → completed; every other status → refused, unchanged', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { id } = await failed(workspace);
  const [one, other] = await Promise.all([call(`POST /captures/${id}/retry`), call(`POST /captures/${id}/retry`)]);
  const [first, second] = one.status === 200 ? [one, other] : [other, one];
  assert.equal([bodyOf(first).status, first.body.failure], ['processing', null]);
  refused(second, 409, null);
  await untilStatus(workspace, id, 'completed');
  const { id: running } = await recording(workspace);
  const note = await newNote(workspace, 'Milk');
  for (const each of [id, running, note]) {
    const { status } = bodyOf(await call(`GET /captures/${each}`));
    refused(await call(`POST /captures/${each}/retry`), 409, null);
    assert.is(bodyOf(await call(`GET /captures/${each}`)).status, status);
  }
});

test('capture: a note never fails: whose minutes are spent stays completed, its summary null', async () => {
  const workspace = await tandem.workspace();
  const { db } = tandem;
  // Spent between its making and the work on it.
  const id = await db.transaction(async (tx) => {
    const made = `insert into captures (workspace_id, id, user_id, type, status, content)
      values ($1, gen_random_uuid(), $2, 'note', 'completed', 'Buy milk') returning id`;
    const [row] = await tx.rows<{ id: string }>(made, [workspace.workspaceId, workspace.userId]);
    const work = `insert into capture_work (workspace_id, capture_id, step, lease_until) values ($1, $2, 'digest', now())`;
    await tx.rows(work, [workspace.workspaceId, row?.id]);
    await tx.rows('update workspaces set agent_minutes = 0 where id = $1', [workspace.workspaceId]);
    return row?.id ?? '';
  });
  const left = 'select from capture_work where workspace_id = $1';
  await until(async () => (await db.rows(left, [workspace.workspaceId])).length === 0);
  const { status, failure, summary } = bodyOf(await workspace.call(`GET /captures/${id}`));
  assert.equal([status, failure, summary], ['completed', null, null]);
});

test('capture: (none) → createCapture with a transcript → processing → completed; nothing is transcribed', async () => {
  const workspace = await tandem.workspace();
  const before = transcription.requests.length;
  const made = bodyOf(await workspace.call('POST /captures', importOf()), 201);
  assert.equal([made.type, made.status, made.recordingId], ['recording', 'processing', null]);
  const body = await untilStatus(workspace, made.id, 'completed');
  assert.equal([body.transcript, body.mediaUrl], [transcript, null]);
  assert.ok(body.title && body.summary);
  assert.equal(await suggested(workspace, made.id), ['auto_suggested']);
  assert.is(transcription.requests.length, before);
});

test('capture: (none) → createCapture → workspace without minutes → refused, nothing is left behind', async () => {
  const workspace = await tandem.workspace();
  await setMinutes(tandem, workspace, 0);
  const note = { type: 'note', content: 'Milk', tags: ['shop'] };
  for (const body of [note, importOf()])
    refused(await workspace.call('POST /captures', body), 402, null, 'insufficient_minutes');
  for (const path of ['/captures', '/captures/tags', '/todos'])
    assert.equal(bodyOf(await workspace.call(`GET ${path}`)).data, []);
});

const written = [
  ...['object', 'id', 'type', 'status', 'durationSeconds', 'recordingId', 'failure', 'isArchived'],
  ...['createdAt', 'updatedAt'],
];
const listed = [...written, 'title', 'subtitle', 'summary', 'tags', 'recordedAt'];
const read = [...listed, 'content', 'transcript', 'notes', 'mediaUrl'];
const keysOf = (body: object) => Object.keys(body).toSorted();

test('capture: a write, a list and a read have exactly their fields, for each kind and status', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { id: done } = await recording(workspace);
  const stopped = bodyOf(await call(`POST /captures/${done}/stop`));
  await untilStatus(workspace, done, 'completed');
  const { id: broken } = await failed(workspace);
  const retried = bodyOf(await call(`POST /captures/${broken}/retry`));
  await untilStatus(workspace, broken, 'completed');
  const { id: worse } = await failed(workspace);
  const note = bodyOf(await call('POST /captures', { type: 'note', content: 'Milk' }), 201);
  const imported = bodyOf(await call('POST /captures', importOf()), 201);
  const { id: running } = await recording(workspace);
  assert.equal([stopped.status, retried.status, imported.status], ['processing', 'processing', 'processing']);

  const writes = [stopped, retried, note, imported];
  for (const id of [done, worse, note.id, imported.id, running]) {
    writes.push(bodyOf(await call(`PATCH /captures/${id}`, { notes: 'Seen' })));
    bodyOf(await call(`DELETE /captures/${id}`));
    writes.push(bodyOf(await call(`POST /captures/${id}/restore`)));
    assert.equal(keysOf(bodyOf(await call(`GET /captures/${id}`))), read.toSorted());
  }
  for (const body of writes) assert.equal(keysOf(body), written.toSorted());
  const { data } = bodyOf(await call('GET /captures'));
  assert.is(data.length, 6);
  for (const body of data) assert.equal(keysOf(body), listed.toSorted());
  const statuses = new Set([...data, ...writes].map(({ status }) => status));
  assert.equal([...statuses].toSorted(), ['completed', 'failed', 'processing', 'recording']);
});

test.run();

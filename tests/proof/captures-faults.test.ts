import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSession as signedIn } from '../../domain/accounts/open-session.ts';
import type { AudioStore, StoredObject } from '../../media/storage/store.ts';
import { surviveLostConnections } from '../../server/runtime/unhandled-rejections.ts';
import { assembled, partOf, recorded } from '../support/audio-fixtures.ts';
import { newNote } from '../support/capture-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace, testDatabaseUrl } from '../support/harness.ts';
import { type ModelServer, type Reply, startModelServer } from '../support/model-server.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { Recorder } from '../support/recorder.ts';
import { audioDirectory, type OpenedSession, openSession } from '../support/recording-fixtures.ts';
import { startTranscriptionServer, type TranscriptionServer } from '../support/transcription-server.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('captures whose work meets a fault');
const unwatch = surviveLostConnections({ warn: () => {} });

let directory: Awaited<ReturnType<typeof audioDirectory>>;
let store: AudioStore;
let transcription: TranscriptionServer;
let model: ModelServer;
let passage: Passage;
/** Takes requests and audio, and works on nothing. */
let tandem: TestService;
/** Works on captures, and reaches the database through `passage`. */
let worker: TestService;

/** What the parts of the world do to whoever comes next. */
let refuseFile = false;
let refuseRemoval = false;
let beforeFile: (() => Promise<unknown>) | undefined;
let modelReply: Reply;
let onList: ((objects: StoredObject[]) => Promise<StoredObject[]>) | undefined;

const digest = {
  title: 'Talk about the door',
  subtitle: null,
  summary: 'The door is blue.',
  todos: [{ title: 'Paint it' }],
};
const noSpace = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));

test.before(async () => {
  directory = await audioDirectory();
  store = {
    ...directory.store,
    putStream: async (...file) => {
      await beforeFile?.();
      return refuseFile ? noSpace() : directory.store.putStream(...file);
    },
    list: async (prefix) => {
      const objects = await directory.store.list(prefix);
      return onList && objects.length > 0 ? onList(objects) : objects;
    },
    remove: (prefix) => (refuseRemoval ? noSpace() : directory.store.remove(prefix)),
  };
  transcription = await startTranscriptionServer();
  model = await startModelServer('openai-compatible', () => modelReply);
  passage = await openPassage(testDatabaseUrl());
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' }, { audio: store });
  const environment = {
    DATABASE_URL: passage.url,
    TRANSCRIPTION_BASE_URL: transcription.url,
    TRANSCRIPTION_MODEL: 'whisper-1',
    AI_PROVIDER: 'openai-compatible',
    AI_BASE_URL: model.url,
    AI_API_KEY: 'none',
    AI_MODEL: 'any',
  };
  worker = await startTestService(environment, { audio: store, capturePauses: [0, 0] });
});
test.before.each(() => {
  [refuseFile, refuseRemoval, modelReply, onList] = [false, false, JSON.stringify(digest), undefined];
  transcription.answer(() => 'The new door is blue.');
});
test.after(async () => {
  await passage.mend();
  await Promise.all([tandem.close(), worker.close()]);
  await Promise.all([transcription.close(), model.close(), passage.close()]);
  await directory.remove();
  unwatch();
});

async function record(session: OpenedSession): Promise<void> {
  const recorder = await Recorder.start(session);
  for (const chunk of recorded[1] ?? []) recorder.record(chunk);
  await recorder.stop();
}

const newRecording = async (workspace: TestWorkspace) => {
  const session = await openSession(workspace);
  await record(session);
  return session;
};

async function read({ call }: TestWorkspace, { captureId }: { captureId: string }) {
  return bodyOf(await call(`GET /captures/${captureId}`));
}

async function ended(workspace: TestWorkspace, session: { captureId: string }) {
  await until(async () => ['completed', 'failed'].includes((await read(workspace, session)).status));
  return read(workspace, session);
}

async function retried(workspace: TestWorkspace, session: { captureId: string }) {
  bodyOf(await workspace.call(`POST /captures/${session.captureId}/retry`));
  return ended(workspace, session);
}

const keysOf = async ({ workspaceId, recordingId }: OpenedSession) =>
  (await directory.store.list(`${workspaceId}/${recordingId}/`)).map(({ key }) => key.split('/').slice(2).join('/'));

const titlesOf = async ({ call }: TestWorkspace, { captureId }: OpenedSession) =>
  bodyOf(await call(`GET /todos?captureId=${captureId}`)).data.map(({ title }: { title: string }) => title);

test('a full disk fails a recording as internal_error, with all its audio kept; retried with room, it completes', async () => {
  const workspace = await tandem.workspace();
  refuseFile = true;
  const session = await newRecording(workspace);
  const { status, failure, durationSeconds } = await ended(workspace, session);
  const { code, retryable, message } = failure;
  assert.equal([status, code, retryable, durationSeconds], ['failed', 'internal_error', true, null]);
  assert.not.match(message, /space|ENOSPC/, 'what went wrong inside is for the log');
  assert.is((await keysOf(session)).length, recorded[1]?.length);
  refuseFile = false;
  assert.is((await retried(workspace, session)).status, 'completed');
  assert.equal(await keysOf(session), ['audio.webm']);
});

test('chunks that could not be removed once the audio was joined are removed before it continues', async () => {
  const workspace = await tandem.workspace();
  refuseRemoval = true;
  transcription.answer(() => ({ status: 401 }));
  const session = await newRecording(workspace);
  assert.is((await ended(workspace, session)).failure.code, 'internal_error');
  assert.ok((await keysOf(session)).length > 2);
  refuseRemoval = false;
  transcription.answer(() => 'The new door is blue.');
  assert.is((await retried(workspace, session)).status, 'completed');
  assert.equal(await keysOf(session), ['audio.webm']);
});

test('a worker that slept while another one joined the audio does not overwrite it with the chunks that were left', async () => {
  const workspace = await tandem.workspace();
  const session = await openSession(workspace);
  const { workspaceId, captureId, recordingId } = session;
  const key = `${workspaceId}/${recordingId}/audio.webm`;
  const { bytes } = await assembled(directory.path, partOf(...(recorded[1] ?? [])));
  const recorder = await Recorder.start(session);
  for (const chunk of recorded[1] ?? []) recorder.record(chunk);
  await recorder.settled();
  let overtaken = 0;
  onList = async (objects) => {
    onList = undefined;
    overtaken += 1;
    // The other one has saved its file, begun to remove the chunks, and died.
    await directory.store.put(key, bytes);
    await tandem.db.rows(`update captures set audio_key = $2, audio_type = 'audio/webm' where id = $1`, [
      captureId,
      key,
    ]);
    const taken = `update capture_work set attempt = attempt + 1, step = 'transcribe', worker_id = gen_random_uuid(),
      lease_until = now() - interval '1 second' where capture_id = $1`;
    await tandem.db.rows(taken, [captureId]);
    return objects.slice(0, 5);
  };
  await recorder.stop();
  assert.is((await ended(workspace, session)).status, 'completed');
  assert.is(overtaken, 1);
  const kept: Uint8Array[] = [];
  for await (const piece of directory.store.read(key)) kept.push(piece);
  assert.ok(Buffer.concat(kept).equals(bytes), 'the whole recording is there');
});

test('a recording that is erased while its file is written leaves no file, also when its removal is over by then', async () => {
  const workspace = await tandem.workspace();
  const session = await openSession(workspace);
  const recorder = await Recorder.start(session);
  for (const chunk of recorded[1] ?? []) recorder.record(chunk);
  await recorder.settled();
  const written = Promise.withResolvers<void>();
  beforeFile = async () => {
    beforeFile = undefined;
    bodyOf(await workspace.call(`DELETE /captures/${session.captureId}?permanent=true`));
    await tandem.db.rows('delete from audio_removals where recording_id = $1', [session.recordingId]);
    written.resolve();
  };
  await recorder.stop();
  await written.promise;
  const prefix = `${session.workspaceId}/${session.recordingId}/`;
  await until(async () => (await directory.store.list(prefix)).length === 0);
});

test('a database that goes away in the middle of the work fails nothing: it is done once when it is back', async () => {
  const workspace = await tandem.workspace();
  const asked = Promise.withResolvers<void>();
  const cut = Promise.withResolvers<void>();
  transcription.answer(async () => {
    asked.resolve();
    await cut.promise;
    return 'The new door is blue.';
  });
  const session = await newRecording(workspace);
  await asked.promise;
  await passage.cut();
  cut.resolve();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.is((await read(workspace, session)).status, 'processing');
  await passage.mend();
  // The lease of whoever could not give it back runs out.
  const lapse = `update capture_work set lease_until = now() - interval '1 second' where capture_id = $1`;
  await tandem.db.rows(lapse, [session.captureId]);
  await until(async () => (await read(workspace, session)).status === 'completed').catch(() => {});
  const { status, transcript, title } = await ended(workspace, session);
  assert.equal([status, transcript, title], ['completed', 'The new door is blue.', digest.title]);
  assert.equal(await titlesOf(workspace, session), ['Paint it']);
});

test('a model that refuses its key fails a recording as summary_failed, and leaves a note completed without summary', async () => {
  const workspace = await tandem.workspace();
  modelReply = { status: 401 };
  const session = await newRecording(workspace);
  const note = { captureId: await newNote(workspace, 'Paint the door') };
  const { status, failure, transcript, summary } = await ended(workspace, session);
  assert.equal([status, transcript, summary], ['failed', 'The new door is blue.', null]);
  assert.equal([failure.code, failure.retryable], ['summary_failed', true]);
  assert.match(failure.message, /AI_API_KEY/);
  const left = 'select from capture_work where workspace_id = $1';
  await until(async () => (await tandem.db.rows(left, [workspace.workspaceId])).length === 0);
  const kept = await read(workspace, note);
  assert.equal([kept.status, kept.failure, kept.summary], ['completed', null, null]);
  const transcribed = transcription.requests.length;
  modelReply = JSON.stringify(digest);
  assert.is((await retried(workspace, session)).summary, digest.summary);
  assert.is(transcription.requests.length, transcribed, 'what was transcribed is not asked for again');
});

test('the person who recorded may leave during processing: the capture is completed for the other members', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const userId = await workspace.member();
  const { token: key } = await signedIn(tandem.db, { workspaceId, userId, client: 'test' });
  const asked = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  transcription.answer(async () => {
    asked.resolve();
    await gone.promise;
    return 'The new door is blue.';
  });
  const opened = bodyOf(await workspace.call('POST /captures/recordings', {}, { key }), 201);
  const session = { ...opened, workspaceId };
  await record(session);
  await asked.promise;
  const owner = await workspace.session();
  bodyOf(await workspace.call(`DELETE /workspaces/${workspaceId}/members/${userId}`, undefined, { key: owner }));
  gone.resolve();
  assert.is((await ended(workspace, session)).status, 'completed');
  assert.equal(await titlesOf(workspace, session), ['Paint it']);
});

test.run();

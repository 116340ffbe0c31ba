import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CaptureClaim } from '../../domain/captures/processing/claims.ts';
import { scopes } from '../../domain/scopes.ts';
import { intakeIsOver } from '../../server/recordings/claims.ts';
import { assertFrame, sameFor } from '../support/frame.ts';
import { Recorder } from '../support/recorder.ts';
import {
  audio,
  audioDirectory,
  openSession,
  type RecordingWorld,
  rowOf,
  startIntake,
  storedChunks,
} from '../support/recording-fixtures.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('recordings');
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const started: CaptureClaim[] = [];
let directory: Awaited<ReturnType<typeof audioDirectory>>;
let tandem: RecordingWorld;

test.before(async () => {
  directory = await audioDirectory();
  const onCapture = async (claim: CaptureClaim) => void started.push(claim);
  tandem = await startIntake(directory.store, {}, { handlers: { onCapture } });
});
test.after(async () => {
  await tandem.close();
  await directory.remove();
});

const rows = async (text: string, values: unknown[]) => [...(await tandem.db.rows(text, values))];

async function running() {
  const workspace = await tandem.workspace();
  return { workspace, session: await openSession(workspace) };
}

test('startRecording opens a capture with the status recording and says where its audio goes', async () => {
  const workspace = await tandem.workspace();
  const key = await workspace.session();
  const body = { title: 'Planning', tags: [' Spring ', 'release', 'spring'], language: 'PT-br' };
  const begunAt = Date.now();
  const answer = assertFrame(await workspace.call('POST /captures/recordings', body, { key }));
  const session = bodyOf(answer, 201);
  const { id, captureId, token, expiresAt } = session;
  assert.equal(session, {
    object: 'recording_session',
    id,
    captureId,
    recordingId: id,
    socketUrl: `${tandem.url.replace('http', 'ws')}/recordings`,
    token,
    expiresAt,
    maxDurationSeconds: 14_400,
  });
  assert.match(id, uuid);
  const { body: other } = await workspace.call('POST /captures/recordings', { tags: ['SPRING', 'new'] }, { key });
  assert.equal(bodyOf(await workspace.call(`GET /captures/${other.captureId}`)).tags, ['Spring', 'new']);
  const found = bodyOf(await workspace.call('GET /captures?query=planning'));
  assert.equal(
    found.data.map((each: { id: string; status: string }) => [each.id, each.status]),
    [[captureId, 'recording']],
  );
  assert.match(captureId, uuid);
  assert.match(token, /^[\w-]{43}$/);
  const openedAt = Date.parse(expiresAt) - 300_000;
  assert.ok(openedAt >= begunAt && openedAt <= Date.now(), expiresAt);
  const text = `select type, status, title, title_given, tags, language, user_id, recording_id, duration_seconds,
    recorded_at = created_at as now from captures where workspace_id = $1 and id = $2`;
  assert.equal(await rows(text, [workspace.workspaceId, captureId]), [
    {
      type: 'recording',
      status: 'recording',
      title: 'Planning',
      title_given: true,
      tags: ['Spring', 'release'],
      language: 'pt-BR',
      user_id: workspace.userId,
      recording_id: id,
      duration_seconds: null,
      now: true,
    },
  ]);
});

test('startRecording keeps neither token in the clear', async () => {
  const { session } = await running();
  const recorder = await Recorder.start(session);
  const rows = await tandem.db.rows('select r::text as row from recordings r where id = $1', [session.recordingId]);
  const { row } = rows[0] as { row: string };
  for (const secret of [session.token, recorder.ready.resumeToken]) {
    assert.not.ok(row.includes(secret));
    assert.not.ok(row.includes(Buffer.from(secret).toString('hex')));
  }
  await recorder.drop();
});

test('startRecording names what is wrong with a title, a tag and a language', async () => {
  const workspace = await tandem.workspace();
  const key = await workspace.session();
  const bad: [object, string][] = [
    [{ title: ' ' }, 'title'],
    [{ title: 'x'.repeat(301) }, 'title'],
    [{ tags: ['a,b'] }, 'tags[0]'],
    [{ language: 'not a language' }, 'language'],
    [{ language: '' }, 'language'],
    [{ language: `en-${'abcdefgh-'.repeat(5)}x` }, 'language'],
  ];
  for (const [body, param] of bad) {
    const answer = assertFrame(await workspace.call('POST /captures/recordings', body, { key }));
    assert.is(answer.status, 400, answer.text);
    assert.is(answer.body.param, param);
  }
});

test('startRecording and stopCapture are for those who may: a session alone, and captures:write', async () => {
  const { workspace, session } = await running();
  const apiKey = workspace.key;
  const oauth = await workspace.mint(scopes);
  await tandem.db.rows(`update credentials set kind = 'oauth' where workspace_id = $1 and secret_hash = sha256($2)`, [
    workspace.workspaceId,
    Buffer.from(oauth),
  ]);
  for (const key of [apiKey, oauth]) {
    const { status, body } = assertFrame(await workspace.call('POST /captures/recordings', {}, { key }));
    assert.equal([status, body.code, body.reason], [403, 'missing_scope', 'session_required']);
  }
  const key = await workspace.mint(scopes.filter((scope) => scope !== 'captures:write'));
  const refused = await workspace.call(`POST /captures/${session.captureId}/stop`, undefined, { key });
  assert.equal([refused.status, refused.body.requiredScopes], [403, ['captures:write']]);
  bodyOf(await workspace.call(`POST /captures/${session.captureId}/stop`));
});

test('capture: (none) → opening a recording session → workspace without minutes → refused, nothing written', async () => {
  const workspace = await tandem.workspace();
  await tandem.db.rows('update workspaces set agent_minutes = 0 where id = $1', [workspace.workspaceId]);
  const key = await workspace.session();
  const answer = assertFrame(await workspace.call('POST /captures/recordings', {}, { key }));
  assert.equal([answer.status, answer.body.code], [402, 'insufficient_minutes']);
  const invalid = await workspace.call('POST /captures/recordings', { surprise: 1 }, { key });
  assert.is(invalid.status, 400, 'what is wrong with the request comes first');
  const count = 'select count(*)::int as n from captures where workspace_id = $1';
  assert.equal(await rows(count, [workspace.workspaceId]), [{ n: 0 }]);
});

test('capture: recording → stopCapture → processing; its work begins', async () => {
  const { workspace, session } = await running();
  const { captureId, recordingId, workspaceId } = session;
  assert.is(await intakeIsOver(tandem.db, { workspaceId, captureId }), false);
  const answer = assertFrame(await workspace.call(`POST /captures/${captureId}/stop`));
  const { createdAt, updatedAt } = answer.body;
  assert.equal(bodyOf(answer), {
    object: 'capture',
    id: captureId,
    type: 'recording',
    status: 'processing',
    durationSeconds: null,
    recordingId,
    failure: null,
    isArchived: false,
    createdAt,
    updatedAt,
  });
  assert.ok(updatedAt > createdAt);
  const read = await workspace.call(`GET /captures/${captureId}`);
  assert.is(answer.headers.get('etag'), read.headers.get('etag'));
  assert.is(await intakeIsOver(tandem.db, { workspaceId, captureId }), true);
  await until(() => started.some((each) => each.captureId === captureId));
  const work = 'select step, tries from capture_work where workspace_id = $1 and capture_id = $2';
  assert.equal(await rows(work, [workspaceId, captureId]), [{ step: 'assemble', tries: 0 }]);
});

test('capture: other → stopCapture → not a running recording → refused, unchanged', async () => {
  const { workspace, session } = await running();
  const { captureId, workspaceId } = session;
  bodyOf(await workspace.call(`POST /captures/${captureId}/stop`));
  const note = crypto.randomUUID();
  const insert = `insert into captures (workspace_id, id, type, status, user_id, content)
    values ($1, $2, 'note', 'completed', $3, 'Milk')`;
  await tandem.db.rows(insert, [workspaceId, note, workspace.userId]);
  const all = 'select c::text as row from captures c where workspace_id = $1 order by id';
  for (const status of ['processing', 'completed', 'failed']) {
    const failure = status === 'failed' ? 'no_audio' : null;
    const set = 'update captures set status = $3, failure_code = $4 where workspace_id = $1 and id = $2';
    await tandem.db.rows(set, [workspaceId, captureId, status, failure]);
    const before = await rows(all, [workspaceId]);
    for (const id of [captureId, note]) {
      const { status: code, body } = assertFrame(await workspace.call(`POST /captures/${id}/stop`));
      assert.equal([code, body.code], [409, 'resource_conflict']);
    }
    assert.equal(await rows(all, [workspaceId]), before);
  }
});

test('stopCapture answers the same for a recording of another workspace and for none', async () => {
  const { session } = await running();
  const other = await tandem.workspace();
  const foreign = await other.call(`POST /captures/${session.captureId}/stop`);
  const unknown = await other.call('POST /captures/0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee/stop');
  assert.equal([foreign.status, foreign.body.param], [404, 'captureId']);
  assert.equal(sameFor(foreign), sameFor(unknown));
  assert.is((await rowOf(tandem, session)).stopReason, null);
});

test('audio that is recorded is stored as it was sent, chunk by chunk, and stop ends it', async () => {
  const { session } = await running();
  const recorder = await Recorder.start(session);
  const { resumeToken } = recorder.ready;
  assert.equal(recorder.ready, {
    type: 'ready',
    captureId: session.captureId,
    recordingId: session.recordingId,
    resumeToken,
    nextSequence: 0,
    maxDurationSeconds: 14_400,
    maxChunkBytes: 1_048_576,
    window: 32,
  });
  const sent = [audio(1), audio(70_000), audio(1_048_576), audio(300), audio(20)];
  for (const [place, each] of sent.entries()) recorder.record(each, place === 0 || place === 3);
  assert.is(await recorder.stop(), 'stopped');
  assert.equal(await recorder.closed, { code: 1000, reason: '' });
  const expected = sent.map((each, sequence) => ({ sequence, begins: sequence % 3 === 0, audio: each }));
  assert.equal(await storedChunks(tandem.store, session), expected);
  assert.equal(await rowOf(tandem, session), {
    holder: null,
    isHeld: false,
    chunks: 5,
    sizeBytes: 1_118_897,
    stopReason: 'stopped',
    status: 'processing',
    mediaType: 'audio/webm',
  });
  assert.is(await intakeIsOver(tandem.db, session), true);
  const work = 'select step from capture_work where workspace_id = $1 and capture_id = $2';
  assert.equal(await rows(work, [session.workspaceId, session.captureId]), [{ step: 'assemble' }]);
});

test('stopCapture while chunks are in flight keeps every one that was acknowledged, before the intake is over', async () => {
  for (let round = 0; round < 5; round++) {
    const { workspace, session } = await running();
    const recorder = await Recorder.start(session);
    const sent = Array.from({ length: 200 }, () => audio(500));
    for (const each of sent) recorder.record(each);
    await until(() => recorder.durable > 20);
    bodyOf(await workspace.call(`POST /captures/${session.captureId}/stop`));
    await until(() => intakeIsOver(tandem.db, session));
    const stored = await storedChunks(tandem.store, session);
    assert.is((await recorder.next('stopped')).reason, 'stopped');
    assert.equal(await recorder.closed, { code: 1000, reason: '' });
    assert.is(stored.length, recorder.durable, 'what is stored is what was acknowledged, and nothing came later');
    assert.equal(
      stored.map((chunk) => chunk.audio),
      sent.slice(0, recorder.durable),
    );
    assert.equal((await storedChunks(tandem.store, session)).length, stored.length);
  }
});

test('two that stop a recording at once: one does, the other gets a conflict', async () => {
  const { workspace, session } = await running();
  const recorder = await Recorder.start(session);
  recorder.record(audio());
  await recorder.settled();
  const route = `POST /captures/${session.captureId}/stop`;
  recorder.send({ type: 'stop' });
  const answers = await Promise.all([workspace.call(route), workspace.call(route)]);
  assert.is((await recorder.next('stopped')).reason, 'stopped');
  const statuses = answers.map(({ status }) => status);
  assert.ok(statuses.every((status) => [200, 409].includes(status)) && statuses.includes(409), statuses.join());
  // Work that was begun twice has a higher number: beginning it again raises it, as the claim does.
  const claimed = () => started.find((each) => each.captureId === session.captureId);
  await until(() => claimed() !== undefined);
  assert.is(claimed()?.attempt, 1);
});

test('a recording that is archived continues', async () => {
  const { session } = await running();
  const recorder = await Recorder.start(session);
  await tandem.db.rows('update captures set archived_at = now() where workspace_id = $1 and id = $2', [
    session.workspaceId,
    session.captureId,
  ]);
  recorder.record(audio());
  assert.is(await recorder.stop(), 'stopped');
});

test('/metrics counts connected recorders and the bytes that were stored', async () => {
  const { session } = await running();
  const read = async (name: string) => {
    const text = await (await fetch(`${tandem.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  // Those of the tests before have left, and may still be counted.
  await until(async () => (await read('tandem_recordings_open')) === 0);
  const stored = await read('tandem_recordings_stored_bytes_total');
  const recorder = await Recorder.start(session);
  assert.is(await read('tandem_recordings_open'), 1);
  recorder.record(audio(1234));
  await recorder.settled();
  assert.is(await read('tandem_recordings_stored_bytes_total'), stored + 1234);
  assert.is(await read('tandem_recordings_held_bytes'), 0);
  await recorder.drop();
  await until(async () => (await read('tandem_recordings_open')) === 0);
});

test.run();

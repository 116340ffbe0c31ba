import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { maxRunning } from '../../domain/captures/recording.ts';
import { revokeAccess } from '../../domain/sign-in/operator-access.ts';
import { ask, assertFrame, inOneWindow } from '../support/frame.ts';
import type { TestWorkspace } from '../support/harness.ts';
import { chunkFrame, Recorder, refusalOf } from '../support/recorder.ts';
import {
  audio,
  audioDirectory,
  idle,
  type OpenedSession,
  openSession,
  type RecordingWorld,
  rowOf,
  socketOf,
  startIntake,
  storedChunks,
} from '../support/recording-fixtures.ts';
import { until, within } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('the recording socket');
const unknown = 'x'.repeat(43);
let directory: Awaited<ReturnType<typeof audioDirectory>>;
let tandem: RecordingWorld;

test.before(async () => {
  directory = await audioDirectory();
  const environment = { ...idle, ALLOWED_ORIGINS: 'https://recorder.example.com' };
  tandem = await startIntake(directory.store, environment, { intakeTimes: { renewMs: 100 } });
});
test.after(async () => {
  await tandem.close();
  await directory.remove();
});

const newSession = async () => openSession(await tandem.workspace());

async function refused(token: string | null, headers: Record<string, string | undefined> = {}) {
  const { status, body, headers: answered } = assertFrame(await refusalOf(socketOf(tandem), token, headers));
  assert.is(answered.get('connection'), 'close');
  return { status, code: body.code, reason: body.reason, param: body.param, headers: answered };
}

test('a token opens the socket once', async () => {
  const session = await newSession();
  const recorder = await Recorder.start(session);
  const { status, code, headers } = await refused(session.token);
  assert.equal([status, code], [401, 'invalid_api_key']);
  assert.ok(headers.get('www-authenticate'));
  assert.is(await recorder.stop(), 'stopped');
});

test('of many that show the same token at once one is let in', async () => {
  const session = await newSession();
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => Recorder.start(session)));
  assert.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('no token, an unknown one, a malformed one and an expired one are 401', async () => {
  const session = await newSession();
  await tandem.db.rows('update recordings set token_expires_at = now() where id = $1', [session.recordingId]);
  assert.equal((await refused(null)).code, 'missing_credentials');
  assert.equal((await refused(null, { 'sec-websocket-protocol': 'chat' })).code, 'missing_credentials');
  for (const token of [unknown, 'short', `${unknown}y`, session.token]) {
    const { status, code } = await refused(token);
    assert.equal([status, code], [401, 'invalid_api_key'], token);
  }
});

test('a token of somebody who left the workspace opens nothing', async () => {
  const workspace = await tandem.workspace();
  const session = await openSession(workspace);
  const leave = 'update members set removed_at = now() where workspace_id = $1 and user_id = $2';
  await tandem.db.rows(leave, [workspace.workspaceId, workspace.userId]);
  assert.is((await refused(session.token)).status, 401);
});

test('the connection of somebody who is removed ends at once, and what it stored stays', async () => {
  // Nothing but a notification makes this process look again.
  const unhurried = await startIntake(directory.store, idle, { intakeTimes: { renewMs: 600_000, leaseMs: 1_200_000 } });
  try {
    const [workspace, other] = [await unhurried.workspace(), await unhurried.workspace()];
    const recorders = [
      await Recorder.start(await openSession(workspace)),
      await Recorder.start(await openSession(other)),
    ];
    const [recorder, kept] = recorders as [Recorder, Recorder];
    recorder.record(audio(1000));
    await until(() => recorder.durable === 1);
    const leave = 'update members set removed_at = now() where workspace_id = $1 and user_id = $2';
    await tandem.db.rows(leave, [workspace.workspaceId, workspace.userId]);
    assert.is((await within(() => 'the end of the connection', recorder.closed)).code, 4000);
    const error = recorder.frames.at(-1);
    assert.is(error?.type === 'error' && error.code, 'access_revoked');
    assert.is((await refused(recorder.ready.resumeToken)).status, 401);
    assert.is(
      (await storedChunks(directory.store, { ...workspace, recordingId: recorder.ready.recordingId })).length,
      1,
    );
    assert.is(await kept.stop(), 'stopped');
  } finally {
    await unhurried.close();
  }
});

test('so does the connection of somebody who lacks a second factor that the workspace requires now', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const recorder = await Recorder.start(await openSession(workspace));
  const late = await openSession(workspace);
  const kept = await Recorder.start(await openSession(other));
  recorder.record(audio(1000));
  await until(() => recorder.durable === 1);
  const demand = (required: boolean) =>
    tandem.db.rows('update workspaces set require_second_factor = $2 where id = $1', [workspace.workspaceId, required]);
  await demand(true);
  assert.is((await within(() => 'the end of the connection', recorder.closed)).code, 4000);
  const error = recorder.frames.at(-1);
  assert.is(error?.type === 'error' && error.code, 'access_revoked');
  for (const token of [recorder.ready.resumeToken, late.token]) assert.is((await refused(token)).status, 401);
  assert.is(await kept.stop(), 'stopped');
  await demand(false);
  await recorder.resume();
  assert.is(await recorder.stop(), 'stopped');
});

test('what a session records ends with it, also by the operator, and not by another workspace or by time alone', async () => {
  const workspace = await tandem.workspace();
  const started = async (key: string) => bodyOf(await workspace.call('POST /captures/recordings', {}, { key }), 201);
  const record = async (key: string) => Recorder.start(await started(key));
  const [one, two, own] = [await workspace.session(), await workspace.session(), await workspace.session()];
  const recorders = [await record(one), await record(two), await record(own)] as [Recorder, Recorder, Recorder];
  const late = [await started(one), await started(two)];
  const isRefused = async (recorder: Recorder, unused: OpenedSession) => {
    assert.is((await within(() => 'the end of the connection', recorder.closed)).code, 4000);
    const error = recorder.frames.at(-1);
    assert.is(error?.type === 'error' && error.code, 'access_revoked');
    for (const token of [recorder.ready.resumeToken, unused.token]) assert.is((await refused(token)).status, 401);
  };
  const current = async (key: string) => {
    const { data } = bodyOf(await workspace.call('GET /auth/sessions', undefined, { key }));
    return data.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent).id;
  };
  recorders[0].record(audio(1000));
  await until(() => recorders[0].durable === 1);
  bodyOf(await workspace.call(`DELETE /auth/sessions/${await current(one)}`, undefined, { key: own }));
  await isRefused(recorders[0], late[0]);

  const other = bodyOf(await workspace.call('POST /workspaces', { name: 'Elsewhere' }, { key: own }), 201);
  const moved = bodyOf(
    await workspace.call('POST /auth/sessions/current/workspace', { workspaceId: other.id }, { key: own }),
    201,
  );
  const expire = `update credentials set expires_at = now(), last_used_at = now() - interval '13 hours' where id = $1`;
  await tandem.db.rows(expire, [moved.id]);
  await recorders[2].drop();
  await recorders[2].resume();

  const email = await tandem.db.rows<{ email: string }>('select email from users where id = $1', [workspace.userId]);
  await revokeAccess(tandem.db, email[0]?.email ?? '', { keys: false, factors: false });
  await isRefused(recorders[1], late[1]);
});

/** Recordings that run, and whose recorders have yet to connect. */
async function manyRunning({ workspaceId, userId }: TestWorkspace, count: number): Promise<void> {
  const text = `with made as (
      insert into captures (workspace_id, id, type, status, user_id, recording_id, recorded_at)
      select $1, gen_random_uuid(), 'recording', 'recording', $2, gen_random_uuid(), now() from generate_series(1, $3)
      returning workspace_id, id, user_id, recording_id
    )
    insert into recordings (workspace_id, id, capture_id, user_id, token_hash, token_expires_at, max_seconds)
    select workspace_id, recording_id, id, user_id, sha256(id::text::bytea), now() + interval '5 minutes', 60 from made`;
  await tandem.db.rows(text, [workspaceId, userId, count]);
}

test('a workspace has so many recordings running and no more, whatever others have', async () => {
  const workspace = await tandem.workspace();
  await manyRunning(workspace, maxRunning - 1);
  const key = await workspace.session();
  const start = () => workspace.call('POST /captures/recordings', {}, { key });
  const answers = await Promise.all([start(), start(), start()]);
  assert.equal(answers.map(({ status }) => status).sort(), [201, 429, 429]);
  const [refusal] = answers.filter(({ status }) => status === 429);
  assert.equal([refusal?.body.code, refusal?.headers.get('retry-after')], ['rate_limit_exceeded', '30']);
  assert.match(refusal?.body.message, 'This workspace has 100 open recordings');
  await newSession();
  const [started] = answers.filter(({ status }) => status === 201);
  bodyOf(await workspace.call(`POST /captures/${started?.body.captureId}/stop`));
  assert.is((await start()).status, 201);
});

test('a workspace has so many sockets on a process and no more, and one that ends makes room', async () => {
  const narrow = await startIntake(directory.store, idle, { maxRecordingSockets: 2 });
  try {
    const workspace = await narrow.workspace();
    const sessions = await Promise.all([1, 2, 3].map(() => openSession(workspace)));
    const [first, second, third] = sessions as [OpenedSession, OpenedSession, OpenedSession];
    const [one, two] = [await Recorder.start(first), await Recorder.start(second)];
    const { status, body, headers } = await refusalOf(socketOf(narrow), third.token);
    assert.equal([status, body.code, headers.get('retry-after')], [429, 'rate_limit_exceeded', '30']);
    const other = await Recorder.start(await openSession(await narrow.workspace()));
    assert.is(await one.stop(), 'stopped');
    // The token that was refused is not spent.
    const late: Recorder[] = [];
    await until(async () => late.push(...(await Recorder.start(third).then(Array.of, () => []))));
    for (const recorder of [two, other, ...late]) assert.is(await recorder.stop(), 'stopped');
  } finally {
    await narrow.close();
  }
});

test('a recording that was stopped is 409, to both tokens', async () => {
  const workspace = await tandem.workspace();
  const [early, late] = [await openSession(workspace), await openSession(workspace)];
  bodyOf(await workspace.call(`POST /captures/${early.captureId}/stop`));
  const recorder = await Recorder.start(late);
  await recorder.stop();
  for (const token of [early.token, recorder.ready.resumeToken]) {
    const { status, code, reason } = await refused(token);
    assert.equal([status, code, reason], [409, 'resource_conflict', 'recording_stopped']);
  }
  assert.is((await refused(late.token)).status, 401, 'this one was spent');
});

test('a page of another site is 403 and costs the token nothing; the own and allowed ones are let in', async () => {
  const session = await newSession();
  for (const origin of ['https://evil.example.com', 'null', 'http://127.0.0.1:1']) {
    const { status, reason, param } = await refused(session.token, { origin });
    assert.equal([status, reason, param], [403, 'origin_not_allowed', 'Origin'], origin);
  }
  const { status, reason } = await refused(session.token, { host: 'rebound.example.com' });
  assert.equal([status, reason], [403, 'host_not_allowed']);
  for (const origin of [tandem.url, 'https://recorder.example.com']) {
    const { token } = await newSession();
    const socket = new WebSocket(socketOf(tandem), `tandem.${token}`, { origin });
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
    assert.is(socket.protocol, `tandem.${token}`);
    assert.is(socket.extensions, '');
    socket.terminate();
  }
});

test('guessing tokens uses up the rate limit of the address', async () => {
  const narrow = await startIntake(directory.store, { ...idle, RATE_LIMIT_PER_ADDRESS: '5', TRUST_PROXY: '1' });
  const headers = { 'x-forwarded-for': '2001:db8::1' };
  try {
    await inOneWindow(narrow);
    const { recordingId, token } = await newSession();
    const guess = async (each: string) => assertFrame(await refusalOf(socketOf(narrow), each, headers)).status;
    for (let guesses = 0; guesses < 5; guesses++) assert.is(await guess(unknown), 401);
    assert.is(await guess(unknown), 429);
    assert.is(await guess(token), 429, 'guessing right does not help');
    const [row] = await tandem.db.rows<{ spent: boolean }>(
      'select resume_hash is not null as spent from recordings where id = $1',
      [recordingId],
    );
    assert.is(row?.spent, false);
  } finally {
    await narrow.close();
  }
});

test('a handshake that is none is 400 and costs the token nothing', async () => {
  const session = await newSession();
  const wrong: [Record<string, string | undefined>, string][] = [
    [{ 'sec-websocket-key': 'short' }, 'Sec-WebSocket-Key'],
    [{ 'sec-websocket-key': undefined }, 'Sec-WebSocket-Key'],
    [{ 'sec-websocket-version': '12' }, 'Sec-WebSocket-Version'],
    [{ 'sec-websocket-protocol': `tandem.${session.token},,` }, 'Sec-WebSocket-Protocol'],
    [{ 'sec-websocket-protocol': `tandem.${session.token}, tandem.${session.token}` }, 'Sec-WebSocket-Protocol'],
  ];
  for (const [headers, param] of wrong) {
    const answer = await refused(session.token, headers);
    assert.equal([answer.status, answer.param], [400, param]);
  }
  await (await Recorder.start(session)).drop();
});

test('a request that upgrades nothing is 426, and an upgrade of another address is answered as if it had not asked', async () => {
  const plain = assertFrame(await ask(`${tandem.url}/recordings`));
  assert.equal([plain.status, plain.headers.get('upgrade')], [426, 'websocket']);
  assert.is((await ask(`${tandem.url}/recordings`, { method: 'POST' })).status, 404);
  assert.is((await refusalOf(socketOf(tandem), unknown, { upgrade: 'h2c' })).status, 426);
  const base = tandem.url.replace('http', 'ws');
  for (const [path, status] of Object.entries({ '/healthz': 200, '/api/v1': 200, '/nowhere': 404, '/mcp': 405 })) {
    assert.is((await refusalOf(`${base}${path}`, unknown)).status, status, path);
  }
});

const faults: [string, (recorder: Recorder) => void, string][] = [
  ['text that is no JSON', (recorder) => recorder.send('stop'), 'frame_not_understood'],
  ['a frame of an unknown type', (recorder) => recorder.send({ type: 'rewind' }), 'frame_not_understood'],
  ['a frame with an unknown field', (recorder) => recorder.send({ type: 'stop', now: 1 }), 'frame_not_understood'],
  ['a format that is none', (recorder) => recorder.send({ type: 'format', mediaType: 'x' }), 'frame_not_understood'],
  ['text that is very long', (recorder) => recorder.send(`"${'x'.repeat(5000)}"`), 'frame_not_understood'],
  ['an empty chunk', (recorder) => recorder.send(chunkFrame(1, Buffer.alloc(0))), 'chunk_not_understood'],
  ['half a header', (recorder) => recorder.send(Buffer.from([0, 0, 0])), 'chunk_not_understood'],
  ['flags that mean nothing', (recorder) => recorder.send(Buffer.from([2, 0, 0, 0, 1, 7])), 'chunk_not_understood'],
  ['a chunk too far on', (recorder) => recorder.send(chunkFrame(2, audio())), 'sequence_gap'],
  ['another format', (recorder) => recorder.send({ type: 'format', mediaType: 'audio/wav' }), 'format_conflict'],
];

for (const [what, act, code] of faults) {
  test(`${what} ends the connection with what is wrong; what came before is kept, and it can be resumed`, async () => {
    const session = await newSession();
    const recorder = await Recorder.start(session);
    const sent = [audio(), audio()];
    recorder.record(sent[0] as Buffer);
    act(recorder);
    const error = await recorder.next('error');
    assert.is(error.code, code);
    assert.ok(error.message.endsWith('.'));
    assert.equal(await recorder.closed, { code: 4000, reason: '' });
    assert.is(recorder.durable, 1);
    assert.is((await recorder.resume()).nextSequence, 1);
    recorder.record(sent[1] as Buffer);
    assert.is(await recorder.stop(), 'stopped');
    const stored = await storedChunks(tandem.store, session);
    assert.equal(
      stored.map((chunk) => chunk.audio),
      sent,
    );
  });
}

test('a chunk before its format, and a first chunk that begins no part, are faults', async () => {
  const session = await newSession();
  const socket = new WebSocket(session.socketUrl, `tandem.${session.token}`);
  const frames: { type: string; code?: string; resumeToken?: string }[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(data.toString())));
  await until(() => frames.some(({ type }) => type === 'ready'));
  socket.send(chunkFrame(0, audio()));
  await until(() => frames.some(({ code }) => code === 'format_missing'));
  const again = new WebSocket(session.socketUrl, `tandem.${frames[0]?.resumeToken}`);
  again.on('message', (data) => frames.push(JSON.parse(data.toString())));
  await until(() => frames.filter(({ type }) => type === 'ready').length === 2);
  again.send(JSON.stringify({ type: 'format', mediaType: 'audio/wav' }));
  again.send(chunkFrame(0, audio(), false));
  await until(() => frames.some(({ code }) => code === 'part_missing'));
  assert.equal((await storedChunks(tandem.store, session)).length, 0);
});

test('a frame beyond the largest chunk closes the socket with 1009', async () => {
  const session = await newSession();
  const recorder = await Recorder.start(session);
  recorder.record(audio());
  recorder.send(chunkFrame(1, audio(1_048_577)));
  assert.is((await recorder.closed).code, 1009);
  await until(async () => (await rowOf(tandem, session)).holder === null);
  assert.is((await recorder.resume()).nextSequence, 1);
  await recorder.drop();
});

test('bytes that are no frame close the socket and nothing else', async () => {
  const session = await newSession();
  const { port, hostname } = new URL(tandem.url);
  const key = Buffer.from('sixteen bytes ok').toString('base64');
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET /recordings HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: tandem.${session.token}\r\n\r\n`,
  );
  let read = '';
  socket.on('data', (data) => {
    read += data.toString('latin1');
  });
  await until(() => read.includes('"ready"'));
  assert.match(read, /^HTTP\/1\.1 101 .*\r\nX-Request-Id: [0-9a-f-]{36}\r\n/s);
  socket.write(Buffer.alloc(64, 0xff));
  await new Promise((resolve) => socket.on('close', resolve).resume());
  await until(async () => (await rowOf(tandem, session)).holder === null);
});

test('a chunk that was acknowledged is acknowledged again and not written twice', async () => {
  const session = await newSession();
  const recorder = await Recorder.start(session);
  const sent = audio();
  recorder.record(sent);
  recorder.record(audio());
  await recorder.settled();
  recorder.frames = [];
  recorder.send(chunkFrame(0, audio()));
  assert.is((await recorder.next('ack')).sequence, 1);
  recorder.send({ type: 'pause' });
  recorder.send({ type: 'resume' });
  recorder.send({ type: 'ping' });
  await recorder.next('pong');
  await recorder.drop();
  const [first] = await storedChunks(tandem.store, session);
  assert.equal(first?.audio, sent);
});

test('a client that does not show that it lives is cut off, and one that does is not', async () => {
  const quick = await startIntake(directory.store, idle, { intakeTimes: { heartbeatMs: 2000 } });
  try {
    const workspace = await quick.workspace();
    const [deaf, quiet] = [
      await Recorder.start(await openSession(workspace)),
      await Recorder.start(await openSession(workspace)),
    ];
    deaf.pauseReading();
    const open = async () => /^tandem_recordings_open (\d+)$/m.exec(await (await fetch(`${quick.url}/metrics`)).text());
    await until(async () => (await open())?.[1] === '1');
    assert.ok(quiet.isOpen);
    deaf.resumeReading();
    assert.is((await deaf.closed).code, 1006);
    await quiet.drop();
  } finally {
    await quick.close();
  }
});

test('an erased recording closes its socket, takes nothing more and cannot be resumed', async () => {
  const workspace = await tandem.workspace();
  const session = await openSession(workspace);
  const recorder = await Recorder.start(session);
  recorder.record(audio());
  await recorder.settled();
  bodyOf(await workspace.call(`DELETE /captures/${session.captureId}?permanent=true`));
  assert.is((await recorder.next('error')).code, 'erased');
  assert.is((await recorder.closed).code, 4000);
  assert.is((await refused(recorder.ready.resumeToken)).status, 401);
});

test.run();

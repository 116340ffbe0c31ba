import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { invalid } from '../../domain/errors.ts';
import type { AudioRef, Media } from '../../domain/media.ts';
import { scopes } from '../../domain/scopes.ts';
import { tasks } from '../../server/compute/tasks.ts';
import { newNote, newRecording, setMinutes, startWithoutDigests, workOf } from '../support/capture-fixtures.ts';
import { assertFrame } from '../support/frame.ts';
import type { Answer, TestService } from '../support/harness.ts';
import { refused, unknownId } from '../support/todo-fixtures.ts';

const test = suite('captures');
const played: { audio: AudioRef; at: Date }[] = [];
let tandem: TestService;

/** What happens while a transcript is read. */
let whileReading = async (): Promise<void> => {};

/** Each link is another one. */
const media: Media = {
  readTranscript: async ({ format, body }, param) => {
    await whileReading();
    return tasks.transcript(format, body, param);
  },
  urlFor: (audio: AudioRef, at: Date) => {
    played.push({ audio, at });
    return `https://audio.example/${played.length}`;
  },
};

test.before(async () => {
  tandem = await startWithoutDigests(undefined, { media });
});
test.after.each(() => {
  whileReading = async () => {};
});
test.after(() => tandem.close());

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** A note as it is written. */
const note = {
  object: 'capture',
  type: 'note',
  status: 'completed',
  durationSeconds: null,
  recordingId: null,
  failure: null,
  isArchived: false,
};

async function rowCount(workspaceId: string): Promise<number> {
  const text = `select (select count(*) from captures where workspace_id = $1) + (select count(*) from capture_tags
    where workspace_id = $1) + (select count(*) from capture_work where workspace_id = $1) as count`;
  const [row] = await tandem.db.rows<{ count: string }>(text, [workspaceId]);
  return Number(row?.count);
}

test('a note is written, read whole, listed in brief, and its text is never returned by a write', async () => {
  const { call } = await tandem.workspace();
  const content = '# Spring release\n\nWe ship on **3 March**.';
  const made = assertFrame(await call('POST /captures', { type: 'note', content, tags: ['plan', 'Ship it'] }));
  assert.is(made.status, 201);
  const { id, createdAt, updatedAt, ...written } = made.body;
  assert.equal(written, note, 'nothing of what it says');
  assert.match(createdAt, instant);
  assert.is(updatedAt, createdAt);

  const listed = {
    ...made.body,
    title: 'Spring release',
    subtitle: null,
    summary: null,
    tags: ['plan', 'Ship it'],
    recordedAt: null,
  };
  const page = await call('GET /captures');
  const rest = { hasMore: false, nextCursor: null, totalCount: null };
  assert.equal(page.body, { object: 'list', data: [listed], ...rest });

  const got = await call(`GET /captures/${id.toUpperCase()}`);
  const bodies = { content: 'We ship on **3 March**.', transcript: null, notes: null, mediaUrl: null };
  assert.equal(got.body, { ...listed, ...bodies });
  assert.is(got.headers.get('etag'), made.headers.get('etag'));
});

test('a note is summed up at once, and again half a minute after its text changed, however often it did', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const id = await newNote(workspace, 'First');
  const first = await workOf(tandem, id);
  assert.equal([first?.step, first?.attempt], ['digest', 0]);
  assert.ok((first?.seconds ?? 99) <= 0.001);
  await tandem.db.rows('update captures set summary = $2, subtitle = $2 where id = $1', [id, 'Old']);
  await call(`PATCH /captures/${id}`, { notes: 'More', tags: ['x'], title: 'Named' });
  assert.equal(await workOf(tandem, id).then((work) => work?.attempt), 0, 'the text is the same');
  assert.is((await call(`GET /captures/${id}`)).body.summary, 'Old');
  for (const [place, content] of ['Second', 'Third'].entries()) {
    await call(`PATCH /captures/${id}`, { content });
    const again = await workOf(tandem, id);
    assert.equal([again?.step, again?.attempt], ['digest', place + 1], 'who worked on the old text may not save');
    assert.ok((again?.seconds ?? 0) > 20 && (again?.seconds ?? 99) <= 31, String(again?.seconds));
  }
  const { summary, subtitle } = (await call(`GET /captures/${id}`)).body;
  assert.equal([summary, subtitle], [null, null], 'what told of the old text is gone');
  await call(`PATCH /captures/${id}`, { content: 'Third' });
  assert.is((await workOf(tandem, id))?.attempt, 2, 'nothing changed');
});

test('a transcript is imported: a recording without audio, still to be summed up', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const body =
    'WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>Shall we ship?\n\n00:00:05.000 --> 00:01:01.000\n<v Bob>Yes.\n';
  const transcript = { format: 'vtt', body };
  const more = { title: 'Weekly', recordedAt: '2026-03-01T10:00:00.5+01:00', tags: ['Weekly'] };
  const made = assertFrame(await call('POST /captures', { type: 'recording', transcript, ...more }));
  assert.is(made.status, 201, made.text);
  const { id, createdAt, updatedAt, ...written } = made.body;
  assert.equal(written, { ...note, type: 'recording', status: 'processing', durationSeconds: 61 });
  assert.equal((await call(`GET /captures/${id}`)).body, {
    ...made.body,
    title: 'Weekly',
    subtitle: null,
    summary: null,
    tags: ['Weekly'],
    recordedAt: '2026-03-01T09:00:00.500Z',
    content: null,
    transcript: 'Ada: Shall we ship?\n\nBob: Yes.',
    notes: null,
    mediaUrl: null,
  });
  assert.is((await workOf(tandem, id))?.step, 'digest');
  const plain = { format: 'text', body: 'Ada: Hello.' };
  const untitled = await call('POST /captures', { type: 'recording', transcript: plain });
  const { title, recordedAt, durationSeconds } = (await call(`GET /captures/${untitled.body.id}`)).body;
  assert.equal([title, recordedAt, durationSeconds], [null, null, null]);
  assert.equal(
    (await call('GET /captures?type=recording&query=shall%20yes')).body.data.map((each: { id: string }) => each.id),
    [id],
  );
});

test('what cannot be kept is 400 and names the field, and leaves nothing behind', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const transcript = { format: 'text', body: 'Ada: Hello.' };
  const valid = { type: 'note', content: 'x' };
  const imported = { type: 'recording', transcript };
  const wrong: [unknown, string][] = [
    [{}, 'type'],
    [{ type: null, content: 'x' }, 'type'],
    [{ type: 'memo', content: 'x' }, 'type'],
    [{ type: 'note' }, 'content'],
    [{ type: 'note', content: '' }, 'content'],
    [{ type: 'note', content: ' \n\u00a0' }, 'content'],
    [{ type: 'note', content: null }, 'content'],
    [{ type: 'note', content: 'a\0b' }, 'content'],
    [{ type: 'note', content: '\ud800' }, 'content'],
    [{ type: 'note', content: 'x'.repeat(500_001) }, 'content'],
    [{ ...valid, title: 'x' }, 'title'],
    [{ ...valid, notes: 'x' }, 'notes'],
    [{ ...valid, transcript }, 'transcript'],
    [{ ...valid, tags: 'a,b' }, 'tags'],
    [{ ...valid, tags: ['a', 'b,c'] }, 'tags[1]'],
    [{ ...valid, tags: [' '] }, 'tags[0]'],
    [{ ...valid, tags: ['x'.repeat(51)] }, 'tags[0]'],
    [{ ...valid, tags: ['a\nb'] }, 'tags[0]'],
    [{ ...valid, tags: Array(51).fill('x') }, 'tags'],
    [{ type: 'recording' }, 'transcript'],
    [{ ...imported, content: 'x' }, 'content'],
    [{ ...imported, transcript: 'x' }, 'transcript'],
    [{ type: 'recording', transcript: { body: 'x' } }, 'transcript.format'],
    [{ type: 'recording', transcript: { format: 'pdf', body: 'x' } }, 'transcript.format'],
    [{ type: 'recording', transcript: { format: 'text', body: ' ' } }, 'transcript.body'],
    [{ type: 'recording', transcript: { format: 'vtt', body: 'No cues at all' } }, 'transcript.body'],
    [{ type: 'recording', transcript: { ...transcript, url: 'x' } }, 'transcript.url'],
    [{ ...imported, title: ' ' }, 'title'],
    [{ ...imported, title: 'x'.repeat(301) }, 'title'],
    [{ ...imported, recordedAt: '2026-03-01' }, 'recordedAt'],
    [{ ...imported, recordedAt: '0001-01-01T00:00:00+15:00' }, 'recordedAt'],
    [{ ...imported, recordedAt: '9999-12-31T23:59:59-15:00' }, 'recordedAt'],
    [{ ...imported, language: 'de' }, 'language'],
  ];
  for (const [body, param] of wrong) {
    const answer = assertFrame(await call('POST /captures', body));
    refused(answer, 400, param);
  }
  const { body } = await call('POST /captures', { type: 'memo' });
  assert.equal([body.allowedValues, body.message], [['note', 'recording'], 'type: must be one of note, recording']);
  assert.is((await call('POST /captures', {})).body.message, 'type: is missing');
  assert.is(await rowCount(workspaceId), 0);
  assert.is((await call('POST /captures', { type: 'note', content: '𝄞'.repeat(500_000) })).status, 201);
});

test('without minutes nothing is kept (402), and the key is free again', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  await setMinutes(tandem, workspace, 0);
  const headers = { 'idempotency-key': 'once' };
  const body = { type: 'note', content: 'x', tags: ['new'] };
  const dry = assertFrame(await call('POST /captures', body, { headers }));
  assert.equal([dry.status, dry.body.code], [402, 'insufficient_minutes']);
  refused(await call('POST /captures', { type: 'note', content: '' }), 400, 'content');
  assert.is(await rowCount(workspaceId), 0);
  await setMinutes(tandem, workspace, 0.1);
  const made = await call('POST /captures', body, { headers });
  assert.equal([made.status, made.headers.get('idempotency-replayed')], [201, null]);
  await setMinutes(tandem, workspace, 0);
  assert.is((await call(`PATCH /captures/${made.body.id}`, { content: 'y' })).status, 200, 'a change needs none');
});

test('a retry with its key makes no second capture and answers the same, entity tag included', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const headers = { 'idempotency-key': 'once' };
  const body = { type: 'note', content: 'Once', tags: ['one'] };
  const answers = await Promise.all([1, 2, 3].map(() => call('POST /captures', body, { headers })));
  answers.push(await call('POST /captures', body, { headers }));
  assert.is(new Set(answers.map(({ text }) => text)).size, 1);
  assert.is(answers.filter((each) => each.headers.get('idempotency-replayed') === 'true').length, 3);
  assert.is(new Set(answers.map((each) => each.headers.get('etag'))).size, 1);
  const { id } = answers[0]?.body ?? {};
  assert.is(answers[3]?.headers.get('etag'), (await call(`GET /captures/${id}`)).headers.get('etag'));
  assert.is(await rowCount(workspaceId), 3, 'a capture, a tag, its work');
  const other = await call('POST /captures', { ...body, content: 'Twice' }, { headers });
  assert.equal([other.status, other.body.code], [409, 'idempotency_key_reused']);
});

const claimed = `select 1 from pg_locks where relation = 'idempotency_keys'::regclass
  and database = (select oid from pg_database where datname = current_database())`;

test('a transcript is read before the transaction of its key opens, and a stored answer needs no reading', async () => {
  const { call } = await tandem.workspace();
  const body = { type: 'recording', transcript: { format: 'text', body: 'Ada: Shall we ship on the third?' } };
  const send = (key: string) => call('POST /captures', body, { headers: { 'idempotency-key': key } });
  const seen: number[] = [];
  whileReading = async () => {
    seen.push((await tandem.db.rows(claimed, [])).length);
  };
  const first = await send('first');
  assert.equal([first.status, seen], [201, [0]]);
  whileReading = async () => {
    throw invalid('transcript.body', 'It cannot be read.');
  };
  const replay = await send('first');
  assert.equal([replay.text, replay.headers.get('idempotency-replayed')], [first.text, 'true']);
  refused(await send('second'), 400, 'transcript.body');
  whileReading = async () => {};
  const second = await send('second');
  assert.equal([second.status, second.headers.get('idempotency-replayed')], [201, null], 'the key is free again');
});

test('a patch changes what it names: title, text, notes and tags', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const id = await newNote(workspace, 'Buy *milk*\nand eggs', ['shop']);
  const now = async () => (await call(`GET /captures/${id}`)).body;
  const patched = async (patch: object) => {
    const { status, body, text } = assertFrame(await call(`PATCH /captures/${id}`, patch));
    assert.is(status, 200, text);
    const { updatedAt, createdAt, id: same, ...written } = body;
    assert.equal([written, same], [note, id], 'nothing of what it says');
    const { title, content, notes, tags, ...rest } = await now();
    assert.is(rest.updatedAt, updatedAt);
    return { title, content, notes, tags };
  };
  const before = await now();
  assert.is(before.title, 'Buy milk');
  const first = { title: 'Buy milk', content: 'Buy *milk*\nand eggs', notes: null, tags: ['shop'] };
  assert.equal(await patched({}), first);
  assert.equal(await patched({ tags: ['SHOP'], notes: null, content: first.content }), first);
  assert.is((await now()).updatedAt, before.updatedAt, 'nothing changed');
  assert.equal(await patched({ content: 'Sell milk\nnow' }), {
    ...first,
    title: 'Sell milk',
    content: 'Sell milk\nnow',
  });
  assert.equal(await patched({ title: ' Dairy ' }), { ...first, title: ' Dairy ', content: 'Sell milk\nnow' });
  assert.equal(await patched({ content: '# Heading\n\nText' }), {
    ...first,
    title: ' Dairy ',
    content: '# Heading\n\nText',
  });
  assert.equal(await patched({ title: null }), { ...first, title: 'Heading', content: '# Heading\n\nText' });
  assert.equal(await patched({ notes: 'Oat!', tags: ['Shop', 'food', ' food ', 'FOOD'] }), {
    title: 'Heading',
    content: '# Heading\n\nText',
    notes: 'Oat!',
    tags: ['shop', 'food'],
  });
  assert.equal(await patched({ content: null, notes: null, tags: [] }), {
    title: null,
    content: null,
    notes: null,
    tags: [],
  });
  assert.ok((await now()).updatedAt > before.updatedAt);
});

test('a heading that became the title stays the title when the text changes', async () => {
  const workspace = await tandem.workspace();
  const id = await newNote(workspace, '# Plan\n\nText');
  await workspace.call(`PATCH /captures/${id}`, { content: 'Another text' });
  assert.is((await workspace.call(`GET /captures/${id}`)).body.title, 'Plan');
});

test('of a recording notes, title and tags are changed, never its words', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { id } = await newRecording(tandem, workspace, { transcript: 'Ada: Hello.', title: 'Written for it' });
  const answer = await call(`PATCH /captures/${id}`, { content: 'Mine' });
  refused(answer, 400, 'content');
  assert.match(answer.body.message, /Write into notes/);
  refused(await call(`PATCH /captures/${id}`, { transcript: 'Bob: Hello.' }), 400, 'transcript');
  refused(await call(`PATCH /captures/${id}`, { summary: 'x' }), 400, 'summary');
  assert.is((await call(`PATCH /captures/${id}`, { content: null, notes: 'Ada is Eda.' })).status, 200);
  const { content, notes, title, transcript } = (await call(`GET /captures/${id}`)).body;
  assert.equal([content, notes, title, transcript], [null, 'Ada is Eda.', 'Written for it', 'Ada: Hello.']);
  assert.is(await workOf(tandem, id), undefined);
  await call(`PATCH /captures/${id}`, { title: null });
  assert.is((await call(`GET /captures/${id}`)).body.title, null);
});

test('a patch that cannot be is 400 and names the field', async () => {
  const workspace = await tandem.workspace();
  const id = await newNote(workspace, 'x');
  const wrong: [object, string][] = [
    [{ title: '' }, 'title'],
    [{ title: ' ' }, 'title'],
    [{ title: 'x'.repeat(301) }, 'title'],
    [{ content: 'x'.repeat(500_001) }, 'content'],
    [{ notes: 'x'.repeat(100_001) }, 'notes'],
    [{ notes: 7 }, 'notes'],
    [{ tags: null }, 'tags'],
    [{ tags: ['a,b'] }, 'tags[0]'],
    [{ status: 'completed' }, 'status'],
    [{ type: 'recording' }, 'type'],
    [{ archived: true }, 'archived'],
  ];
  for (const [patch, param] of wrong) {
    refused(assertFrame(await workspace.call(`PATCH /captures/${id}`, patch)), 400, param);
    refused(await workspace.call(`PATCH /captures/${unknownId}`, patch), 400, param);
  }
  assert.is((await workspace.call(`PATCH /captures/${id}`, { title: '𝄞'.repeat(300) })).status, 200);
});

test('the link to the audio is another one for each reader, and the entity tag the same', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { id, recordingId } = await newRecording(tandem, workspace, { audio: true });
  const links = played.length;
  const [first, second] = [await call(`GET /captures/${id}`), await call(`GET /captures/${id}`)];
  assert.is(first.body.mediaUrl, `https://audio.example/${links + 1}`);
  assert.is(second.body.mediaUrl, `https://audio.example/${links + 2}`);
  assert.equal(played.at(-1)?.audio, { workspaceId, captureId: id, recordingId });
  const tag = first.headers.get('etag') ?? '';
  assert.is(second.headers.get('etag'), tag);
  assert.is((await call(`GET /captures/${id}`, undefined, { headers: { 'if-none-match': tag } })).status, 304);
  const ifMatch = (match: string) => ({ headers: { 'if-match': match } });
  const changed = await call(`PATCH /captures/${id}`, { notes: 'x' }, ifMatch(tag));
  assert.is(changed.status, 200, changed.text);
  assert.is(changed.headers.get('etag'), (await call(`GET /captures/${id}`)).headers.get('etag'));
  assert.is((await call(`PATCH /captures/${id}`, { notes: 'y' }, ifMatch(tag))).status, 412);
  assert.is((await call(`DELETE /captures/${id}`, undefined, ifMatch(tag))).status, 412);
  assert.is((await call(`DELETE /captures/${id}?permanent=true`, undefined, ifMatch(tag))).status, 412);
  const silent = await newRecording(tandem, workspace, { status: 'processing' });
  const before = (await call(`GET /captures/${silent.id}`)).headers.get('etag');
  assert.is((await call(`GET /captures/${silent.id}`)).body.mediaUrl, null);
  await tandem.db.rows('update captures set audio_key = $2 where id = $1', [silent.id, 'k']);
  assert.is.not((await call(`GET /captures/${silent.id}`)).headers.get('etag'), before, 'there is audio now');
});

test('of two writers on the same state exactly one wins', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  for (let round = 0; round < 10; round++) {
    const made = await call('POST /captures', { type: 'note', content: 'x' });
    const headers = { 'if-match': made.headers.get('etag') ?? '' };
    const path = `/captures/${made.body.id}`;
    const writes = [
      call(`PATCH ${path}`, { notes: 'left' }, { headers }),
      call(`PATCH ${path}`, { tags: ['right'] }, { headers }),
    ];
    const answers = await Promise.all(writes);
    assert.equal(answers.map(({ status }) => status).sort(), [200, 412]);
  }
});

test('a capture that failed says why', async () => {
  const workspace = await tandem.workspace();
  const { id } = await newRecording(tandem, workspace, { status: 'failed' });
  const { status, failure } = (await workspace.call(`GET /captures/${id}`)).body;
  assert.is(status, 'failed');
  const { occurredAt, ...rest } = failure;
  assert.equal(rest, { object: 'capture_failure', code: 'summary_failed', message: 'It broke.', retryable: true });
  assert.match(occurredAt, instant);
  const written = (await workspace.call(`PATCH /captures/${id}`, { notes: 'x' })).body;
  assert.equal(written.failure, failure);
});

test('a capture is archived, kept whole and brought back', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const made = await call('POST /captures', { type: 'note', content: 'Keep me' });
  const { id } = made.body;
  const path = `/captures/${id}`;
  const whole = (await call(`GET ${path}`)).body;
  const gone = assertFrame(
    await call(`DELETE ${path}`, undefined, { headers: { 'if-match': made.headers.get('etag') ?? '' } }),
  );
  assert.equal([gone.status, gone.body], [200, { object: 'deleted', id, deleted: true, recoverable: true }]);
  const archived = (await call(`GET ${path}`)).body;
  assert.equal({ ...archived, updatedAt: whole.updatedAt }, { ...whole, isArchived: true });
  assert.equal((await call(`DELETE ${path}?permanent=false`)).body, gone.body, 'once more changes nothing');
  assert.equal((await call(`GET ${path}`)).body, archived);
  assert.equal((await call('GET /captures')).body.data, []);
  assert.is((await call('GET /captures?includeArchived=true')).body.data[0].id, id);
  for (const round of [1, 2]) {
    const restored = assertFrame(await call(`POST ${path}/restore`));
    assert.is(restored.status, 200, `${round}`);
    const { isArchived, title } = restored.body;
    assert.equal([isArchived, title], [false, undefined]);
    assert.is(restored.headers.get('etag'), (await call(`GET ${path}`)).headers.get('etag'));
  }
  const running = await newRecording(tandem, workspace, { status: 'recording' });
  assert.is((await call(`DELETE /captures/${running.id}`)).status, 200);
  assert.is((await call(`GET /captures/${running.id}`)).body.status, 'recording', 'it goes on');
});

test('each operation needs its own scope, and captures:write alone reads nothing', async () => {
  const { call, mint } = await tandem.workspace();
  const [reader, writer, others] = [
    await mint(['captures:read']),
    await mint(['captures:write']),
    await mint(scopes.filter((scope) => !scope.startsWith('captures:'))),
  ];
  const made = await call('POST /captures', { type: 'note', content: 'Secret words' }, { key: writer });
  assert.is(made.status, 201);
  const path = `/captures/${made.body.id}`;
  const answers: Answer[] = [made];
  const reads = ['GET /captures', `GET ${path}`, 'GET /captures/tags'];
  const writes: [string, unknown][] = [
    [`PATCH ${path}`, { title: 'Secret title', notes: 'Secret notes', tags: ['Secret tag'] }],
    [`POST ${path}/restore`, undefined],
    [`DELETE ${path}`, undefined],
  ];
  for (const route of reads) {
    for (const key of [writer, others]) assert.is((await call(route, undefined, { key })).status, 403, route);
    assert.is((await call(route, undefined, { key: reader })).status, 200, route);
  }
  for (const [route, body] of writes) {
    for (const key of [reader, others]) assert.is((await call(route, body, { key })).status, 403, route);
    const answer = await call(route, body, { key: writer });
    assert.is(answer.status, 200, answer.text);
    answers.push(answer);
  }
  for (const { text } of answers) assert.not.match(text, /secret/i);
  const allowed = (await call('GET /me', undefined, { key: writer })).body.allowedOperations;
  for (const id of ['createCapture', 'updateCapture', 'deleteCapture', 'restoreCapture'])
    assert.ok(allowed.includes(id), id);
  for (const id of ['listCaptures', 'getCapture', 'listTags']) assert.not.ok(allowed.includes(id), id);
});

test('a capture of another workspace is missing for every operation', async () => {
  const [mine, theirs] = [await tandem.workspace(), await tandem.workspace()];
  const id = await newNote(theirs, 'Theirs', ['theirs']);
  const before = (await theirs.call(`GET /captures/${id}`)).text;
  for (const [route, body] of [
    [`GET /captures/${id}`],
    [`PATCH /captures/${id}`, { title: 'Mine' }],
    [`DELETE /captures/${id}`],
    [`DELETE /captures/${id}?permanent=true`],
    [`POST /captures/${id}/restore`],
  ] as [string, unknown?][]) {
    refused(await mine.call(route, body), 404, 'captureId');
  }
  assert.is((await theirs.call(`GET /captures/${id}`)).text, before);
  assert.equal((await mine.call('GET /captures/tags')).body.data, []);
});

test('a change of something else leaves the title of a note that has no line of text', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const id = await newNote(workspace, '![](plan.png)');
  await tandem.db.rows(`update captures set title = 'A plan', title_given = false where id = $1`, [id]);
  const titleAfter = async (patch: object) => {
    assert.is((await call(`PATCH /captures/${id}`, patch)).status, 200);
    return (await call(`GET /captures/${id}`)).body.title;
  };
  assert.is(await titleAfter({ tags: ['a'] }), 'A plan');
  assert.is(await titleAfter({}), 'A plan');
  assert.is(await titleAfter({ content: '![](plan.png)', tags: ['b'] }), 'A plan');
  assert.is(await titleAfter({ content: 'Sell' }), 'Sell');
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newNote, newRecording, startWithoutDigests } from '../support/capture-fixtures.ts';
import type { TestService } from '../support/harness.ts';
import { callTool, raw, toolWorkspace } from '../support/mcp-clients.ts';

const test = suite('mcp captures');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutDigests();
});
test.after(() => tandem.close());

const world = () => toolWorkspace(tandem);

test('captures are listed as brief rows and found by what they say', async () => {
  const workspace = await world();
  const { use } = workspace;
  const texts = { title: 'Weekly', subtitle: 'On prices', summary: 'Long', transcript: 'Ada: Ten euros.', notes: 'x' };
  const { id } = await newRecording(tandem, workspace, texts);
  await use('update_capture', { captureId: id, tags: ['a', 'b', 'c', 'd', 'e'] });
  const noteId = await newNote(workspace, 'Buy milk');
  const { data } = await use('list_captures');
  assert.equal(
    data.data.map((row: { id: string }) => row.id),
    [noteId, id],
  );
  const [note, { createdAt, ...recording }] = data.data;
  assert.equal(recording, {
    object: 'capture',
    id,
    type: 'recording',
    status: 'completed',
    title: 'Weekly',
    subtitle: 'On prices',
    durationSeconds: 61,
    recordedAt: '2026-03-01T09:00:00.000Z',
    tags: ['a', 'b', 'c'],
    moreTags: 2,
    url: `${tandem.url}/captures/${id}`,
  });
  assert.equal(Object.keys(note).sort(), ['createdAt', 'id', 'object', 'status', 'tags', 'title', 'type', 'url']);
  const found = async (input: object) =>
    (await use('list_captures', input)).data.data.map((row: { id: string }) => row.id);
  assert.equal(await found({ query: 'EURO' }), [id]);
  assert.equal(await found({ tags: ['E', 'a'] }), [id]);
  assert.equal(await found({ type: 'note' }), [noteId]);
  assert.equal(await found({ createdAfter: createdAt, query: 'milk euros' }), []);
  const first = await use('list_captures', { limit: 1 });
  assert.is(first.data.hasMore, true);
  assert.equal(await found({ limit: 1, cursor: first.data.nextCursor }), [id]);
  const wrong = await use('list_captures', { limit: 51, include: 'totalCount' });
  assert.is(wrong.isError, true);
});

test('a call that changes a capture may be as large as over REST; any other may not', async () => {
  const { call, key } = await world();
  // 1.5 MB, of which a note takes each character.
  const content = '語'.repeat(500_000);
  const { body: note } = await call('POST /captures', { type: 'note', content: 'Short' });
  const message = (name: string, input: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: input },
  });
  const change = message('update_capture', { captureId: note.id, content });
  const { status, body } = await raw(tandem.url, change, { key });
  assert.equal([status, body.result.isError ?? false], [200, false]);
  assert.is((await call(`GET /captures/${note.id}`)).body.content, content);
  const refused = [
    message('create_todo', { title: 'x', content }),
    message('no_such_tool', { content }),
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { content } },
    [change, message('create_todo', { title: 'x' })],
    [change, { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }],
  ];
  for (const each of refused) {
    const answer = await raw(tandem.url, each, { key });
    assert.equal([answer.status, answer.body.code], [413, 'validation_failed']);
    assert.match(answer.body.message, 'larger than 1 MiB');
  }
});

test('ten captures at their longest fit in 2,000 tokens, fifty in 20,000', async () => {
  const workspace = await world();
  const tags = Array.from({ length: 50 }, (_, n) => `${n}`.padEnd(50, 'x'));
  const long = {
    title: 'é'.repeat(300),
    subtitle: 'word '.repeat(24),
    summary: 'x'.repeat(5000),
    notes: 'y'.repeat(9000),
  };
  for (let n = 0; n < 50; n++) await newRecording(tandem, workspace, { ...long, tags });
  const ten = await workspace.use('list_captures');
  assert.is(ten.data.data.length, 10);
  assert.ok(ten.text.length / 4 <= 2000, `${ten.text.length / 4}`);
  const fifty = await workspace.use('list_captures', { limit: 50 });
  assert.ok((2 * fifty.text.length) / 4 <= 20_000, `${fifty.text.length / 2}`);
});

test('a capture is shown whole but for its long texts, which are read on in parts', async () => {
  const workspace = await world();
  const { use } = workspace;
  const transcript = Array.from({ length: 5000 }, (_, i) => (i % 9 ? String(i % 10) : '🌱')).join('');
  const { id } = await newRecording(tandem, workspace, { transcript, notes: 'My notes', title: 'Long', audio: true });
  const { data: whole } = await use('get_capture', { captureId: id });
  assert.equal(whole.cut, [{ field: 'capture.transcript', shown: 2000, length: 5000 }]);
  assert.match(whole.rest, /part/);
  assert.equal([whole.truncated, whole.capture.notes, whole.capture.title], [true, 'My notes', 'Long']);
  assert.not.ok('mediaUrl' in whole.capture, 'a model cannot hear');
  let read = '';
  for (let truncated = true; truncated; ) {
    const { data } = await use('get_capture', { captureId: id, part: 'transcript', offset: Array.from(read).length });
    assert.is(data.offset, Array.from(read).length);
    assert.not.ok('notes' in data.capture, 'one text alone');
    read += data.capture.transcript;
    truncated = data.truncated ?? false;
  }
  assert.is(read, transcript);
  const behind = await use('get_capture', { captureId: id, part: 'transcript', offset: 5000 });
  assert.equal([behind.isError, behind.data.capture.transcript], [false, '']);
  const missing = await use('get_capture', { captureId: id, part: 'content' });
  assert.not.ok('content' in missing.data.capture);
});

test('a place in a long text is found by its words, and again behind it', async () => {
  const workspace = await world();
  const { use } = workspace;
  const filler = (name: string) =>
    Array.from({ length: 200 }, (_, n) => `${name}: This is line ${n} of all.`).join('\n\n');
  const transcript = `${filler('Ada')}\n\nBob: The Pricing is ten euros.\n\n${filler('Cem')}\n\nBob: pricing again.`;
  const { id } = await newRecording(tandem, workspace, { transcript });
  const find = (input: object) => use('get_capture', { captureId: id, part: 'transcript', ...input });
  const first = await find({ find: 'PRICING euros' });
  assert.match(first.data.capture.transcript, /^Bob: The Pricing is ten euros\.\n\nCem: This is line 0/);
  assert.is(first.data.offset, transcript.indexOf('Bob: The'));
  const second = await find({ find: 'pricing', offset: first.data.offset + 1 });
  assert.equal([second.data.capture.transcript, 'truncated' in second.data], ['Bob: pricing again.', false]);
  const none = await find({ find: 'pricing', offset: second.data.offset + 1 });
  assert.equal([none.isError, none.data.code, none.data.param], [true, 'validation_failed', 'find']);
  assert.is((await find({ part: 'notes', find: 'x' })).data.param, 'find');
  for (const input of [{ find: 'x' }, { offset: 3 }]) {
    const { data } = await use('get_capture', { captureId: id, ...input });
    assert.equal([data.param, data.allowedValues], ['part', ['content', 'transcript', 'notes', 'summary']]);
  }
});

test('a change answers how the capture stands, and nothing of what it says', async () => {
  const workspace = await world();
  const { use, mint, call } = workspace;
  const id = await newNote(workspace, 'Secret text');
  const key = await mint(['captures:write']);
  const patch = { title: 'Secret title', content: 'Secret words', notes: 'Secret notes', tags: ['Secret tag'] };
  const changed = await callTool(tandem.url, key, 'update_capture', { captureId: id, ...patch });
  assert.is(changed.isError, false, changed.text);
  assert.not.match(changed.text, /secret/i);
  const { object, type, status, isArchived } = changed.data.capture;
  assert.equal(
    [object, type, status, isArchived, changed.data.capture.id],
    ['capture', 'note', 'completed', false, id],
  );
  const { title, content, notes, tags } = (await call(`GET /captures/${id}`)).body;
  assert.equal({ title, content, notes, tags }, patch);
  const { id: recorded } = await newRecording(tandem, workspace, { transcript: 'x' });
  assert.is((await use('update_capture', { captureId: recorded, content: 'y' })).data.param, 'content');
  assert.is((await use('update_capture', { captureId: recorded, transcript: 'y' })).data.param, 'transcript');
});

test('start_capture answers the link to the recording page, and starts nothing', async () => {
  const workspace = await world();
  const { data } = await workspace.use('start_capture');
  assert.equal(data, { recordingPageUrl: `${tandem.url}/record` });
  assert.equal((await workspace.call('GET /captures')).body.data, []);
});

test('captures of another workspace are missing, and each tool needs its own scope', async () => {
  const [mine, theirs] = [await world(), await world()];
  const id = await newNote(theirs, 'Theirs');
  for (const [name, more] of [
    ['get_capture', {}],
    ['update_capture', { title: 'Mine' }],
  ] as const) {
    const answers = [
      await mine.use(name, { captureId: id, ...more }),
      await mine.use(name, { captureId: crypto.randomUUID(), ...more }),
    ];
    const [foreign, unknown] = answers.map(({ data: { requestId: _, ...rest } }) => rest);
    assert.is(foreign.code, 'resource_not_found', name);
    assert.equal(foreign, unknown);
  }
  assert.equal((await mine.use('list_captures', { query: 'theirs' })).data.data, []);
  const [reader, writer] = [await theirs.mint(['captures:read']), await theirs.mint(['captures:write'])];
  for (const [key, name, input] of [
    [writer, 'list_captures', {}],
    [writer, 'get_capture', { captureId: id }],
    [reader, 'update_capture', { captureId: id, title: 'x' }],
    [reader, 'start_capture', {}],
  ] as const) {
    assert.is((await callTool(tandem.url, key, name, input)).data.code, 'missing_scope', name);
  }
});

test.run();

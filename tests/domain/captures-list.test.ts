import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareCaptureFilters, idsOf, walkCaptures } from '../support/capture-filters.ts';
import { newNote, newRecording, startWithoutDigests } from '../support/capture-fixtures.ts';
import type { TestService } from '../support/harness.ts';
import { refused } from '../support/todo-fixtures.ts';

const test = suite('lists of captures');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutDigests();
});
test.after(() => tandem.close());

test('20 combinations of filters list and count exactly what the rules say, newest first', () =>
  compareCaptureFilters(tandem, 20));

test('a page is 25 captures unless limit says otherwise, and ends where the list does', async () => {
  const workspace = await tandem.workspace();
  const text = `insert into captures (workspace_id, id, user_id, type, status, content)
    select $1, gen_random_uuid(), $2, 'note', 'completed', 'x' from generate_series(1, 30)`;
  await tandem.db.rows(text, [workspace.workspaceId, workspace.userId]);
  const { body } = await workspace.call('GET /captures');
  assert.equal([body.data.length, body.hasMore, body.totalCount], [25, true, null]);
  const last = await workspace.call(`GET /captures?limit=5&cursor=${body.nextCursor}`);
  assert.equal([last.body.data.length, last.body.hasMore, last.body.nextCursor], [5, false, null]);
});

test('a cursor is good for its list only; the case and order of tags do not matter to it', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  for (const n of [1, 2, 3]) await newNote(workspace, `note ${n}`, ['a', 'b']);
  const { nextCursor } = (await workspace.call('GET /captures?limit=1&tags=a,B&query=note')).body;
  const again = await workspace.call(`GET /captures?limit=2&tags=b,%20A&query=note&cursor=${nextCursor}`);
  assert.is(again.body.data.length, 2, again.text);
  for (const query of ['', 'tags=a&query=note&', 'tags=a,b&', 'tags=a,b&query=note&type=note&']) {
    refused(await workspace.call(`GET /captures?${query}cursor=${nextCursor}`), 400, 'cursor', 'invalid_cursor');
  }
  const foreign = await other.call(`GET /captures?tags=a,b&query=note&cursor=${nextCursor}`);
  refused(foreign, 400, 'cursor', 'invalid_cursor');
  refused(await workspace.call('GET /captures?cursor=nonsense'), 400, 'cursor', 'invalid_cursor');
});

test('a parameter that is unknown or cannot be names itself', async () => {
  const { call } = await tandem.workspace();
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['type=memo', 'type'],
    ['query=', 'query'],
    ['query=%20', 'query'],
    [`query=${'x'.repeat(201)}`, 'query'],
    ['tags=', 'tags[0]'],
    ['tags=a,,b', 'tags[1]'],
    [`tags=${'a,'.repeat(50)}a`, 'tags'],
    ['createdAfter=2026-03-01', 'createdAfter'],
    ['createdBefore=2026-03-01T00:00:00', 'createdBefore'],
    ['updatedSince=yesterday', 'updatedSince'],
    ['includeArchived=1', 'includeArchived'],
    ['include=everything', 'include'],
  ] as const) {
    refused(await call(`GET /captures?${query}`), 400, param);
  }
  for (const name of ['status', 'sort', 'captureId', '__proto__', 'Limit']) {
    const answer = await call(`GET /captures?${name}=a`);
    refused(answer, 400, name, 'unknown_parameter');
    assert.ok(answer.body.allowedValues.includes('createdAfter'));
  }
});

test('what was changed last is found by updatedSince, once and again', async () => {
  const workspace = await tandem.workspace();
  const [first, second] = [await newNote(workspace, 'One'), await newNote(workspace, 'Two')];
  const { updatedAt } = (await workspace.call(`PATCH /captures/${first}`, { notes: 'New' })).body;
  const found = async (since: string) => idsOf(await walkCaptures(workspace, { updatedSince: since }));
  assert.ok((await found(updatedAt)).includes(first));
  const later = new Date(Date.parse(updatedAt) + 1).toISOString();
  await tandem.db.rows(`update captures set updated_at = $2::timestamptz - interval '1 hour' where id = $1`, [
    second,
    updatedAt,
  ]);
  assert.equal(await found(updatedAt), [first]);
  assert.equal(await found(later), []);
});

test('words are found where they stand now: in title, text, transcript, notes, subtitle and summary', async () => {
  const workspace = await tandem.workspace();
  const note = await newNote(workspace, '# Kickoff\n\nThe budgetary matter');
  const texts = {
    title: 'Weekly',
    subtitle: 'Ada and Grace',
    summary: 'Pricing was agreed',
    transcript: 'Ada: Ten euros.',
  };
  const { id } = await newRecording(tandem, workspace, texts);
  const found = async (query: string) => idsOf(await walkCaptures(workspace, { query }));
  for (const query of ['kick', 'BUDGET', 'matter kickoff']) assert.equal(await found(query), [note], query);
  for (const query of ['weekly', 'grace', 'pricing', 'euros', 'EURO agreed ada', 'a: t'])
    assert.equal(await found(query), [id], query);
  await workspace.call(`PATCH /captures/${note}`, { content: 'Something else', title: 'Other' });
  await workspace.call(`PATCH /captures/${id}`, { notes: 'Not ten but zwölf' });
  assert.equal(await found('budget'), []);
  assert.equal(await found('kickoff'), []);
  assert.equal(await found('something other'), [note]);
  assert.equal(await found('ZWÖLF'), [id]);
});

test('a rare word in an old capture is found behind many that do not say it, and a frequent one by pages', async () => {
  const workspace = await tandem.workspace();
  const { id } = await newRecording(tandem, workspace, { transcript: 'the needle', createdAt: '2020-01-01T00:00:00Z' });
  const fill = `with made as (
      insert into captures (workspace_id, id, user_id, type, status, content, created_at)
      select $1, gen_random_uuid(), $2, 'note', 'completed', 'hay', now() - n * interval '1 second'
      from generate_series(1, 400) n returning workspace_id, id
    ) insert into capture_search select workspace_id, id, '', 'hay', '' from made`;
  await tandem.db.rows(fill, [workspace.workspaceId, workspace.userId]);
  assert.equal(idsOf(await walkCaptures(workspace, { query: 'needle' })), [id]);
  assert.equal(idsOf(await walkCaptures(workspace, { query: 'ne' })), [id], 'too short for the index');
  assert.is((await walkCaptures(workspace, { query: 'hay', limit: 90 })).length, 400);
  assert.equal(await walkCaptures(workspace, { query: 'haystack' }), []);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CaptureAnswer } from '../../domain/captures/shapes.ts';
import { newNote, newRecording, startWithoutDigests } from '../support/capture-fixtures.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { queryOf, refused } from '../support/todo-fixtures.ts';
import { pickOf, randomOf } from '../support/todo-oracle.ts';

const test = suite('lists of captures');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutDigests();
});
test.after(() => tandem.close());

type Query = Partial<
  Record<'query' | 'tags' | 'type' | 'createdAfter' | 'createdBefore' | 'updatedSince' | 'includeArchived', string>
>;

/** Walks every page; `between` runs after each page but the last. */
async function walk(
  { call }: Pick<TestWorkspace, 'call'>,
  parameters: Record<string, unknown>,
  between: () => Promise<unknown> = async () => {},
): Promise<CaptureAnswer[]> {
  const found: CaptureAnswer[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 1000; pages++) {
    const { status, body, text } = await call(`GET /captures?${queryOf({ ...parameters, cursor })}`);
    assert.is(status, 200, text);
    found.push(...body.data);
    assert.is(body.hasMore, body.nextCursor !== null);
    if (body.nextCursor === null) return found;
    assert.is(body.data.length, parameters.limit ?? 25, 'a page with more after it is full');
    cursor = body.nextCursor;
    await between();
  }
  throw new Error('the walk does not end');
}

const idsOf = (captures: readonly { id: string }[]) => captures.map(({ id }) => id);
const folded = (text: string) => text.normalize('NFC').toLowerCase();

/** Whether SPEC's rules of listCaptures put the capture in the list: in plain words, without a database. */
function matches(capture: CaptureAnswer, query: Query): boolean {
  const { type, createdAfter, createdBefore, updatedSince } = query;
  if (capture.isArchived && query.includeArchived !== 'true') return false;
  if (type !== undefined && capture.type !== type) return false;
  const tags = capture.tags.map((tag) => tag.toLowerCase());
  if (query.tags !== undefined && !query.tags.split(',').every((tag) => tags.includes(tag.trim().toLowerCase()))) {
    return false;
  }
  if (createdAfter !== undefined && Date.parse(capture.createdAt) <= Date.parse(createdAfter)) return false;
  if (createdBefore !== undefined && Date.parse(capture.createdAt) >= Date.parse(createdBefore)) return false;
  if (updatedSince !== undefined && Date.parse(capture.updatedAt) < Date.parse(updatedSince)) return false;
  const { title, subtitle, summary, content, transcript, notes } = capture;
  const text = folded([title, subtitle, summary, content, transcript, notes].join('\n'));
  const words = (query.query ?? '').split(/\s+/).filter(Boolean);
  return words.every((word) => text.includes(folded(word)));
}

const words = ['Budget', 'budgetary', 'ÉMILE', 'e\u0301mile', 'Straße', 'x', '100%', 'a_b', '\\o/', '预算表'];
const tags = ['Plan', 'plan B', 'ÄRGER', '100%', '日本', 'a_b'];
const instants = ['00:00:00.000', '00:00:00.001', '11:59:59.999', '12:00:00.000'].map((time) => `2026-03-01T${time}Z`);

/** Fills a workspace with captures of random properties, and reads every one back by its id. */
async function populate(workspace: TestWorkspace, count: number, random: () => number): Promise<CaptureAnswer[]> {
  const pick = pickOf(random);
  const some = () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(words)).join(pick([' ', '\n', '-']));
  const maybe = () => pick([null, some()]);
  const captures: CaptureAnswer[] = [];
  for (let made = 0; made < count; made++) {
    const carried = tags.filter(() => random() < 0.25);
    const isNote = random() < 0.5;
    const texts = { title: maybe(), subtitle: maybe(), summary: maybe(), transcript: maybe(), notes: maybe() };
    // Only what the API may write goes by the API: spellings of tags come from there.
    const id = isNote ? await newNote(workspace, some(), carried) : (await newRecording(tandem, workspace, texts)).id;
    if (!isNote)
      await workspace.call(`PATCH /captures/${id}`, { tags: carried.map((tag) => pick([tag, tag.toUpperCase()])) });
    await tandem.db.rows(
      `update captures set created_at = $2, updated_at = $3, archived_at = case when $4 then now() end where id = $1`,
      [id, pick(instants), pick(instants), random() < 0.2],
    );
    captures.push((await workspace.call(`GET /captures/${id}`)).body);
  }
  return captures;
}

test('200 combinations of filters list and count exactly what the rules say, newest first', async () => {
  const seed = Number(process.env.ORACLE_SEED ?? 20260301);
  const random = randomOf(seed);
  const pick = pickOf(random);
  const workspace = await tandem.workspace();
  const captures = await populate(workspace, 120, random);
  const values: Record<keyof Query, () => string> = {
    query: () => pick([...words, 'udget', 'émi', 'str x', 'x X', '%', '_', '\\', 'é', 'zzz', '预算', 'budget émile']),
    tags: () => pick([...tags, ...tags, 'PLAN', 'plan b,100%', ' ärger , Ärger', 'none', 'Plan,none']),
    type: () => pick(['note', 'recording']),
    createdAfter: () => pick([...instants, '2026-03-01T13:59:59.9991+02:00']),
    createdBefore: () => pick([...instants, '2026-03-02T00:00:00Z']),
    updatedSince: () => pick([...instants, '2026-03-01T12:00:00.000Z']),
    includeArchived: () => pick(['true', 'false']),
  };
  let [matched, empty] = [0, 0];
  for (let round = 0; round < 200; round++) {
    const share = pick([0.1, 0.2, 0.4]);
    const query: Query = {};
    for (const [name, value] of Object.entries(values) as [keyof Query, () => string][]) {
      if (random() < share) query[name] = value();
    }
    const hint = `seed ${seed}, round ${round}: ${JSON.stringify(query)}`;
    const expected = captures.filter((capture) => matches(capture, query));
    expected.sort((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? 1 : -1));
    const listed = await walk(workspace, { ...query, limit: pick([7, 40, 100]) });
    assert.equal(idsOf(listed), idsOf(expected), hint);
    if (expected[0]) {
      const { content: _, transcript: __, notes: ___, mediaUrl: ____, ...brief } = expected[0];
      assert.equal(listed[0], brief, 'without its bodies');
    }
    const counted = await workspace.call(`GET /captures?${queryOf({ ...query, include: 'totalCount', limit: 1 })}`);
    assert.is(counted.body.totalCount, expected.length, hint);
    matched += expected.length;
    empty += expected.length === 0 ? 1 : 0;
  }
  assert.ok(matched > 1500 && empty < 140, `the combinations are too thin: ${matched} captures, ${empty} empty lists`);
});

/** Captures that tie on their instant, and hold a word that occurs often. */
async function steady(workspace: TestWorkspace, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    const createdAt = `2026-03-01T09:00:00.00${made % 3}Z`;
    ids.push((await newRecording(tandem, workspace, { notes: 'a steady word', createdAt })).id);
  }
  await Promise.all(ids.map((id) => workspace.call(`PATCH /captures/${id}`, { tags: ['steady'] })));
  return idsOf(await walk(workspace, { limit: 100 }));
}

for (const limit of [1, 2, 3]) {
  test(`by ${limit}, what stays put comes exactly once while others write`, async () => {
    const workspace = await tandem.workspace();
    const fixed = await steady(workspace, 12);
    assert.is(fixed.length, 12);
    for (const way of [
      {},
      { query: 'steady' },
      { tags: 'steady' },
      { query: 'te' },
      { updatedSince: '2026-01-01T00:00:00Z' },
    ]) {
      let turns = 0;
      const others: string[] = [];
      const between = async () => {
        if (turns++ >= 12) return;
        const createdAt = turns % 2 ? `2026-03-01T09:00:00.00${turns % 3}Z` : new Date().toISOString();
        others.push(
          (await newRecording(tandem, workspace, { notes: 'a steady word', tags: ['steady'], createdAt })).id,
        );
        if (turns % 3 === 0) await workspace.call(`DELETE /captures/${others.shift()}?permanent=true`);
        if (turns % 4 === 0) await workspace.call(`DELETE /captures/${others.at(-1)}`);
        await workspace.call(`PATCH /captures/${fixed[turns]}`, { notes: `a steady word ${turns}` });
      };
      const listed = idsOf(await walk(workspace, { limit, ...way }, between));
      assert.equal(
        listed.filter((id) => fixed.includes(id)),
        fixed,
        JSON.stringify(way),
      );
      assert.is(new Set(listed).size, listed.length);
      await tandem.db.rows('delete from captures where workspace_id = $1 and not (id = any($2::uuid[]))', [
        workspace.workspaceId,
        fixed,
      ]);
    }
  });
}

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
  const found = async (since: string) => idsOf(await walk(workspace, { updatedSince: since }));
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
  const found = async (query: string) => idsOf(await walk(workspace, { query }));
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
  assert.equal(idsOf(await walk(workspace, { query: 'needle' })), [id]);
  assert.equal(idsOf(await walk(workspace, { query: 'ne' })), [id], 'too short for the index');
  assert.is((await walk(workspace, { query: 'hay', limit: 90 })).length, 400);
  assert.equal(await walk(workspace, { query: 'haystack' }), []);
});

test.run();

import * as assert from 'uvu/assert';
import type { CaptureAnswer } from '../../domain/captures/shapes.ts';
import { newNote, newRecording } from './capture-fixtures.ts';
import type { TestService, TestWorkspace } from './harness.ts';
import { queryOf } from './todo-fixtures.ts';
import { pickOf, randomOf } from './todo-oracle.ts';

type Query = Partial<
  Record<'query' | 'tags' | 'type' | 'createdAfter' | 'createdBefore' | 'updatedSince' | 'includeArchived', string>
>;

/** Walks every page; `between` runs after each page but the last. */
export async function walkCaptures(
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

export const idsOf = (captures: readonly { id: string }[]) => captures.map(({ id }) => id);
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
async function populate(
  tandem: TestService,
  workspace: TestWorkspace,
  count: number,
  random: () => number,
): Promise<CaptureAnswer[]> {
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

/**
 * Asks for captures by so many random combinations of filters, and compares what is listed and counted with the rules,
 * newest first.
 */
export async function compareCaptureFilters(tandem: TestService, rounds: number): Promise<void> {
  const seed = Number(process.env.ORACLE_SEED ?? 20260301);
  const random = randomOf(seed);
  const pick = pickOf(random);
  const workspace = await tandem.workspace();
  const captures = await populate(tandem, workspace, 120, random);
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
  for (let round = 0; round < rounds; round++) {
    const share = pick([0.1, 0.2, 0.4]);
    const query: Query = {};
    for (const [name, value] of Object.entries(values) as [keyof Query, () => string][]) {
      if (random() < share) query[name] = value();
    }
    const hint = `seed ${seed}, round ${round}: ${JSON.stringify(query)}`;
    const expected = captures.filter((capture) => matches(capture, query));
    expected.sort((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? 1 : -1));
    const listed = await walkCaptures(workspace, { ...query, limit: pick([7, 40, 100]) });
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
  const thin = matched <= 7.5 * rounds || empty >= 0.7 * rounds;
  assert.not(thin, `the combinations are too thin: ${matched} captures, ${empty} empty lists`);
}

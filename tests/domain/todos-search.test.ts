import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TodoAnswer } from '../../domain/todos/shapes.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { queryOf, titlesOf, walk } from '../support/todo-fixtures.ts';
import { inOrder, pickOf, randomOf } from '../support/todo-oracle.ts';

const test = suite('searching todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('a search finds words and parts of words in title and content, ignoring case', async () => {
  const { call } = await tandem.workspace();
  await call('POST /todos', { title: 'Grüße an ÉMILE', content: 'the Budgetary matter' });
  const found = async (query: string) =>
    (await call(`GET /todos?${queryOf({ query, include: 'totalCount' })}`)).body.totalCount;
  for (const query of ['grüsse', 'nothing', '%', '_']) assert.is(await found(query), 0, query);
  for (const query of ['GRÜ', 'émile', 'udget', 'bud GRÜ', 'tt', 'MATTER the']) assert.is(await found(query), 1, query);
});

test('every word must occur, each in title or content, in any order', async () => {
  const { call } = await tandem.workspace();
  await call('POST /todos', { title: 'alpha beta', content: 'gamma' });
  await call('POST /todos', { title: 'alpha', content: 'delta' });
  const found = async (query: string) => titlesOf(await call(`GET /todos?order=asc&${queryOf({ query })}`));
  assert.equal(await found('alpha'), ['alpha beta', 'alpha']);
  assert.equal(await found('gamma alpha'), ['alpha beta']);
  assert.equal(await found(' \t gamma \n\u00a0 beta  '), ['alpha beta']);
  assert.equal(await found('alpha alpha alpha'), ['alpha beta', 'alpha']);
  assert.equal(await found('beta delta'), []);
  assert.equal(await found('alphabeta'), []);
});

test('no character of a query has a special meaning', async () => {
  const { call } = await tandem.workspace();
  const titles = [
    '100% sure',
    'snake_case',
    'C:\\temp',
    "it's",
    '"quoted"',
    '(a|b)*',
    '$1 :x &y',
    '<->',
    '\u{1f980} crab',
  ];
  await call('POST /todos/batch', { data: titles.map((title) => ({ title })) });
  await call('POST /todos', { title: 'plain' });
  for (const title of titles) {
    for (const query of [title, ...title.split(' ')]) {
      assert.equal(titlesOf(await call(`GET /todos?${queryOf({ query })}`)), [title], query);
    }
  }
  assert.equal(titlesOf(await call(`GET /todos?${queryOf({ query: 'a_e' })}`)), []);
  assert.equal(titlesOf(await call(`GET /todos?${queryOf({ query: '\\' })}`)), ['C:\\temp']);
});

test('composed and decomposed accents, and every form of a character, are one', async () => {
  const { call } = await tandem.workspace();
  const pairs = [
    ['cafe\u0301', 'café'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδός', 'ΟΔΌ'],
    ['ὈΔΥΣΣΕΎΣ', 'ὀδυσσεύσ'],
    ['ПРИВЕТ', 'привет'],
    ['预算表', '预算'],
    ['ǅungla', 'ǆungla'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
  ] as const;
  for (const [title, query] of pairs) {
    const { body } = await call('POST /todos', { title });
    const { data } = (await call(`GET /todos?${queryOf({ query })}`)).body;
    assert.ok(
      data.some(({ id }: TodoAnswer) => id === body.id),
      `${query} in ${title}`,
    );
  }
});

test('a query has 1 to 200 code points', async () => {
  const { call } = await tandem.workspace();
  await call('POST /todos', { title: '🦀'.repeat(250) });
  assert.is((await call(`GET /todos?${queryOf({ query: '🦀'.repeat(200) })}`)).body.data.length, 1);
  assert.is((await call(`GET /todos?${queryOf({ query: '🦀'.repeat(201) })}`)).status, 400);
  const words = Array.from({ length: 100 }, (_, index) => String.fromCharCode(0x4e00 + index)).join(' ');
  assert.is((await call(`GET /todos?${queryOf({ query: words })}`)).body.data.length, 0);
});

test('a search follows every change of the text at once', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { title: 'first', content: 'body' });
  const found = async (query: string) => titlesOf(await call(`GET /todos?query=${query}`)).length;
  const changes: [Record<string, unknown>, string[], string[]][] = [
    [{ title: 'Second' }, ['second', 'body'], ['first']],
    [{ content: 'Text' }, ['second', 'text'], ['body']],
    [{ content: null }, ['second'], ['text', 'null']],
    [{ title: 'third', content: 'fourth' }, ['third', 'fourth', 'rth'], ['second']],
    [{ status: 'done' }, ['third', 'fourth'], []],
  ];
  for (const [change, present, absent] of changes) {
    await call(`PATCH /todos/${made.id}`, change);
    for (const word of present) assert.is(await found(word), 1, word);
    for (const word of absent) assert.is(await found(word), 0, word);
  }
  await call('POST /todos/bulk', { ids: [made.id], patch: { title: 'fifth' } });
  assert.equal([await found('fifth'), await found('third')], [1, 0]);
});

/** A workspace of 2,600 todos; every hundredth holds a rare word, the others one that all of these hold. */
async function crowd(workspaceId: string) {
  const pick = pickOf(randomOf(5));
  const days = [null, null, '2026-03-01', '2026-03-02', '2026-03-03'];
  const moments = Array.from({ length: 9 }, (_, index) => `2026-03-01T09:00:00.00${index}Z`);
  const rows = Array.from({ length: 2600 }, (_, index) => ({
    id: newId(),
    title: index % 100 === 17 ? 'needle hay' : 'hay',
    priority: pick([null, null, 1, 2, 3, 4]),
    due: pick(days),
    created: pick(moments),
    updated: pick(moments),
  }));
  await tandem.db.rows(
    `with r as (select * from jsonb_to_recordset($2::jsonb)
        as r(id uuid, title text, priority smallint, due date, created timestamptz, updated timestamptz)),
      made as (insert into todos (workspace_id, id, title, priority, todo_list_id, due_date, created_at, updated_at)
        select $1, id, title, priority, (select l.id from todo_lists l where l.workspace_id = $1), due, created, updated from r)
    insert into todo_search (workspace_id, todo_id, title, content) select $1, id, title, '' from r`,
    [workspaceId, JSON.stringify(rows)],
  );
  return rows.map(({ id, title, priority, due, created, updated }) => {
    const name = priority === null ? null : ['low', 'medium', 'high', 'urgent'][priority - 1];
    return { id, title, priority: name, dueDate: due, createdAt: created, updatedAt: updated } as TodoAnswer;
  });
}

test('a rare word among thousands of todos is walked exactly once, by every sort and page size', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const rare = (await crowd(workspaceId)).filter(({ title }) => title !== 'hay');
  assert.is(rare.length, 26);
  for (const sort of ['createdAt', 'updatedAt', 'dueDate', 'priority'] as const) {
    for (const order of ['asc', 'desc'] as const) {
      const expected = rare.sort(inOrder({ sort, order })).map(({ id }) => id);
      for (const [query, limit] of [
        ['needle', 1],
        ['needle', 2],
        ['needle', 3],
        ['NEEDLE hay', 5],
        ['eedl', 7],
        ['dl', 7],
        ['needle', 100],
      ]) {
        const listed = await walk(call, { sort, order, limit, query });
        assert.equal(
          listed.map(({ id }) => id),
          expected,
          `${query} by ${sort} ${order}, ${limit} a page`,
        );
      }
    }
  }
  const { body } = await call('GET /todos?query=needle&include=totalCount&limit=1');
  assert.is(body.totalCount, 26);
  assert.is((await call('GET /todos/summary?query=needle')).body.total, 26);
  assert.is((await call('GET /todos/summary?query=hay')).body.total, 2600);
});

test('a common word among thousands is walked exactly once beside a writer', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const all = await crowd(workspaceId);
  const ids = new Set(all.map(({ id }) => id));
  let turns = 0;
  const between = () => call('POST /todos', { title: `hay ${turns++}`, priority: 'high' });
  for (const sort of ['createdAt', 'priority'] as const) {
    const listed = await walk(call, { sort, order: 'desc', limit: 100, query: 'hay', status: 'active' }, between);
    const kept = listed.map(({ id }) => id).filter((id) => ids.has(id));
    assert.equal(
      kept,
      all.sort(inOrder({ sort, order: 'desc' })).map(({ id }) => id),
      sort,
    );
  }
});

test.run();

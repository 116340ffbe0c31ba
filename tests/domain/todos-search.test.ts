import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TodoAnswer } from '../../domain/todos/shapes.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { queryOf, titlesOf } from '../support/todo-fixtures.ts';

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

test.run();

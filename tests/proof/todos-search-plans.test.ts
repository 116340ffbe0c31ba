import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buffersOf, isVacuumed, measured, nodesOf } from '../../bench/harness/plans.ts';
import { wordsSql } from '../../bench/harness/words.ts';
import { termsOf } from '../../domain/search.ts';
import { countWorkspace } from '../../domain/todos/counts.ts';
import { criteriaOf } from '../../domain/todos/filter.ts';
import type { TodoFilter } from '../../domain/todos/listing-shapes.ts';
import { nearStatement, searchPage } from '../../domain/todos/search.ts';
import { over } from '../../domain/todos/summary.ts';
import { sorts, type Walk } from '../../domain/todos/walk.ts';
import { notOnCluster } from '../support/citus.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { until } from '../support/until.ts';

const test = suite('plans of searches');
const onPostgres = notOnCluster(test, 'PostgreSQL 15, as there, descends an index for each id that it looks up');
const size = 40_000;
const page = 26;
let tandem: TestService;
let workspace: TestWorkspace;

/**
 * `$2` todos, the newest first, and their ids in the order of creation, as the service makes them. Of each word the
 * condition on n says which todos have it: `legacia` are frequent, but not among the newest; `evenward` and `oddward`
 * are frequent, but never in one todo; `midvalen` and `mostlume` are frequent, but the newest have neither, and
 * `mostlume` is in more todos than are sorted.
 */
const planted: Record<string, string> = {
  quixovel: 'n % 3 = 0',
  brivante: 'n % 7 = 0',
  crostany: 'n % 11 = 0',
  dwelphin: 'n % 13 = 0',
  uncomvex: 'n % 250 = 0',
  rarizoth: 'n % 8000 = 4000',
  jyq: 'n % 8000 = 17',
  legacia: 'n > 20000 and n % 3 = 1',
  midvalen: 'n between 2000 and 14000 and n % 5 = 0',
  mostlume: 'n > 3000 and n % 5 > 0',
  evenward: 'n % 6 = 0',
  oddward: 'n % 6 = 3',
};

const plantedSql = Object.entries(planted).map(([word, condition]) => `case when ${condition} then '${word}' end`);

/** Titles have a third of the words, contents the others; every word is once in a title and once in a content. */
const fill = `with made as (
    insert into todos (workspace_id, id, title, content, todo_list_id, priority, status, due_date, created_at, updated_at,
      archived_at, is_suggested)
    select $1, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5($1::uuid::text || n), 1, 3)
        || '8' || substr(md5($1::uuid::text || n), 4, 15))::uuid,
      concat_ws(' ', 'todo', case when n % 2 = 0 then words end, ${wordsSql('3 + n % 4')}),
      concat_ws(' ', ${wordsSql('8 + n % 20')}, case when n % 2 = 1 then words end),
      (select id from todo_lists where workspace_id = $1), nullif(n % 5, 0),
      (array['ready', 'in_progress', 'done'])[1 + n % 3], case when n % 4 > 0 then date '2026-01-01' + n * 7 % 1000 end,
      at, at + n * 7919 % 1000 * interval '1 second', case when n % 10 = 2 then at end, n % 1000 = 1
    from (select n, date_trunc('milliseconds', now()) - n * interval '1 minute' as at, concat_ws(' ', ${plantedSql}) as words
      from generate_series($2::int, 1, -1) n) as numbered returning *
  ) insert into todo_search (workspace_id, todo_id, title, content)
    select $1, id, lower(title), lower(content) from made order by created_at`;

test.before(async () => {
  tandem = await startTestService();
  workspace = await tandem.workspace();
  const other = await tandem.workspace();
  await tandem.db.driver.unsafe(fill, [workspace.workspaceId, size] as never[]);
  await tandem.db.driver.unsafe(fill, [other.workspaceId, size / 20] as never[]);
  await countWorkspace(tandem.db, workspace.workspaceId);
  await until(() => isVacuumed(tandem.db, ['todos', 'todo_search', 'todo_counts']));
});
test.after(() => tandem.close());

function walkOf(filter: TodoFilter, sort: keyof typeof sorts, order: 'asc' | 'desc'): Walk {
  return { viewer: workspace, criteria: criteriaOf(workspace, filter), sort: sorts[sort], order, after: undefined };
}

/** The most buffers of a page of each class of words. */
const classes: Record<string, [query: string, most: number]> = {
  'a common word': ['quixovel', 400],
  'part of a common word': ['uixove', 400],
  'an uncommon word': ['uncomvex', 1000],
  'part of an uncommon word': ['comve', 1000],
  'a rare word': ['rarizoth', 400],
  'part of a rare word': ['arizot', 400],
  'no word': ['qqxzzq', 300],
  'two common words': ['quixovel brivante', 400],
  'two common words, rarely together': ['crostany dwelphin', 700],
  'two common words, never together': ['evenward oddward', 220],
  'three common words': ['brivante crostany dwelphin', 650],
  'a common and a rare word': ['quixovel rarizoth', 250],
  'two common words and a rare one': ['quixovel brivante rarizoth', 280],
  'a common word and no word': ['quixovel qqxzzq', 180],
  'four words': ['todo quixovel brivante crostany', 3500],
  'two letters, common': ['ui', 400],
  'two letters, rare': ['yq', 3000],
  'two letters, none': ['q9', 3000],
  'a common word, not among the newest': ['legacia', 1000],
  'a common word, a little after the newest': ['midvalen', 700],
  'most, but not the newest': ['mostlume', 2500],
};

for (const [name, [query, most]] of Object.entries(classes)) {
  onPostgres(`${name}: a page reads few buffers of ${size} todos`, async () => {
    const { db, buffers } = measured(tandem.db);
    await searchPage(db, walkOf({}, 'createdAt', 'desc'), query, page);
    assert.ok(buffers() <= most, `${buffers()} buffers, more than ${most}`);
  });
}

onPostgres('in a transaction, where plans are made without values, words are looked up in the index too', async () => {
  for (const [name, [query, most]] of Object.entries(classes)) {
    const { db, buffers } = measured(tandem.db, true);
    await searchPage(db, walkOf({}, 'createdAt', 'desc'), query, page);
    const few = 2 * most;
    assert.ok(buffers() <= few, `${name}: ${buffers()} buffers, more than ${few}`);
  }
});

onPostgres('where the number of the todos is not kept, the same is found', async () => {
  const walk = walkOf({}, 'createdAt', 'desc');
  const idsOf = async (query: string) => (await searchPage(tandem.db, walk, query, page)).map(({ id }) => id);
  const counted = await Promise.all(Object.values(classes).map(([query]) => idsOf(query)));
  await tandem.db.rows('delete from todo_counts where workspace_id = $1', [workspace.workspaceId]);
  for (const [place, [name, [query, most]]] of Object.entries(classes).entries()) {
    const { db, buffers } = measured(tandem.db);
    const found = await searchPage(db, walk, query, page);
    assert.equal(
      found.map(({ id }) => id),
      counted[place],
      name,
    );
    assert.ok(buffers() <= 2 * most, `${name}: ${buffers()} buffers, more than ${2 * most}`);
  }
  await countWorkspace(tandem.db, workspace.workspaceId);
});

test('what is found among many todos is looked up once for each, not compared with all of them', async () => {
  const walk = walkOf({ archived: 'any' }, 'updatedAt', 'desc');
  const statement = nearStatement(walk, termsOf('mostlume'), page, 20_000);
  const { plan } = await buffersOf(tandem.db, { ...statement, plan: 'custom' });
  const compared = nodesOf(plan).reduce((sum, node) => sum + (node['Rows Removed by Join Filter'] ?? 0), 0);
  assert.is(compared, 0);
});

test('the index of the part of the workspace is read, and about as many matches are expected as there are', async () => {
  const { text, values } = over('count(*)::int as count', workspace, criteriaOf(workspace, { query: 'quixovel' }));
  const nodes = nodesOf((await buffersOf(tandem.db, { text, values, plan: 'custom' })).plan);
  const read = nodes.flatMap((node) => node['Index Name'] ?? []).filter((name) => name.startsWith('todo_search'));
  assert.equal(read, [`todo_search_texts_${Number.parseInt(workspace.workspaceId.slice(-1), 16)}`]);
  const expected = nodes.find((node) => node['Relation Name'] === 'todo_search')?.['Plan Rows'] ?? 0;
  const there = size / 3;
  assert.ok(expected > there / 4 && expected < 4 * there, `${expected} expected of ${there}`);
});

const filters: TodoFilter[] = [{}, { status: 'active' }, { archived: 'any' }, { includeArchived: true }];
const names = Object.keys(sorts) as (keyof typeof sorts)[];

/** The first todos that have all words and that a filter matches, by a query that says only that. */
function plainPage({ criteria, sort, order, viewer }: Walk, query: string): Promise<{ id: string }[]> {
  const { archived, includeArchived, statuses } = criteria;
  const patterns = termsOf(query).map((term) => `%${term}%`);
  const text = `select t.id from todos t where t.workspace_id = $1
    and ${archived === 'any' ? 'true' : `t.archived_at is ${includeArchived ? 'not' : ''} null`}
    and (t.archived_at is not null or not t.is_suggested) and ${statuses.length > 0 ? `t.status <> 'done'` : 'true'}
    and concat_ws(' ', lower(t.title), lower(t.content)) like all ($2::text[])
    order by ${sort.column} ${order} nulls last, t.id ${order} limit ${page}`;
  // It reads all todos: on a busy machine that may take longer than a request has.
  const db = tandem.db.for('maintenance');
  return db.rows<{ id: string }>(text, [viewer.workspaceId, patterns], 'custom');
}

test('the page of every class is that of a plain query, in its order', async () => {
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  for (const [place, [name, [query]]] of Object.entries(classes).entries()) {
    for (const [turn, order] of (['asc', 'desc'] as const).entries()) {
      const sort = names[(place + turn) % names.length] ?? 'createdAt';
      const walk = walkOf(filters[(place + 2 * turn) % filters.length] ?? {}, sort, order);
      const found = await searchPage(tandem.db, walk, query, page);
      assert.equal(idsOf(found), idsOf(await plainPage(walk, query)), `${name} by ${sort} ${order}`);
    }
  }
});

test.run();

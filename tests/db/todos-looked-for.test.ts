import { rm } from 'node:fs/promises';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../db/migrate.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { migrationsBefore } from '../support/migrations-before.ts';
import { createDatabase } from '../support/scratch.ts';
import { until } from '../support/until.ts';

const test = suite('labels and sub-todos that are looked for only where there have been some');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

type Call = TestWorkspace['call'];

async function create(call: Call, title: string, more: object = {}): Promise<string> {
  return (await call('POST /todos', { title, ...more })).body.id;
}

async function createLabel(call: Call, name: string): Promise<string> {
  return (await call('POST /labels', { name })).body.id;
}

/** What a todo shows: the names of its labels, and the number of its sub-todos. */
async function shownBy(call: Call, id: string) {
  const { labels, subTodoCount } = (await call(`GET /todos/${id}`)).body;
  return [labels.map(({ name }: { name: string }) => name), subTodoCount];
}

/** The statements of a writer that knows neither column, as those of releases before they were there. */
const writes = {
  label: `insert into todo_labels (workspace_id, todo_id, label_id, created_at)
    select workspace_id, id, $2, created_at from todos where id = $1 on conflict do nothing`,
  child: `insert into todos (workspace_id, id, title, todo_list_id, parent_todo_id)
    select workspace_id, gen_random_uuid(), $2, todo_list_id, id from todos where id = $1`,
  move: 'update todos set parent_todo_id = $2 where id = $1',
};

test('a writer that knows nothing of that adds them, and they are shown', async () => {
  const { call } = await tandem.workspace();
  const { driver } = tandem.db;
  const [parent, taken, child] = [await create(call, 'a'), await create(call, 'b'), await create(call, 'c')];
  await driver.unsafe(writes.label, [parent, await createLabel(call, 'x')]);
  await driver.unsafe(writes.child, [parent, 'd']);
  await driver.unsafe(writes.move, [child, taken]);
  assert.equal(await shownBy(call, parent), [['x'], 1]);
  assert.equal(await shownBy(call, taken), [[], 1]);
  assert.equal(await shownBy(call, child), [[], 0]);
});

for (const end of ['commit', 'rollback'] as const) {
  test(`two add the first one at a time, and the one who was earlier ends by ${end}`, async () => {
    const { call } = await tandem.workspace();
    const id = await create(call, 'a');
    const labels = [await createLabel(call, 'x'), await createLabel(call, 'y')] as const;
    const [first, second] = [0, 1].map(() => postgres(tandem.db.url, { max: 1 })) as [postgres.Sql, postgres.Sql];
    const [{ pid } = { pid: 0 }] = await second`select pg_backend_pid() as pid`;
    await first.unsafe('begin');
    await first.unsafe(writes.label, [id, labels[0]]);
    await first.unsafe(writes.child, [id, 'first']);
    const later = second
      .begin(async (sql) => {
        await sql.unsafe(writes.label, [id, labels[1]]);
        await sql.unsafe(writes.child, [id, 'second']);
      })
      .then(() => shownBy(call, id));
    const isBlocked = `select 1 from unnest(pg_blocking_pids($1)) where $1 > 0`;
    await until(async () => (await tandem.db.driver.unsafe(isBlocked, [pid])).length > 0);
    assert.equal(await shownBy(call, id), [[], 0]);
    await first.unsafe(end);
    const both = end === 'commit';
    assert.equal(await later, [both ? ['x', 'y'] : ['y'], both ? 2 : 1]);
    await Promise.all([first.end(), second.end()]);
  });
}

const wrong = `select t.id from todos t where
  not has_had_labels and exists (select from todo_labels x where x.workspace_id = t.workspace_id and x.todo_id = t.id)
  or not has_had_sub_todos and exists (
    select from todos s where s.workspace_id = t.workspace_id and s.parent_todo_id = t.id)`;

test('whatever many requests do at once, none is hidden', async () => {
  const { call } = await tandem.workspace();
  const labels = [await createLabel(call, 'x'), await createLabel(call, 'y')];
  for (let round = 0; round < 5; round++) {
    const ids = await Promise.all(['a', 'b', 'c'].map((title) => create(call, title)));
    const [a, b, c] = ids;
    const answers = await Promise.all([
      ...labels.map((id) => call(`PATCH /todos/${a}`, { addLabelIds: [id] })),
      call('POST /todos/bulk', { ids, patch: { addLabelIds: labels } }),
      call('POST /todos', { title: 'd', parentTodoId: a, labelIds: labels }),
      call('POST /todos/batch', { data: [{ title: 'e', parentTodoId: a }] }),
      call(`PATCH /todos/${b}`, { parentTodoId: a }),
      call(`PATCH /todos/${c}`, { parentTodoId: b }),
      call(`PATCH /todos/${c}`, { removeLabelIds: labels }),
    ]);
    for (const { status, text } of answers) assert.ok([200, 201, 400].includes(status), text);
    assert.equal(await shownBy(call, a as string).then(([names]) => names), ['x', 'y']);
    assert.equal([...(await tandem.db.driver.unsafe(wrong))], []);
  }
});

test('those from before the migration are shown', async () => {
  const [database, folder] = [await createDatabase(), await migrationsBefore('has_had_labels')];
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  await migrate(sql, folder);
  await sql.unsafe(
    `insert into workspaces (id, name, timezone, agent_minutes) values (gen_random_uuid(), 'w', 'UTC', 0)`,
  );
  await sql.unsafe(`insert into todo_lists (workspace_id, id, name) select id, gen_random_uuid(), 'l' from workspaces`);
  await sql.unsafe(`insert into labels (workspace_id, id, name, key, color)
    select id, gen_random_uuid(), 'x', 'x', 'red' from workspaces`);
  await sql.unsafe(`insert into todos (workspace_id, id, title, todo_list_id)
    select l.workspace_id, gen_random_uuid(), title, l.id from todo_lists l, unnest(array['both', 'none']) title`);
  const [both] = await sql`select id from todos where title = 'both'`;
  const [label] = await sql`select id from labels`;
  await sql.unsafe(writes.label, [both?.id, label?.id]);
  await sql.unsafe(writes.child, [both?.id, 'child']);
  await migrate(sql);
  const rows = await sql`select title, has_had_labels, has_had_sub_todos from todos order by title`;
  assert.equal(
    [...rows],
    [
      { title: 'both', has_had_labels: true, has_had_sub_todos: true },
      { title: 'child', has_had_labels: false, has_had_sub_todos: false },
      { title: 'none', has_had_labels: false, has_had_sub_todos: false },
    ],
  );
  await sql.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unroutedIn } from '../../db/engine/routing.ts';

const test = suite('the law of statements');

const distributed = new Set(['todos', 'todo_labels', 'labels', 'workspaces']);
const isLawful = (text: string) => unroutedIn(text, distributed).length === 0;

test('a query that names its workspace by a parameter can be routed, with what it joins', () => {
  assert.ok(isLawful('select id from todos where workspace_id = $1 and id = $2'));
  assert.ok(
    isLawful('select 1 from todos t join labels l on l.workspace_id = t.workspace_id where t.workspace_id = $2'),
  );
  assert.ok(isLawful('select "id" from "todos" where ("todos"."workspace_id" = $1 and "todos"."id" = $2)'));
  assert.ok(isLawful('select w.name from workspaces w where w.id = $1'));
  assert.ok(
    isLawful(
      'select (select count(*) from todos t where t.workspace_id = $1 and t.list = l.id) from unnest($2::uuid[]) l(id)',
    ),
  );
});

test('writes name it too', () => {
  assert.ok(isLawful('insert into todos (workspace_id, id) values ($1, $2)'));
  assert.ok(isLawful('insert into todos (workspace_id, id) select $1, id from unnest($2::uuid[]) id'));
  assert.ok(isLawful('update todos set title = $3 where workspace_id = $1 and id = $2'));
  assert.not.ok(isLawful('update todos set title = $1 where id = $2'));
  assert.not.ok(isLawful('insert into todos (workspace_id, id) select o.workspace_id, $1 from others o'));
  assert.not.ok(isLawful('delete from todos where id = $1'));
});

test('a subquery that is only tied to the query around it cannot be routed', () => {
  const subquery = 'select b.id from todo_labels b where b.workspace_id = t.workspace_id and b.todo_id = t.id';
  const [found, ...others] = unroutedIn(
    `select t.id, (${subquery}) from todos t where t.workspace_id = $1`,
    distributed,
  );
  assert.match(found ?? '', 'from todo_labels b');
  assert.is(others.length, 0);
  assert.not.ok(
    isLawful(
      'select 1 from labels l where exists (select 1 from todo_labels b where b.workspace_id = l.workspace_id and b.id = $1) and l.workspace_id = $2',
    ),
  );
  assert.not.ok(isLawful(`with page as (${subquery}) select * from page`));
  assert.not.ok(isLawful(`select 1 from todos t where t.workspace_id = $1 union all (${subquery})`));
});

test('one table of several without its workspace is found', () => {
  assert.not.ok(isLawful('select 1 from todos t join labels l on l.id = t.label_id where t.workspace_id = $1'));
  assert.not.ok(isLawful('select 1 from todos t, labels l where t.workspace_id = $1'));
});

test('texts, comments and columns that are called like a table do not matter', () => {
  assert.ok(
    isLawful(
      "select 'from todos', u.labels, todos -- from labels\n from users u, jsonb_to_recordset($1) r(id uuid, labels text)",
    ),
  );
});

test.run();

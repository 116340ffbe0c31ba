import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { directOf, type Shards } from '../../db/engine/direct.ts';

const test = suite('reads on the worker of a workspace');

const shards = new Map(['todos', 'labels', 'workspaces', 'members'].map((name, n) => [name, `${name}_${100 + n}`]));
const read = (text: string) => directOf(text)?.at(shards);

test('the tables of a read become the shards of its workspace', () => {
  assert.is(
    read('select t.id from todos t join labels l on l.workspace_id = t.workspace_id where t.workspace_id = $1'),
    'select t.id from todos_100 t join labels_101 l on l.workspace_id = t.workspace_id where t.workspace_id = $1',
  );
  assert.is(
    read('with near as (select id from todos where workspace_id = $1) select n.id from near n'),
    'with near as (select id from todos_100 todos where workspace_id = $1) select n.id from near n',
  );
  assert.is(
    read('select "id" from "todos" where ("todos"."workspace_id" = $1 and "todos"."id" = $2)'),
    'select "id" from todos_100 todos where ("todos"."workspace_id" = $1 and "todos"."id" = $2)',
  );
  assert.is(
    read('select m.id from workspaces as w join members m on m.workspace_id = w.id where w.id = $2'),
    'select m.id from workspaces_102 as w join members_103 m on m.workspace_id = w.id where w.id = $2',
  );
});

test('the parameters that hold the workspace are known', () => {
  const twice = 'select (select count(*) from labels where workspace_id = $3) from todos t where t.workspace_id = $1';
  assert.equal([...(directOf(twice)?.workspaces ?? [])].sort(), [1, 3]);
  assert.equal(directOf('select name from workspaces where id = $2')?.workspaces, [2]);
});

test('Citus runs what is more than a read of one workspace', () => {
  for (const text of [
    'update todos set title = $2 where workspace_id = $1',
    'select id from todos where workspace_id = $1 for update',
    'with gone as (delete from todos where workspace_id = $1 returning id) select id from gone',
    'select pg_notify($2, id::text) from todos where workspace_id = $1',
    'select id from todos where id = $1',
    'select id from todos where workspace_id = any($1) and workspace_id = $2',
    'select id from members where workspace_id = $1',
    'select w.name from members m join workspaces w on w.id = m.workspace_id join users u on u.id = m.user_id where u.id = $1',
    'select e.id from events e join todos t on t.workspace_id = e.workspace_id where e.workspace_id = $1 and t.workspace_id = $1',
    'select 1 from todos t, labels l where t.workspace_id = $1 and l.workspace_id = $1',
    'with labels as (select id from todos where workspace_id = $1) select * from labels where workspace_id = $1',
    'select 1',
  ]) {
    assert.is(directOf(text), null, text);
  }
});

test('a text for shards is made once, and again when there are too many', () => {
  const direct = directOf('select title from todos where workspace_id = $1');
  let times = 0;
  const own = { get: () => `todos_${++times}` } as unknown as Shards;
  const made = () => direct?.at(own);
  assert.is(made(), 'select title from todos_1 todos where workspace_id = $1');
  assert.is(made(), 'select title from todos_1 todos where workspace_id = $1');
  for (let each = 0; each < 30_000; each++) direct?.at(new Map([['todos', 'todos_100']]));
  assert.is(made(), 'select title from todos_2 todos where workspace_id = $1');
  assert.is(made(), 'select title from todos_2 todos where workspace_id = $1');
});

test('a table whose shard is not known is no read', () => {
  const text = 'select id from chats where workspace_id = $1';
  assert.throws(() => directOf(text)?.at(shards), /shard of the table chats/);
});

test.run();

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ask, DirectNodes } from '../../db/direct-nodes.ts';
import { directOf, type Shards } from '../../db/engine/direct.ts';
import { engineOf } from '../../db/engine/index.ts';
import { Hosts } from '../../db/hosts.ts';
import { until } from '../support/until.ts';

const test = suite('statements on the worker of a workspace');

const shards = new Map(['todos', 'labels', 'workspaces', 'members'].map((name, n) => [name, `${name}_${100 + n}`]));
const made = (text: string) => directOf(text)?.at(shards);
const isWrite = (text: string) => directOf(text)?.isWrite;

test('the tables of a read become the shards of its workspace', () => {
  assert.is(
    made('select t.id from todos t join labels l on l.workspace_id = t.workspace_id where t.workspace_id = $1'),
    'select t.id from todos_100 t join labels_101 l on l.workspace_id = t.workspace_id where t.workspace_id = $1',
  );
  assert.is(
    made('with near as (select id from todos where workspace_id = $1) select n.id from near n'),
    'with near as (select id from todos_100 todos where workspace_id = $1) select n.id from near n',
  );
  assert.is(
    made('select "id" from "todos" where ("todos"."workspace_id" = $1 and "todos"."id" = $2)'),
    'select "id" from todos_100 todos where ("todos"."workspace_id" = $1 and "todos"."id" = $2)',
  );
  assert.is(
    made('select m.id from workspaces as w join members m on m.workspace_id = w.id where w.id = $2'),
    'select m.id from workspaces_102 as w join members_103 m on m.workspace_id = w.id where w.id = $2',
  );
});

test('the parameters that hold the workspace are known', () => {
  const twice = 'select (select count(*) from labels where workspace_id = $3) from todos t where t.workspace_id = $1';
  assert.equal([...(directOf(twice)?.workspaces ?? [])].sort(), [1, 3]);
  assert.equal(directOf('select name from workspaces where id = $2')?.workspaces, [2]);
});

test('the tables of a change become the shards of its workspace', () => {
  assert.is(
    made('update todos set title = $2 where workspace_id = $1'),
    'update todos_100 todos set title = $2 where workspace_id = $1',
  );
  assert.is(
    made('delete from todos using labels l where todos.workspace_id = $1 and l.workspace_id = $1'),
    'delete from todos_100 todos using labels_101 l where todos.workspace_id = $1 and l.workspace_id = $1',
  );
  assert.is(
    made('insert into labels (workspace_id, id) values ($1, $2) on conflict do nothing returning id'),
    'insert into labels_101 as labels (workspace_id, id) values ($1, $2) on conflict do nothing returning id',
  );
  assert.is(
    made(
      'insert into labels as l (workspace_id, id) select $1, $2 on conflict (workspace_id, id) do update set name = l.name',
    ),
    'insert into labels_101 as l (workspace_id, id) select $1, $2 on conflict (workspace_id, id) do update set name = l.name',
  );
  assert.is(
    made(`with held as (select id from todos where workspace_id = $1 for no key update), gone as (
      delete from labels l where l.workspace_id = $1 returning id) select m.id from gone, members m where m.workspace_id = $1`),
    undefined,
  );
  assert.is(
    made(`with held as (select id from todos where workspace_id = $1 for no key update), gone as (
      delete from labels l where l.workspace_id = $1 returning id) select m.id from gone join members m on m.workspace_id = $1`),
    `with held as (select id from todos_100 todos where workspace_id = $1 for no key update), gone as (
      delete from labels_101 l where l.workspace_id = $1 returning id) select m.id from gone join members_103 m on m.workspace_id = $1`,
  );
  assert.equal(
    ['update todos set title = $2 where workspace_id = $1', 'select id from todos where workspace_id = $1'].map(
      isWrite,
    ),
    [true, false],
  );
});

test('the parameters that are inserted as the workspace are known', () => {
  const twice = 'insert into labels (workspace_id, id) select $2, t.id from todos t where t.workspace_id = $1';
  assert.equal([...(directOf(twice)?.workspaces ?? [])].sort(), [1, 2]);
});

test('Citus runs what may be more than changes of one workspace', () => {
  for (const text of [
    'update members set role = $2 where workspace_id = $1 and exists (select from todos where workspace_id = $1)',
    'update events set type = $2 where workspace_id = $1',
    'with gone as (delete from todos where workspace_id = $1 returning id) insert into events (workspace_id, id) select $1, id from gone',
    'insert into labels (workspace_id, id) values ($1, $2), ($3, $4)',
    'insert into labels (workspace_id, id) select $1, $2 union all select $3, $4',
    'insert into labels (workspace_id, id) select t.workspace_id, t.id from todos t where t.workspace_id = $1',
    'insert into labels (id, workspace_id) select t.id, $2 from todos t where t.workspace_id = $1',
    'insert into labels (workspace_id, id) values ($1, $2) on conflict on constraint labels_pk do nothing',
    'update todos set workspace_id = $2 where workspace_id = $1',
    'update todos set title = $2 where workspace_id = any($1)',
    'with held as (select m.id from members m join todos t on t.workspace_id = $1 for update) delete from todos where workspace_id = $1',
    'with held as (select t.id from (select id from users u join todos t on t.workspace_id = $1) t for share) delete from todos where workspace_id = $1',
    `with gone as (delete from todos where workspace_id = $1 returning id) select pg_notify($2, id::text) from gone`,
    `delete from todos where workspace_id = $1 and set_config('lock_timeout', '1', false) = '1'`,
    'select id from todos where workspace_id = $1 for update',
  ]) {
    assert.is(directOf(text), null, text);
  }
});

test('Citus runs what is more than a read of one workspace', () => {
  for (const text of [
    'select id from todos where workspace_id = $1 for update',
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
  const text = () => direct?.at(own);
  assert.is(text(), 'select title from todos_1 todos where workspace_id = $1');
  assert.is(text(), 'select title from todos_1 todos where workspace_id = $1');
  for (let each = 0; each < 30_000; each++) direct?.at(new Map([['todos', 'todos_100']]));
  assert.is(text(), 'select title from todos_2 todos where workspace_id = $1');
  assert.is(text(), 'select title from todos_2 todos where workspace_id = $1');
});

test('a table whose shard is not known is no read', () => {
  const text = 'select id from chats where workspace_id = $1';
  assert.throws(() => directOf(text)?.at(shards), /shard of the table chats/);
});

test('a worker at an address of the machine itself is signed in to only where the coordinator is there too', async () => {
  const hosts: (string | undefined)[] = [];
  let isMet = false;
  const server = createServer((socket) => {
    isMet = true;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const openAt = (url: string) => {
    const base = { url, hosts: new Hosts(url), applicationName: 'test', engine: engineOf('citus') };
    const ask: Ask = async <Row>() => {
      hosts.push(new URL(url).hostname);
      return [{ identity: 'one' }] as Row[];
    };
    const nodes = new DirectNodes({ ...base, settingsBy: 'startup', onError: () => {} }, 2, ask, () => {});
    for (const host of ['localhost', '127.0.0.1']) nodes.at({ name: `${host}:${port}`, host, port, group: 1 });
    return nodes;
  };
  const opened = [openAt('postgres://u:p@coordinator.example/db'), openAt('postgres://u:p@127.0.0.1:1/db')];
  await until(() => isMet);
  assert.equal(hosts, ['127.0.0.1', '127.0.0.1']);
  for (const each of opened) await each.close(0);
  server.close();
});

test.run();

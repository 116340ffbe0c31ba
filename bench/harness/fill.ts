import type { Database } from '../../db/client.ts';
import { hashSecret, mintSecret } from '../../db/secrets.ts';
import { scopes } from '../../domain/scopes.ts';
import { countWorkspace } from '../../domain/todos/counts.ts';
import type { Options } from './options.ts';
import { wordsSql } from './words.ts';

/** Tables that are filled without their indexes, for speed. */
const big = ['todos', 'todo_assignees', 'todo_search'];

interface Definition {
  drop: string;
  create: string;
}

/** Foreign keys of and to the big tables, their primary keys and indexes, in the order in which they can be dropped. */
async function definitionsOf(db: Database): Promise<Definition[]> {
  const constraints = await db.driver<Definition[]>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
    from pg_constraint where (contype = 'f' and confrelid = any(${big}::regclass[]))
      or (contype in ('f', 'p') and conrelid = any(${big}::regclass[]))
    order by contype, conname`;
  const indexes = await db.driver<Definition[]>`
    select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create
    from pg_index where indrelid = any(${big}::regclass[]) and not indisprimary order by 1`;
  return [...constraints, ...indexes];
}

const uuid = (instant: string, salt: string) =>
  `(lpad(to_hex((extract(epoch from ${instant}) * 1000)::bigint), 12, '0') || '7' || substr(md5('${salt}' || n), 1, 3)
    || '8' || substr(md5('${salt}' || n), 4, 15))::uuid`;

/** Workspace 0 is the giant one. `people` numbers those who are assigned work in it, its agent last. */
const tenants = `
  create unlogged table bench_spaces as select n, ${uuid('at', 'space')} as id, at, case n when 0 then 24 else 4 end as staff
    from (select n, date_trunc('second', now()) - interval '3 years' + n * interval '1 second' as at
      from generate_series(0, $workspaces - 1) n) starts;
  insert into workspaces (id, name, agent_minutes, created_at) select id, 'Workspace ' || n, 600, at from bench_spaces;
  create unlogged table bench_people as select s.n as space, s.id as workspace_id, p as place, s.staff + 1 as places,
      case when p < s.staff then ${uuid('s.at', 'user').replaceAll('|| n', "|| s.n || ' ' || p")} end as user_id,
      case when p = s.staff then ${uuid('s.at', 'agent').replaceAll('|| n', '|| s.n')} end as agent_id
    from bench_spaces s, generate_series(0, s.staff) p;
  insert into users (id, email, name, password_hash)
    select user_id, 'person-' || space || '-' || place || '@example.com', 'Person ' || place || ' of ' || space, 'none'
    from bench_people where user_id is not null;
  insert into members (workspace_id, user_id, role)
    select workspace_id, user_id, case place when 0 then 'owner' else 'member' end from bench_people where user_id is not null;
  insert into agents (workspace_id, id, name, is_default)
    select workspace_id, agent_id, 'Assistant', true from bench_people where agent_id is not null;
  create unlogged table bench_lists as
    select s.n as space, s.id as workspace_id, l as place, ${uuid('s.at', 'list').replaceAll('|| n', "|| s.n || ' ' || l")} as id
    from bench_spaces s, generate_series(0, 4) l;
  insert into todo_lists (workspace_id, id, name, is_default)
    select workspace_id, id, case place when 0 then 'Inbox' else 'List ' || place end, place = 0 from bench_lists;
  analyze bench_spaces; analyze bench_people; analyze bench_lists`;

/** Todos of all workspaces, interleaved over two years. */
const todos = `
  insert into todos (workspace_id, id, title, content, status, priority, type, todo_list_id, due_date, is_suggested,
      source, minutes_saved, archived_at, created_at, updated_at)
  select l.workspace_id, ${uuid('t.at', 'todo')}, upper(left(title, 1)) || substr(title, 2), content, status, priority,
    case when chance < 0.95 then 'task' else 'responsibility' end, l.id,
    case when due < 0.4 then (at + (due * 200 - 20) * interval '1 day')::date end, chance > 0.99, 'user_created',
    case when status = 'done' and due > 0.7 then (chance * 60)::int end,
    case when archive < 0.1 then least(now(), at + chance * interval '60 days') end,
    at, least(now(), at + archive * chance * interval '90 days')
  from (
    select n, date_trunc('milliseconds', now() - ($todos - n) * (interval '2 years' / $todos)) as at,
      case when n * 7919::bigint % $todos < $giant then 0 else 1 + (n * 7919::bigint % $todos)::int % ($workspaces - 1) end as space,
      floor(5 * random() ^ 2)::int as list, random() as chance, random() as due, random() as archive,
      (array['ready', 'ready', 'in_progress', 'done', 'done'])[1 + floor(5 * random())::int] as status,
      (array[null, null, 1, 2, 2, 3, 4])[1 + floor(7 * random())::int] as priority,
      ${wordsSql('3 + n % 6')} as title,
      case when n % 4 > 0 then ${wordsSql('4 + n * 31 % 45')} end as content
    from generate_series(1, $todos) n
  ) t join bench_lists l on l.space = t.space and l.place = t.list`;

const assignees = `
  insert into todo_assignees (workspace_id, todo_id, position, user_id, agent_id, created_at)
  select t.workspace_id, t.id, a, p.user_id, p.agent_id, t.created_at
  from (select *, get_byte(uuid_send(id), 15) as dice, get_byte(uuid_send(id), 14) as start from todos) t
  join bench_spaces s on s.id = t.workspace_id
  cross join lateral generate_series(1, case when dice < 50 then 0 when dice < 190 then 1 when dice < 240 then 2 else 3 end) a
  join bench_people p on p.space = s.n and p.place = (start + a) % p.places`;

const searched = `
  insert into todo_search (workspace_id, todo_id, title, content)
  select workspace_id, id, lower(coalesce(title, '')), lower(coalesce(content, '')) from todos`;

/** One key per workspace with an unreachable rate limit; returns the secrets by number of workspace. */
async function mintKeys(db: Database, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, () => mintSecret('sk'));
  await db.driver`
    insert into credentials (workspace_id, id, kind, secret_hash, user_id, name, prefix, last4, scopes, rate_limit_per_minute)
    select p.workspace_id, gen_random_uuid(), 'api_key', decode(k.hash, 'hex'), p.user_id, 'Bench', 'tandem_sk', '0000', ${[...scopes]}, 1000000000
    from unnest(${keys.map((key) => hashSecret(key).toString('hex'))}::text[]) with ordinality k(hash, n)
    join bench_people p on p.space = k.n - 1 and p.place = 0`;
  return keys;
}

/** Fills an empty, migrated database and restores its indexes. Returns the API keys, the giant's first. */
export async function fill(db: Database, options: Options, print: (line: string) => void): Promise<string[]> {
  const sized = (text: string) =>
    text.replaceAll(/\$(workspaces|todos|giant)/g, (_, name: 'todos') => String(options[name]));
  const connection = await db.driver.reserve();
  const timed = async (name: string, work: () => Promise<void>) => {
    const begun = performance.now();
    await work();
    print(`  ${name.padEnd(10)} ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  };
  const step = (name: string, ...statements: string[]) =>
    timed(name, async () => {
      for (const statement of statements) await connection.unsafe(sized(statement));
    });
  const definitions = await definitionsOf(db);
  try {
    // The numbers of todos are counted at the end, not todo by todo.
    await connection.unsafe(`set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '64MB';
      set max_parallel_maintenance_workers = 2; select setseed(0.42)`);
    await step('tenants', tenants);
    const keys = await mintKeys(db, options.workspaces);
    await step('drop', ...definitions.map((each) => each.drop));
    await step('todos', todos);
    await step('assignees', assignees);
    await step('search', searched);
    const [keysFirst, rest] = [definitions.filter((each) => / PRIMARY KEY /.test(each.create)), definitions];
    const later = rest.filter((each) => !keysFirst.includes(each));
    const foreign = later.filter((each) => / FOREIGN KEY /.test(each.create));
    const indexes = later.filter((each) => !foreign.includes(each));
    await step('indexes', ...[...keysFirst, ...indexes, ...foreign].map((each) => each.create));
    await timed('counts', async () => {
      for (const { id } of await db.rows<{ id: string }>('select id from bench_spaces', []))
        await countWorkspace(db, id);
    });
    await step('vacuum', 'drop table bench_spaces, bench_people, bench_lists', 'vacuum (analyze)', 'checkpoint');
    return keys;
  } finally {
    await connection.unsafe('reset all').catch(() => {});
    connection.release();
  }
}

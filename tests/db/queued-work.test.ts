import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../db/migrate.ts';
import { startTestService } from '../support/harness.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { until } from '../support/until.ts';

/*
 * The fixture is a dump of the last version that kept its queue in pg-boss, with jobs that wait, jobs of a worker that
 * died, one that is due in 2099, and a capture that was asked for twice.
 */

const test = suite('work that was queued in pg-boss');
const fixture = new URL('../fixtures/queued-in-pg-boss.sql.gz', import.meta.url);
const dump = gunzipSync(await readFile(fixture)).toString();
let scratch: ScratchDatabase;
const others: ScratchDatabase[] = [];

test.before.each(async () => {
  scratch = await createDatabase();
});
test.after.each(async () => {
  for (const each of [scratch, ...others.splice(0)]) await each.drop();
});

/** One more database, dropped after the test. */
async function another(): Promise<ScratchDatabase> {
  const database = await createDatabase();
  others.push(database);
  return database;
}

/** Runs statements in the scratch database, as its owner unless `url` names another role. */
async function run(text: string, url = scratch.url): Promise<Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.end();
  }
}

async function migrated(url = scratch.url): Promise<string[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await migrate(sql);
  } finally {
    await sql.end();
  }
}

const schemas = `select nspname from pg_namespace where nspname = 'pgboss'`;
const queued = `select name, state, start_after > now() + interval '1 year' as later, count(*)::int as count
  from pgboss.job group by 1, 2, 3 order by 1, 2, 3`;
const left = `select (select count(*) from chat_turns where ended_at is null and not_before is null)
    + (select count(*) from digests) + (select count(*) from capture_work) as count`;
const turns = `select outcome, attempt, lease_until > now() + interval '1 year' as later, count(*)::int as count
  from chat_turns group by 1, 2, 3 order by 2, 1, 3`;
const made = `select title, source, count(*)::int as count from todos where source <> 'user_created' or source is null
  group by 1, 2 order by 1`;
const missing = `select (select count(*)::int from chats where status = 'completed' and (title is null or subtitle is null)) as titles,
  (select count(*)::int from captures where status <> 'completed' or summary is null) as captures,
  (select count(*)::int from agent_skills where summary is null) as skills,
  (select count(*)::int from todos where title = 'Done by a person' and minutes_saved is null) as estimates`;

/** Digests that waited, by kind. */
const carried = [
  { kind: 'chat_title', count: 2 },
  { kind: 'minutes_saved', count: 1 },
  { kind: 'skill_summary', count: 1 },
];

test('is finished by this version, each piece once, and what is due later waits for its time', async () => {
  await run(dump);
  assert.equal(await run(queued), [
    { name: 'captures', state: 'created', later: false, count: 4 },
    { name: 'captures', state: 'active', later: false, count: 1 },
    { name: 'digests', state: 'created', later: false, count: 3 },
    { name: 'digests', state: 'active', later: false, count: 1 },
    { name: 'turns', state: 'created', later: false, count: 4 },
    { name: 'turns', state: 'created', later: true, count: 1 },
    { name: 'turns', state: 'active', later: false, count: 1 },
  ]);
  const tandem = await startTestService({ DATABASE_URL: scratch.url, DATABASE_POOL_SIZE: '4' });
  try {
    assert.is((await run(schemas)).length, 1, 'the previous release may come back');
    await until(async () => (await run(left))[0]?.count === '0');
    assert.equal(await run(turns), [
      { outcome: 'cancelled', attempt: 0, later: false, count: 1 },
      { outcome: null, attempt: 0, later: true, count: 1 },
      { outcome: 'completed', attempt: 1, later: false, count: 3 },
      { outcome: 'completed', attempt: 2, later: false, count: 1 },
    ]);
    assert.equal(await run(made), [
      { title: 'Feed the cat', source: 'auto_suggested', count: 1 },
      { title: 'Held by a worker that died', source: 'agent_created', count: 1 },
      { title: 'Paint the door', source: 'auto_suggested', count: 1 },
      { title: 'Queued in a chat', source: 'agent_created', count: 1 },
      { title: 'Water the plants', source: 'auto_suggested', count: 1 },
    ]);
    assert.equal(await run(missing), [{ titles: 0, captures: 0, skills: 0, estimates: 0 }]);
  } finally {
    await tandem.close();
  }
});

/** The digests, and how long they are left to the job in pg-boss, in seconds. */
const digests = `select kind, worker_id is not null as "hasJob", greatest(0, round(extract(epoch from lease_until - now())))::int as left
  from digests order by kind, subject_id`;
const chat = '01a2031e-28c6-77a8-8430-adee90eb2351';
const job = `jsonb_build_object('kind', 'chat_subtitle', 'id', '${chat}', 'workspaceId', '${chat}')`;

test('of the previous release, after the migration, is a row too until it is done there', async () => {
  await run(dump);
  await migrated();
  await run(`delete from pgboss.job where name = 'digests'`);
  assert.equal(await run(digests), []);
  const insert = `insert into pgboss.job (name, data) values ('digests', ${job})`;
  await run(`begin; ${insert}; commit`);
  assert.equal(await run(digests), [{ kind: 'chat_subtitle', hasJob: true, left: 20 }]);
  // pg-boss tries again what failed.
  await run(`with failed as (delete from pgboss.job where name = 'digests' returning *)
    insert into pgboss.job (id, name, data, state, start_after)
    select id, name, data, 'retry', now() + interval '40 seconds' from failed`);
  assert.equal(await run(digests), [{ kind: 'chat_subtitle', hasJob: true, left: 60 }]);
  // Asked for again by this release: the end of the job is not the end of that.
  await run('update digests set worker_id = null, attempt = attempt + 1, lease_until = now()');
  await run(`delete from pgboss.job where name = 'digests'`);
  assert.equal(await run(digests), [{ kind: 'chat_subtitle', hasJob: false, left: 0 }]);
  await run('delete from digests');
  await run(`begin; ${insert}; rollback`);
  assert.equal(await run(digests), []);
});

test('by this release is a job of the previous one when that runs and the row is overdue, once', async () => {
  await run(dump);
  await migrated();
  await run(`delete from pgboss.job where name = 'digests'; delete from digests`);
  const jobs = `select data ->> 'kind' as kind, state, retry_limit from pgboss.job where name = 'digests' order by 1`;
  const supervise = 'update pgboss.queue set monitor_on = now()';
  await run(`insert into digests (workspace_id, kind, subject_id, lease_until) values
    ('${chat}', 'chat_title', '${chat}', now() - interval '6 seconds'), ('${chat}', 'minutes_saved', '${chat}', now())`);
  await run(supervise);
  assert.equal(await run(jobs), [{ kind: 'chat_title', state: 'created', retry_limit: 4 }]);
  await run(`update digests set lease_until = now() - interval '1 hour' where kind = 'chat_title'`);
  await run(supervise);
  assert.is((await run(jobs)).length, 1, 'its job waits');
  await run(`delete from pgboss.job where name = 'digests'`);
  assert.equal(await run(digests), [{ kind: 'minutes_saved', hasJob: false, left: 0 }]);
});

test('is carried over by a role that may not create anything in the schema', async () => {
  const role = `narrow_${crypto.randomUUID().slice(0, 8)}`;
  const url = new URL((await another()).url);
  const { pathname } = url;
  await run(
    `create role ${role} login password 'secret'; grant all on database ${pathname.slice(1)} to ${role};
      grant all on schema public to ${role}`,
    url.toString(),
  );
  const owner = url.toString();
  Object.assign(url, { username: role, password: 'secret' });
  try {
    await run(dump, url.toString());
    await run('alter schema pgboss owner to current_user; grant usage on schema pgboss to public', owner);
    await migrated(url.toString());
    assert.equal(await run('select kind, count(*)::int as count from digests group by 1 order by 1', owner), carried);
  } finally {
    await run(`drop owned by ${role} cascade; drop role ${role}`, owner);
  }
});

test('of another program alone is left alone, whatever its version, and whether or not it may be read', async () => {
  const versions = [
    'create table pgboss.job (id uuid, name text, state text, startafter timestamptz, data jsonb)',
    `create table pgboss.job (id uuid, name text, state text, start_after timestamptz, data jsonb);
      create table pgboss.queue (name text)`,
  ];
  for (const tables of versions) {
    const { url } = await another();
    await run(`create schema pgboss; ${tables}`, url);
    await migrated(url);
    assert.is((await run(schemas, url)).length, 1);
  }

  const role = `narrow_${crypto.randomUUID().slice(0, 8)}`;
  const url = new URL((await another()).url);
  const owner = url.toString();
  await run(
    `create role ${role} login password 'secret'; grant all on database ${url.pathname.slice(1)} to ${role};
      grant all on schema public to ${role}; create schema pgboss; ${versions[1]}; insert into pgboss.queue values ('turns'), ('digests')`,
    owner,
  );
  Object.assign(url, { username: role, password: 'secret' });
  try {
    await migrated(url.toString());
  } finally {
    await run(`drop owned by ${role} cascade; drop role ${role}`, owner);
  }
});

test.run();

import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedDatabase, type EmbeddedOptions, openEmbedded } from '../../db/embedded/index.ts';
import { EmbeddedDatabaseError } from '../../db/errors.ts';
import { alive, family, kill, pidFile, postmasterPid, startService } from '../fixtures/database-service.ts';
import { until } from '../support/until.ts';

const test = suite('embedded database');
const opened: EmbeddedDatabase[] = [];
const spawned: ChildProcess[] = [];
const created: string[] = [];
let dataDir = '';

async function freshDir(): Promise<string> {
  const dir = await fs.mkdtemp(path.join(os.tmpdir(), 'tandem-embedded-'));
  created.push(dir);
  return dir;
}

async function open(options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedDatabase> {
  const database = await openEmbedded({ dataDir, ...options });
  opened.push(database);
  return database;
}

const serve = (dir = dataDir) => startService(dir, (child) => spawned.push(child));

async function query<T>(database: { url?: string }, ask: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(database.url ?? '', { max: 1, onnotice: () => {} });
  return await ask(sql).finally(() => sql.end({ timeout: 1 }));
}

const notes = (database: { url?: string }) =>
  query(database, async (sql) => (await sql`select body from notes order by body`).map((row) => row.body));

async function refusal(opening: Promise<EmbeddedDatabase>): Promise<string> {
  const error = await opening.then(
    () => assert.unreachable('it opened'),
    (thrown: unknown) => thrown,
  );
  assert.instance(error, EmbeddedDatabaseError);
  return (error as Error).message;
}

test.before(async () => {
  dataDir = await freshDir();
});

test.after(async () => {
  await Promise.all(spawned.map((child) => kill(child, 'SIGKILL')));
  await Promise.all(opened.map((database) => database.stop().catch(() => undefined)));
  for (const dir of created) {
    const pid = await postmasterPid(dir).catch(() => undefined);
    if (pid && alive([pid]).length > 0) {
      process.kill(pid, 'SIGQUIT');
      await until(() => alive([pid]).length === 0);
    }
    await fs.rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('the first start makes a UTF-8 cluster on 127.0.0.1 with a password only the owner may read', async () => {
  await fs.mkdir(path.join(dataDir, 'postgres.init-999999999-dead'));
  const database = await open();
  const [row] = await query(
    database,
    (sql) => sql`
      select current_setting('server_encoding') as encoding, current_setting('listen_addresses') as addresses,
        current_setting('timezone') as timezone, current_setting('fsync') as fsync, current_setting('jit') as jit,
        current_database() as name, lower('É') as lower`,
  );
  assert.equal(row, {
    encoding: 'UTF8',
    addresses: '127.0.0.1',
    timezone: 'UTC',
    fsync: 'on',
    jit: 'off',
    name: 'tandem',
    lower: 'é',
  });
  assert.is((await fs.stat(path.join(dataDir, 'postgres.password'))).mode & 0o777, 0o600);
  assert.equal((await fs.readdir(dataDir)).sort(), ['postgres', 'postgres.log', 'postgres.password']);
  const wrong = { url: database.url.replace(/:[^:@]+@/, ':wrong@') };
  await query(wrong, (sql) => sql`select 1`).then(
    () => assert.unreachable('a wrong password was accepted'),
    (error: { code: string }) => assert.is(error.code, '28P01'),
  );
  await query(database, (sql) => sql`create table notes as select 'kept' as body`);
});

test('stop leaves no process and may be called twice', async () => {
  const pids = family(await postmasterPid(dataDir));
  assert.ok(pids.length > 3);
  await Promise.all([opened[0]?.stop(), opened[0]?.stop()]);
  assert.equal(alive(pids), []);
  await opened[0]?.stop();
});

test('a restart keeps the data, takes extra settings and closes a directory that a volume driver opened', async () => {
  await fs.chmod(path.join(dataDir, 'postgres'), 0o770);
  const database = await open({ settings: { work_mem: '5MB' } });
  assert.equal(await notes(database), ['kept']);
  const [row] = await query(database, (sql) => sql`show work_mem`);
  assert.is(row?.work_mem, '5MB');
  await database.stop();
});

test('after kill -9 of the service the next one takes over the running PostgreSQL and stops it', async () => {
  const service = await serve();
  const pid = await postmasterPid(dataDir);
  await kill(service.child, 'SIGKILL');
  assert.equal(alive([pid]), [pid]);
  const database = await open();
  assert.is(database.url, service.url);
  assert.is(await postmasterPid(dataDir), pid);
  assert.equal(await notes(database), ['kept']);
  await database.stop();
  assert.equal(alive([pid]), []);
});

test('after kill -9 of the service and of PostgreSQL the next start recovers committed data', async () => {
  const service = await serve();
  await query(service, (sql) => sql`insert into notes values ('written before the crash')`);
  const pid = await postmasterPid(dataDir);
  await kill(service.child, 'SIGKILL');
  process.kill(pid, 'SIGKILL');
  const database = await open();
  assert.is.not(await postmasterPid(dataDir), pid);
  assert.equal(await notes(database), ['kept', 'written before the crash']);
  await database.stop();
});

test('a stale lock file does not stop the start, whatever it holds', async () => {
  const { uid, gid } = await fs.stat(path.join(dataDir, 'postgres'));
  // The same user: PostgreSQL itself would take this process for a running PostgreSQL and refuse.
  const other = spawn('sleep', ['3600'], process.getuid?.() === 0 ? { uid, gid } : {});
  spawned.push(other);
  const lines = [other.pid, path.join(dataDir, 'postgres'), 1, 5432, '', '127.0.0.1', '  1  1', 'ready   ', ''];
  const old = new Date(Date.now() - 60_000);
  for (const content of [lines.join('\n'), '']) {
    await fs.writeFile(pidFile(dataDir), content);
    await fs.utimes(pidFile(dataDir), old, old);
    const database = await open();
    assert.equal((await notes(database)).length, 2);
    await database.stop();
  }
  assert.equal(alive([other.pid ?? 0]), [other.pid]);
});

test('a service that starts while the old one stops waits for it', async () => {
  const old = await serve();
  const stopping = kill(old.child, 'SIGTERM');
  const database = await open();
  await stopping;
  assert.equal((await notes(database)).length, 2);
  await database.stop();
});

test('a second owner is refused with the pid of the first and what to do', async () => {
  const service = await serve();
  const message = await refusal(open());
  assert.match(message, `in use by another running Tandem (pid ${service.child.pid})`);
  assert.match(message, 'DATA_DIR');
  assert.match(message, 'DATABASE_URL');
  assert.equal((await notes(service)).length, 2);

  const attached = await open({ exclusive: false });
  assert.is(attached.url, service.url);
  await attached.stop();
  assert.equal((await notes(service)).length, 2);
  await kill(service.child, 'SIGTERM');
});

test('an owner whose connection drops takes the directory again', async () => {
  const lines: string[] = [];
  const database = await open({ log: (line) => lines.push(line) });
  await query(
    database,
    (sql) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${`tandem-owner ${process.pid}`}`,
  );
  await until(() => lines.some((line) => line.includes('lock taken again')));
  assert.match((await serve()).message ?? '', `pid ${process.pid}`);
  await database.stop();
});

test('PostgreSQL that is killed under its owner is started again where it was, and stops with the owner', async () => {
  const database = await open();
  const [kept, pid] = [await notes(database), await postmasterPid(dataDir)];
  process.kill(pid, 'SIGKILL');
  await until(async () => (await notes(database).catch(() => [])).length === kept.length);
  assert.match((await serve()).message ?? '', `pid ${process.pid}`);
  const again = await postmasterPid(dataDir);
  assert.is.not(again, pid);
  process.kill(again, 'SIGKILL');
  await sleep(150);
  await database.stop();
  assert.equal(alive([again, await postmasterPid(dataDir).catch(() => again)]), []);
});

test('an attached database is stopped by who started it, unless an owner came', async () => {
  const alone = await open({ exclusive: false });
  const first = await postmasterPid(dataDir);
  await alone.stop();
  assert.equal(alive([first]), []);

  const starter = await open({ exclusive: false });
  const owner = await open();
  await starter.stop();
  assert.equal((await notes(owner)).length, 2);
  await owner.stop();
});

test('a fixed port is used, also by a PostgreSQL that runs on another; a taken one is named', async () => {
  const taken = net.createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as net.AddressInfo;
  const message = await refusal(open({ port }));
  assert.match(message, `port ${port}`);
  assert.match(message, 'EMBEDDED_PORT');
  await new Promise((resolve) => taken.close(resolve));

  const service = await serve();
  await kill(service.child, 'SIGKILL');
  const database = await open({ port });
  assert.is(new URL(database.url).port, `${port}`);
  assert.equal((await notes(database)).length, 2);
  await database.stop();
});

test('a directory that is not ours is refused and left as it is', async () => {
  const dir = await freshDir();
  const cluster = path.join(dir, 'postgres');
  await fs.mkdir(cluster);
  await fs.writeFile(path.join(cluster, 'thesis.txt'), 'mine');
  assert.match(await refusal(openEmbedded({ dataDir: dir })), 'is not a PostgreSQL database');
  assert.equal(await fs.readdir(dir), ['postgres']);

  await fs.rm(path.join(cluster, 'thesis.txt'));
  await fs.writeFile(path.join(cluster, 'PG_VERSION'), '9\n');
  assert.match(await refusal(openEmbedded({ dataDir: dir })), 'was made by PostgreSQL 9');

  await fs.rm(cluster, { recursive: true });
  await fs.writeFile(cluster, '');
  assert.match(await refusal(openEmbedded({ dataDir: dir })), 'is not a directory');
  assert.match(await refusal(openEmbedded({ dataDir: cluster })), 'cannot be written');
});

test('of two first starts at the same moment one wins, and a first start that was killed harms no later one', async () => {
  const dir = await freshDir();
  const interrupted = serve(dir);
  await until(async () => (await fs.readdir(dir)).some((name) => /^postgres\.init-\d+-\w+$/.test(name)));
  await kill(spawned.at(-1) as ChildProcess, 'SIGKILL');
  await interrupted;

  const services = await Promise.all([serve(dir), serve(dir)]);
  const winner = services.find(({ url }) => url);
  const loser = services.find(({ error }) => error);
  assert.ok(winner);
  assert.is(loser?.error, 'EmbeddedDatabaseError');
  assert.match(loser?.message ?? '', `in use by another running Tandem (pid ${winner?.child.pid})`);
  const [row] = await query(winner ?? {}, (sql) => sql`select 1 as one`);
  assert.is(row?.one, 1);
  const pids = family(await postmasterPid(dir));
  await kill(winner?.child as ChildProcess, 'SIGTERM');
  assert.equal(alive(pids), []);
});

test.run();

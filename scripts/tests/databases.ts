import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { openEmbedded } from '../../db/embedded/index.ts';
import { migrate } from '../../db/migrate.ts';

/** Migrated databases, one per test file: the service takes up whatever work its database holds. */
export interface TestDatabases {
  /** Returns the URL of a database to which nobody has ever connected. */
  create(): Promise<string>;
  /** Drops it, or keeps it for the next `create()` when nobody connected to it. */
  release(url: string): Promise<void>;
  close(): Promise<void>;
}

interface Server {
  url: string;
  stop(): Promise<void>;
}

/** The file system in memory that Linux has. */
const memory = '/dev/shm';
/** Several times what the databases of a run need at a time. In a container it often has 64 MB. */
const roomyBytes = 4 * 2 ** 30;

/** Where PostgreSQL keeps its files: a database has 600 of them, which are made and removed for each test file. */
async function filesFolder(): Promise<string> {
  const space = await statfs(memory).catch(() => undefined);
  return space && space.bavail * space.bsize >= roomyBytes ? memory : tmpdir();
}

/** Nothing has to survive a power failure, and databases are created and dropped all the time. */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '500',
  wal_level: 'minimal',
  max_wal_senders: '0',
  io_method: 'sync',
  file_copy_method: 'clone',
};

/** Stores the password of the role so that a log-in takes one round of hashing, on both sides, and not thousands. */
async function makeLoginsCheap(url: string): Promise<void> {
  const { username, password } = new URL(url);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe('set scram_iterations = 1');
  await sql.unsafe(`alter role ${username} password '${password}'`);
  await sql.end();
}

/** An embedded PostgreSQL for the tests of a run. */
async function startServer(): Promise<Server> {
  const directory = await mkdtemp(join(await filesFolder(), 'tandem-test-'));
  const embedded = await openEmbedded({ dataDir: directory, settings });
  await makeLoginsCheap(embedded.url);
  return {
    url: embedded.url,
    stop: async () => {
      await embedded.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
}

async function migrateTemplate(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await migrate(sql);
  await sql.end();
  // The first connection after the last change of the schema writes down what each one reads first: copies have that
  // too.
  const next = postgres(url, { max: 1 });
  await next`select 1`;
  await next.end();
}

/** Databases on the server at `externalUrl` (its role must be allowed to create databases), or on an embedded one. */
export async function openDatabases(externalUrl?: string): Promise<TestDatabases> {
  const server: Server = externalUrl ? { url: externalUrl, stop: async () => {} } : await startServer();
  const sql = postgres(server.url, { max: 4, onnotice: () => {} });
  const prefix = `tandem_test_${randomBytes(4).toString('hex')}`;
  const template = `${prefix}_template`;
  const unused: string[] = [];
  let count = 0;
  // A connection is counted before it ends: looked at in this order, none is missed.
  const isUnused = async (name: string) => {
    const [row] = await sql<{ numbackends: number; sessions: string }[]>`
      select numbackends, sessions from pg_stat_database where datname = ${name}`;
    return row?.numbackends === 0 && row.sessions === '0';
  };
  const dropDatabase = (name: string) => sql.unsafe(`drop database if exists ${name} with (force)`);
  await sql.unsafe(`create database ${template}`);
  await migrateTemplate(urlOf(server.url, template));
  return {
    create: async () => {
      const kept = unused.pop();
      if (kept) return urlOf(server.url, kept);
      const name = `${prefix}_${++count}`;
      await sql.unsafe(`create database ${name} template ${template} strategy file_copy`);
      return urlOf(server.url, name);
    },
    release: async (url) => {
      const name = new URL(url).pathname.slice(1);
      if (await isUnused(name)) unused.push(name);
      else await dropDatabase(name);
    },
    close: async () => {
      for (const name of unused) await dropDatabase(name);
      await dropDatabase(template);
      await sql.end();
      await server.stop();
    },
  };
}

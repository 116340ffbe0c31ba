import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { openEmbedded } from '../../db/embedded/index.ts';
import { migrate } from '../../db/migrate.ts';

/** Migrated databases, one per test file: the service takes up whatever work its database holds. */
export interface TestDatabases {
  /** Returns the URL of a new database. */
  create(): Promise<string>;
  drop(url: string): Promise<void>;
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

/** An embedded PostgreSQL that survives no power failure. */
async function startServer(): Promise<Server> {
  const directory = await mkdtemp(join(await filesFolder(), 'tandem-test-'));
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '500' };
  const embedded = await openEmbedded({ dataDir: directory, settings });
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
}

/** Databases on the server at `externalUrl` (its role must be allowed to create databases), or on an embedded one. */
export async function openDatabases(externalUrl?: string): Promise<TestDatabases> {
  const server: Server = externalUrl ? { url: externalUrl, stop: async () => {} } : await startServer();
  const sql = postgres(server.url, { max: 4, onnotice: () => {} });
  const prefix = `tandem_test_${randomBytes(4).toString('hex')}`;
  const template = `${prefix}_template`;
  let count = 0;
  const dropDatabase = (name: string) => sql.unsafe(`drop database if exists ${name} with (force)`);
  await sql.unsafe(`create database ${template}`);
  await migrateTemplate(urlOf(server.url, template));
  return {
    create: async () => {
      const name = `${prefix}_${++count}`;
      await sql.unsafe(`create database ${name} template ${template} strategy file_copy`);
      return urlOf(server.url, name);
    },
    drop: async (url) => {
      await dropDatabase(new URL(url).pathname.slice(1));
    },
    close: async () => {
      await dropDatabase(template);
      await sql.end();
      await server.stop();
    },
  };
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Database } from '../../db/client.ts';
import { openEmbedded } from '../../db/embedded/index.ts';
import { migrate } from '../../db/migrate.ts';
import { fill } from './fill.ts';
import type { Options } from './options.ts';

/** Sizes that a data directory was filled with. */
interface Manifest {
  workspaces: number;
  todos: number;
  giant: number;
  /** One API key per workspace, the giant's first. */
  keys: string[];
}

/** A running PostgreSQL with the data of the options. */
export interface BenchDatabase {
  url: string;
  db: Database;
  keys: string[];
  dataDir: string;
  size: string;
  version: string;
  /** Stops PostgreSQL and leaves the directory; may be called more than once. */
  stop(): Promise<void>;
  /** Removes the directory when it is a temporary one. */
  remove(): Promise<void>;
}

async function manifestOf(file: string): Promise<Manifest | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Manifest);
}

async function keysOf(db: Database, file: string, options: Options, print: (line: string) => void): Promise<string[]> {
  const known = await manifestOf(file);
  const { workspaces, todos, giant } = options;
  if (known) {
    if (known.workspaces === workspaces && known.todos === todos && known.giant === giant) return known.keys;
    throw new Error(
      `The data directory was filled with other sizes (${known.workspaces} workspaces, ${known.todos} todos, giant ` +
        `${known.giant}). Use these sizes, or another --data.`,
    );
  }
  const begun = performance.now();
  print(`Filling ${workspaces} workspaces with ${todos} todos, ${giant} of them in one`);
  const keys = await fill(db, options, print);
  await writeFile(file, JSON.stringify({ workspaces, todos, giant, keys } satisfies Manifest), { mode: 0o600 });
  print(`  filled in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  return keys;
}

/** Starts an embedded PostgreSQL and fills it, unless `--data` is filled already. */
export async function openBenchDatabase(options: Options, print: (line: string) => void): Promise<BenchDatabase> {
  const dataDir = options.data ?? (await mkdtemp(join(tmpdir(), 'tandem-bench-')));
  const remove = async () => {
    if (options.data === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  const manifest = join(dataDir, 'bench.json');
  const embedded = await openEmbedded({ dataDir, settings: { max_wal_size: '4GB' } });
  const db = connect(embedded.url, { poolSize: 4, applicationName: 'tandem-bench' });
  const stop = async () => {
    await db.close();
    await embedded.stop();
  };
  try {
    await migrate(db.driver);
    const keys = await keysOf(db, manifest, options, print);
    const [facts] = await db.rows<{ size: string; version: string }>(
      `select pg_size_pretty(pg_database_size(current_database())) as size, current_setting('server_version') as version`,
      [],
    );
    return {
      url: embedded.url,
      db,
      keys,
      dataDir,
      size: facts?.size ?? '',
      version: facts?.version ?? '',
      stop,
      remove,
    };
  } catch (error) {
    await stop();
    await remove();
    throw error;
  }
}

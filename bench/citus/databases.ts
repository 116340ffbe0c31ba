import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { connect, type Database } from '../../db/client.ts';
import { distributeTables } from '../../db/engine/distribute.ts';
import type { EngineName } from '../../db/engine/index.ts';
import { migrate } from '../../db/migrate.ts';
import { createOnCluster } from '../../scripts/tests/cluster.ts';
import { fill } from '../harness/fill.ts';
import type { Options } from '../harness/options.ts';

/** A filled database on one of the two engines. */
export interface Filled {
  engine: EngineName;
  url: string;
  db: Database;
  /** One API key per workspace, the giant's first. */
  keys: string[];
  version: string;
  drop(): Promise<void>;
}

/** Where the databases of the measurement are made. @throws Error without the variables of the environment. */
export function places(environment: NodeJS.ProcessEnv): { plain: string; cluster: string } {
  const { TEST_CITUS_URL: cluster, TEST_DATABASE_URL: plain } = environment;
  if (cluster && plain) return { cluster, plain };
  throw new Error(
    'Set TEST_CITUS_URL to the coordinator of a Citus cluster, and TEST_DATABASE_URL to a PostgreSQL of the same version.',
  );
}

async function createPlain(base: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `tandem_bench_${randomBytes(6).toString('hex')}`;
  const run = async (text: string) => {
    const sql = postgres(base, { max: 1, onnotice: () => {} });
    await sql.unsafe(text).finally(() => sql.end());
  };
  await run(`create database ${name}`);
  const url = new URL(base);
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => run(`drop database if exists ${name} with (force)`) };
}

/** The tables that requests read and write; Citus passes on only what is named. */
const analyzed = `vacuum (analyze) workspaces, users, members, credentials, todos, todo_assignees, todo_search, todo_lists`;

async function distribute({ driver }: Database): Promise<void> {
  const connection = await driver.reserve();
  await distributeTables(connection);
  connection.release();
}

/** Makes, fills and, on Citus, distributes a database. */
export async function openFilled(
  engine: EngineName,
  base: string,
  options: Options,
  print: (line: string) => void,
): Promise<Filled> {
  const { url, drop } = engine === 'citus' ? await createOnCluster(base) : await createPlain(base);
  const db = connect(url, { poolSize: 4, applicationName: 'tandem-bench', engine });
  const close = async () => {
    await db.close();
    await drop();
  };
  try {
    print(`  filling the database on ${engine}`);
    await migrate(db.driver);
    const keys = await fill(db, options, () => {});
    if (engine === 'citus') await distribute(db);
    await db.driver.unsafe(analyzed);
    const [facts] = await db.driver.unsafe<{ version: string }[]>(
      `select current_setting('server_version') as version`,
    );
    return { engine, url, db, keys, version: facts?.version ?? '', drop: close };
  } catch (error) {
    await close();
    throw error;
  }
}

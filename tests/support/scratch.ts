import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { createOnCluster, distributeEmpty } from '../../scripts/tests/cluster.ts';
import { testDatabaseUrl } from './harness.ts';

/** A database of one test, empty, on the server of the run. */
export interface ScratchDatabase {
  url: string;
  drop(): Promise<void>;
}

export async function createDatabase(): Promise<ScratchDatabase> {
  const name = `tandem_test_${randomBytes(6).toString('hex')}`;
  const run = async (text: string) => {
    const sql = postgres(testDatabaseUrl(), { max: 1, onnotice: () => {} });
    await sql.unsafe(text);
    await sql.end();
  };
  await run(`create database ${name}`);
  const url = new URL(testDatabaseUrl());
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => run(`drop database ${name} with (force)`) };
}

/** One for another service: empty, or distributed on a cluster, where a start does not do that. */
export async function createServiceDatabase(): Promise<ScratchDatabase> {
  const { TEST_CITUS_URL: cluster } = process.env;
  if (!cluster) return createDatabase();
  const database = await createOnCluster(cluster);
  await distributeEmpty(database.url);
  return database;
}

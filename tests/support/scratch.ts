import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
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

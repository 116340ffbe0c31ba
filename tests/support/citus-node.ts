import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import type { Test } from 'uvu';
import { chooseAccount } from '../../db/embedded/account.ts';
import { bareEnvironment } from '../../db/embedded/cluster.ts';
import { findPostmaster, stopPostmaster } from '../../db/embedded/postmaster.ts';
import { Starter } from '../../db/embedded/starter.ts';
import type { Node } from '../../scripts/tests/cluster.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const run = promisify(execFile);

/** A PostgreSQL with Citus of a test's own, to be a worker of the cluster of the run, which a test may kill. */
export interface OwnNode extends Node {
  /** `kill -9` of the postmaster; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again after a kill; resolves when it serves. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

const settings = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: '200',
  max_prepared_transactions: '200',
  'citus.node_conninfo': 'sslmode=disable',
};

/** What `pg_config` says of the PostgreSQL on this machine; empty without it. */
function configured(flag: '--bindir' | '--pkglibdir'): string {
  return (spawnSync('pg_config', [flag], { encoding: 'utf8' }).stdout ?? '').trim();
}

/** `test` where this machine has a PostgreSQL with Citus; else it skips, and says so. */
export function withOwnNode(test: Test): Test | Test['skip'] {
  const libraries = configured('--pkglibdir');
  if (libraries !== '' && existsSync(join(libraries, 'citus.so'))) return test;
  process.stdout.write('Skipped: `pg_config` finds no PostgreSQL with Citus on this machine, to be a worker.\n');
  return test.skip;
}

function programs() {
  const at = (name: string) => join(configured('--bindir'), name);
  return { initdb: at('initdb'), postgres: at('postgres'), pg_ctl: at('pg_ctl') };
}

/** Makes and starts a node whose superuser is `user` (`withOwnNode`). */
export async function startOwnNode(user: string): Promise<OwnNode> {
  const binaries = programs();
  const dataDir = await mkdtemp(join(tmpdir(), 'tandem-citus-'));
  const clusterDir = join(dataDir, 'postgres');
  const logFile = join(dataDir, 'postgres.log');
  await mkdir(clusterDir, { mode: 0o700 });
  const account = await chooseAccount({ dataDir, clusterDir, program: binaries.postgres });
  const args = ['-D', clusterDir, '-U', user, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  const { file, args: words, ids } = account.command(binaries.initdb, args);
  await run(file, words, { ...ids, cwd: '/', env: bareEnvironment() });
  const port = await freePort();
  const site = { port, settings, clusterDir, logFile, binaries, account, password: '', log: () => {} };
  const serves = async (starter: Starter) => {
    if ((await findPostmaster(clusterDir)) === undefined) await starter.start();
    const sql = postgres({ host: '127.0.0.1', port, user, database: 'postgres', max: 1, connect_timeout: 5 });
    try {
      await sql`select 1`;
      return true;
    } catch {
      return false;
    } finally {
      await sql.end({ timeout: 1 });
    }
  };
  const postmaster = async () => {
    const found = await findPostmaster(clusterDir);
    return found === undefined || found === 'starting' ? undefined : found.pid;
  };
  const start = () => {
    const starter = new Starter(site);
    return until(
      () => serves(starter),
      () => `the node in ${clusterDir} serves`,
    );
  };
  await start();
  return {
    ...{ host: '127.0.0.1', port, isCoordinator: false, start },
    kill: async () => {
      const pid = await postmaster();
      if (pid === undefined) throw new Error(`No PostgreSQL runs in ${clusterDir}`);
      process.kill(pid, 'SIGKILL');
      await until(async () => (await postmaster()) === undefined);
    },
    remove: async () => {
      const pid = await postmaster();
      if (pid !== undefined) await stopPostmaster(pid, clusterDir, binaries.pg_ctl);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

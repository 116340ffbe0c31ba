import type { ChildProcess } from 'node:child_process';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, chooseAccount } from './embedded/account.ts';
import { type Binaries, findBinaries } from './embedded/binaries.ts';
import { bareEnvironment, clusterExists, clusterPassword, createCluster, prepareDataDir } from './embedded/cluster.ts';
import { EmbeddedDatabaseError, errorCode } from './embedded/error.ts';
import { connect, Ownership, type Server } from './embedded/ownership.ts';
import { findPostmaster, isAlive, lastWords, launch, stopPostmaster } from './embedded/postmaster.ts';

export { EmbeddedDatabaseError } from './embedded/error.ts';

export interface EmbeddedDatabase {
  url: string;
  /** Stops PostgreSQL when it is ours to stop. May be called more than once. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** The service's data directory; the cluster lives in `<dataDir>/postgres`. */
  dataDir: string;
  /** Fixed TCP port; when omitted a free one is picked at each start. */
  port?: number;
  /** True (the default): this process owns the directory. False: attach to a running database, or start it if none runs. */
  exclusive?: boolean;
  /** Extra PostgreSQL settings. */
  settings?: Record<string, string>;
  log?: (line: string) => void;
}

const databaseName = 'tandem';
const patience = 120_000;

const defaultSettings: Record<string, string> = {
  cluster_name: databaseName,
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  fsync: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
  logging_collector: 'off',
  log_line_prefix: '%m [%p] ',
  // Errors of single statements go to the client, which logs them; here they would pile up, with customers' values.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

interface Site {
  options: EmbeddedOptions;
  clusterDir: string;
  logFile: string;
  password: string;
  binaries: Binaries;
  account: Account;
  log: (line: string) => void;
}

/**
 * Opens the service's own PostgreSQL: creates it on the first start, attaches to one that survived a killed service,
 * recovers one after a crash. Throws EmbeddedDatabaseError.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const site = await prepare(options);
  const deadline = Date.now() + patience;
  const starter = new Starter(site);
  while (Date.now() < deadline) {
    const running = await findPostmaster(site.clusterDir);
    if (running === undefined) {
      await starter.start();
    } else if (running !== 'starting' && running.ready) {
      const opened = await attach(site, { ...running, password: site.password }, starter.pid === running.pid);
      if (opened) return opened;
    }
    await sleep(15);
  }
  throw new EmbeddedDatabaseError(
    `PostgreSQL in ${site.clusterDir} did not become ready within ${patience / 1000} s. Its last lines are in ${site.logFile}. ` +
      'If it is still recovering from a crash, wait and start Tandem again.',
  );
}

async function prepare(options: EmbeddedOptions): Promise<Site> {
  const binaries = await findBinaries();
  const dataDir = await prepareDataDir(options.dataDir);
  const clusterDir = path.join(dataDir, 'postgres');
  const account = await chooseAccount({ dataDir, clusterDir, program: binaries.postgres });
  const exists = await clusterExists(clusterDir, binaries, account);
  const password = await clusterPassword(dataDir, !exists);
  if (!exists) await createCluster(clusterDir, password, binaries, account);
  const logFile = path.join(dataDir, 'postgres.log');
  return { options, clusterDir, logFile, password, binaries, account, log: options.log ?? (() => {}) };
}

/** Starts PostgreSQL, again when an attempt ended for a reason that passes. */
class Starter {
  readonly #site: Site;
  #child: ChildProcess | undefined;
  #port = 0;

  constructor(site: Site) {
    this.#site = site;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const { options, account, binaries, clusterDir, logFile } = this.#site;
    if (this.#child) {
      if (this.#child.exitCode === null && this.#child.signalCode === null) return;
      await this.#judgeExit();
    }
    this.#port = options.port ?? (await freePort());
    const settings = { ...defaultSettings, ...options.settings, port: `${this.#port}` };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const command = account.command(binaries.postgres, ['-D', clusterDir, ...flags]);
    this.#child = await launch({ command, env: bareEnvironment(), logFile });
  }

  async #judgeExit(): Promise<void> {
    const { options, logFile, clusterDir } = this.#site;
    const words = await lastWords(logFile, this.pid);
    const said = words.join('\n');
    this.#child = undefined;
    if (/lock file "postmaster\.pid"|pre-existing shared memory block|another postmaster/i.test(said)) {
      await sleep(100);
      return;
    }
    if (/could not bind|could not create any TCP\/IP sockets/i.test(said)) {
      if (options.port === undefined) return;
      throw new EmbeddedDatabaseError(
        `The embedded database cannot listen on port ${options.port} of 127.0.0.1: ${reasonForPort(said)}. ` +
          'Set EMBEDDED_PORT to another port, or leave it unset so that a free one is picked.',
      );
    }
    throw new EmbeddedDatabaseError(
      `PostgreSQL does not start in ${clusterDir}. It said (more in ${logFile}):\n${words.join('\n')}`,
    );
  }
}

function reasonForPort(said: string): string {
  return /permission denied/i.test(said) ? 'the system does not permit it' : 'another program uses it';
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A handle on a running PostgreSQL, or undefined when it went away or is not ready yet. */
async function attach(site: Site, server: Server, startedHere: boolean): Promise<EmbeddedDatabase | undefined> {
  const exclusive = site.options.exclusive ?? true;
  const ownership = new Ownership(server, site.log);
  try {
    if (exclusive) {
      if (!(await takeSoon(ownership))) throw await inUse(site, ownership);
      const { port } = site.options;
      if (port !== undefined && port !== server.port) {
        ownership.expectEnd();
        await stopPostmaster(server.pid, site.clusterDir, site.binaries.pg_ctl);
        await ownership.close();
        return undefined;
      }
    }
    await ensureDatabase(server);
  } catch (error) {
    await ownership.close();
    if (error instanceof EmbeddedDatabaseError) throw error;
    return passing(error, site);
  }
  return handle(site, server, ownership, exclusive, startedHere);
}

/** Errors that end by waiting: starting, stopping, recovering, gone. Others are thrown. */
function passing(error: unknown, site: Site): undefined {
  const code = errorCode(error) ?? '';
  if (code === '28P01' || code === '28000') {
    throw new EmbeddedDatabaseError(
      `PostgreSQL in ${site.clusterDir} runs but refuses the password in the file postgres.password beside it. ` +
        'Restore that file from your backup.',
      { cause: error },
    );
  }
  if (/^(57P0|08|53300|ECONN|EPIPE|ETIMEDOUT|CONNECT)/.test(code)) return undefined;
  throw error;
}

/** The lock of a process killed a moment ago is released as soon as PostgreSQL notices, so ask more than once. */
async function takeSoon(ownership: Ownership): Promise<boolean> {
  for (let tries = 0; tries < 8; tries++) {
    if (await ownership.take()) return true;
    await sleep(100);
  }
  return false;
}

async function inUse(site: Site, ownership: Ownership): Promise<EmbeddedDatabaseError> {
  const pid = await ownership.holder();
  return new EmbeddedDatabaseError(
    `The data directory ${path.dirname(site.clusterDir)} is in use by another running Tandem${pid ? ` (pid ${pid})` : ''}. ` +
      'Stop that one, or set DATA_DIR to another directory, or set DATABASE_URL so that both share one database server.',
  );
}

async function ensureDatabase(server: Server): Promise<void> {
  const sql = connect(server, 'tandem-setup');
  try {
    const found = await sql`select 1 from pg_database where datname = ${databaseName}`;
    if (found.length > 0) return;
    await sql.unsafe(`create database ${databaseName}`).catch((error: unknown) => {
      // duplicate_database, or unique_violation when two create it at the same moment
      if (!['42P04', '23505'].includes(errorCode(error) ?? '')) throw error;
    });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function handle(
  site: Site,
  server: Server,
  ownership: Ownership,
  exclusive: boolean,
  startedHere: boolean,
): EmbeddedDatabase {
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    ownership.expectEnd();
    if ((exclusive || startedHere) && (await isAlive(server.pid))) {
      // Without an answer nobody can be asked who owns it: the owner then still cleans up behind itself.
      const mine = await ownership.take().catch(() => exclusive);
      if (mine) await stopPostmaster(server.pid, site.clusterDir, site.binaries.pg_ctl);
    }
    await ownership.close();
  };
  return {
    url: `postgres://postgres:${server.password}@127.0.0.1:${server.port}/${databaseName}`,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

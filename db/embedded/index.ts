import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedDatabaseError, isDatabaseError } from '../errors.ts';
import { chooseAccount } from './account.ts';
import { findBinaries } from './binaries.ts';
import { clusterExists, clusterPassword, createCluster, prepareDataDir, requireCluster } from './cluster.ts';
import { connect, type Log, Ownership, type Server } from './ownership.ts';
import { findPostmaster, isAlive, stopPostmaster } from './postmaster.ts';
import { type Site, Starter } from './starter.ts';

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
  /**
   * True (the default): this process owns the directory. False: attach to a running database, or start it if none runs;
   * it must have been made before.
   */
  exclusive?: boolean;
  /** Extra PostgreSQL settings. */
  settings?: Record<string, string>;
  log?: Log;
}

const databaseName = 'tandem';
/** How long PostgreSQL may take to start, recovery after a crash included. */
const readyTimeoutMs = 120_000;
const startPollMs = 15;
const restartPollMs = 50;
/** How often, and in which interval, the lock of another process is tried. */
const maxTakes = 8;
const takeIntervalMs = 100;

interface Role {
  exclusive: boolean;
  startedHere: boolean;
}

/**
 * Opens the service's own PostgreSQL: creates it on the first start, attaches to one that survived a killed service,
 * recovers one after a crash. Throws EmbeddedDatabaseError.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { exclusive = true } = options;
  if (!exclusive) await requireCluster(options.dataDir);
  const site = await prepare(options);
  const deadline = Date.now() + readyTimeoutMs;
  const starter = new Starter(site);
  while (Date.now() < deadline) {
    const server = await startOrFind(site, starter);
    if (server) {
      const opened = await attach(site, server, { exclusive, startedHere: starter.pid === server.pid });
      if (opened) return opened;
    }
    await sleep(startPollMs);
  }
  throw notReady(site);
}

function notReady({ clusterDir, logFile }: Site): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `PostgreSQL in ${clusterDir} did not become ready within ${readyTimeoutMs / 1000} s. Its last lines are in ${logFile}. ` +
      'If it is still recovering from a crash, wait and start Tandem again.',
  );
}

/** The PostgreSQL that serves the directory, once it is ready; starts one when none runs. */
async function startOrFind(site: Site, starter: Starter): Promise<Server | undefined> {
  const running = await findPostmaster(site.clusterDir);
  if (running === undefined) await starter.start();
  return running !== undefined && running !== 'starting' && running.ready
    ? { pid: running.pid, port: running.port, password: site.password }
    : undefined;
}

/** Starts PostgreSQL again on the same port, so that the URL that was handed out stays valid. */
async function restart(site: Site, { port }: Server): Promise<Server> {
  const starter = new Starter({ ...site, port });
  for (const deadline = Date.now() + readyTimeoutMs; Date.now() < deadline; await sleep(restartPollMs)) {
    const server = await startOrFind(site, starter);
    if (server) return server;
  }
  throw notReady(site);
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
  const { port, settings = {}, log = () => {} } = options;
  return { port, settings, clusterDir, logFile, password, binaries, account, log };
}

/** A handle on a running PostgreSQL, or undefined when it went away or is not ready yet. */
async function attach(site: Site, server: Server, role: Role): Promise<EmbeddedDatabase | undefined> {
  const ownership = new Ownership(server, site.log, () => restart(site, server));
  try {
    if (role.exclusive) {
      if (!(await takeWithRetries(ownership))) throw await inUse(site, ownership);
      const { port } = site;
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
    return allowTransient(error, site);
  }
  return handle(site, server, ownership, role);
}

/** Returns for errors that pass: starting, stopping, recovering, gone. Throws the others. */
function allowTransient(error: unknown, site: Site): undefined {
  if (isDatabaseError('wrongPassword', error)) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL in ${site.clusterDir} runs but refuses the password in the file postgres.password beside it. ` +
        'Restore that file from your backup.',
      { cause: error },
    );
  }
  if (isDatabaseError('connection', error)) return undefined;
  throw error;
}

/** The lock of a process killed a moment ago is released as soon as PostgreSQL notices, so try more than once. */
async function takeWithRetries(ownership: Ownership): Promise<boolean> {
  for (let tries = 0; tries < maxTakes; tries++) {
    if (await ownership.take()) return true;
    await sleep(takeIntervalMs);
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
      if (!isDatabaseError('duplicateDatabase', error)) throw error;
    });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function handle(site: Site, server: Server, ownership: Ownership, role: Role): EmbeddedDatabase {
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    ownership.expectEnd();
    await ownership.settled();
    const { pid } = ownership.server;
    if ((role.exclusive || role.startedHere) && (await isAlive(pid))) {
      // When the server does not answer, the owner is unknown: an owner still stops its own server.
      const mine = await ownership.take().catch(() => role.exclusive);
      if (mine) await stopPostmaster(pid, site.clusterDir, site.binaries.pg_ctl);
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

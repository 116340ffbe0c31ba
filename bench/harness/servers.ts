import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCommand } from '../../scripts/start-command.ts';

const startTimeoutMs = 180_000;
const maxStarts = 3;

class Exited extends Error {}

/** A server under load, in its own process. */
export interface Server {
  url: string;
  pid: number;
  /** Milliseconds from spawn until it was ready. */
  startedIn: number;
  stop(): Promise<void>;
}

/** A free loopback port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('no free port');
  return address.port;
}

/** Whether a list of todos is answered there; another program may have taken the port. */
async function answers(url: string, key: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/api/v1/todos`, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await response.json()) as { data?: unknown };
    return response.status === 200 && Array.isArray(data);
  } catch {
    return false;
  }
}

/** Whether the service there says that it is ready. */
async function isReady(url: string): Promise<boolean> {
  try {
    const { status } = await fetch(`${url}/readyz`);
    return status === 200;
  } catch {
    return false;
  }
}

type Probe = (url: string) => Promise<boolean>;

async function ready(child: ChildProcess, url: string, probe: Probe): Promise<void> {
  const begun = performance.now();
  while (!(await probe(url))) {
    if (child.exitCode !== null) throw new Exited('The server exited before it was ready; see its output above.');
    if (performance.now() - begun > startTimeoutMs)
      throw new Error(`The server was not ready within ${startTimeoutMs / 1000} s.`);
    await sleep(5);
  }
}

async function startOnce(
  args: string[],
  environment: Record<string, string>,
  probe: Probe,
  folder?: string,
): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const begun = performance.now();
  const env = {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: `${port}`,
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    ...environment,
  };
  const child = spawn(process.execPath, args, { env, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  };
  try {
    await ready(child, url, probe);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, pid: child.pid ?? 0, startedIn: performance.now() - begun, stop };
}

/** On another port when it exits: another program may have taken the port that was free. */
async function start(
  args: string[],
  environment: Record<string, string>,
  probe: Probe,
  folder?: string,
): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(args, environment, probe, folder);
    } catch (error) {
      if (!(error instanceof Exited) || attempt === maxStarts) throw error;
    }
  }
}

/**
 * Starts the service as `npm start` does; ready when `key` is accepted. Empty settings count as unset. `file`: another
 * bundle than the service's own.
 */
export async function startService(environment: Record<string, string>, key: string, file?: string): Promise<Server> {
  const command = startCommand();
  const args = file === undefined ? command.args : [...command.args.slice(0, -1), file];
  return start(args, { ...command.environment, ...environment }, (url) => answers(url, key));
}

/** Starts the service as `npm start` does, and waits until it says that it is ready. */
export function startUntilReady(environment: Record<string, string>): Promise<Server> {
  const { args, environment: own } = startCommand();
  return start(args, { ...own, ...environment }, isReady);
}

/** Starts a ceiling: a file run by Node without a loader. */
export function startCeiling(file: string, environment: Record<string, string>, key: string): Promise<Server> {
  return start([file], environment, (url) => answers(url, key));
}

/** Starts another program that listens on HOST and PORT, in `folder`. */
export function startPeer(
  args: string[],
  environment: Record<string, string>,
  folder: string,
  isReady: Probe,
): Promise<Server> {
  return start(args, environment, (url) => isReady(url).catch(() => false), folder);
}

/** Resident memory of a process, in MiB. */
export function memoryOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })) / 1024;
}

/** CPU milliseconds that a process has used (Linux, in steps of 10 ms); NaN elsewhere. */
export async function cpuOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

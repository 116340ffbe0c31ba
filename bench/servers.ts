import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 60_000;

/** A server under load, in a process of its own. */
export interface Server {
  url: string;
  pid: number;
  /** Milliseconds from spawning it to its first answer with 200. */
  startedIn: number;
  stop(): Promise<void>;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('no free port');
  return address.port;
}

async function answers(url: string, key: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/api/v1/todos`, { headers: { authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function ready(child: ChildProcess, url: string, key: string): Promise<void> {
  const begun = performance.now();
  while (!(await answers(url, key))) {
    if (child.exitCode !== null) throw new Error('The server ended instead of answering; its words are above.');
    if (performance.now() - begun > patienceMs) throw new Error('The server does not answer.');
    await sleep(10);
  }
}

async function start(args: string[], environment: Record<string, string>, key: string): Promise<Server> {
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
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  };
  try {
    await ready(child, url, key);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, pid: child.pid ?? 0, startedIn: performance.now() - begun, stop };
}

/** The service as `npm start` runs it; `key` must open it. Empty settings count as unset. */
export async function startService(environment: Record<string, string>, key: string): Promise<Server> {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { start: string } };
  const [, ...args] = scripts.start.split(' ');
  return start(args, environment, key);
}

/** A ceiling: a file on Node alone. */
export function startCeiling(file: string, environment: Record<string, string>, key: string): Promise<Server> {
  return start([file], environment, key);
}

/** Resident memory of a process in MiB. */
export function memoryOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })) / 1024;
}

/** CPU milliseconds that a process has used (Linux, in steps of 10 ms); NaN elsewhere. */
export async function cpuOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

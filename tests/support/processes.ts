import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startCommand } from '../../scripts/start-command.ts';
import { ask } from './frame.ts';
import type { Answer } from './harness.ts';
import { testDatabaseUrl } from './harness.ts';

/** The service as its own process, as `npm start` runs it, on the database of the run. */
export interface ServiceProcess {
  url: string;
  child: ChildProcess;
  /** All that it wrote so far: its log, banner and errors. */
  output(): string;
  /** Exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals | null>;
  call(route: string, key: string | null, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends SIGTERM unless it has ended, and waits for the end. */
  stop(): Promise<number | NodeJS.Signals | null>;
}

const startedAs = startCommand();
const main = fileURLToPath(new URL('../../dist/server/start.mjs', import.meta.url));

const launched = new Set<Pick<ServiceProcess, 'stop'>>();

/** Stops every process that the tests of this run launched and that still runs. */
export async function stopProcesses(): Promise<void> {
  await Promise.all([...launched].map((service) => service.stop()));
}

/** A process from its start on. */
export interface LaunchedProcess extends Pick<ServiceProcess, 'child' | 'output' | 'exited' | 'stop'> {
  /** The service once it listens; `url` is empty when it ends before. */
  ready: Promise<ServiceProcess>;
}

/** Starts a process that need not come up: `url` is empty when it ends before it listens. */
export function launch(environment: Record<string, string> = {}, program = main): Promise<ServiceProcess> {
  return spawnService(environment, program).ready;
}

/** Starts a process, and does not wait until it listens. `log`: the file that gets its standard output. */
export function spawnService(environment: Record<string, string> = {}, program = main, log?: string): LaunchedProcess {
  const settings = { PORT: '0', LOG_LEVEL: 'warn', LOG_FORMAT: 'json', DATABASE_POOL_SIZE: '4' };
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = {
    PATH,
    // What is built has a cache of its own.
    ...(program.endsWith('.ts') && { NODE_COMPILE_CACHE }),
    ...startedAs.environment,
    DATABASE_URL: testDatabaseUrl(),
    RATE_LIMIT_PER_ADDRESS: '1000000',
    ...settings,
    ...environment,
  };
  // From a directory without a .env file.
  const fd = log === undefined ? undefined : openSync(log, 'w');
  const stdio: StdioOptions = ['ignore', fd ?? 'pipe', 'pipe'];
  const child = spawn(process.execPath, [...startedAs.args.slice(0, -1), program], { env, cwd: tmpdir(), stdio });
  if (fd !== undefined) closeSync(fd);
  let output = '';
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
  const url = new Promise<string>((resolve) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const running = /is running at (\S+)/.exec(output)?.[1];
      if (running) resolve(running);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    void exited.then(() => resolve(''));
  });
  const stop = () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    return exited;
  };
  const launchedProcess = { child, output: () => output, exited, stop };
  launched.add(launchedProcess);
  void exited.then(() => launched.delete(launchedProcess));
  const ready = url.then((found): ServiceProcess => ({ ...launchedProcess, url: found, call: callerOf(found) }));
  return { ...launchedProcess, ready };
}

/** Sends requests to the service at `url`. */
export function callerOf(url: string): ServiceProcess['call'] {
  return (route, key, body, headers = {}) => {
    const [method = 'GET', path = '/'] = route.split(' ');
    const sent = {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    const init = { method, headers: sent, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return ask(`${url}/api/v1${path}`, init);
  };
}

/** Starts a process and waits until it listens. @throws Error with what it wrote when it does not. */
export async function startProcess(environment: Record<string, string> = {}, program = main): Promise<ServiceProcess> {
  const service = await launch(environment, program);
  if (service.url === '') throw new Error(`The service did not start:\n${service.output()}`);
  return service;
}

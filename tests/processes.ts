import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
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

const main = fileURLToPath(new URL('../server/main.ts', import.meta.url));

const launched = new Set<ServiceProcess>();

/** Stops every process that the tests of this run launched and that still runs. */
export async function stopProcesses(): Promise<void> {
  await Promise.all([...launched].map((service) => service.stop()));
}

/** Starts a process that need not come up: `url` is empty when it ends before it listens. */
export async function launch(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  const settings = { PORT: '0', LOG_LEVEL: 'warn', LOG_FORMAT: 'json', DATABASE_POOL_SIZE: '4' };
  const env = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: testDatabaseUrl(),
    RATE_LIMIT_PER_ADDRESS: '1000000',
    ...settings,
    ...environment,
  };
  // From a directory without a .env file.
  const options = { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), main], options);
  let output = '';
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
  const url = await new Promise<string>((resolve) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const running = /is running at (\S+)/.exec(output)?.[1];
      if (running) resolve(running);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void exited.then(() => resolve(''));
  });
  const service: ServiceProcess = {
    url,
    child,
    output: () => output,
    exited,
    call: (route, key, body, headers = {}) => {
      const [method = 'GET', path = '/'] = route.split(' ');
      const sent = {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      };
      const init = { method, headers: sent, ...(body !== undefined && { body: JSON.stringify(body) }) };
      return ask(`${url}/api/v1${path}`, init);
    },
    stop: () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      return exited;
    },
  };
  launched.add(service);
  void exited.then(() => launched.delete(service));
  return service;
}

/** Starts a process and waits until it listens. @throws Error with what it wrote when it does not. */
export async function startProcess(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await launch(environment);
  if (service.url === '') throw new Error(`The service did not start:\n${service.output()}`);
  return service;
}

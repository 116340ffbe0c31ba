import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FileToRun, WorkerMessage } from './messages.ts';

const workerFile = fileURLToPath(new URL('./worker.ts', import.meta.url));
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));

/** Megabytes: with twice the default, tests spend less on collecting garbage; more than that saves nothing. */
const semiSpace = '--max-semi-space-size=32';

/** The limit of each step before the tests: a process that starts, and a file that is imported with what it imports. */
const startSeconds = 300;
const startSteps = ['start', 'import'];

/** How a test file ended. What crashed, was killed or did not run counts as failed. */
export interface FileResult {
  path: string;
  passed: number;
  failed: number;
  skipped: number;
  /** What it printed. */
  output: string;
  /** Why it failed beside its tests: a time-out, a crash, something left open. */
  faults: string[];
  /** Its worker is not to run another file. */
  isSpent: boolean;
  seconds: number;
  cpuSeconds: number;
  /** The longest test. */
  longest: { name: string; seconds: number };
}

/** The result of a file that never began, because the run was stopped. */
export function notRun(path: string): FileResult {
  const longest = { name: '', seconds: 0 };
  return {
    path,
    passed: 0,
    failed: 1,
    skipped: 0,
    output: '',
    faults: [],
    isSpent: false,
    seconds: 0,
    cpuSeconds: 0,
    longest,
  };
}

/** A worker process and its log. */
export interface Worker {
  child: ChildProcess;
  log: string;
  exited: Promise<string>;
}

/** Starts a worker, in a process group of its own, that prints to `log`. */
export function startWorker(log: string): Worker {
  const output = openSync(log, 'a');
  const child = spawn(process.execPath, [semiSpace, workerFile], {
    detached: true,
    env: { ...process.env, NODE_ENV: 'test', NODE_COMPILE_CACHE: compileCache },
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  const exited = new Promise<string>((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  return { child, log, exited };
}

/** Ends a worker with every process its tests started. */
export async function killWorker({ child, exited }: Worker): Promise<void> {
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // the group is gone
  }
  await exited;
}

/** Lets a worker exit by itself, which saves its compile cache. */
export async function endWorker({ child, exited }: Worker): Promise<void> {
  if (child.connected) child.disconnect();
  await exited;
}

/**
 * Runs a test file in a worker. A worker whose file has faults is not fit for another one: kill it.
 */
export async function runFile(worker: Worker, file: FileToRun): Promise<FileResult> {
  const { child, log, exited } = worker;
  const { limitSeconds } = file;
  const begun = performance.now();
  const printed = readFileSync(log).length;
  const counts = { planned: 0, skipped: 0, done: 0, running: 0, cpuMs: 0, isSpent: false };
  const longest = { name: '', seconds: 0 };
  let step = { name: 'start', at: begun };
  let timer: NodeJS.Timeout | undefined;

  const faults = await new Promise<string[]>((resolve) => {
    const begin = (name: string) => {
      const seconds = (performance.now() - step.at) / 1000;
      if (seconds > longest.seconds) Object.assign(longest, { name: step.name, seconds });
      step = { name, at: performance.now() };
      clearTimeout(timer);
      const limit = startSteps.includes(name) ? Math.max(limitSeconds, startSeconds) : limitSeconds;
      timer = setTimeout(() => resolve([`Timeout: “${name}” took more than ${limit} s`]), limit * 1000);
    };
    begin('start');
    child.on('message', (message: WorkerMessage) => {
      if (message.type === 'started') begin(message.name);
      if (message.type === 'planned') Object.assign(counts, { planned: message.tests, skipped: message.skipped });
      if (message.type === 'passed') counts.running++;
      if (message.type === 'suite') Object.assign(counts, { done: counts.done + message.passed, running: 0 });
      if (message.type !== 'ended') return;
      begin('end');
      Object.assign(counts, { cpuMs: message.cpuMs, isSpent: message.isSpent });
      resolve(message.faults);
    });
    void exited.then((how) => resolve([`The process ended in “${step.name}” with ${how}`]));
    child.send(file, (error) => error && resolve([`The worker is gone: ${error.message}`]));
  });
  clearTimeout(timer);
  child.removeAllListeners('message');

  const passed = counts.done + counts.running;
  const missing = counts.planned - passed;
  return {
    path: file.path,
    passed,
    failed: faults.length > 0 ? Math.max(1, missing) : missing,
    skipped: counts.skipped,
    output: readFileSync(log).subarray(printed).toString(),
    faults,
    isSpent: counts.isSpent,
    seconds: (performance.now() - begun) / 1000,
    cpuSeconds: counts.cpuMs / 1000,
    longest,
  };
}

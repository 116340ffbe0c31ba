import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../domain/errors.ts';
import type { Order, Report } from './messages.ts';

/** A task that took too long, or too much memory: its process was ended. The same task would be ended again. */
export class TaskLimit extends Error {
  override readonly name = 'TaskLimit';
  readonly limit: 'time' | 'memory';
  constructor(limit: 'time' | 'memory') {
    super(limit === 'time' ? 'The work takes too long' : 'The work needs too much memory');
    this.limit = limit;
  }
}

/** A process that ended in the middle of a task although nobody asked for it, such as by a fault of V8. */
export class ProcessCrashed extends Error {
  override readonly name = 'ProcessCrashed';
}

export interface TaskLimits {
  /** Seconds of processor time that one task may take, whatever else the machine does. */
  maxSeconds: number;
  /** Of the heap of a process (V8's old generation). */
  maxMegabytes: number;
}

/** A task is looked at so often within its time. */
const looks = 20;
/** Where the time of another process cannot be read, a task ends after so many times its time. */
const maxLooks = 10 * looks;

/** Of the part of a heap for new objects: V8's own limit is three times as much, and is filled before it collects. */
const maxYoungMegabytes = 8;

/** Characters kept of what a process wrote before it ended. */
const maxErrorLength = 4000;

const entry = fileURLToPath(new URL('./task-runner.ts', import.meta.url));

/** Milliseconds of processor time of a process; null where they cannot be read, as on other systems than Linux. */
function cpuMsOf(pid: number): number | null {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13).map(Number);
    // The kernel counts in hundredths of a second, whatever its own clock (proc(5)).
    return 10 * ((user ?? 0) + (system ?? 0));
  } catch {
    return null;
  }
}

/** A process that does one task at a time. */
export class TaskProcess {
  readonly #limits: TaskLimits;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #task: PromiseWithResolvers<unknown> | undefined;
  #fault: Error | undefined;
  #errors = '';
  /** Processor time of the process until its task began. */
  #spentMs = 0;
  #heapMegabytes = 0;

  /** Starts the process. `onEnd` is called once, when it does no more work. */
  constructor(limits: TaskLimits, onEnd: () => void) {
    this.#limits = limits;
    const heap = [`--max-old-space-size=${limits.maxMegabytes}`, `--max-semi-space-size=${maxYoungMegabytes}`];
    this.#child = fork(entry, {
      execArgv: [...heap, '--disable-warning=ExperimentalWarning'],
      // None of the settings and secrets of the service.
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-maxErrorLength);
    });
    this.#child.on('message', (report: Report) => this.#settle(report));
    this.#child.on('error', (error) => {
      this.#fault ??= error;
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        onEnd();
        this.#task?.reject(this.#fault ?? this.#causeOf(signal ?? code));
        resolve();
      });
    });
    this.#ref(false);
  }

  /** @throws Failure of the task; TaskLimit; ProcessCrashed. */
  async run(order: Order): Promise<unknown> {
    const task = Promise.withResolvers<unknown>();
    this.#task = task;
    this.#ref(true);
    const maxMs = this.#limits.maxSeconds * 1000;
    let left = maxLooks;
    const look = () => {
      left -= 1;
      const taken = cpuMsOf(this.#child.pid ?? 0);
      if (taken === null ? left <= 0 : taken - this.#spentMs >= maxMs) void this.end(new TaskLimit('time'));
    };
    const clock = setInterval(look, maxMs / looks);
    clock.unref();
    try {
      this.#child.send(order, (error) => {
        // Its end rejects the task, unless it never began.
        if (error && this.#child.pid === undefined) task.reject(error);
      });
      return await task.promise;
    } finally {
      clearInterval(clock);
      this.#task = undefined;
      this.#ref(false);
    }
  }

  /** MiB that the heap of the process had after its last task. */
  get heapMegabytes(): number {
    return this.#heapMegabytes;
  }

  /** Ends the process; its task fails with `fault`. */
  async end(fault = new Error('The process was ended')): Promise<void> {
    this.#fault ??= fault;
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Whether it keeps this process alive. */
  #ref(isNeeded: boolean): void {
    const change = isNeeded ? 'ref' : 'unref';
    this.#child[change]();
    this.#child.channel?.[change]();
    (this.#child.stderr as unknown as { ref(): void; unref(): void } | null)?.[change]();
  }

  #causeOf(end: string | number | null): Error {
    if (/heap out of memory|heap limit/i.test(this.#errors)) return new TaskLimit('memory');
    return new ProcessCrashed(`A compute process ended with ${end}: ${this.#errors.trim() || 'it wrote nothing'}`);
  }

  #settle(report: Report): void {
    this.#spentMs = report.cpuMs;
    this.#heapMegabytes = report.heapMegabytes;
    if (report.type === 'done') this.#task?.resolve(report.value);
    else this.#task?.reject(report.type === 'refused' ? new Failure(report.problem) : report.error);
  }
}

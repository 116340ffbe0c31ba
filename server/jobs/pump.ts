import type { Job } from 'pg-boss';
import type { Logger } from 'pino';
import { within } from '../patience.ts';
import { complainer } from './complaints.ts';
import type { Payloads, Queue, QueueName } from './queue.ts';

/** Why the signal of a job in work was aborted. */
export class ProcessStops extends Error {
  override readonly name = 'ProcessStops';
  constructor() {
    super('The process stops; another one goes on with this job');
  }
}

export interface PumpParts<Name extends QueueName> {
  queue: Queue;
  name: Name;
  /** Jobs worked on at a time. */
  concurrency: number;
  /**
   * Does one job. When it resolves, the job is done. When it rejects, the job is tried again later; or at once, by
   * another process, when this one stops.
   */
  handle: (payload: Payloads[Name], signal: AbortSignal) => Promise<void>;
  log: Logger;
}

/** Takes jobs of one queue and hands them to a handler, as many at a time as allowed. */
export interface Pump {
  /** There may be something new. */
  wake(): void;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
  /** Takes no more jobs, aborts those in work and waits up to `seconds`; what is left goes to other processes. */
  stop(seconds: number): Promise<void>;
}

/** How long news may be missed: jobs whose time has come and jobs of processes that died make no noise. */
const pollMs = 2000;
const keepMs = 3000;

/** What collects while one statement is under way rides the next one. */
function grouped<Item>(send: (items: Item[]) => Promise<void>): { add(item: Item): void; idle(): Promise<void> } {
  let waiting: Item[] = [];
  let flight: Promise<void> | undefined;
  const fly = async () => {
    while (waiting.length > 0) {
      const items = waiting;
      waiting = [];
      await send(items);
    }
    flight = undefined;
  };
  return {
    add: (item) => {
      waiting.push(item);
      flight ??= fly();
    },
    idle: async () => flight,
  };
}

export function startPump<Name extends QueueName>(parts: PumpParts<Name>): Pump {
  const { queue, name, concurrency, handle, log } = parts;
  const inWork = new Map<Job<Payloads[Name]>, Promise<void>>();
  const stopping = new AbortController();
  const counts = { done: 0, failed: 0 };
  let woken = false;
  let rouse = () => {};

  const complain = complainer(log);
  const warn = (what: string) => (error: unknown) => complain(error, what);
  const finished = grouped<Job>((jobs) =>
    queue.finish(name, jobs).catch(warn('could not tell the queue that jobs are done; they are done again')),
  );
  const wake = () => {
    woken = true;
    rouse();
  };

  const work = async (job: Job<Payloads[Name]>) => {
    try {
      await handle(job.data, stopping.signal);
      if (!inWork.has(job)) return;
      counts.done++;
      finished.add(job);
    } catch (error) {
      if (!inWork.has(job)) return;
      if (stopping.signal.aborted) return await queue.handBack(name, job).catch(warn('could not hand a job back'));
      counts.failed++;
      log.error({ err: error, queue: name, payload: job.data }, 'a job failed; it is tried again');
      await queue.fail(name, job, error).catch(warn('could not tell the queue that a job failed'));
    }
  };
  const start = (job: Job<Payloads[Name]>) => {
    const ending = work(job).finally(() => {
      // The next one is taken only when the queue may hold more than was asked for.
      const wasFull = inWork.size >= concurrency;
      inWork.delete(job);
      if (wasFull) wake();
    });
    inWork.set(job, ending);
  };

  const pause = async (ms: number) => {
    if (woken || stopping.signal.aborted) return;
    const rest = Promise.withResolvers<void>();
    const timer = setTimeout(rest.resolve, ms * (0.8 + Math.random() * 0.4));
    timer.unref();
    // Not by an `AbortController`: each of its aborts makes two errors with their stacks.
    rouse = rest.resolve;
    await rest.promise;
    clearTimeout(timer);
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      const free = concurrency - inWork.size;
      if (free === 0) {
        woken = false;
        await pause(60_000);
        continue;
      }
      woken = false;
      try {
        const jobs = await queue.take(name, free);
        for (const job of jobs) start(job);
        if (jobs.length === free) continue;
      } catch (error) {
        warn('could not ask the queue for jobs; it is asked again')(error);
      }
      await pause(pollMs);
    }
  };

  const keeping = setInterval(() => {
    if (inWork.size === 0) return;
    queue.keep(name, [...inWork.keys()]).catch(warn('could not tell the queue that jobs are worked on'));
  }, keepMs);
  keeping.unref();
  const running = run();

  const stop = async (seconds: number) => {
    stopping.abort(new ProcessStops());
    wake();
    await running;
    await within(seconds, Promise.allSettled(inWork.values()));
    clearInterval(keeping);
    const left = [...inWork.keys()];
    inWork.clear();
    await Promise.all(left.map((job) => queue.handBack(name, job).catch(warn('could not hand a job back'))));
    await finished.idle();
  };
  return {
    wake,
    stop,
    get running() {
      return inWork.size;
    },
    get done() {
      return counts.done;
    },
    get failed() {
      return counts.failed;
    },
  };
}

import { setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { Failure } from '../../domain/errors.ts';
import type { Ending, Order, Report } from './messages.ts';
import { tasks } from './tasks.ts';

/** A lower priority (nice value) than that of the thread which answers requests. */
const niceness = 5;

/* The entry point of a worker thread: does one task after another, as they are sent. */

if (!parentPort) throw new Error('server/threads/thread.ts runs in a worker thread only');
const port = parentPort;

// On Linux the priority is that of the calling thread, elsewhere that of the whole process.
if (process.platform === 'linux') setPriority(0, niceness);

function faultOf(error: unknown): Ending {
  if (error instanceof Failure) return { type: 'refused', problem: error.problem };
  return { type: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
}

port.on('message', async ({ name, args }: Order) => {
  const work = tasks[name] as (...values: unknown[]) => Promise<unknown>;
  const ending = await work(...args).then((value): Ending => ({ type: 'done', value }), faultOf);
  const { user, system } = process.threadCpuUsage();
  const heapMegabytes = getHeapStatistics().total_heap_size / 2 ** 20;
  port.postMessage({ ...ending, cpuMs: (user + system) / 1000, heapMegabytes } satisfies Report);
});

import { setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Failure } from '../../domain/errors.ts';
import type { Ending, Order, Report } from './messages.ts';
import { tasks } from './tasks.ts';

/** A lower priority (nice value) than that of the process which answers requests. */
const niceness = 5;

/* The entry point of a compute process: does one task after another, as they are sent, until its parent is gone. */

setPriority(0, niceness);
process.on('disconnect', () => process.exit());
// A terminal and systemd send these to all processes of the service; its parent ends this one when the work is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

function faultOf(error: unknown): Ending {
  if (error instanceof Failure) return { type: 'refused', problem: error.problem };
  return { type: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
}

process.on('message', async ({ name, args }: Order) => {
  const work = tasks[name] as (...values: unknown[]) => Promise<unknown>;
  const ending = await work(...args).then((value): Ending => ({ type: 'done', value }), faultOf);
  const { user, system } = process.cpuUsage();
  const heapMegabytes = getHeapStatistics().total_heap_size / 2 ** 20;
  process.send?.({ ...ending, cpuMs: (user + system) / 1000, heapMegabytes } satisfies Report);
});

import type { Problem } from '../../domain/errors.ts';
import type { TaskName } from './tasks.ts';

/** A task for a process. */
export interface Order {
  name: TaskName;
  args: readonly unknown[];
}

/** How a task ended: `refused` with a Failure, `failed` with any other error. */
export type Ending =
  | { type: 'done'; value: unknown }
  | { type: 'refused'; problem: Problem }
  | { type: 'failed'; error: Error };

/** `cpuMs`: processor time of the process since its start. `heapMegabytes`: the size of its heap, garbage included. */
export type Report = Ending & { cpuMs: number; heapMegabytes: number };

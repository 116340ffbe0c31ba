import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from '../harness/servers.ts';

/** Resident memory in MiB, read from /proc on Linux to avoid starting a process. */
async function residentOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(text);
  return found ? Number(found[1]) / 1024 : memoryOf(pid);
}

/** Samples of the resident memory of a process. */
export interface Watch {
  /** The peak since the last call, in MiB. */
  peak(): Promise<number>;
  stop(): Promise<void>;
}

/** Samples resident memory ten times a second. */
export function watchMemory(pid: number): Watch {
  let max = 0;
  let over = false;
  const sample = async () => {
    max = Math.max(max, await residentOf(pid));
  };
  const sampling = (async () => {
    for (; !over; await sleep(100)) await sample();
  })();
  return {
    peak: async () => {
      await sample();
      const peak = max;
      max = 0;
      return peak;
    },
    stop: async () => {
      over = true;
      await sampling;
    },
  };
}

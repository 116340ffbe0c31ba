import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from '../servers.ts';

/** Resident memory in MiB, asked for without starting a process where the system tells it in a file (Linux). */
async function residentOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(text);
  return found ? Number(found[1]) / 1024 : memoryOf(pid);
}

/** Resident memory of a process over a while. */
export interface Watch {
  /** The most since the last call of it, in MiB. */
  peak(): Promise<number>;
  stop(): Promise<void>;
}

/** Watches it ten times a second. */
export function watchMemory(pid: number): Watch {
  let most = 0;
  let over = false;
  const look = async () => {
    most = Math.max(most, await residentOf(pid));
  };
  const looking = (async () => {
    for (; !over; await sleep(100)) await look();
  })();
  return {
    peak: async () => {
      await look();
      const peak = most;
      most = 0;
      return peak;
    },
    stop: async () => {
      over = true;
      await looking;
    },
  };
}

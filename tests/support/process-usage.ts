import { readdirSync, readFileSync } from 'node:fs';

/* What the kernel counts for a process, all its threads together (Linux proc(5)). */

/** Clock ticks per second, as `getconf CLK_TCK` has it on every Linux of today. */
const ticksPerSecond = 100;

/** Whether the kernel of this machine has these files. */
export const isMeasurable = process.platform === 'linux';

/** Milliseconds of processor time that a process has used so far, to 10 ms. */
export function cpuMsOfProcess(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may hold spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

/** Resident memory of a process in MiB. */
export function residentMb(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** The processes that a process started and that still run. */
export function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/*
 * Limits on processor time are written for the machine of `yardstickMs`. A slower one, or one whose cores are shared
 * with others, may take as many times longer as it takes for the yardstick around the same moment.
 */

/** What the yardstick takes of a quiet core of the machine on which the limits were set. */
const yardstickMs = 120;
const maxAgeMs = 2000;

function threadMs(begun?: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
}

/** Work of the kinds that tests measure: strings cut and joined, objects made and dropped, a sort, a table. */
function yardstick(): number {
  const from = threadMs();
  const words = Array.from({ length: 80_000 }, (_, index) => ({ key: ((index * 7919) % 80_021).toString(36), index }));
  const byKey = new Map(words.map((word) => [word.key, word]));
  const text = words
    .toSorted((one, two) => (one.key < two.key ? -1 : 1))
    .map(({ key }) => key)
    .join(' ');
  if (text.split(/\s+/).filter((key) => byKey.has(key)).length !== words.length) throw new Error('a wrong yardstick');
  return threadMs() - from;
}

let latest = { factor: 1, at: Number.NEGATIVE_INFINITY };

/** How many times slower than the machine of the limits this one is, at least 1. Measured anew every 2 s. */
function slowness(): number {
  if (performance.now() - latest.at < maxAgeMs) return latest.factor;
  // The first of all is that of the compiler.
  if (latest.at === Number.NEGATIVE_INFINITY) yardstick();
  latest = { factor: Math.max(1, yardstick() / yardstickMs), at: performance.now() };
  return latest.factor;
}

/** Processor time that `measure` returns, in any unit, divided by how slow the machine is before or after it. */
export async function atFullSpeed(measure: () => number | Promise<number>): Promise<number> {
  const before = slowness();
  const spent = await measure();
  return spent / Math.max(before, slowness());
}

/** How slow the machine was at moments of the past. */
export interface SlownessRecord {
  /** The largest factor that was measured within 10 s of a moment, in ms since 1970; at least 1. */
  around(at: number): number;
  stop(): void;
}

const aroundMs = 10_000;

/** Records every second how slow the machine is, for what is judged later than it was done. */
export function recordSlowness(): SlownessRecord {
  const taken: { at: number; factor: number }[] = [];
  const take = () => taken.push({ at: Date.now(), factor: slowness() });
  take();
  const timer = setInterval(take, 1000);
  return {
    around: (at) =>
      Math.max(1, ...taken.filter((each) => Math.abs(each.at - at) < aroundMs).map(({ factor }) => factor)),
    stop: () => clearInterval(timer),
  };
}

/** Milliseconds of processor time that `work` takes on this thread, whatever else the machine does. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  return atFullSpeed(async () => {
    const begun = process.threadCpuUsage();
    await work();
    return threadMs(begun);
  });
}

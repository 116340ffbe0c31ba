import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { settleAfterMs } from '../server/settle.ts';
import type { BenchDatabase } from './harness/database.ts';
import { median, whole } from './harness/figures.ts';
import type { Options } from './harness/options.ts';
import { table } from './harness/report.ts';
import { cpuOf, memoryOf, startUntilReady } from './harness/servers.ts';

/** Medians of some starts of one kind: milliseconds until `/readyz` answers 200, and MiB then. */
export interface StartFigures {
  cpuMs: number;
  wallMs: number;
  resident: number;
  starts: number;
}

/** The kinds of starts, by the database that they find. */
export interface Starts {
  running: StartFigures;
  embedded: StartFigures;
  first: StartFigures;
  /** MiB once a process has freed what the start left behind. */
  settledResident: number;
}

/** Milliseconds of the processor and of time that a start may take. */
const targets: Record<keyof Omit<Starts, 'settledResident'>, { cpuMs?: number; wallMs: number }> = {
  running: { cpuMs: 250, wallMs: 400 },
  embedded: { wallMs: 1500 },
  first: { wallMs: 4000 },
};

/** Target of resident memory after the load, in MiB. */
const memoryTarget = 300;

async function startOnce(environment: Record<string, string>, settle = 0) {
  const server = await startUntilReady(environment);
  try {
    const found = { cpuMs: await cpuOf(server.pid), wallMs: server.startedIn, resident: memoryOf(server.pid) };
    await sleep(settle);
    return { ...found, settled: memoryOf(server.pid) };
  } finally {
    await server.stop();
  }
}

async function startOften(times: number, environmentOf: () => Promise<Record<string, string>>): Promise<StartFigures> {
  const found: Awaited<ReturnType<typeof startOnce>>[] = [];
  for (let turn = 0; turn < times; turn++) found.push(await startOnce(await environmentOf()));
  return {
    cpuMs: median(found.map((each) => each.cpuMs)),
    wallMs: median(found.map((each) => each.wallMs)),
    resident: median(found.map((each) => each.resident)),
    starts: times,
  };
}

/** Starts of the service on the database of the bench, which must run. */
export async function measureStarts(
  { url }: Pick<BenchDatabase, 'url'>,
  { starts }: Options,
  print: (line: string) => void,
): Promise<Pick<Starts, 'running' | 'settledResident'>> {
  const environment = { DATABASE_URL: url };
  // The first start of a build stores the compiled code; those after it find it.
  const { settled } = await startOnce(environment, 2 * settleAfterMs);
  const running = await startOften(starts, async () => environment);
  print(`  start on a running database ${whole(running.cpuMs)} ms of the processor, ${whole(running.wallMs)} ms`);
  return { running, settledResident: settled };
}

/** Starts of the service with its own PostgreSQL: on the data of the bench, which must be stopped, and on none. */
export async function measureEmbeddedStarts(
  { dataDir }: Pick<BenchDatabase, 'dataDir'>,
  { starts }: Options,
  print: (line: string) => void,
): Promise<Pick<Starts, 'embedded' | 'first'>> {
  const times = Math.ceil(starts / 3);
  const embedded = await startOften(times, async () => ({ DATABASE_URL: '', DATA_DIR: dataDir }));
  print(`  start with PostgreSQL       ${whole(embedded.cpuMs)} ms of the processor, ${whole(embedded.wallMs)} ms`);
  const folder = await mkdtemp(join(tmpdir(), 'tandem-bench-'));
  try {
    let turn = 0;
    const first = await startOften(times, async () => ({ DATABASE_URL: '', DATA_DIR: join(folder, `${turn++}`) }));
    print(`  first start                 ${whole(first.cpuMs)} ms of the processor, ${whole(first.wallMs)} ms`);
    return { embedded, first };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function marked(value: number, target: number | undefined): string {
  return target !== undefined && value > target ? `**${whole(value)}**` : whole(value);
}

function rowOf(name: string, { cpuMs, wallMs, resident, starts }: StartFigures, target: (typeof targets)['running']) {
  const limit = (ms: number | undefined) => (ms === undefined ? '' : `≤ ${whole(ms)}`);
  return [
    name,
    marked(cpuMs, target.cpuMs),
    limit(target.cpuMs),
    marked(wallMs, target.wallMs),
    limit(target.wallMs),
    whole(resident),
    `${starts}`,
  ];
}

/** Resident memory after the load of the requests, in MiB. */
export function reportLoad(service: number, ceiling: number): string {
  return `Memory after the load: service ${marked(service, memoryTarget)} MiB (target ≤ ${memoryTarget}), ceiling ${whole(ceiling)} MiB.`;
}

/** Starts and memory as Markdown. Missed targets are bold. */
export function reportStarts({ running, embedded, first, settledResident }: Starts): string {
  return `### Start and memory

From the start of the process until \`/readyz\` answers 200, medians; the processor time is that of the service alone.

${table(
  ['start', 'CPU ms', 'target', 'ms', 'target', 'resident MiB', 'starts'],
  [
    rowOf('on a running database', running, targets.running),
    rowOf('with its own PostgreSQL, on the data of the bench', embedded, targets.embedded),
    rowOf('the first one ever', first, targets.first),
  ],
)}

Resident some seconds after a start: ${whole(settledResident)} MiB.`;
}

import type { Comparison } from '../harness/compare.ts';
import type { BenchDatabase } from '../harness/database.ts';
import { fine, tenths } from '../harness/figures.ts';
import type { Options } from '../harness/options.ts';
import { compareWrites, type IdleFigures, measureIdle } from './costs.ts';
import { type Lag, measureLag } from './lag.ts';
import { measureStreams, type StreamFigures } from './streams.ts';

/** The log of events: its cost, its delay, and those who follow it. */
export interface EventFigures {
  idle: IdleFigures;
  writes: Comparison[];
  lags: Lag[];
  streams: StreamFigures;
}

/** Measures what events cost, how soon they are readable, and many who follow them on one process. */
export async function measureEvents(
  database: BenchDatabase,
  options: Options,
  print: (line: string) => void,
): Promise<EventFigures> {
  const idle = await measureIdle(database, options);
  print(`  sequencer idle             ${fine(idle.process)} ms of CPU a minute`);
  const writes = await compareWrites(database, options);
  for (const { workload, ratio } of writes)
    print(`  ${workload.name.padEnd(26)} ${fine(ratio)} of writes without events`);
  const lags = await measureLag(database, options);
  for (const { name, p50, p99 } of lags) print(`  ${name.padEnd(26)} ${tenths(p50)} ms, p99 ${tenths(p99)} ms`);
  const streams = await measureStreams(database, options);
  print(`  ${streams.streams} streams              ${tenths(streams.resident)} KiB each`);
  await database.db.rows(`delete from todos where title = 'An event'`, []);
  return { idle, writes, lags, streams };
}

/** Number of failed requests. */
export function eventErrors({ writes }: EventFigures): number {
  return writes.reduce((sum, { service, ceiling }) => sum + service.errors + ceiling.errors, 0);
}

import type { Logger } from 'pino';
import type { Db } from '../../../db/client.ts';
import type { Labelled, Measure } from '../../runtime/metrics.ts';
import { throttledWarning } from '../../runtime/throttled-warning.ts';
import { inTime } from './batches.ts';
import type { Leases } from './leases.ts';

/** What waits in a queue, in the whole database; of the first `maxCounted` rows. */
interface Backlog {
  queue: string;
  depth: number;
  /** Seconds for which the oldest row has been due; 0 when none is. */
  age: number;
}

/** How long an answer is used again: whoever reads the metrics often causes no more statements. */
const reuseMs = 5000;
/** A database that is slower than that leaves the metrics without these numbers. */
const statementMs = 2000;

function backlogText(queues: Readonly<Record<string, Pick<Leases<never>, 'waiting'>>>): string {
  const parts = Object.entries(queues).map(
    ([name, { waiting }]) => `select '${name}' as queue, count(*)::int as depth,
      coalesce(extract(epoch from now() - min(w.due)), 0)::float8 as age from (${waiting}) w`,
  );
  return parts.join('\nunion all\n');
}

/**
 * The depth and age of each queue. They are read from the database when the metrics are requested, so that a process
 * without workers shows them too; without an answer in time there are none.
 */
export function backlogMeasures(
  db: Pick<Db, 'rows'>,
  queues: Readonly<Record<string, Pick<Leases<never>, 'waiting'>>>,
  log: Logger,
): Measure[] {
  const text = backlogText(queues);
  const warn = throttledWarning(log);
  let reading: Promise<Backlog[]> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  const read = () => {
    const now = performance.now();
    if (reading && now - readAt < reuseMs) return reading;
    readAt = now;
    reading = inTime(statementMs, db.rows<Backlog>(text, [])).catch((error: unknown) => {
      warn(error, 'queues not measured');
      return [];
    });
    return reading;
  };
  const by = (value: (backlog: Backlog) => number) => async (): Promise<Labelled> =>
    Object.fromEntries((await read()).map((each) => [each.queue, value(each)]));
  return [
    {
      kind: 'gauge',
      name: 'tandem_queue_depth',
      help: 'Jobs in the database that are due and that no worker holds, up to 10000',
      label: 'queue',
      read: by(({ depth }) => depth),
    },
    {
      kind: 'gauge',
      name: 'tandem_queue_age_seconds',
      help: 'Time for which the oldest of these jobs has been due',
      label: 'queue',
      read: by(({ age }) => age),
    },
  ];
}

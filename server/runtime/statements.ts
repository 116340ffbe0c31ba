import type { Logger } from 'pino';
import type { ObserveStatement } from '../../db/connection.ts';
import { statementName } from '../../db/statement-names.ts';
import { beginChild, isTracing } from '../tracing/spans.ts';

/** A statement is logged once in so many ms, with the number of its slow executions since. */
const intervalMs = 10_000;

interface Logged {
  at: number;
  /** Slow executions since that were not logged. */
  unlogged: number;
}

/**
 * Logs statements that take at least `slowMs` by their name; their texts and values are never logged. With 0 nothing is
 * observed. The time includes the wait for locks and for earlier statements of the same transaction, not that for a
 * connection.
 */
export function logSlowStatements(
  log: Pick<Logger, 'warn'>,
  slowMs: number,
  clock = () => performance.now(),
): ObserveStatement | undefined {
  if (slowMs === 0) return undefined;
  const logged = new Map<string, Logged>();
  const report = (text: string, ms: number, now: number) => {
    const statement = statementName(text);
    const last = logged.get(statement) ?? { at: Number.NEGATIVE_INFINITY, unlogged: 0 };
    logged.set(statement, last);
    if (now - last.at < intervalMs) {
      last.unlogged++;
      return;
    }
    log.warn(
      { statement, ms: Math.round(ms), ...(last.unlogged > 0 && { unlogged: last.unlogged }) },
      'slow statement',
    );
    logged.set(statement, { at: now, unlogged: 0 });
  };
  return (text) => {
    const begun = clock();
    return () => {
      const now = clock();
      if (now - begun >= slowMs) report(text, now - begun, now);
    };
  };
}

/** Logs slow statements, and has a span for each statement that runs below another span while traces are on. */
export function observeStatements(log: Pick<Logger, 'warn'>, slowMs: number): ObserveStatement | undefined {
  const timeSlow = logSlowStatements(log, slowMs);
  if (!isTracing()) return timeSlow;
  const attributes = { 'db.system.name': 'postgresql' };
  return (text) => {
    const timed = timeSlow?.(text);
    const span = beginChild(() => statementName(text), { kind: 'client', attributes });
    if (!span) return timed;
    return (error) => {
      timed?.();
      if (error !== undefined) span.fail(error);
      span.end();
    };
  };
}

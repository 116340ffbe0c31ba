import { createHistogram } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Measure } from './metrics.ts';

/** How often a timer observes the loop, in ms: a delay is measured less up to this much. */
const sampleMs = 20;

/** A longer delay is logged: every request of the process waited so long. */
const warningMs = 200;

const logIntervalMs = 60_000;

/** Observes how long the event loop of this process is held. */
export interface EventLoopWatch {
  measures: Measure[];
  /** Begins, once requests are answered: before that nobody waits. */
  start(): void;
  stop(): void;
}

/**
 * Logs `event loop held` when a delay was above 200 ms, with the longest one in milliseconds; once a minute at most.
 * The measure has the delays since it was last read. (Node's `monitorEventLoopDelay` loses the delay that follows a
 * reset.)
 */
export function watchEventLoop(log: Pick<Logger, 'warn'>): EventLoopWatch {
  const delays = createHistogram();
  let sampledAt = 0;
  let longestMs = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  const sample = () => {
    const now = performance.now();
    const ms = now - sampledAt - sampleMs;
    sampledAt = now;
    delays.record(Math.max(1, Math.round(ms * 1000)));
    longestMs = Math.max(longestMs, Math.round(ms));
    if (longestMs <= warningMs || now - loggedAt < logIntervalMs) return;
    log.warn({ ms: longestMs }, 'event loop held');
    loggedAt = now;
    longestMs = 0;
  };
  let timer: NodeJS.Timeout | undefined;

  const read = () => {
    const seconds = (microseconds: number) => microseconds / 1e6;
    const most = delays.count === 0 ? 0 : seconds(delays.max);
    const quantiles = { '0.5': seconds(delays.percentile(50)), '0.99': seconds(delays.percentile(99)), '1': most };
    delays.reset();
    return quantiles;
  };
  return {
    measures: [
      {
        kind: 'gauge',
        name: 'tandem_event_loop_delay_seconds',
        help: 'Delay of the event loop since the metrics were last read',
        label: 'quantile',
        read,
      },
    ],
    start: () => {
      sampledAt = performance.now();
      timer = setInterval(sample, sampleMs);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}

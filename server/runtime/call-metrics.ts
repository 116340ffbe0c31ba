import { Counter, Registry } from 'prom-client';
import type { Observe, ObservedCall } from '../../domain/context.ts';
import { translate } from '../../domain/errors.ts';
import { beginChild, inSpan, type Span } from '../tracing/spans.ts';
import { durationBuckets } from './metrics.ts';
import { exportTimings, type Timing, Timings } from './timings.ts';

/** Rate, errors, duration and spans of the calls of operations and tools, whatever transport they came through. */
export interface CallMetrics {
  observe: Observe;
  registry: Registry;
}

/**
 * Counts and times calls from their first check to their answer. A request that is refused before it is a call (429, a
 * credential or body that REST refuses) is counted by its route alone.
 */
export function createCallMetrics(): CallMetrics {
  const registry = new Registry();
  const registers = [registry];
  const duration = new Timings(
    'tandem_operation_duration_seconds',
    'Duration of calls of operations and tools',
    durationBuckets,
  );
  exportTimings(registry, duration);
  const byName = { operation: new Map<string, Timing>(), tool: new Map<string, Timing>() };
  const timingOf = ({ kind, name }: ObservedCall): Timing => {
    const known = byName[kind].get(name) ?? duration.of({ kind, operation: name });
    byName[kind].set(name, known);
    return known;
  };
  const errors = new Counter({
    name: 'tandem_operation_errors_total',
    help: 'Calls of operations and tools that failed, by the HTTP status of the failure',
    labelNames: ['kind', 'operation', 'status'],
    registers,
  });
  const failed = ({ kind, name }: ObservedCall, span: Span | undefined, error: unknown) => {
    const { status, code } = translate(error).problem;
    errors.inc({ kind, operation: name, status: String(status) });
    if (status >= 500) span?.fail({ code });
    else span?.set({ 'error.type': code });
  };
  const observe: Observe = async (call, run) => {
    const begun = performance.now();
    const span = beginChild(() => `${call.kind} ${call.name}`);
    try {
      const outcome = await (span ? inSpan(span, run) : run());
      if (!outcome.ok) failed(call, span, (outcome as { error?: unknown }).error);
      return outcome;
    } catch (error) {
      failed(call, span, error);
      throw error;
    } finally {
      span?.end();
      timingOf(call).observe((performance.now() - begun) / 1000);
    }
  };
  return { observe, registry };
}

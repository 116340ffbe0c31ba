import { randomUUID } from 'node:crypto';
import { traceRequests } from '../../outbound/client.ts';
import { traceOutgoing } from './requests.ts';
import type { TracingSettings } from './settings.ts';
import { setTracer, type Tracer } from './spans.ts';
import type { SpanContext } from './traceparent.ts';

/** How long the end of the process waits for the last spans, in seconds. */
const closingSeconds = 2;

/** Hexadecimal digits of a trace id that a ratio looks at: as many as a number holds exactly. */
const ratioDigits = 13;

/** Decides on a trace that begins here, or that a caller has begun. */
function samplerOf({ sampler, ratio }: Pick<TracingSettings, 'sampler' | 'ratio'>): Tracer['samples'] {
  const decide = (traceId: string): boolean => {
    if (sampler.endsWith('always_off')) return false;
    if (sampler.endsWith('always_on')) return true;
    return Number.parseInt(traceId.slice(-ratioDigits), 16) < ratio * 16 ** ratioDigits;
  };
  const followsParent = sampler.startsWith('parentbased');
  return (traceId: string, parent: SpanContext | undefined) =>
    followsParent && parent ? parent.isSampled : decide(traceId);
}

/**
 * Switches traces on when there are settings for them; what sends them is loaded only then. Returns the function that
 * sends what is left and switches them off. There is one set of traces for the process.
 */
export async function startTracing(
  settings: TracingSettings | undefined,
  warn: (error: unknown, message: string) => void,
): Promise<() => Promise<void>> {
  if (!settings) return async () => {};
  const { createExporter } = await import('./exporter.ts');
  const resource = { 'service.instance.id': randomUUID(), ...settings.resource };
  const exporter = createExporter({ ...settings, resource }, warn);
  setTracer({ samples: samplerOf(settings), ended: exporter.add });
  traceRequests(traceOutgoing);
  return async () => {
    setTracer(undefined);
    traceRequests(undefined);
    await exporter.close(closingSeconds);
  };
}

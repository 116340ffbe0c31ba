import { setTimeout as sleep } from 'node:timers/promises';
import { OutboundError } from '../../outbound/errors.ts';
import { operatorClient } from '../../outbound/operator.ts';
import { exportRequest } from './otlp.ts';
import type { TracingSettings } from './settings.ts';
import { inSpan, type Span } from './spans.ts';

/** Spans that wait to be sent, and those in one request: the defaults of the specification. */
const maxQueued = 2048;
const maxBatch = 512;

/** Answers after which the same spans may be sent again (OTLP, “Retryable response codes”). */
const retryable = [429, 502, 503, 504];

/** Sends spans to a collector in batches. What a collector does not take in time is dropped. */
export interface SpanExporter {
  add(span: Span): void;
  /** Sends what is left, for at most so many seconds. */
  close(seconds: number): Promise<void>;
}

/** Why spans were not exported; the text has nothing of the collector's answer. */
class ExportError extends Error {
  override readonly name = 'ExportError';
  readonly isTemporary: boolean;

  constructor(reason: string, isTemporary: boolean) {
    super(`the collector did not take the spans: ${reason}`);
    this.isTemporary = isTemporary;
  }
}

/** Spans are sent to the address in the settings, by the client for such addresses. `warn` gets what went wrong. */
export function createExporter(
  { endpoint, headers, timeoutMs, delayMs, resource }: TracingSettings,
  warn: (error: unknown, message: string) => void,
): SpanExporter {
  const limits = { maxBytes: 64 * 1024, maxErrorBytes: 16 * 1024, silenceMs: timeoutMs, totalMs: timeoutMs };
  const send = operatorClient(limits);
  let queue: Span[] = [];
  let dropped = 0;
  /** The last request failed: the next one waits for the timer. */
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  const post = async (spans: readonly Span[]) => {
    const request = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    const response = await send(endpoint, { ...request, body: exportRequest(resource, spans) });
    await response.body?.cancel();
    if (!response.ok) throw new ExportError(`status ${response.status}`, retryable.includes(response.status));
  };
  const drop = (count: number) => {
    dropped += count;
    warn(new ExportError(`${dropped} dropped since the start`, false), 'spans dropped');
  };
  const sendBatch = async () => {
    const batch = queue.splice(0, maxBatch);
    try {
      await post(batch);
    } catch (error) {
      warn(error, 'spans not exported');
      const isTemporary = error instanceof OutboundError || (error instanceof ExportError && error.isTemporary);
      const kept = isTemporary ? batch.slice(0, Math.max(0, maxQueued - queue.length)) : [];
      queue = [...kept, ...queue];
      if (kept.length < batch.length) drop(batch.length - kept.length);
      throw error;
    }
  };
  /** Sends all that waits; after a failure the rest waits for the next time. */
  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    try {
      while (queue.length > 0) await sendBatch();
      isFailing = false;
    } catch {
      isFailing = true;
      startTimer();
    }
  };
  const startFlush = () => {
    // Outside of every span: the request of an export is not traced.
    sending ??= inSpan(undefined, flush).finally(() => {
      sending = undefined;
      if (queue.length > 0) startTimer();
    });
    return sending;
  };
  const startTimer = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void startFlush();
    }, delayMs);
    timer.unref();
  };
  return {
    add: (span) => {
      if (queue.length >= maxQueued) return drop(1);
      queue.push(span);
      if (queue.length >= maxBatch && !isFailing) void startFlush();
      else startTimer();
    },
    close: async (seconds) => {
      const late = new AbortController();
      const timeout = sleep(seconds * 1000, undefined, { signal: late.signal }).catch(() => {});
      await Promise.race([timeout, startFlush().then(() => (queue.length > 0 ? startFlush() : undefined))]);
      late.abort();
      clearTimeout(timer);
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { ProviderFault } from './errors.ts';

export interface TrySettings {
  /** How often one answer is asked for at most. */
  maxTries: number;
  /** The longest wait that a provider may ask for, in ms; when it asks for more, the answer fails at once. */
  maxWaitMs: number;
  /** No try begins once this many ms were spent asking. */
  maxActiveMs: number;
  /** Waits `ms`; rejects when the signal is aborted. */
  sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** From 0 up to 1. */
  random: () => number;
  /** Milliseconds that never run backwards. */
  clock: () => number;
}

/** The real clock, the real waits. */
export const realTime: Pick<TrySettings, 'sleep' | 'random' | 'clock'> = {
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
  random: Math.random,
  clock: () => performance.now(),
};

const firstWaitMs = 500;
const maxBackoffMs = 20_000;

/** Exponential backoff with full jitter: anything up to 0.5 s, 1 s, 2 s … 20 s after the first, second, third … try. */
function backoff(tried: number, random: () => number): number {
  return random() * Math.min(maxBackoffMs, firstWaitMs * 2 ** (tried - 1));
}

function afterTries(fault: ProviderFault, tried: number): ProviderFault {
  if (tried === 1) return fault;
  const { message, retryable, retryAfterMs, isTooLong } = fault;
  const Fault = fault.constructor as typeof ProviderFault;
  return new Fault(`${message} (Tried ${tried} times.)`, { retryable, retryAfterMs, isTooLong });
}

export interface Attempts<T> {
  once: () => Promise<T>;
  signal: AbortSignal;
  /** Milliseconds spent in one try, whatever came of it. */
  onActive?: (ms: number) => void;
  /** Another try follows after a wait of `ms`. */
  onRetry?: (ms: number) => void;
}

/**
 * Tries again when a fault may pass, after the wait that the provider asks for and a growing one. An abort ends it at
 * once, also in a wait, with the signal's reason. @throws the last fault, with the number of tries.
 */
export async function inTries<T>(settings: TrySettings, { once, signal, onActive, onRetry }: Attempts<T>): Promise<T> {
  const { maxTries, maxWaitMs, maxActiveMs, sleep, random, clock } = settings;
  let activeMs = 0;
  const timed = async () => {
    const began = clock();
    try {
      return await once();
    } finally {
      const ms = clock() - began;
      activeMs += ms;
      onActive?.(ms);
    }
  };
  for (let tried = 1; ; tried++) {
    try {
      return await timed();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProviderFault)) throw error;
      const requestedMs = error.retryAfterMs ?? 0;
      const isLast = tried >= maxTries || activeMs >= maxActiveMs || requestedMs > maxWaitMs;
      if (!error.retryable || isLast) throw afterTries(error, tried);
      // The jitter is added to the wait that the provider asks for: clients that wait together must not retry together.
      const waitMs = requestedMs + backoff(tried, random);
      onRetry?.(waitMs);
      await sleep(waitMs, signal).catch((reason: unknown) => {
        throw signal.aborted ? signal.reason : reason;
      });
    }
  }
}

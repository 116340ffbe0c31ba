import { setTimeout as delay } from 'node:timers/promises';
import { ProviderFault } from './fault.ts';

export interface TrySettings {
  /** How often one answer is asked for at most. */
  tries: number;
  /** The longest wait that a provider may ask for, in ms; when it asks for more, the answer fails at once. */
  longestWaitMs: number;
  /** No try begins once this many ms were spent asking. */
  longestActiveMs: number;
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
const capMs = 20_000;

/** Exponential backoff with full jitter: anything up to 0.5 s, 1 s, 2 s … 20 s after the first, second, third … try. */
function backoff(tried: number, random: () => number): number {
  return random() * Math.min(capMs, firstWaitMs * 2 ** (tried - 1));
}

function afterTries(fault: ProviderFault, tried: number): ProviderFault {
  if (tried === 1) return fault;
  const { message, retryable, retryAfterMs } = fault;
  const Fault = fault.constructor as typeof ProviderFault;
  return new Fault(`${message} (Tried ${tried} times.)`, { retryable, retryAfterMs });
}

export interface Attempts<T> {
  once: () => Promise<T>;
  signal: AbortSignal;
  /** Milliseconds spent in one try, whatever came of it. */
  onActive?: (ms: number) => void;
  /** Another try follows after a wait of `ms`. */
  onAgain?: (ms: number) => void;
}

/**
 * Tries again when a fault may pass, and waits as long as the provider says, or ever longer. An abort ends it at once,
 * also in a wait, with the signal's reason. @throws the last fault, which says how often it was tried.
 */
export async function inTries<T>(settings: TrySettings, { once, signal, onActive, onAgain }: Attempts<T>): Promise<T> {
  const { tries, longestWaitMs, longestActiveMs, sleep, random, clock } = settings;
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
      const asked = error.retryAfterMs ?? 0;
      const enough = tried >= tries || activeMs >= longestActiveMs || asked > longestWaitMs;
      if (!error.retryable || enough) throw afterTries(error, tried);
      // The jitter comes on top of what the provider asks for: those who wait together must not return together.
      const waitMs = asked + backoff(tried, random);
      onAgain?.(waitMs);
      await sleep(waitMs, signal).catch((reason: unknown) => {
        throw signal.aborted ? signal.reason : reason;
      });
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { type Engine, type EngineRequest, ModelFault } from '../engine.ts';

export interface RetrySettings {
  /** How often one answer is asked for at most. */
  tries: number;
  /** The longest wait that a provider may ask for, in ms; when it asks for more, the answer fails at once. */
  longestWaitMs: number;
  /** No try begins once this many ms were spent asking: five silences of two minutes are too long for anybody. */
  longestActiveMs: number;
  /** Waits `ms`; rejects when the signal is aborted. */
  sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** From 0 up to 1. */
  random: () => number;
  /** Milliseconds that never run backwards. */
  clock: () => number;
}

const usual: RetrySettings = {
  tries: 5,
  longestWaitMs: 120_000,
  longestActiveMs: 300_000,
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

function afterTries(fault: ModelFault, tried: number): ModelFault {
  const { message, retryable, retryAfterMs } = fault;
  return tried === 1 ? fault : new ModelFault(`${message} (Tried ${tried} times.)`, { retryable, retryAfterMs });
}

/**
 * An engine that asks again when a fault may pass, and waits as long as the provider says, or ever longer. An abort ends
 * it at once, also in a wait, with the signal's reason. The last fault says how often it was tried.
 */
export function withRetries(engine: Engine, settings: Partial<RetrySettings> = {}): Engine {
  const { tries, longestWaitMs, longestActiveMs, sleep, random, clock } = { ...usual, ...settings };

  async function timed(request: EngineRequest, active: (ms: number) => void) {
    const began = clock();
    try {
      return await engine.answer(request);
    } finally {
      active(clock() - began);
    }
  }

  return {
    name: engine.name,
    async answer(request) {
      const { signal } = request;
      let activeMs = 0;
      const active = (ms: number) => {
        activeMs += ms;
        request.onActive?.(ms);
      };
      for (let tried = 1; ; tried++) {
        let spoke = false;
        const onText = (delta: string) => {
          spoke = true;
          request.onText?.(delta);
        };
        try {
          return await timed({ ...request, onText }, active);
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ModelFault)) throw error;
          const asked = error.retryAfterMs ?? 0;
          const enough = tried >= tries || activeMs >= longestActiveMs || asked > longestWaitMs;
          if (!error.retryable || enough) throw afterTries(error, tried);
          if (spoke) request.onRestart?.();
          // The jitter comes on top of what the provider asks for: those who wait together must not return together.
          const waitMs = asked + backoff(tried, random);
          request.onWait?.(waitMs);
          await sleep(waitMs, signal).catch((reason: unknown) => {
            throw signal.aborted ? signal.reason : reason;
          });
        }
      }
    },
  };
}

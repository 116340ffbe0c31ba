import { answerFaults } from './faults.ts';

export interface Patience {
  /** How long nothing may arrive, in seconds. */
  silenceSeconds: number;
  /** How long one answer may take as a whole, in seconds. */
  answerSeconds: number;
}

export interface Watch {
  /** Aborted when the caller aborts, or when patience ends. */
  signal: AbortSignal;
  /** Rejects when `signal` is aborted, with its reason. */
  ended: Promise<never>;
  /** Something arrived: the silence begins anew. */
  alive(): void;
  /** Aborts what is still open, and stops the clocks. */
  stop(): void;
}

/** Why what a call left open is aborted. One for all: whoever is given no reason makes an error and its stack each time. */
const over = new Error('The call of the model is over.');

/** Watches over one call of a provider. Patience that ends gives a `ModelFault`; an abort of `caller` its own reason. */
export function watchOver(caller: AbortSignal, { silenceSeconds, answerSeconds }: Patience): Watch {
  const controller = new AbortController();
  const { signal } = controller;
  const onCaller = () => controller.abort(caller.reason);
  caller.addEventListener('abort', onCaller, { once: true });
  const silence = setTimeout(() => controller.abort(answerFaults.silent(silenceSeconds)), silenceSeconds * 1000);
  const whole = setTimeout(() => controller.abort(answerFaults.slow(answerSeconds)), answerSeconds * 1000);
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // Whoever waits sees it; after the call nobody does.
  ended.catch(() => {});
  return {
    signal,
    ended,
    alive: () => {
      if (!signal.aborted) silence.refresh();
    },
    stop: () => {
      clearTimeout(silence);
      clearTimeout(whole);
      caller.removeEventListener('abort', onCaller);
      controller.abort(over);
    },
  };
}

import { answerFaults } from './faults.ts';

export interface AnswerTimeouts {
  /** How long nothing may arrive, in seconds. */
  silenceSeconds: number;
  /** How long one answer may take as a whole, in seconds. */
  answerSeconds: number;
}

export interface CallTimer {
  /** Aborted when the caller aborts, or at a timeout. */
  signal: AbortSignal;
  /** Rejects when `signal` is aborted, with its reason. */
  ended: Promise<never>;
  /** Restarts the silence timeout: something arrived. */
  refresh(): void;
  /** Aborts what is still open, and stops the clocks. */
  stop(): void;
}

/**
 * Why what a call left open is aborted. One for all: an abort without a reason creates an error and its stack each
 * time.
 */
const over = new Error('The call of the model has ended.');

/**
 * Starts the timeouts of one call of a provider. A timeout gives a `ModelFault`; an abort of `caller` its own reason.
 */
export function startCallTimer(caller: AbortSignal, { silenceSeconds, answerSeconds }: AnswerTimeouts): CallTimer {
  const controller = new AbortController();
  const { signal } = controller;
  const onCaller = () => controller.abort(caller.reason);
  caller.addEventListener('abort', onCaller, { once: true });
  const silence = setTimeout(() => controller.abort(answerFaults.silent(silenceSeconds)), silenceSeconds * 1000);
  const whole = setTimeout(() => controller.abort(answerFaults.slow(answerSeconds)), answerSeconds * 1000);
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // The caller handles the rejection during the call; after it nothing does.
  ended.catch(() => {});
  return {
    signal,
    ended,
    refresh: () => {
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

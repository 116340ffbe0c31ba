import { type Operation, TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable, type Unsubscribable } from '@trpc/server/observable';
import type { AppRouter } from 'tandem';
import { ForeignResponse, isTandemError, toTandemError } from './errors.ts';
import { keyOf, withKey } from './keys.ts';

type Failed = TRPCClientError<AppRouter>;

/** Rate limits reset every minute; after a longer `Retry-After` the call fails at once. */
const maxWaitMs = 60_000;

/**
 * Whether there is no response of the service, but may be soon: `fetch` throws a TypeError, and a success may be cut.
 */
function isConnectionError({ cause }: Failed): boolean {
  if (cause instanceof ForeignResponse)
    return cause.status >= 500 || (cause.status < 400 && cause.cause instanceof SyntaxError);
  return cause instanceof TypeError || cause instanceof SyntaxError;
}

/**
 * Delay before the call may be repeated, in ms; undefined when it must not be. After 429 the call had no effect. Other
 * failures are repeated only where that is harmless: reads, and writes with an idempotency key.
 */
function waitAfter(error: Failed, op: Operation, tries: number): number | undefined {
  const isHarmless = op.type === 'query' || keyOf(op) !== undefined;
  const answered = isTandemError(error)
    ? error.problem
    : error.cause instanceof ForeignResponse
      ? error.cause
      : undefined;
  const isRefused = answered?.status === 429;
  const isPassing = isTandemError(error) ? error.retryable : isConnectionError(error);
  if (!isRefused && !(isPassing && isHarmless)) return undefined;
  const seconds = answered?.retryAfterSeconds;
  const wait = seconds === undefined ? 250 * 2 ** tries * (0.75 + Math.random() / 2) : seconds * 1000;
  return wait <= maxWaitMs ? wait : undefined;
}

/**
 * Repeats calls up to `retries` times where that is harmless, and alone where their batch had no room for the answer,
 * converts errors of the service to `TandemError`, and ends an aborted call at once, even during a delay or while other
 * calls of its batch continue.
 */
export function persist(retries: number): TRPCLink<AppRouter> {
  return () =>
    ({ op: given, next }) =>
      observable((observer) => {
        let op = retries > 0 ? withKey(given) : given;
        let tries = 0;
        let timer: ReturnType<typeof setTimeout> | undefined;
        let call: Unsubscribable | undefined;
        const attempt = () => {
          call = next(op).subscribe({
            next: (result) => observer.next(result),
            complete: () => observer.complete(),
            error: (failed) => {
              const error = toTandemError(failed);
              if (failed.data?.problem?.reason === 'batch_too_long' && !op.context.isAlone) {
                op = { ...op, context: { ...op.context, isAlone: true } };
                return attempt();
              }
              const wait = tries < retries ? waitAfter(error, op, tries) : undefined;
              if (wait === undefined) return observer.error(error);
              tries++;
              timer = setTimeout(attempt, wait);
            },
          });
        };
        const giveUp = () => {
          const reason: unknown = op.signal?.reason;
          observer.error(TRPCClientError.from(reason instanceof Error ? reason : new Error(String(reason))));
        };
        if (op.signal?.aborted) giveUp();
        else {
          op.signal?.addEventListener('abort', giveUp);
          attempt();
        }
        return () => {
          op.signal?.removeEventListener('abort', giveUp);
          clearTimeout(timer);
          call?.unsubscribe();
        };
      });
}

import { type Operation, TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable, type Unsubscribable } from '@trpc/server/observable';
import type { AppRouter } from 'tandem';
import { isTandemError, toTandemError } from './errors.ts';
import { keyOf, withKey } from './keys.ts';

type Failed = TRPCClientError<AppRouter>;

/** The service counts requests by the minute: whoever would have to wait longer is told so at once. */
const longestWaitMs = 60_000;

/** Whether no answer came that could be read: `fetch` throws a TypeError, and what is no JSON a SyntaxError. */
function brokeOnTheWay({ cause }: Failed): boolean {
  return cause instanceof TypeError || cause instanceof SyntaxError;
}

/**
 * Milliseconds until the call may be made again; undefined when it must not. What was refused because there were too
 * many requests (429) had no effect. Anything else is repeated only where that does no harm: reads, and writes with an
 * idempotency key.
 */
function waitAfter(error: Failed, op: Operation, tries: number): number | undefined {
  const isHarmless = op.type === 'query' || keyOf(op) !== undefined;
  const isRefused = isTandemError(error) && error.status === 429;
  const isPassing = isTandemError(error) ? error.retryable : brokeOnTheWay(error);
  if (!isRefused && !(isPassing && isHarmless)) return undefined;
  const seconds = isTandemError(error) ? error.problem.retryAfterSeconds : undefined;
  const wait = seconds === undefined ? 250 * 2 ** tries * (0.75 + Math.random() / 2) : seconds * 1000;
  return wait <= longestWaitMs ? wait : undefined;
}

/**
 * Makes calls again, up to `retries` times, where that does no harm; tells errors of the service as `TandemError`; and
 * ends a call that is aborted at once, even while it waits or while others of its batch go on.
 */
export function persist(retries: number): TRPCLink<AppRouter> {
  return () =>
    ({ op: given, next }) =>
      observable((observer) => {
        const op = retries > 0 ? withKey(given) : given;
        let tries = 0;
        let timer: ReturnType<typeof setTimeout> | undefined;
        let call: Unsubscribable | undefined;
        const attempt = () => {
          call = next(op).subscribe({
            next: (result) => observer.next(result),
            complete: () => observer.complete(),
            error: (failed) => {
              const error = toTandemError(failed);
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

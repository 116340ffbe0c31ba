import { TRPCClientError } from '@trpc/client';
import type { AppRouter } from 'tandem';

/** The service's error object, the same over every transport. */
export type Problem = NonNullable<TRPCClientError<AppRouter>['data']>['problem'];

/**
 * An error that the service answered. What failed on the way (no connection, no answer that could be read, a call that
 * was given up) stays a plain `TRPCClientError`, with its reason as `cause`.
 */
export class TandemError extends TRPCClientError<AppRouter> {
  /** The whole error object. */
  readonly problem: Problem;

  constructor(problem: Problem, told: TRPCClientError<AppRouter>) {
    super(problem.message, {
      ...(told.shape && { result: { error: told.shape } }),
      ...(told.meta && { meta: told.meta }),
      cause: told,
    });
    // The constructor above makes it one of its own class.
    Object.setPrototypeOf(this, TandemError.prototype);
    this.name = 'TandemError';
    this.problem = problem;
  }

  /** HTTP status. */
  get status(): Problem['status'] {
    return this.problem.status;
  }

  /** What to branch on. */
  get code(): Problem['code'] {
    return this.problem.code;
  }

  /** Path of the first field at fault; null when it is none. */
  get param(): Problem['param'] {
    return this.problem.param;
  }

  /** What to quote to support. */
  get requestId(): Problem['requestId'] {
    return this.problem.requestId;
  }

  /** Whether the same call may succeed later. */
  get retryable(): Problem['retryable'] {
    return this.problem.retryable;
  }
}

/** Whether the service answered this error: then it tells `code`, `param`, `requestId` and `retryable`. */
export function isTandemError(error: unknown): error is TandemError {
  return error instanceof TandemError;
}

/** What a link or a stream threw, as a `TandemError` where the service answered it. */
export function toTandemError(error: TRPCClientError<AppRouter>): TRPCClientError<AppRouter> {
  const problem = error.data?.problem;
  return problem && !isTandemError(error) ? new TandemError(problem, error) : error;
}

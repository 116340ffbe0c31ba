import { TRPCClientError } from '@trpc/client';
import type { AppRouter } from 'tandem';

/** The service's error object, the same over every transport. */
export type Problem = NonNullable<TRPCClientError<AppRouter>['data']>['problem'];

/**
 * An error response of the service. Other failures (no connection, an unreadable response, an aborted call) stay a
 * plain `TRPCClientError`, with their reason as `cause`.
 */
export class TandemError extends TRPCClientError<AppRouter> {
  /** The error object. */
  readonly problem: Problem;

  /** @internal */
  constructor(problem: Problem, error: TRPCClientError<AppRouter>) {
    super(problem.message, {
      ...(error.shape && { result: { error: error.shape } }),
      ...(error.meta && { meta: error.meta }),
      cause: error,
    });
    // The base constructor sets its own prototype.
    Object.setPrototypeOf(this, TandemError.prototype);
    this.name = 'TandemError';
    this.problem = problem;
  }

  /** HTTP status. */
  get status(): Problem['status'] {
    return this.problem.status;
  }

  /** Error code to branch on. */
  get code(): Problem['code'] {
    return this.problem.code;
  }

  /** Path of the first invalid field, or null. */
  get param(): Problem['param'] {
    return this.problem.param;
  }

  /** Request id, for support. */
  get requestId(): Problem['requestId'] {
    return this.problem.requestId;
  }

  /** Whether the same call may succeed later. */
  get retryable(): Problem['retryable'] {
    return this.problem.retryable;
  }
}

/** Whether an error is a response of the service, with `code`, `param`, `requestId` and `retryable`. */
export function isTandemError(error: unknown): error is TandemError {
  return error instanceof TandemError;
}

/** Converts an error of a link or a stream to a `TandemError` if it is a response of the service. */
export function toTandemError(error: TRPCClientError<AppRouter>): TRPCClientError<AppRouter> {
  const problem = error.data?.problem;
  return problem && !isTandemError(error) ? new TandemError(problem, error) : error;
}

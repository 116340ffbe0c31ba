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

/** A response that is not from the service: of a gateway, of a page to sign in, or at a wrong address. */
export class ForeignResponse extends Error {
  readonly status: number;
  /** Its `Retry-After` in seconds. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ status, statusText, headers, redirected, url }: Response, options?: ErrorOptions) {
    const what = `${status} ${statusText}`.trim() + (redirected ? `, redirected to ${url.split('?')[0]}` : '');
    const isPassing = status === 429 || status >= 500;
    super(
      isPassing
        ? `A server on the way to Tandem answered: ${what}. Try again later.`
        : `The response is not from Tandem: ${what}. Check the address, and the servers on the way.`,
      options,
    );
    const asked = headers.get('Retry-After') ?? '';
    const seconds = /^\d+$/.test(asked) ? Number(asked) : Math.max(0, (Date.parse(asked) - Date.now()) / 1000);
    this.status = status;
    this.retryAfterSeconds = Number.isNaN(seconds) ? undefined : seconds;
  }
}

/** Whether JSON is an answer of the service to one call or to a batch. */
function isAnswer(json: unknown): boolean {
  const answers = [json].flat() as ({ result?: object; error?: { data?: { problem?: object } } } | null)[];
  return answers.some((each) => each?.result ?? each?.error?.data?.problem);
}

/** Whether JSON is an error object as over REST: so a request is refused before it reaches tRPC. */
function isProblem(json: unknown): json is Problem {
  return (json as Partial<Problem> | null)?.object === 'error';
}

/**
 * The response to a request to `address`, whose JSON is one of the service.
 * @throws ForeignResponse, now or when the JSON is read.
 */
export function ofService(response: Response, address: string | URL | Request): Response {
  const { headers, status, redirected, url } = response;
  // A redirect to another origin takes no credential along.
  const isKeyLost = () => redirected && new URL(String(address), url).origin !== new URL(url).origin;
  if (headers.get('Content-Type')?.startsWith('text/html') || (status === 401 && isKeyLost())) {
    // An unread body keeps its connection, and a process from ending.
    void response.body?.cancel().catch(() => {});
    throw new ForeignResponse(response);
  }
  const read = response.json.bind(response);
  const json = async () => {
    const body: unknown = await read().catch((cause: unknown) => {
      throw cause instanceof SyntaxError ? new ForeignResponse(response, { cause }) : cause;
    });
    if (isAnswer(body)) return body;
    if (isProblem(body)) return { error: { message: body.message, code: -32603, data: { problem: body } } };
    throw new ForeignResponse(response);
  };
  return Object.assign(response, { json });
}

/** Why there is no complete response: `fetch` throws a TypeError, with what happened as its cause. */
function lostMessage({ message, cause }: TypeError): string {
  const why = cause instanceof Error && cause.message ? cause.message : message;
  return `There is no complete response of the service: ${why}. Check the address and the connection, then try again.`;
}

/**
 * Converts an error of a link or a stream to a `TandemError` if it is a response of the service, and describes others.
 */
export function toTandemError(error: TRPCClientError<AppRouter>): TRPCClientError<AppRouter> {
  const problem = error.data?.problem;
  if (problem && !isTandemError(error)) return new TandemError(problem, error);
  if (error.cause instanceof TypeError) error.message = lostMessage(error.cause);
  return error;
}

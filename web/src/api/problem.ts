/** The parts of an error object that the pages show. */
export interface Problem {
  status: number;
  code: string;
  reason?: string | undefined;
  message: string;
  retryable: boolean;
  retryAfterSeconds?: number | undefined;
  requestId?: string | undefined;
  errors: { param: string | null; message: string }[];
}

/** An error with the service's error object, for calls without a typed procedure. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

const unreachable: Problem = {
  status: 0,
  code: 'unreachable',
  message: 'The service cannot be reached. Check your connection, then try again.',
  retryable: true,
  errors: [],
};

/** The error object of anything that a call of the service throws. */
export function problemOf(error: unknown): Problem {
  // Of a `ProblemError` here and a `TandemError` of the typed client, which this file does not import for its size.
  // What failed before there was an answer is the cause of what the client throws.
  const found = error instanceof Error && !('problem' in error) ? error.cause : error;
  const problem = found instanceof Error && 'problem' in found ? found.problem : undefined;
  return (problem as Problem | undefined) ?? unreachable;
}

/** Reasons of a 401 that are about what a person gave to sign in, not about the session. */
const signInReasons = ['wrong_credentials', 'wrong_second_factor', 'wrong_passkey', 'sign_in_ended'];

/** Whether there is no session; a 401 for a wrong password or second factor is excluded. */
export function isSignedOut(error: unknown): boolean {
  const { status, reason } = problemOf(error);
  return status === 401 && !signInReasons.includes(reason ?? '');
}

/**
 * Sends or reads JSON without the typed client; an error may have the form of REST or that of tRPC. @throws
 * ProblemError with the service's error object.
 */
export async function fetchJson<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = {
    Accept: 'application/json',
    ...(init.body ? { 'Content-Type': 'application/json' } : {}),
    ...init.headers,
  };
  const response = await fetch(path, { ...init, headers }).catch(() => {
    throw new ProblemError(unreachable);
  });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body as Answer;
  throw new ProblemError(problemIn(body, response.status));
}

/** The error object in a response of REST or tRPC; `status` 0 is no response at all. */
export function problemIn(body: unknown, status: number): Problem {
  if (status === 0) return unreachable;
  const wrapped = (body as { error?: { data?: { problem?: Partial<Problem> } } } | null)?.error?.data?.problem;
  const error = wrapped ?? (body as Partial<Problem> | null) ?? {};
  return {
    status,
    code: error.code ?? 'internal_error',
    reason: error.reason,
    message: error.message ?? 'The response of the service could not be read. Try again.',
    retryable: error.retryable ?? status >= 500,
    retryAfterSeconds: error.retryAfterSeconds,
    requestId: error.requestId,
    errors: error.errors ?? [],
  };
}

const watchers = new Set<(error: unknown) => void>();

/** Calls `watch` with each error that a form shows; queries and mutations report theirs to their caches. */
export function watchProblems(watch: (error: unknown) => void): void {
  watchers.add(watch);
}

/** The error object of what a form could not do, after calling the functions given to `watchProblems`. */
export function reportProblem(error: unknown): Problem {
  for (const watch of watchers) watch(error);
  return problemOf(error);
}

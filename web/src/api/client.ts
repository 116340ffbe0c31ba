import { createTandemClient, isTandemError } from 'tandem/client';

/**
 * The typed API. The session is a cookie that scripts cannot read; the browser sends it along. Whether something is
 * tried again is for TanStack Query to say, or for the person.
 */
export const api = createTandemClient({ url: '', retries: 0 });

/** What went wrong, as far as a person can use it. */
export interface Problem {
  status: number;
  code: string;
  reason?: string | undefined;
  message: string;
  retryable: boolean;
  requestId?: string;
  errors: { param: string | null; message: string }[];
}

/** A failure that carries the service's error object, from whichever transport. */
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

/** The problem in anything thrown by a call of the service. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return isTandemError(error) ? error.problem : unreachable;
}

/** Whether nobody is signed in (any more): not a wrong password, which is a 401 too. */
export function isSignedOut(error: unknown): boolean {
  const { status, reason } = problemOf(error);
  return status === 401 && reason !== 'wrong_credentials';
}

/** Reads or sends JSON where there is no typed procedure. @throws ProblemError with the service's error object. */
export async function fetchJson<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { Accept: 'application/json', ...(init.body ? { 'Content-Type': 'application/json' } : {}) };
  const response = await fetch(path, { ...init, headers }).catch(() => {
    throw new ProblemError(unreachable);
  });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body as Answer;
  const told = (body as Partial<Problem> | null) ?? {};
  const message = told.message ?? 'The service gave no answer that could be read. Try again.';
  throw new ProblemError({
    status: response.status,
    code: told.code ?? 'internal_error',
    message,
    retryable: response.status >= 500,
    errors: told.errors ?? [],
  });
}

import { TRPCError } from '@trpc/server';
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc';
import { z } from 'zod';
import { endsTransaction, violatedConstraint } from '../db/errors.ts';
import type { ReasonOf } from './error-reasons.ts';
import { allowedValuesOf, type FieldError, fieldErrors } from './field-errors.ts';
import type { Scope } from './scopes.ts';

export { endsTransaction } from '../db/errors.ts';

/** Every error code of the service with its title. Clients branch on these: the set never grows within v1. */
export const errorCodes = {
  validation_failed: 'The request is not valid',
  invalid_cursor: 'The cursor is not valid',
  unknown_parameter: 'Unknown query parameter',
  missing_credentials: 'Credentials are missing',
  invalid_api_key: 'The credential is not valid',
  insufficient_minutes: 'No agent minutes are left',
  missing_scope: 'The credential lacks a scope',
  api_key_auth_required: 'A user session is required',
  workspace_access_denied: 'No access to this workspace',
  resource_not_found: 'Not found',
  idempotency_key_reused: 'The Idempotency-Key was used before',
  resource_conflict: 'The state of the resource does not allow this',
  rate_limit_exceeded: 'Too many requests',
  internal_error: 'Something went wrong on our side',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** A failure with this code. */
interface ProblemOf<Code extends ErrorCode> {
  status: number;
  code: Code;
  message: string;
  errors?: FieldError[];
  reason?: ReasonOf<Code>;
  allowedValues?: readonly string[];
  requiredScopes?: readonly Scope[];
  currentVersion?: number;
  /** The ends of the log of events, with a position that is not in it. */
  oldestSequence?: number;
  latestSequence?: number;
  retryAfterSeconds?: number;
  /** Headers that go with the status, such as `Allow` with 405. */
  headers?: Record<string, string>;
}

/** What is known of a failure, apart from the request it happened in. */
export type Problem = { [Code in ErrorCode]: ProblemOf<Code> }[ErrorCode];

const trpcCodes: Record<number, TRPC_ERROR_CODE_KEY> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  402: 'PAYMENT_REQUIRED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
};

/** The one error that domain code throws. Its message is public and says what to do next. */
export class Failure extends TRPCError {
  readonly problem: Problem;

  constructor(problem: Problem, cause?: unknown) {
    super({ code: trpcCodes[problem.status] ?? 'INTERNAL_SERVER_ERROR', message: problem.message, cause });
    this.name = 'Failure';
    this.problem = problem;
  }
}

/** 400: `param` is at fault. */
export function invalid(
  param: string | null,
  message: string,
  more: Partial<ProblemOf<'validation_failed'>> = {},
): Failure {
  const errors = [{ param, code: 'invalid', message }];
  return new Failure({ status: 400, code: 'validation_failed', message, errors, ...more });
}

/** 404: no `resource` of this id in this workspace. The same answer whether it never existed or belongs to another. */
export function notFound(resource: string, param: string): Failure {
  const message = `There is no ${resource} with this id in this workspace. Check the id, or list what exists.`;
  const errors = [{ param, code: 'not_found', message }];
  return new Failure({ status: 404, code: 'resource_not_found', message, errors });
}

/** 409: the state of the resource does not allow the operation. */
export function conflict(message: string, more: Partial<ProblemOf<'resource_conflict'>> = {}): Failure {
  return new Failure({ status: 409, code: 'resource_conflict', message, ...more });
}

/** 409: another active agent has the name. */
export function agentNameTaken(): Failure {
  const message =
    'An active agent has this name, ignoring case. Choose another, or rename or archive that agent first.';
  return conflict(message, { errors: [{ param: 'name', code: 'taken', message }] });
}

/** 409: another label has the name. */
function labelNameTaken(): Failure {
  const message = 'A label has this name, ignoring case. Use that one, or choose another name.';
  return conflict(message, { errors: [{ param: 'name', code: 'taken', message }] });
}

/** 409: another account has this email address. */
export function emailTaken(): Failure {
  const message = 'There is an account with this email address. Sign in, or reset its password.';
  return conflict(message, { errors: [{ param: 'email', code: 'taken', message }] });
}

/** Seconds until a request that was answered 503 is worth repeating: most disturbances are shorter. */
export const unavailableSeconds = 2;

/**
 * 503: the database is away, silent, full or too slow, others change the same rows again and again, a queue is full, or
 * the process is stopping. Whether a write was
 * done is unknown when the database was lost while it committed.
 */
export function unavailable(cause?: unknown, retryAfterSeconds = unavailableSeconds): Failure {
  const message = `The service is temporarily unavailable. Try again in ${retryAfterSeconds} s, with the same Idempotency-Key where the operation takes one.`;
  const problem = { status: 503, code: 'internal_error', message, reason: 'unavailable', retryAfterSeconds } as const;
  return new Failure(problem, cause);
}

interface Shaped {
  strictQuery?: boolean;
  parameters?: readonly string[];
}

/** The 400 for input that its schema refused; unknown parameters of a strict query get their own code. */
export function invalidInput(error: z.ZodError, shape: Shaped = {}): Failure {
  const errors = fieldErrors(error);
  const unknown = errors.find((each) => each.code === 'unknown_field');
  if (shape.strictQuery && unknown) {
    const message = `Unknown parameter “${unknown.param}”. Known: ${shape.parameters?.join(', ')}.`;
    const allowedValues = shape.parameters ?? [];
    return new Failure({
      status: 400,
      code: 'unknown_parameter',
      message,
      errors: [{ ...unknown, message }],
      allowedValues,
    });
  }
  const [{ param, message } = { param: null, message: 'is not valid' }] = errors;
  const allowedValues = allowedValuesOf(error);
  return new Failure({
    status: 400,
    code: 'validation_failed',
    message: `${param === null ? 'The input ' : `${param}: `}${message}`,
    errors,
    ...(allowedValues && { allowedValues }),
  });
}

/** The failure for a violated constraint, where only the schema holds the rule or a concurrent request was first. */
const constraints: Record<string, Failure> = {
  todos_text: invalid('content', 'A todo needs a title or a content. Set one before you clear the other.'),
  todos_list_fk: notFound('todo list', 'todoListId'),
  todos_capture_fk: notFound('capture', 'captureId'),
  todo_labels_label_fk: notFound('label', 'labelIds'),
  labels_key: labelNameTaken(),
  todo_comments_todo_fk: notFound('todo', 'todoId'),
  agents_name: agentNameTaken(),
  users_email: emailTaken(),
};

/** The one translator: any thrown value as a Failure. The unexpected is a 500 without details. */
export function translate(error: unknown, shape: Shaped = {}): Failure {
  if (error instanceof Failure) return error;
  const cause = error instanceof TRPCError ? error.cause : undefined;
  if (cause instanceof Failure) return cause;
  // A conflict that is left after several tries is no fault of the request either.
  if (endsTransaction(error)) return unavailable(error);
  const violated = constraints[violatedConstraint(cause) ?? ''];
  if (violated) return new Failure(violated.problem, cause);
  if (error instanceof TRPCError && error.code === 'BAD_REQUEST' && cause instanceof z.ZodError) {
    return invalidInput(cause, shape);
  }
  if (error instanceof TRPCError && error.code === 'BAD_REQUEST')
    return invalid(null, 'The request could not be read.');
  if (error instanceof TRPCError && error.code === 'NOT_FOUND') {
    return new Failure({ status: 404, code: 'resource_not_found', message: 'There is no such operation.' });
  }
  if (error instanceof TRPCError && error.code === 'METHOD_NOT_SUPPORTED') {
    const message = 'Call queries with GET and mutations with POST.';
    return new Failure({ status: 405, code: 'validation_failed', message });
  }
  if (error instanceof TRPCError && error.code === 'UNSUPPORTED_MEDIA_TYPE') {
    const message = 'This operation returns a stream. Call it through httpBatchStreamLink, or over REST.';
    return new Failure({ status: 415, code: 'validation_failed', message });
  }
  const message = 'Something went wrong on our side. Try again; if it happens again, quote the request id.';
  return new Failure({ status: 500, code: 'internal_error', message }, error);
}

/**
 * The error object of every transport; valid as RFC 9457 problem details. `docsUrl` is the page that lists the codes.
 */
export function errorBody(failure: Failure, requestId: string, docsUrl: string) {
  const { status, code, message, errors = [], headers: _, ...more } = failure.problem;
  const uri = `${docsUrl}#${code}`;
  return {
    object: 'error' as const,
    type: uri,
    title: errorCodes[code],
    status,
    code,
    detail: message,
    message,
    param: errors[0]?.param ?? null,
    requestId,
    retryable: status === 429 || status >= 500 || more.retryAfterSeconds !== undefined,
    docUrl: uri,
    errors,
    ...more,
  };
}

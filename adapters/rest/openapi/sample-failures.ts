import { type ErrorCode, type Problem, unavailable } from '../../../domain/errors.ts';

export const sampleRequestId = '019ca8b1-c880-7d2a-9f3e-5b8c1e4a7d60';

type Sample = Omit<Problem, 'status' | 'code' | 'reason'>;

function at(param: string, code: string, message: string): Sample {
  return { message, errors: [{ param, code, message }] };
}

const samples: Record<ErrorCode, Sample> = {
  validation_failed: at('limit', 'too_big', 'limit: Too big: expected number to be <=100'),
  invalid_cursor: at(
    'cursor',
    'invalid_cursor',
    'This cursor is not valid here. Pass nextCursor unchanged, with the same filters and order, or leave cursor out to start from the beginning.',
  ),
  unknown_parameter: {
    ...at('statuss', 'unknown_field', 'Unknown parameter “statuss”. Known: status, priority, type.'),
    allowedValues: ['status', 'priority', 'type'],
  },
  missing_credentials: { message: 'Send an API key as “Authorization: Bearer tandem_sk_…”.' },
  invalid_api_key: {
    message: 'This credential is not valid: unknown, revoked or expired. Use a valid API key.',
  },
  insufficient_minutes: {
    message:
      'The workspace has no agent minutes left, so no agent can start. Ask the operator of the service for more. Nothing was changed.',
  },
  missing_scope: {
    message: 'This credential lacks the scope todos:write. Use one that has it.',
    requiredScopes: ['todos:write'],
  },
  api_key_auth_required: { message: 'Keys are managed by people. Sign in and use the session.' },
  workspace_access_denied: { message: 'You are not a member of this workspace. Name one of yours.' },
  resource_not_found: at(
    'todoListId',
    'not_found',
    'There is no todo list with this id in this workspace. Check the id, or list what exists.',
  ),
  idempotency_key_reused: at(
    'Idempotency-Key',
    'idempotency_key_reused',
    'This Idempotency-Key was used with a different body. Use a new key for a new request.',
  ),
  resource_conflict: { message: 'The state of the resource does not allow this. Read it again and decide.' },
  rate_limit_exceeded: {
    message: 'The budget of 300 requests per minute is used up. Try again in 37 s.',
    retryAfterSeconds: 37,
  },
  internal_error: {
    message: 'Something went wrong on our side. Try again; if it happens again, quote the request id.',
  },
};

const changed = 'The resource changed since you read it. Read it again and apply the change to its current state.';

/** What an error of this code may look like, for the examples of the document. */
export function sampleOf(code: ErrorCode, status: number): Problem {
  const reason = 'precondition_failed';
  if (status === 412) return { status, code: 'resource_conflict', ...at('If-Match', reason, changed), reason };
  if (status === 503) return unavailable().problem;
  return { status, code, ...samples[code] };
}

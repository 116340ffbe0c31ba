import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { type ErrorCode, errorBody, errorCodes, Failure } from '../../../domain/errors.ts';
import { scopes } from '../../../domain/scopes.ts';
import type { ExtraStatus } from '../../../routers/metadata.ts';
import type { Operation } from '../../operations.ts';
import { headersOf } from './headers.ts';
import { sampleOf, sampleRequestId } from './sample-failures.ts';

const uri = z.string().meta({ format: 'uri' });

/** The error object of CONTRACT §2, as `errorBody` makes it. */
export const ErrorObject = z
  .object({
    object: z.literal('error'),
    type: uri.describe('Identifies the kind of problem; equal to `docUrl`.'),
    title: z.string().describe('The kind of problem in a few words, the same for every error of this `code`.'),
    status: z.int().describe('The HTTP status.'),
    code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]).describe('Stable: branch on it.'),
    detail: z.string().describe('What is wrong and what to do next, for a person to read.'),
    message: z.string().describe('The same as `detail`.'),
    param: z.string().nullable().describe('Path of the first field at fault, such as `assignees[0].id`.'),
    requestId: z.string().meta({ format: 'uuid' }).describe('Quote it to support.'),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
    docUrl: uri.describe('The page that explains the code.'),
    errors: z
      .array(z.object({ param: z.string().nullable(), code: z.string(), message: z.string() }))
      .describe('Every field at fault.'),
    reason: z
      .string()
      .optional()
      .describe('More detail than `code`, such as `precondition_failed`. The page at `docUrl` lists the values.'),
    allowedValues: z.array(z.string()).optional().describe('The values that are accepted.'),
    requiredScopes: z.array(z.enum(scopes)).optional().describe('The scopes that the operation needs.'),
    currentVersion: z.int().optional().describe('The version to continue from after a version mismatch.'),
    oldestSequence: z
      .int()
      .optional()
      .describe('With `position_expired` and `position_unknown`: the first event of the log that is kept in full.'),
    latestSequence: z
      .int()
      .optional()
      .describe('With `position_expired` and `position_unknown`: the last event of the log.'),
    retryAfterSeconds: z.int().optional().describe('Seconds to wait; equal to the Retry-After header.'),
  })
  .meta({ id: 'Error', description: 'Every failure. Valid as problem details (RFC 9457).' });

interface Refusal {
  status: number;
  /** Name of the shared response in `components.responses`. */
  name: string;
  codes: ErrorCode[];
}

function badRequest({ fields, strictQuery, tag }: Operation): Refusal {
  // A position in the log of events is refused like a cursor.
  const paged = 'cursor' in fields || (tag === 'events' && 'afterSequence' in fields);
  const codes: ErrorCode[] = ['validation_failed'];
  if (paged) codes.push('invalid_cursor');
  if (strictQuery) codes.push('unknown_parameter');
  return { status: 400, name: `Invalid${strictQuery ? 'Strict' : ''}${paged ? 'Paged' : ''}Request`, codes };
}

const single: Record<Exclude<ExtraStatus, 409>, Refusal> = {
  401: { status: 401, name: 'WrongCredentials', codes: ['invalid_api_key'] },
  402: { status: 402, name: 'InsufficientMinutes', codes: ['insufficient_minutes'] },
  403: { status: 403, name: 'WorkspaceAccessDenied', codes: ['workspace_access_denied'] },
  404: { status: 404, name: 'NotFound', codes: ['resource_not_found'] },
  412: { status: 412, name: 'PreconditionFailed', codes: ['resource_conflict'] },
};

function conflict({ keyed }: Operation): Refusal {
  if (!keyed) return { status: 409, name: 'Conflict', codes: ['resource_conflict'] };
  return { status: 409, name: 'ConflictOrKeyReused', codes: ['resource_conflict', 'idempotency_key_reused'] };
}

function forbidden({ access, statuses, beforeSecondFactor }: Operation): Refusal {
  if (access === 'session') {
    return { status: 403, name: 'SessionRequired', codes: ['missing_scope', 'workspace_access_denied'] };
  }
  if (access === 'key_management' && statuses.includes(403)) {
    const codes: ErrorCode[] = ['api_key_auth_required', 'missing_scope', 'workspace_access_denied'];
    return { status: 403, name: 'KeyManagementOrAddressRefused', codes };
  }
  if (access === 'key_management') {
    return { status: 403, name: 'KeyManagementRefused', codes: ['api_key_auth_required', 'workspace_access_denied'] };
  }
  // The workspace may require a second factor that the person of a session lacks.
  if (statuses.includes(403) || !beforeSecondFactor) {
    return { status: 403, name: 'MissingScopeOrDenied', codes: ['missing_scope', 'workspace_access_denied'] };
  }
  return { status: 403, name: 'MissingScope', codes: ['missing_scope'] };
}

const unauthenticated: Refusal = {
  status: 401,
  name: 'Unauthenticated',
  codes: ['missing_credentials', 'invalid_api_key'],
};

/** Every failure that an operation documents: the standard ones (SPEC "Endpoints") and its own. */
export function refusalsOf(operation: Operation): Refusal[] {
  const isPublic = operation.access === 'public';
  const own = operation.statuses.filter((status) => isPublic || status !== 403);
  return [
    badRequest(operation),
    ...(isPublic ? [] : [unauthenticated, forbidden(operation)]),
    ...own.map((status) => (status === 409 ? conflict(operation) : single[status])),
    { status: 429, name: 'RateLimited', codes: ['rate_limit_exceeded'] },
    { status: 500, name: 'InternalError', codes: ['internal_error'] },
    { status: 503, name: 'Unavailable', codes: ['internal_error'] },
  ];
}

/** One failure as a response, which names the codes that can occur. */
export function refusalResponse(operation: Operation, refusal: Refusal, docsUrl: string): ZodOpenApiResponseObject {
  const { status, codes } = refusal;
  const lines = codes.map((code) => `- \`${code}\`: ${errorCodes[code]}.`);
  const examples = Object.fromEntries(
    codes.map((code) => {
      const failure = new Failure(sampleOf(code, status));
      return [code, { summary: errorCodes[code], value: errorBody(failure, sampleRequestId, `${docsUrl}/errors`) }];
    }),
  );
  const content = { schema: ErrorObject, examples };
  return {
    description: lines.join('\n'),
    headers: headersOf(
      operation,
      ...(status === 429 || status === 503 || codes.includes('idempotency_key_reused')
        ? (['Retry-After'] as const)
        : []),
      ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ),
    content: { 'application/json': content, 'application/problem+json': content },
  };
}

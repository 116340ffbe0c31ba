import type { ErrorCode } from '../domain/errors.ts';

interface Advice {
  statuses: readonly number[];
  means: string;
  remedy: string;
}

/** What each error code means and what to do about it, for the document and for the page of errors. Plain text. */
export const errorGuide: Record<ErrorCode, Advice> = {
  validation_failed: {
    statuses: [400, 403, 405, 408, 413, 415, 431],
    means:
      'The body, the path or the query is not what the operation takes. With 403 a web page of a foreign origin called the MCP endpoint, with 405 the path does not support the method, with 408 the request took too long to arrive, with 413 the body is too large, with 415 it is not JSON, with 431 the address and headers are too large.',
    remedy:
      'Read “param” (the first field at fault) and “errors” (all of them), correct the request and send it again. 405 names the methods of the path in the Allow header.',
  },
  invalid_cursor: {
    statuses: [400],
    means: 'The cursor was changed, belongs to another list, or was made with other filters or another order.',
    remedy:
      'Pass “nextCursor” unchanged, with the same filters and order; only “limit” may change. Otherwise start again without a cursor.',
  },
  unknown_parameter: {
    statuses: [400],
    means: 'The query has a parameter that this operation does not know. Misspelt filters are refused, not ignored.',
    remedy: 'Correct or remove the parameter that “param” names; “allowedValues” lists the known ones.',
  },
  missing_credentials: {
    statuses: [401],
    means: 'The request has no credential.',
    remedy: 'Send an API key in the header Authorization: Bearer tandem_sk_…',
  },
  invalid_api_key: {
    statuses: [401],
    means: 'The credential is unknown, revoked or expired.',
    remedy: 'Use a valid one. Sending the same one again will not help.',
  },
  insufficient_minutes: {
    statuses: [402],
    means: 'The workspace has no agent minutes left, so that no agent can start to work.',
    remedy:
      'Ask the operator of the service, who adds agent minutes with “npm run grant-minutes”, then repeat the request; the same Idempotency-Key may be used again.',
  },
  missing_scope: {
    statuses: [403],
    means:
      'The credential is valid, but lacks a scope that the operation needs, or the operation needs a person’s session (“reason” is then session_required).',
    remedy: 'Use a credential with the scopes in “requiredScopes”. The scopes of a key are fixed: create another one.',
  },
  api_key_auth_required: {
    statuses: [403],
    means: 'API keys and connected apps are managed by people: an API key or an OAuth token cannot do it.',
    remedy: 'Sign in and use the session.',
  },
  workspace_access_denied: {
    statuses: [403],
    means: 'The signed-in person is not a member of the workspace that the request names.',
    remedy: 'Name a workspace of yours, or ask its owner for an invitation.',
  },
  resource_not_found: {
    statuses: [404],
    means:
      'This workspace has no resource with this id, or there is nothing at this address. A resource of another workspace gives the same error.',
    remedy: 'Check the id that “param” names, or list what exists.',
  },
  idempotency_key_reused: {
    statuses: [409],
    means: 'The Idempotency-Key was used in the last 24 hours with a different body.',
    remedy: 'Use a new key for a new request. To repeat the old one, send exactly its body.',
  },
  resource_conflict: {
    statuses: [409, 412],
    means:
      'The state of the resource does not allow this. With 412 it changed since the entity tag in If-Match was read; with “reason” idempotency_in_progress an earlier request with the same Idempotency-Key is still running.',
    remedy:
      'Read the resource again and decide on its current state. If there is a Retry-After header, wait that long.',
  },
  rate_limit_exceeded: {
    statuses: [429],
    means: 'All requests allowed in this minute are used. Refused requests do not count.',
    remedy: 'Wait the seconds in Retry-After, then repeat the request.',
  },
  internal_error: {
    statuses: [500, 503],
    means:
      'Something failed on our side. With 503 (“reason” is then unavailable) the database is away, full or too slow, too many requests wait, or the process is stopping.',
    remedy:
      'Try again, with the same Idempotency-Key where the operation takes one; after a 503 wait the seconds in Retry-After first. If a 500 happens again, quote the “requestId”.',
  },
};

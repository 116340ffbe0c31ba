import type { ReasonOf } from '../domain/error-reasons.ts';
import type { ErrorCode } from '../domain/errors.ts';

interface Advice<Code> {
  statuses: readonly number[];
  means: string;
  remedy: string;
  /** What each “reason” means, and what to do then. */
  reasons: Readonly<Record<ReasonOf<Code>, readonly [means: string, remedy: string]>>;
}

/** What each error code means and what to do about it, for the document and for the page of errors. Plain text. */
export const errorGuide: { readonly [Code in ErrorCode]: Advice<Code> } = {
  validation_failed: {
    statuses: [400, 403, 405, 408, 413, 415, 416, 426, 431],
    means:
      'The body, the path or the query is not what the operation takes. With 403 a web page of a foreign origin called the MCP endpoint, or the pages were opened at another address than that of the service, with 405 the path does not support the method, with 408 the request took too long to arrive, with 413 the body is too large, with 415 it is not JSON, with 416 the range lies beyond the audio, with 426 the address takes WebSockets only, with 431 the address and headers are too large.',
    remedy:
      'Read “param” (the first field at fault) and “errors” (all of them), correct the request and send it again. 405 names the methods of the path in the Allow header, 416 the size in Content-Range.',
    reasons: {
      host_not_allowed: [
        'The Host header names another host than the service, which listens on this machine only.',
        'Use the address of the service, such as http://localhost:8080.',
      ],
      origin_not_allowed: [
        'Web pages of this origin may not call the MCP endpoint, or the pages of the service were opened at another address than its own (PUBLIC_URL).',
        'For the MCP endpoint, ask the operator of the service to add the origin to ALLOWED_ORIGINS. Open the pages at the address that the message names, or ask the operator to set PUBLIC_URL to the one that you use.',
      ],
      batch_too_long: [
        'The answers to the calls before this one in its batch are too long together. Nothing was done.',
        'Send the call in a request of its own, as the typed client does by itself.',
      ],
    },
  },
  invalid_cursor: {
    statuses: [400],
    means: 'The cursor was changed, belongs to another list, or was made with other filters or another order.',
    remedy:
      'Pass “nextCursor” unchanged, with the same filters and order; only “limit” may change. Otherwise start again without a cursor. With a “reason” it is a position in the log of events.',
    reasons: {
      position_expired: [
        'Events after this position were already deleted.',
        'Read the resources that you need again, and continue from the Tandem-Sequence of those responses.',
      ],
      position_unknown: [
        'The log does not reach this position: it is from another workspace, or the database was restored.',
        'Read the resources that you need again, and continue from the Tandem-Sequence of those responses.',
      ],
    },
  },
  unknown_parameter: {
    statuses: [400],
    means:
      'The query has a parameter that this operation does not know. Misspelt filters of listTodos, summariseTodos and listCaptures are refused; other operations ignore what they do not know.',
    remedy: 'Correct or remove the parameter that “param” names; “allowedValues” lists the known ones.',
    reasons: {},
  },
  missing_credentials: {
    statuses: [401],
    means: 'The request has no credential.',
    remedy: 'Send an API key in the header Authorization: Bearer tandem_sk_…',
    reasons: {},
  },
  invalid_api_key: {
    statuses: [401],
    means: 'The credential is unknown, revoked or expired, or what was entered to sign in is wrong.',
    remedy: 'Use a valid one. Sending the same one again will not help.',
    reasons: {
      wrong_credentials: ['The email address or the password is wrong.', 'Enter them again, or reset the password.'],
      wrong_passkey: ['The passkey was not accepted.', 'Sign in with the password.'],
      wrong_second_factor: [
        'The code is wrong or was used before, or the passkey was not accepted.',
        'Enter the next code, or use another second factor.',
      ],
      sign_in_ended: ['The sign-in took too long, or had too many wrong codes.', 'Begin again with the password.'],
    },
  },
  insufficient_minutes: {
    statuses: [402],
    means: 'The workspace has no agent minutes left, so that no agent can start to work.',
    remedy:
      'Ask the operator of the service, who adds agent minutes with “npm run grant-minutes”, then repeat the request; the same Idempotency-Key may be used again.',
    reasons: {},
  },
  missing_scope: {
    statuses: [403],
    means:
      'The credential is valid, but lacks a scope that the operation needs. With a “reason”, no scope is missing, but something else.',
    remedy:
      'Without a “reason”, use a credential with the scopes in “requiredScopes”. The scopes of a key are fixed: create another one.',
    reasons: {
      session_required: [
        'Only a signed-in person can do this, on the pages of this service: no API key and no OAuth token, whatever its scopes.',
        'Sign in and use the session.',
      ],
      reauthentication_required: [
        'The person of the session proved who they are more than 10 minutes ago.',
        'Call reauthenticate with the password or a second factor, then repeat the request.',
      ],
      email_not_verified: [
        'The person has not confirmed their email address yet, which the service requires before access is given to others.',
        'Open the link that was sent to the address. The settings send another one.',
      ],
      person_required: ['An agent cannot decide approvals.', 'Wait for a person.'],
    },
  },
  api_key_auth_required: {
    statuses: [403],
    means: 'API keys and connected apps are managed by people: an API key or an OAuth token cannot do it.',
    remedy: 'Sign in and use the session.',
    reasons: {},
  },
  workspace_access_denied: {
    statuses: [403],
    means:
      'The signed-in person is not a member of the workspace that the request names. With a “reason”, something else is missing.',
    remedy: 'Without a “reason”, name a workspace of yours, or ask an owner of that one for an invitation.',
    reasons: {
      owner_required: ['Only an owner of the workspace may do this.', 'Ask one of them.'],
      author_required: ['Only the author may change a comment.', 'Write a comment of your own.'],
      second_factor_required: [
        'The workspace requires a second factor, and the person of the session has none.',
        'Set up an authenticator app or a passkey, then repeat the request.',
      ],
      invitation_required: [
        'The service takes new accounts by invitation only.',
        'Ask an owner of a workspace for an invitation, and open its link.',
      ],
      invitation_for_another_address: [
        'The invitation is for another email address than that of the account.',
        'Use the account of the address that it was sent to, or ask an owner to invite yours.',
      ],
    },
  },
  resource_not_found: {
    statuses: [404],
    means:
      'This workspace has no resource with this id, or there is nothing at this address. A resource of another workspace gives the same error.',
    remedy: 'Check the id that “param” names, or list what exists.',
    reasons: {
      link_expired: ['The link to the audio has expired.', 'Read the capture again: its mediaUrl is a new one.'],
    },
  },
  idempotency_key_reused: {
    statuses: [409],
    means: 'The Idempotency-Key was used in the last 24 hours with a different body.',
    remedy: 'Use a new key for a new request. To repeat the old one, send exactly its body.',
    reasons: {},
  },
  resource_conflict: {
    statuses: [409, 412],
    means: 'The state of the resource does not allow this.',
    remedy:
      'Read the resource again and decide on its current state. If there is a Retry-After header, wait that long.',
    reasons: {
      idempotency_in_progress: [
        'An earlier request with the same Idempotency-Key is still running.',
        'Wait the seconds in Retry-After, then repeat the request with the same key.',
      ],
      precondition_failed: [
        'The resource changed since the entity tag in If-Match was read (412).',
        'Read it again, apply the change to its current state, and send its new ETag.',
      ],
      version_mismatch: [
        'The agent has another version than “expectedVersion”.',
        'Read it again and repeat the change with “currentVersion”.',
      ],
      count_differs: [
        'The filters match another number of todos than “expectedCount”. Nothing was changed.',
        'Look at them again, and confirm the new number.',
      ],
      id_taken: ['A todo with this id exists, with other values.', 'Use a new id.'],
      id_erased: ['The todo with this id was erased.', 'Use a new id.'],
      already_running: ['An agent works on this todo already.', 'Wait until its run ends, or cancel its chat.'],
      agent_mid_turn: ['The agent of the chat is working.', 'Wait until it has answered, or cancel the chat.'],
      awaiting_person: [
        'The chat waits for the decision of a person, so an agent can neither write in it, stop it nor complete its todo.',
        'Wait.',
      ],
      already_member: ['The invited person is a member already.', 'Nothing is left to do.'],
      disabled: ['The webhook endpoint is disabled.', 'Enable it, then repeat the request.'],
      recording_stopped: [
        'The recording was stopped. Its audio so far is kept.',
        'Start a new recording to record more.',
      ],
      session_changed: [
        'The browser is signed in as another person, or in another workspace, than the page was made for.',
        'Load the page again.',
      ],
    },
  },
  rate_limit_exceeded: {
    statuses: [429],
    means:
      'All requests allowed in this minute are used, or the workspace has as many open streams as it may. With a “reason”, another limit is reached. Refused requests do not count.',
    remedy: 'Wait the seconds in Retry-After, then repeat the request.',
    reasons: {
      sign_in_attempts: [
        'Too many attempts to sign in failed, for this account or from this address, in 15 minutes.',
        'Wait the seconds in Retry-After: up to 15 minutes.',
      ],
      sign_in_queue: ['Too many passwords are being checked.', 'Wait the seconds in Retry-After, which are few.'],
      verification_emails: [
        'As many emails to confirm the address were sent as may be in an hour.',
        'Look for them, also in the spam folder, or wait the seconds in Retry-After: up to an hour.',
      ],
      invitations: [
        'The workspace made, or the address got, as many invitations as may be in an hour.',
        'Wait the seconds in Retry-After: up to an hour.',
      ],
    },
  },
  internal_error: {
    statuses: [500, 503],
    means: 'Something failed on our side.',
    remedy:
      'Try again, with the same Idempotency-Key where the operation takes one. If a 500 happens again, quote the “requestId”.',
    reasons: {
      unavailable: [
        'The database is away, full or too slow, too many requests wait, or the process is stopping (503).',
        'Wait the seconds in Retry-After, then try again.',
      ],
    },
  },
};

import type { FastifyRequest } from 'fastify';
import type { ContextFor } from '../adapters/http.ts';
import type { Database } from '../db/client.ts';
import { type Origin, serviceOrigin } from '../db/origin.ts';
import { lastingIdOf } from '../domain/access.ts';
import type { Client, Principal, Reply, RequestContext } from '../domain/context.ts';
import { entityTags } from '../domain/etag.ts';
import { mayRead } from '../domain/events/read.ts';
import { addressHash } from './access/gate.ts';
import { recordEvent } from './access/security-log.ts';

/** What all requests share of their context. */
type Shared = Pick<
  RequestContext,
  'live' | 'logs' | 'media' | 'mail' | 'clock' | 'closing' | 'service' | 'operations' | 'observe'
> & {
  db: Database;
};

/** The client of a request. Its address is hashed when it is read, which few requests do. */
function clientOf(request: FastifyRequest): Client {
  return {
    get addressHash() {
      return addressHash(request.ip);
    },
    name: request.headers['user-agent'] ?? '',
  };
}

/** What the request came through. The command line names itself; a page is what uses the cookie. */
function viaOf(request: FastifyRequest): Origin['via'] {
  if (request.url.startsWith('/mcp')) return 'mcp';
  if (request.url.startsWith('/trpc')) return request.headers.authorization ? 'trpc' : 'page';
  if (request.principal && !request.headers.authorization) return 'page';
  return request.headers['user-agent']?.toLowerCase().startsWith('tandem-cli/') ? 'cli' : 'rest';
}

function originOf(request: FastifyRequest, principal: Principal | null): Origin {
  const via = viaOf(request);
  if (!principal) return { ...serviceOrigin(), via, requestId: request.id };
  const credentialId = lastingIdOf(principal);
  return {
    actorType: 'user',
    actorId: principal.userId,
    credentialId,
    via,
    requestId: request.id,
    mayRead: (workspaceId, event) => workspaceId === principal.workspaceId && mayRead(principal, event),
  };
}

/**
 * Makes the context of each request, and calls `onEvent` after one that recorded an event. Its `signal` is aborted when
 * the client disconnects before the answer is sent.
 */
export function contextOfRequests(shared: Shared, onEvent: () => void): ContextFor {
  return (request, reply) => {
    const gone = new AbortController();
    const origin = originOf(request, request.principal);
    const answer: Reply = { replayed: false };
    const { raw } = reply;
    if (raw.closed) gone.abort();
    raw.once('close', () => {
      if (origin.hasRecorded) onEvent();
      if (!raw.writableFinished) gone.abort();
      for (const end of answer.onClose ?? []) end();
    });
    const ifMatch = request.headers['if-match'];
    const { principal } = request;
    return {
      ...shared,
      db: (principal ? shared.db.of(principal.workspaceId) : shared.db).as(origin),
      principal,
      badCredential: request.badCredential,
      signal: gone.signal,
      requestId: request.id,
      idempotencyKey: request.headers['idempotency-key']?.toString(),
      ifMatch: ifMatch === undefined ? undefined : entityTags(ifMatch),
      client: clientOf(request),
      reply: answer,
      recordSecurityEvent: (event) => recordEvent(request, event),
    };
  };
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { routeOf } from '../../adapters/http.ts';
import { lastingIdOf } from '../../domain/access.ts';
import type { SecurityEvent } from '../../domain/context.ts';
import { withoutPort } from './gate.ts';

/** Statuses of a request that was refused. */
const refusals = [401, 403, 429];

/** Refusals of one client that are logged each minute at the level `info`; the others are at `debug`. */
const maxPerMinute = 20;

declare module 'fastify' {
  interface FastifyRequest {
    /** A security event was logged for this request. */
    isRecorded: boolean;
  }
}

/** Who made a request, and from where; the log of the request adds its id. */
function callerOf({ ip, principal }: FastifyRequest) {
  const { kind, workspaceId, userId } = principal ?? {};
  const credentialId = principal ? lastingIdOf(principal) : undefined;
  return { ip: withoutPort(ip), credential: kind ?? null, credentialId, workspaceId, userId: userId ?? null };
}

/** Logs what a call did or was refused. */
export function recordEvent(request: FastifyRequest, event: SecurityEvent): void {
  request.isRecorded = true;
  request.log.info({ ...callerOf(request), ...event }, 'security event');
}

/** Counts by client within the minute. */
function counterPerMinute(): (client: string) => number {
  let minute = 0;
  let counts = new Map<string, number>();
  return (client) => {
    const now = Math.floor(Date.now() / 60_000);
    if (now !== minute) counts = new Map();
    minute = now;
    const count = (counts.get(client) ?? 0) + 1;
    counts.set(client, count);
    return count;
  };
}

/**
 * Logs each request that was refused before its operation was called: without a valid credential, without the scope,
 * over its budget, or from a foreign page. The route is logged, never the address as it was sent.
 */
export function logRefusals(app: FastifyInstance): void {
  const count = counterPerMinute();
  app.decorateRequest('isRecorded', false);
  app.addHook('onResponse', (request, { statusCode }, done) => {
    // A page asks who is signed in before anybody is: that is no attempt.
    const isAttempt = statusCode !== 401 || request.badCredential;
    if (refusals.includes(statusCode) && isAttempt && !request.isRecorded) {
      const level = count(request.principal?.credentialId ?? withoutPort(request.ip)) > maxPerMinute ? 'debug' : 'info';
      const operation = `${request.method} ${routeOf(request)}`;
      request.log[level]({ ...callerOf(request), operation, outcome: 'refused', status: statusCode }, 'security event');
    }
    done();
  });
}

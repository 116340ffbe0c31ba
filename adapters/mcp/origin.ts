import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReasonOf } from '../../domain/error-reasons.ts';
import { Failure } from '../../domain/errors.ts';

/** The addresses at which the process is reached. */
export interface Addresses {
  /** The host that it listens on. */
  host: string;
  /** Origins of web pages that may call it, beside its own. */
  allowedOrigins: readonly string[];
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function refused(reason: ReasonOf<'validation_failed'>, param: string, message: string): Failure {
  const errors = [{ param, code: reason, message }];
  return new Failure({ status: 403, code: 'validation_failed', message, reason, errors });
}

/** Origins of the service itself; a loopback address goes by three names. */
function ownOrigins(publicUrl: string): string[] {
  const { protocol, hostname, port, origin } = new URL(publicUrl);
  if (!loopback.includes(hostname)) return [origin];
  return loopback.map((name) => new URL(`${protocol}//${name}:${port}`).origin);
}

/**
 * Refuses web pages of other sites (DNS rebinding): a service on a loopback address accepts only its own names as Host,
 * and an `Origin` must be its own or an allowed one. Programs send none. @throws Failure 403.
 */
export function requireOwnAddress(request: FastifyRequest, { host, allowedOrigins }: Addresses, publicUrl: string) {
  if (isLoopback(host)) {
    const named = urlOf(`http://${request.headers.host ?? ''}`)?.hostname;
    const own = [...loopback, host, new URL(publicUrl).hostname];
    if (named === undefined || !own.includes(named)) {
      throw refused('host_not_allowed', 'Host', 'The host name in the Host header is not one of this service.');
    }
  }
  const { origin } = request.headers;
  if (origin === undefined || ownOrigins(publicUrl).includes(origin) || allowedOrigins.includes(origin)) return;
  const message = 'Web pages of this origin may not call this service. The operator can permit it in ALLOWED_ORIGINS.';
  throw refused('origin_not_allowed', 'Origin', message);
}

/** Lets a page of an origin that was let in read the answer (Fetch standard, CORS). */
export function shareWithPage({ headers }: FastifyRequest, reply: FastifyReply): void {
  reply.header('Vary', 'Origin');
  if (headers.origin === undefined) return;
  reply.headers({
    'Access-Control-Allow-Origin': headers.origin,
    'Access-Control-Expose-Headers':
      'WWW-Authenticate, Mcp-Session-Id, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy',
  });
}

/** Answers the preflight of such a page. */
export function allowPage({ headers }: FastifyRequest, reply: FastifyReply) {
  const requested = headers['access-control-request-headers'];
  reply.headers({ 'Access-Control-Allow-Methods': 'POST', 'Access-Control-Max-Age': '600' });
  if (requested !== undefined) reply.header('Access-Control-Allow-Headers', requested);
  return reply.code(204).send();
}

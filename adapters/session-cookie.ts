import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal, Reply } from '../domain/context.ts';
import { conflict, Failure } from '../domain/errors.ts';

/*
 * The session of the service's own pages is a cookie that no script can read. It counts only on requests that the
 * browser marks as coming from the same origin (Fetch Metadata, W3C), so that no other site can use it. Over plain http
 * a browser marks nothing: then writes need the right `Origin`, and `SameSite` keeps the cookie from reads of other
 * sites. Programs send their session as a bearer instead.
 */

const plain = 'tandem_session';
const secured = '__Host-tandem_session';

/** Whether one of our own pages sent this request, by the headers of the browser. */
export function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (request.method === 'GET' || request.method === 'HEAD') return true;
  return request.headers.origin === new URL(publicUrl).origin;
}

/**
 * Refuses calls of pages that were opened at another origin than that of `publicUrl`. It does so before a link that
 * works once is used up, because the browser would not store the cookie. It applies only if the browser marks nothing;
 * programs send a bearer or no `Origin`. Logs the first refusal. The check throws Failure 403.
 */
export function createPageOriginCheck(service: { publicUrl: string }): (request: FastifyRequest) => void {
  let isLogged = false;
  return (request) => {
    const { authorization, origin, 'sec-fetch-site': site } = request.headers;
    const { publicUrl } = service;
    if (authorization !== undefined || origin === undefined || site !== undefined) return;
    if (isSameOrigin(request, publicUrl)) return;
    if (!isLogged) request.log.warn({ origin, publicUrl }, 'page opened at another origin than PUBLIC_URL, refused');
    isLogged = true;
    const remedy = URL.canParse(origin) ? `, or have the operator set PUBLIC_URL to ${origin}` : '';
    const message = `This service is set up for ${publicUrl} (PUBLIC_URL). Open it there${remedy}.`;
    throw new Failure({ status: 403, code: 'validation_failed', message, reason: 'origin_not_allowed' });
  };
}

function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? secured : plain;
}

/** The session token in the cookie of a same-origin request. */
export function cookieToken(request: FastifyRequest, publicUrl: string): string | undefined {
  if (!isSameOrigin(request, publicUrl)) return undefined;
  const name = cookieName(publicUrl);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=');
    if (key === name && value) return value;
  }
  return undefined;
}

/** With `<userId>/<workspaceId>`, a page names for whom and where a request was made. */
const actingAs = 'tandem-acting-as';

/**
 * Refuses a request of a page in the session of somebody else. The cookie belongs to the browser: another window of it
 * may have signed in, or moved to another workspace, since the page was rendered.
 * @throws Failure 409.
 */
export function requireActor(request: FastifyRequest, { userId, workspaceId }: Principal): void {
  const named = request.headers[actingAs];
  if (named === undefined || named === `${userId}/${workspaceId}`) return;
  const message = 'This browser is signed in as another person or in another workspace now. Nothing was changed.';
  throw conflict(message, { reason: 'session_changed' });
}

/** Sets or clears the cookie of the session when the procedure did so and one of our pages sent the request. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { session }: Reply,
  publicUrl: string,
): void {
  if (session === undefined || !isSameOrigin(request, publicUrl)) return;
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  const value = session?.token ?? '';
  const expires = session ? new Date(session.expiresAt) : new Date(0);
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Expires=${expires.toUTCString()}${secure}`;
  reply.header('Set-Cookie', `${cookieName(publicUrl)}=${value}; ${attributes}`);
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from '../domain/context.ts';

/*
 * The session of the service's own pages is a cookie that no script can read. It counts only on requests that the
 * browser itself marks as coming from the same origin (Fetch Metadata, W3C), so that no other site can use it. Where a
 * browser marks nothing (plain http), writes need the right `Origin`, and SameSite keeps other sites' reads without the
 * cookie. Programs send their session as a bearer instead.
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

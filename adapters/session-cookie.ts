import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from '../routers/base.ts';

/*
 * The session of the service's own pages is a cookie that no script can read. It counts only on requests that the
 * browser itself marks as coming from the same origin (Fetch Metadata, W3C), so that no other site can use it. Where a
 * browser marks nothing (plain http), writes need the right `Origin`, and SameSite keeps other sites' reads without the
 * cookie. Programs send their session as a bearer instead.
 */

const plain = 'tandem_session';
const secured = '__Host-tandem_session';

/** Whether the browser says that one of our own pages sent this request. */
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

/** Keeps, or ends, the session in the browser's cookie when a procedure says so and one of our pages asked. */
export function keepSession(request: FastifyRequest, reply: FastifyReply, told: Reply, publicUrl: string): void {
  if (told.session === undefined || !isSameOrigin(request, publicUrl)) return;
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  const value = told.session?.token ?? '';
  const expires = told.session ? new Date(told.session.expiresAt) : new Date(0);
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Expires=${expires.toUTCString()}${secure}`;
  reply.header('Set-Cookie', `${cookieName(publicUrl)}=${value}; ${attributes}`);
}

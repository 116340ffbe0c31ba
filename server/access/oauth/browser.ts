import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';

const cookie = 'tandem_oauth_consent';

/**
 * Ties an authorization request to the browser that brought it. Otherwise a person who is lured to our page could
 * approve a request of somebody else, and connect a stranger's app to their own work. One cookie per request, so that
 * two requests may be open.
 */
export function keepBrowser(ctx: KoaContextWithOIDC, uid: string): void {
  const path = `/oauth/interactions/${uid}`;
  ctx.cookies.set(cookie, uid, { path, httpOnly: true, sameSite: 'lax', signed: true });
}

/** Whether the authorization request came from this browser. */
export function isSameBrowser(
  provider: Provider,
  uid: string,
  request: IncomingMessage,
  reply: ServerResponse,
): boolean {
  return provider.createContext(request, reply).cookies.get(cookie, { signed: true }) === uid;
}

/**
 * Gives the request the public address of the service, whatever its own headers claim: the OAuth server makes addresses
 * and the `Secure` attribute of cookies from it.
 */
export function pinAddress(request: IncomingMessage & { baseUrl?: string }, publicUrl: string): void {
  const { protocol, host } = new URL(publicUrl);
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  request.headers['x-forwarded-host'] = host;
  request.url = request.url?.replace(/^https?:\/\/[^/?#]*/i, '') ?? '/';
  request.baseUrl = '';
}

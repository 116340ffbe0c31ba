import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';

const cookie = 'tandem_oauth_consent';

/**
 * Ties an authorization request to the browser that brought it: a decision made in another one, by a person lured to
 * our page, would connect a stranger's app to that person's work. One cookie per request, so that two may be open.
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
 * Makes the request name the service by its public address, whatever its own headers claim: addresses and the `Secure`
 * of cookies are made from it.
 */
export function pinAddress(request: IncomingMessage & { baseUrl?: string }, publicUrl: string): void {
  const { protocol, host } = new URL(publicUrl);
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  request.headers['x-forwarded-host'] = host;
  request.url = request.url?.replace(/^https?:\/\/[^/?#]*/i, '') ?? '/';
  request.baseUrl = '';
}

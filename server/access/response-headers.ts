import type { FastifyReply } from 'fastify';

type Headers = Readonly<Record<string, string>>;

/** At least a year, subdomains too (ASVS 5, 3.4.1). */
const transportSecurity = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' };

/** What every response has unless its route says otherwise: it is private, and no document. */
const always = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};
const overHttps = { ...always, ...transportSecurity };

/**
 * The security headers of a response (ASVS 5, 3.4): no cache stores it, no page frames it, and its type is what it
 * says. Browsers that have seen an `https` address of this host use no other scheme again (RFC 6797).
 */
export function securityHeaders(publicUrl: string): Headers {
  return publicUrl.startsWith('https:') ? overHttps : always;
}

/** With the names as Fastify sends them: it would make a lower-case copy of another name for each response. */
function lowerCase(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
const lowerCased = new Map<Headers, Headers>([always, overHttps].map((each) => [each, lowerCase(each)]));

/** Sets `securityHeaders` before the route runs, so that a header of the route's own replaces the one from here. */
export function setSecurityHeaders(reply: FastifyReply, publicUrl: string): void {
  const headers = securityHeaders(publicUrl);
  reply.headers(lowerCased.get(headers) ?? headers);
}

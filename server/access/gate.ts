import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cookieToken, requireActor } from '../../adapters/session-cookie.ts';
import { hashSecret, secretKind } from '../../db/secrets.ts';
import type { ServiceSettings } from '../../domain/context.ts';
import { Failure } from '../../domain/errors.ts';
import type { Admission, RateWindow } from './admission.ts';
import type { Limiter } from './limiter.ts';
import { setSecurityHeaders } from './response-headers.ts';

/** The address alone: some proxies write its port behind it, which is another one for each connection. */
export function withoutPort(address: string): string {
  const [, bracketed, v4] = /^(?:\[(.+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/.exec(address) ?? [];
  return bracketed ?? v4 ?? address;
}

/** SHA-256 of the client's address; an IPv6 client is its /64, which is what one customer gets. */
export function addressHash(address: string): Buffer {
  const alone = withoutPort(address);
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(alone)?.[1];
  const name = v4 ?? networkOf(alone);
  return createHash('sha256').update(`address ${name}`).digest();
}

/** Addresses whose hashes are remembered: more than most services have clients at a time. */
const maxKnownAddresses = 5000;
/** The longest text of an address (RFC 4291 §2.2), in brackets and with a port; what a proxy names may be longer. */
const maxAddressLength = 53;
const knownAddresses = new Map<string, string>();

/** The hexadecimal digits of `addressHash`, which are remembered: a client sends many requests. */
function addressDigits(address: string): string {
  const known = knownAddresses.get(address);
  if (known !== undefined) return known;
  const digits = addressHash(address).toString('hex');
  if (address.length > maxAddressLength) return digits;
  if (knownAddresses.size === maxKnownAddresses) knownAddresses.clear();
  knownAddresses.set(address, digits);
  return digits;
}

/** The first four groups of an IPv6 address, without leading zeros. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const start = head === '' ? [] : head.split(':');
  const end = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - start.length - end.length)).fill('0');
  const groups = [...start, ...zeros, ...end].slice(0, 4);
  return groups.map((group) => group.toLowerCase().replace(/^0+(?=.)/, '')).join(':');
}

/** What a request shows: the SHA-256 of a well-formed secret in hexadecimal digits; null for a bearer that is none. */
interface Shown {
  secretHash: string | null;
}

function shownBy(bearer: string): Shown {
  return { secretHash: secretKind(bearer) ? hashSecret(bearer).toString('hex') : null };
}

/** The last `Authorization` of each connection, for as long as it is open: its client sends the same one again. */
const shownBefore = new WeakMap<object, { authorization: string; shown: Shown | undefined }>();

/** The bearer of a request (RFC 6750 §2.1); undefined when it sends none. */
function bearerOf({ raw: { socket, headers } }: FastifyRequest): Shown | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const before = shownBefore.get(socket);
  if (before?.authorization === authorization) return before.shown;
  const bearer = /^Bearer +(\S.*)$/i.exec(authorization)?.[1]?.trim();
  const shown = bearer === undefined ? undefined : shownBy(bearer);
  shownBefore.set(socket, { authorization, shown });
  return shown;
}

/** The session of one of our pages. */
function cookieOf(request: FastifyRequest, publicUrl: string): Shown | undefined {
  const token = cookieToken(request, publicUrl);
  return token === undefined ? undefined : shownBy(token);
}

/**
 * Both header sets: those of SPEC "Limits" and the current IETF pair (draft-ietf-httpapi-ratelimit-headers). Their
 * names are as they are sent: Fastify would make a lower-case copy of another name for each response.
 */
function windowHeaders(window: Omit<RateWindow, 'granted'>): Record<string, string> {
  return {
    'ratelimit-limit': String(window.limit),
    'ratelimit-remaining': String(window.remaining),
    'ratelimit-reset': String(window.resetSeconds),
    'ratelimit-policy': `"default";q=${window.limit};w=60`,
    ratelimit: `"default";r=${window.remaining};t=${window.resetSeconds}`,
  };
}

/** Headers of a response to a request that could not be counted: the policy, and nothing to build on. */
export function uncountedHeaders(perAddress: number): Record<string, string> {
  return windowHeaders({ limit: perAddress, remaining: 0, resetSeconds: 60 - new Date().getUTCSeconds() });
}

function spent(window: RateWindow): Failure {
  const { limit, resetSeconds } = window;
  const message = `The budget of ${limit} requests per minute is used up. Try again in ${resetSeconds} s.`;
  return new Failure({ status: 429, code: 'rate_limit_exceeded', message, retryAfterSeconds: resetSeconds });
}

/** Resolves the principal of a request and counts it. @throws Failure 409 in the session of somebody else, 429. */
export type Gate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * The gate: resolves `request.principal` and checks the budget of the minute. A caller over budget is
 * refused with 429; one with a bad credential continues to the route, which decides whether it needs one.
 */
export function createGate(limiter: Limiter, perAddress: number, settings: ServiceSettings): Gate {
  return async (request, reply) => {
    reply.header('x-request-id', request.id);
    setSecurityHeaders(reply, settings.publicUrl);
    const { ungated } = request.routeOptions.config ?? {};
    if (typeof ungated === 'function' ? ungated(request) : ungated) return;
    const given = bearerOf(request);
    const shown = given ?? cookieOf(request, settings.publicUrl);
    request.addressDigits = addressDigits(request.ip);
    const caller = { secretHash: shown?.secretHash ?? null, addressHash: request.addressDigits };
    let admission: Admission;
    try {
      admission = await limiter.admit(caller);
    } catch (error) {
      reply.headers(uncountedHeaders(perAddress));
      throw error;
    }
    const { principal, window } = admission;
    reply.headers(windowHeaders(window));
    request.principal = principal;
    request.badCredential = shown !== undefined && principal === null;
    if (!window.granted) throw spent(window);
    if (principal && given === undefined) requireActor(request, principal);
  };
}

/** Puts the gate before every route of `app`. */
export function guard(app: FastifyInstance, gate: Gate): void {
  app.decorateRequest('principal', null);
  app.decorateRequest('badCredential', false);
  app.decorateRequest('addressDigits', '');
  app.addHook('onRequest', gate);
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Not counted and open to all: health checks and static files, or routes that check access themselves. */
    ungated?: boolean | ((request: FastifyRequest) => boolean);
  }
}

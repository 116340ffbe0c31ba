import dns, { type LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import { isPublicAddress } from './addresses.ts';
import { createClient, type Send } from './client.ts';
import { OutboundError } from './errors.ts';
import type { Limits } from './exchange.ts';
import { type AllowList, allowListOf } from './settings.ts';

/** The limits of requests to addresses that somebody else chose. */
const publicLimits: Limits = { maxBytes: 256 * 1024, maxErrorBytes: 64 * 1024, silenceMs: 5000, totalMs: 10_000 };
const usualMaxInFlight = 32;
const usualMaxPerOrigin = 4;
const connectMs = 5000;

/** The addresses of a host, in the order in which they are tried. */
type Resolve = (hostname: string) => Promise<string[]>;

export interface PublicOptions {
  /** Another one only in tests. */
  resolve?: Resolve;
  limits?: Partial<Limits>;
  /** Requests in flight in one process; more are refused at once. */
  maxInFlight?: number;
  /** Of those, to one origin; more wait for one of them to end, and their time runs. */
  maxPerOrigin?: number;
}

type Destination = Pick<buildConnector.Options, 'protocol' | 'port'>;

/** Asks the name servers alone: `getaddrinfo` would occupy a thread until a slow one answers. */
function resolver(): Resolve {
  const servers = new Resolver({ timeout: 2000, tries: 2 });
  return async (hostname) => {
    const found = await Promise.allSettled([servers.resolve4(hostname), servers.resolve6(hostname)]);
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const [first] = found;
    if (addresses.length === 0 && first?.status === 'rejected') throw first.reason;
    return addresses;
  };
}

const isUsualPort = (port: Destination['port']) => port === '' || Number(port) === 443 || Number(port) >= 1024;

/**
 * Why a connection to an address is refused, if it is. Public addresses are reached by https, at the default port or
 * one that needs no privilege; those that the operator allowed, at any port and also by http.
 */
function refusalOf(address: string, { protocol, port }: Destination, allow: AllowList): OutboundError | undefined {
  if (allow.hasAddress(address)) return undefined;
  if (!isPublicAddress(address)) return new OutboundError('forbidden', 'FORBIDDEN_ADDRESS');
  if (protocol !== 'https:') return new OutboundError('forbidden', 'FORBIDDEN_PROTOCOL');
  return isUsualPort(port) ? undefined : new OutboundError('forbidden', 'FORBIDDEN_PORT');
}

/**
 * Resolves a name for one connection: the socket is connected to one of the addresses that this returns, and to no
 * other, so that what was checked is what is reached.
 */
function guardedLookup(destination: Destination, allow: AllowList, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    if (allow.hasName(hostname)) return dns.lookup(hostname, options, callback);
    resolve(hostname).then(
      (addresses) => {
        const refusals = addresses.map((address) => refusalOf(address, destination, allow));
        const permitted: LookupAddress[] = addresses
          .filter((_, at) => refusals[at] === undefined)
          .map((address) => ({ address, family: isIP(address) }));
        const [first] = permitted;
        if (!first) return callback(refusals[0] ?? new OutboundError('unreachable', 'ENODATA'), '');
        if (options.all) return callback(null, permitted);
        callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

async function guardedAgent(allow: AllowList, resolve: Resolve, connections: number): Promise<Agent> {
  const undici = await import('undici');
  const connect: buildConnector.connector = (options, callback) => {
    const { hostname } = options;
    // A socket is connected to an address without a lookup.
    const refusal = isIP(hostname) === 0 ? undefined : refusalOf(hostname, options, allow);
    if (refusal) return callback(refusal, null);
    const lookup = guardedLookup(options, allow, resolve);
    undici.buildConnector({ timeout: connectMs, maxCachedSessions: 0, lookup })(options, callback);
  };
  return new undici.Agent({ connections, connect });
}

const unlessAllowed = 'unless the operator of the service allows it with OUTBOUND_ALLOW';

/**
 * Why no request may be sent to an address, as a sentence without its subject and full stop; null when nothing speaks
 * against it before its name is resolved. The URL Standard turns every spelling of an IPv4 address into four decimal
 * numbers.
 */
export function urlRefusal(allowed: readonly string[]): (address: string) => string | null {
  const allow = allowListOf(allowed);
  return (address) => {
    if (!URL.canParse(address)) return 'must be an absolute URL, such as https://example.com/hooks';
    const url = new URL(address);
    if (!/^https?:$/.test(url.protocol)) return 'must begin with https://';
    if (url.username !== '' || url.password !== '') return 'must not contain a name and password';
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isAddress = isIP(host) !== 0;
    if (isAddress ? allow.hasAddress(host) : allow.hasName(host)) return null;
    if (isAddress && !isPublicAddress(host)) return `must not be an address of a private network, ${unlessAllowed}`;
    if (/(^|\.)localhost\.?$/i.test(host)) return `must not be the machine of the service itself, ${unlessAllowed}`;
    if (url.protocol === 'http:') return `must begin with https://, ${unlessAllowed}`;
    // A name may be of an address that is allowed.
    const isPublic = isAddress || !allow.hasRanges;
    if (isPublic && !isUsualPort(url.port)) return 'must have port 443, or 1024 and above';
    return null;
  };
}

/**
 * A client for addresses that somebody else chose (metadata documents of OAuth clients): public addresses by https
 * only, and those of `allowed`, the entries of `OUTBOUND_ALLOW`. An address is checked before it is connected to.
 */
export function publicClient(allowed: readonly string[], options: PublicOptions = {}): Send {
  const { maxInFlight = usualMaxInFlight, maxPerOrigin = usualMaxPerOrigin } = options;
  let inFlight = 0;
  const admit = ({ protocol, username, password }: URL) => {
    if (!/^https?:$/.test(protocol)) throw new OutboundError('forbidden', 'FORBIDDEN_PROTOCOL');
    if (username !== '' || password !== '') throw new OutboundError('forbidden', 'FORBIDDEN_CREDENTIALS');
    if (inFlight >= maxInFlight) throw new OutboundError('busy', 'TOO_MANY_REQUESTS');
    inFlight++;
    return () => {
      inFlight--;
    };
  };
  const allow = allowListOf(allowed);
  let made: Promise<Agent> | undefined;
  const agent = () => {
    made ??= guardedAgent(allow, options.resolve ?? resolver(), maxPerOrigin);
    return made;
  };
  return createClient({ agent, limits: { ...publicLimits, ...options.limits }, reset: true, admit });
}

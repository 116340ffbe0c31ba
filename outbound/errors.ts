/**
 * Why a request failed. `forbidden`: the policy does not allow the destination; nothing was sent. `busy`: too many
 * requests are in flight. `unreachable`: no HTTP server answered there. `untrusted`: no TLS connection, or one that
 * cannot be trusted. `timeout`: a time limit. `interrupted`: the connection broke off. `too_large`: more than the
 * limit. `unreadable`: a response that cannot be decoded.
 */
type OutboundFault =
  | 'forbidden'
  | 'busy'
  | 'unreachable'
  | 'untrusted'
  | 'timeout'
  | 'interrupted'
  | 'too_large'
  | 'unreadable';

/** A request that got no response, or not all of it. The message has no address, and no word of the other side. */
export class OutboundError extends Error {
  readonly fault: OutboundFault;
  /** The code of the system or of the HTTP client, as `ECONNREFUSED`, or one of ours: `FORBIDDEN_ADDRESS`. */
  readonly code: string;

  constructor(fault: OutboundFault, code: string) {
    super(`the request failed: ${fault} (${code})`);
    this.name = 'OutboundError';
    this.fault = fault;
    this.code = code;
  }
}

/** The error itself and its causes; of several tries of one connection, the first. */
export function* chain(error: unknown): Generator<Error & { code?: unknown }> {
  let current = error;
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    yield current;
    current = current instanceof AggregateError ? (current.cause ?? current.errors[0]) : current.cause;
  }
}

/** The error of a request that failed, among an error and its causes. */
export function findOutboundError(error: unknown): OutboundError | undefined {
  for (const each of chain(error)) if (each instanceof OutboundError) return each;
  return undefined;
}

/** Whether a request was not sent because this process has too many in flight: it says nothing of its destination. */
export const isBusy = (error: unknown) => findOutboundError(error)?.fault === 'busy';

const isUnreachable =
  /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|ETIMEOUT|ENONAME|EAI_\w+|ECONNREFUSED|\w*UNREACH|ETIMEDOUT|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;
/** Codes of OpenSSL, and of its check of certificates (X509_V_ERR_…). */
const isUntrusted =
  /^EPROTO$|CERT|SSL|TLS|SIGNATURE|CRL_|^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/;
/** What else the system and the HTTP client call a failed connection. */
const isInterrupted = /^(E(?!RR_)[A-Z0-9_]+|ERR_(SOCKET|STREAM)_\w+|UND_ERR_(?!INVALID|NOT_SUPPORTED)\w+)$/;

/**
 * The error of a connection or of its HTTP client as ours; anything that is neither stays as it is, because it is a
 * fault of this program. `begun`: a response has begun.
 */
export function outboundErrorOf(error: unknown, begun: boolean): unknown {
  for (const each of chain(error)) {
    if (each instanceof OutboundError) return each;
    const { code, name } = each;
    if (name === 'HTTPParserError') {
      return new OutboundError(begun ? 'interrupted' : 'unreachable', begun ? 'BROKEN_HTTP' : 'NOT_HTTP');
    }
    if (typeof code !== 'string') continue;
    if (isUntrusted.test(code)) return new OutboundError('untrusted', code);
    if (isUnreachable.test(code)) return new OutboundError('unreachable', code);
    if (isInterrupted.test(code)) return new OutboundError('interrupted', code);
  }
  return error;
}

import { findOutboundError, type OutboundError } from '../../outbound/errors.ts';

/** A provider did not answer as it should. `message` is for a person: what happened and what to do. */
export class ProviderFault extends Error {
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** The provider asked to wait that long. */
  readonly retryAfterMs: number | undefined;
  /** What was sent is too much for the provider: less of it may succeed. */
  readonly isTooLong: boolean;
  constructor(
    message: string,
    more: { retryable: boolean; retryAfterMs?: number | undefined; isTooLong?: boolean; cause?: unknown },
  ) {
    super(message, { cause: more.cause });
    this.retryable = more.retryable;
    this.retryAfterMs = more.retryAfterMs;
    this.isTooLong = more.isTooLong ?? false;
  }
}

/** What went wrong at a provider, as far as it was understood. Its texts are looked at, never shown or logged. */
export interface Refusal {
  /** The HTTP status, or the equivalent one of an error inside an answer. */
  status?: number | undefined;
  /** The provider's words for it, its `type` and `code`: identifiers only. */
  kinds: string[];
  /** Why there was no response, or not all of it. */
  network?: Pick<OutboundError, 'fault' | 'code'> | undefined;
  /** What came was no answer in the provider's protocol: a web page, broken JSON, a stream without an end. */
  unreadable?: 'page' | 'stream' | 'length' | undefined;
  /** Never shown: it may quote what was sent or the key. */
  text: string;
  headers: Record<string, string>;
}

/** Thrown for a refusal, until it is translated into a fault. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Partial<Refusal>) {
    super('the provider did not answer');
    this.refusal = { kinds: [], text: '', headers: {}, ...refusal };
  }
}

type Words = Record<string, unknown>;
const isObject = (value: unknown): value is Words => typeof value === 'object' && value !== null;

/** A status among an error's fields; some providers write it as text, some call it `code`. */
function statusIn(words: Words): number | undefined {
  const numbers = [words.statusCode, words.status, words.code].map((value) => Number(value));
  return numbers.find((value) => Number.isInteger(value) && value >= 300 && value < 600);
}

/**
 * Reads the error objects of OpenAI and Anthropic and of those that resemble them: `{error: {type, code, message}}`,
 * the inner object alone, a list of them (Gemini), `{error: "text"}` or `{message}` or `{detail}`.
 */
export function readErrorObject(body: unknown): Pick<Refusal, 'status' | 'kinds' | 'text'> {
  const outer = Array.isArray(body) ? body[0] : body;
  const inner = isObject(outer) && outer.error !== undefined && outer.error !== null ? outer.error : outer;
  if (!isObject(inner)) return { status: undefined, kinds: [], text: typeof inner === 'string' ? inner : '' };
  const names = [inner.type, inner.code, inner.status];
  const kinds = names.filter((name): name is string => typeof name === 'string' && /^[\w.:-]{1,64}$/.test(name));
  const text = [inner.message, inner.detail].map((text) => (typeof text === 'string' ? text : '')).join(' ');
  return { status: statusIn(inner), kinds, text };
}

/** The JSON value of a body, or the body itself when it is none. */
export function readBody(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return text;
  }
}

/** The refusal that a failed request amounts to; undefined for an error of another kind. */
export function refusalOfRequest(error: unknown): Refusal | undefined {
  const failed = findOutboundError(error);
  if (!failed) return undefined;
  const { fault, code } = failed;
  const nothing = { kinds: [], text: '', headers: {} };
  if (fault === 'too_large') return { ...nothing, unreadable: 'length' };
  if (fault === 'unreadable') return { ...nothing, unreadable: 'stream' };
  return { ...nothing, network: { fault, code } };
}

/** The fields of a refusal for the log: nothing that a user wrote, and no secret. */
export function describeRefusal({ status, kinds, network, unreadable, headers }: Refusal) {
  const id = headers['x-request-id'] ?? headers['request-id'];
  return {
    status,
    kinds,
    network: network?.code,
    unreadable,
    ...(id !== undefined && /^[\w-]{1,100}$/.test(id) && { providerRequestId: id }),
  };
}

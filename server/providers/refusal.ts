/** What went wrong at a provider, as far as it was understood. Its texts are looked at, never shown or logged. */
export interface Refusal {
  /** The HTTP status, or the one that an error inside an answer stands for. */
  status?: number | undefined;
  /** The provider's words for it, its `type` and `code`: identifiers only. */
  kinds: string[];
  /** The code of an error of the network, as `ECONNREFUSED`. */
  network?: string | undefined;
  /** What came was no answer in the provider's protocol: a web page, broken JSON, a stream without an end. */
  unreadable?: 'page' | 'stream' | 'length' | undefined;
  /** Never shown: it may quote what was sent or the key. */
  said: string;
  headers: Record<string, string>;
}

/** A refusal on its way to whoever makes a fault of it. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Partial<Refusal>) {
    super('the provider did not answer');
    this.refusal = { kinds: [], said: '', headers: {}, ...refusal };
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
 * Reads the error objects of OpenAI and Anthropic and of those that resemble them: `{error: {type, code, message}}`, the
 * inner object alone, a list of them (Gemini), `{error: "text"}` or `{message}` or `{detail}`.
 */
export function readErrorObject(body: unknown): Pick<Refusal, 'status' | 'kinds' | 'said'> {
  const outer = Array.isArray(body) ? body[0] : body;
  const inner = isObject(outer) && outer.error !== undefined && outer.error !== null ? outer.error : outer;
  if (!isObject(inner)) return { status: undefined, kinds: [], said: typeof inner === 'string' ? inner : '' };
  const names = [inner.type, inner.code, inner.status];
  const kinds = names.filter((name): name is string => typeof name === 'string' && /^[\w.:-]{1,64}$/.test(name));
  const said = [inner.message, inner.detail].map((text) => (typeof text === 'string' ? text : '')).join(' ');
  return { status: statusIn(inner), kinds, said };
}

/** The JSON value of a body, or the body itself when it is none. */
export function readBody(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return text;
  }
}

/** The error and what caused it, from the outside in. */
export function* chain(error: unknown): Generator<Error> {
  let current = error;
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    yield current;
    current = current.cause;
  }
}

/** The code of the system or of the HTTP client, where the connection is what failed. */
export function networkCode(error: unknown): string | undefined {
  for (const each of chain(error)) {
    const { code } = each as { code?: unknown };
    if (
      typeof code === 'string' &&
      /^(E(?!RR_)[A-Z_]+|UND_ERR_\w+|HPE_\w+|CERT_\w+|\w*(SIGNATURE|CERT|SSL|TLS)\w*)$/.test(code)
    )
      return code;
    if (each instanceof TypeError && each.message === 'terminated') return 'ECONNRESET';
  }
  return undefined;
}

/** What the log keeps of a refusal: nothing that a user wrote or that opens a door. */
export function describeRefusal({ status, kinds, network, unreadable, headers }: Refusal) {
  const id = headers['x-request-id'] ?? headers['request-id'];
  return {
    status,
    kinds,
    network,
    unreadable,
    ...(id !== undefined && /^[\w-]{1,100}$/.test(id) && { providerRequestId: id }),
  };
}

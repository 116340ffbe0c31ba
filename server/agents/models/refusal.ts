import { APICallError } from 'ai';

/** What went wrong at a provider, as far as it was understood. Its texts are looked at, never shown or logged. */
export interface Refusal {
  /** The HTTP status, or the one that an error inside a stream stands for. */
  status?: number | undefined;
  /** The provider's words for it, its `type` and `code`: identifiers only. */
  kinds: string[];
  /** The code of an error of the network, as `ECONNREFUSED`. */
  network?: string | undefined;
  /** What came was no answer in the provider's protocol: a web page, broken JSON, a stream without an end. */
  unreadable?: 'page' | 'stream' | 'length' | undefined;
  /** Never shown: it may quote the conversation or the key. */
  said: string;
  headers: Record<string, string>;
}

/** A refusal found before the AI SDK saw the response. */
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

function readBody(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return text;
  }
}

/** The error and what caused it, from the outside in. */
function* chain(error: unknown): Generator<Error> {
  let current = error;
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    yield current;
    current = current.cause;
  }
}

/** The code of the system or of the HTTP client, where the connection is what failed. */
function networkCode(error: unknown): string | undefined {
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

/** Reads whatever the AI SDK throws, or puts into a stream as an error. */
export function refusalOf(error: unknown): Refusal {
  for (const each of chain(error)) if (each instanceof Refused) return each.refusal;
  const network = networkCode(error);
  if (network !== undefined) return { kinds: [], said: '', headers: {}, network };
  if (APICallError.isInstance(error) && error.statusCode === undefined)
    return { kinds: [], said: '', headers: {}, network: 'CONNECT_FAILED' };
  if (APICallError.isInstance(error) && (error.statusCode ?? 0) >= 300) {
    const { status, kinds, said } = readErrorObject(readBody(error.responseBody));
    const whole = `${said} ${error.message}`;
    return { status: error.statusCode ?? status, kinds, said: whole, headers: error.responseHeaders ?? {} };
  }
  // Anything else that is an error is the SDK's: it could not read what came.
  if (error instanceof Error) return { kinds: [error.name], said: '', headers: {}, unreadable: 'stream' };
  return { ...readErrorObject(error), headers: {} };
}

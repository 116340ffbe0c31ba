import type { Refusal } from './errors.ts';

/**
 * Milliseconds that a provider asks to wait: `retry-after-ms` (OpenAI, Azure), or `Retry-After` in seconds or as an
 * HTTP date (RFC 9110, 10.2.3). Undefined when it asks for nothing that can be read. `now` is in ms since 1970.
 */
function readRetryAfter(headers: Record<string, string>, now: number): number | undefined {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (exact >= 0) return Math.ceil(exact);
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** “90 s”, “5 min”, “3 h”: rounded up, so that the wait is never too short. */
export function inWords(ms: number): string {
  if (ms <= 90_000) return `${Math.max(1, Math.ceil(ms / 1000))} s`;
  if (ms <= 90 * 60_000) return `${Math.ceil(ms / 60_000)} min`;
  return `${Math.ceil(ms / 3_600_000)} h`;
}

/** Who can correct a setting. */
export const operator = 'the operator of this service';

/** What happened, and what to do about it unless it may pass. */
export interface Verdict {
  passing: boolean;
  message: string;
  /** What was sent is too much: less of it may succeed. */
  isTooLong?: boolean;
}

/** The same request cannot succeed later. */
export const final = (message: string): Verdict => ({ passing: false, message });
/** The same request may succeed later. */
export const passing = (message: string): Verdict => ({ passing: true, message });

/** A kind of provider: its name in messages, and the settings that configure it. */
export interface ProviderKind {
  /** As in “The model provider”. */
  name: string;
  /** The settings of its key, model and address. */
  settings: { key: string; model: string; address: string };
  /** When what was sent is too much for it. */
  tooLong: Verdict;
  /** The words of such a refusal (400, 422). */
  tooLongWords: RegExp;
  /** Verdicts for errors of this kind of provider alone; they precede the status. */
  special?: (refusal: Refusal) => Verdict | undefined;
}

const creditWords = /insufficient.?(quota|balance|funds|credit)|billing|credit balance|payment required/i;

/** The verdicts that follow from a provider's name and settings alone. */
function verdictsOf({ name, settings: { key, model, address }, tooLong }: ProviderKind) {
  const noCredit = final(`${name}’s account has no credit left: ${operator} must add some.`);
  const statuses: Record<number, Verdict> = {
    401: final(`${name} refused the key of this service: ${operator} must correct ${key}.`),
    402: noCredit,
    403: final(`${name} forbids this: ${operator} must check what ${key} may use, and ${model}.`),
    404: final(`${name} has no such model: ${operator} must check ${model} and ${address}.`),
    408: passing(`${name} took too long.`),
    413: tooLong,
    429: passing(`${name} received too many requests.`),
  };
  const unreadable: Record<NonNullable<Refusal['unreadable']>, Verdict> = {
    page: passing(`${name} returned a web page; if this continues, ${operator} must check ${address}.`),
    stream: passing(`${name}’s answer was interrupted or could not be read.`),
    length: passing(`${name}’s answer did not end.`),
  };
  return { noCredit, statuses, unreadable };
}

const midSentence = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

/** The verdict on a refusal of `provider`. */
function verdictOn(refusal: Refusal, provider: ProviderKind): Verdict {
  const { name, settings, tooLong, tooLongWords, special } = provider;
  const { status, kinds, text, network } = refusal;
  const { noCredit, statuses, unreadable } = verdictsOf(provider);

  function byStatus(code: number): Verdict {
    const known = statuses[code];
    if (known) return known;
    if ((code === 400 || code === 422) && tooLongWords.test(text)) return tooLong;
    if (code < 400)
      return final(
        `${name}’s address redirects to another one: ${operator} must set ${settings.address} to that address.`,
      );
    if (code === 409 || code === 425 || (code >= 500 && code !== 501))
      return passing(`${name} is overloaded or unavailable (${code}).`);
    return final(
      `${name} refused the request (${code}): ${operator} must check ${settings.model} and ${settings.address}.`,
    );
  }

  /** For an error inside an answer that has no status. */
  function byWords(words: string): Verdict {
    if (/rate_limit|too_many|exhausted/i.test(words)) return byStatus(429);
    if (/authentication|api_key/i.test(words)) return byStatus(401);
    if (/permission/i.test(words)) return byStatus(403);
    if (/not_found/i.test(words)) return byStatus(404);
    if (/invalid_request|bad_request|unsupported/i.test(words)) return byStatus(400);
    return passing(`${name} ended its answer with an error.`);
  }

  function byNetwork({ fault, code }: NonNullable<Refusal['network']>): Verdict {
    if (fault === 'untrusted')
      return final(`No safe connection to ${midSentence(name)} (${code}): ${operator} must check ${settings.address}.`);
    if (fault === 'unreachable') return passing(`${name} cannot be reached (${code}).`);
    if (fault === 'timeout') return byStatus(408);
    return passing(`The connection to ${midSentence(name)} was lost.`);
  }

  if (refusal.unreadable !== undefined) return unreadable[refusal.unreadable];
  if (network !== undefined) return byNetwork(network);
  const words = kinds.join(' ');
  if (creditWords.test(words) || (status !== 429 && creditWords.test(text))) return noCredit;
  return special?.(refusal) ?? (status === undefined ? byWords(words) : byStatus(status));
}

/** A verdict as the text and the fields of a `ProviderFault`. */
export interface FaultFields {
  message: string;
  retryable: boolean;
  isTooLong?: boolean;
  retryAfterMs?: number | undefined;
}

/** The fault of a verdict, with the wait of `retryAfterMs` where the provider asked for one. */
export function fieldsOf(verdict: Verdict, retryAfterMs?: number): FaultFields {
  const { message, isTooLong = false } = verdict;
  if (!verdict.passing) return { message, retryable: false, isTooLong };
  const wait = retryAfterMs === undefined ? 'a minute' : inWords(retryAfterMs);
  return { message: `${message} Try again in ${wait}.`, retryable: true, retryAfterMs };
}

/** The fault of a refusal. `now` is in ms since 1970, for a `Retry-After` that is a date. */
export function fieldsForRefusal(refusal: Refusal, provider: ProviderKind, now: number): FaultFields {
  const verdict = verdictOn(refusal, provider);
  // A header of OpenAI and Anthropic, which overrules the status.
  const isFinal = refusal.headers['x-should-retry'] === 'false';
  return fieldsOf(isFinal ? { ...verdict, passing: false } : verdict, readRetryAfter(refusal.headers, now));
}

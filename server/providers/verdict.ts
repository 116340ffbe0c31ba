import type { Refusal } from './refusal.ts';
import { inWords, readRetryAfter } from './retry-after.ts';

/** Who can mend a setting. */
export const operator = 'whoever runs this service';

/** What happened, and what to do about it unless it may pass. */
export interface Verdict {
  passing: boolean;
  message: string;
}

/** The same request cannot succeed later. */
export const final = (message: string): Verdict => ({ passing: false, message });
/** The same request may succeed later. */
export const passing = (message: string): Verdict => ({ passing: true, message });

/** A kind of provider: what people know it as, and which settings lead to it. */
export interface Party {
  /** As in “The model provider”. */
  name: string;
  /** The settings of its key, model and address. */
  settings: { key: string; model: string; address: string };
  /** When what was sent is too much for it. */
  tooLong: Verdict;
  /** Words in which a refusal (400, 422) says so. */
  tooLongWords: RegExp;
  /** What only this kind of provider says; it goes before the status. */
  special?: (refusal: Refusal) => Verdict | undefined;
}

const creditWords = /insufficient.?(quota|balance|funds|credit)|billing|credit balance|payment required/i;

/** The verdicts that follow from a party's name and settings alone. */
function verdictsOf({ name, settings: { key, model, address }, tooLong }: Party) {
  const noCredit = final(`${name}’s account has no credit left: ${operator} must add some.`);
  const statuses: Record<number, Verdict> = {
    401: final(`${name} refused the key of this service: ${operator} must correct ${key}.`),
    402: noCredit,
    403: final(`${name} forbids this: ${operator} must check what ${key} may use, and ${model}.`),
    404: final(`${name} knows no such model: ${operator} must check ${model} and ${address}.`),
    408: passing(`${name} took too long.`),
    413: tooLong,
    429: passing(`${name} is asked too often.`),
  };
  const unreadable: Record<NonNullable<Refusal['unreadable']>, Verdict> = {
    page: passing(`${name} answered with a web page; if it stays so, ${operator} must check ${address}.`),
    stream: passing(`${name}’s answer broke off or could not be read.`),
    length: passing(`${name}’s answer did not end.`),
  };
  return { noCredit, statuses, unreadable };
}

const midSentence = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

/** What to make of a refusal of `party`. */
function verdictOn(refusal: Refusal, party: Party): Verdict {
  const { name, settings, tooLong, tooLongWords, special } = party;
  const { status, kinds, said, network } = refusal;
  const { noCredit, statuses, unreadable } = verdictsOf(party);

  function byStatus(code: number): Verdict {
    const known = statuses[code];
    if (known) return known;
    if ((code === 400 || code === 422) && tooLongWords.test(said)) return tooLong;
    if (code < 400)
      return final(`${name}’s address leads elsewhere: ${operator} must set ${settings.address} to where it leads.`);
    if (code === 409 || code === 425 || (code >= 500 && code !== 501))
      return passing(`${name} is overloaded or out of order (${code}).`);
    return final(
      `${name} refused the request (${code}): ${operator} must check ${settings.model} and ${settings.address}.`,
    );
  }

  /** For an error inside an answer that stands for no status. */
  function byWords(words: string): Verdict {
    if (/rate_limit|too_many|exhausted/i.test(words)) return byStatus(429);
    if (/authentication|api_key/i.test(words)) return byStatus(401);
    if (/permission/i.test(words)) return byStatus(403);
    if (/not_found/i.test(words)) return byStatus(404);
    if (/invalid_request|bad_request|unsupported/i.test(words)) return byStatus(400);
    return passing(`${name} broke off its answer with an error.`);
  }

  function byNetwork(code: string): Verdict {
    if (/CERT|SSL|TLS|SIGNATURE/.test(code))
      return final(`No safe connection to ${midSentence(name)} (${code}): ${operator} must check ${settings.address}.`);
    if (/ENOTFOUND|EAI_|ECONNREFUSED|UNREACH|CONNECT_|ETIMEDOUT/.test(code))
      return passing(`${name} cannot be reached (${code}).`);
    return passing(`The connection to ${midSentence(name)} broke off.`);
  }

  if (refusal.unreadable !== undefined) return unreadable[refusal.unreadable];
  if (network !== undefined) return byNetwork(network);
  const words = kinds.join(' ');
  if (creditWords.test(words) || (status !== 429 && creditWords.test(said))) return noCredit;
  return special?.(refusal) ?? (status === undefined ? byWords(words) : byStatus(status));
}

/** A verdict as the text and the fields of a `ProviderFault`. */
export interface Told {
  message: string;
  retryable: boolean;
  retryAfterMs?: number | undefined;
}

/** What a person is told; a wait of `retryAfterMs`, where the provider asked for one. */
export function tell(verdict: Verdict, retryAfterMs?: number): Told {
  if (!verdict.passing) return { message: verdict.message, retryable: false };
  const wait = retryAfterMs === undefined ? 'a minute' : inWords(retryAfterMs);
  return { message: `${verdict.message} Try again in ${wait}.`, retryable: true, retryAfterMs };
}

/** What a person is told of a refusal. `now` is in ms since 1970, for a `Retry-After` that is a date. */
export function tellOf(refusal: Refusal, party: Party, now: number): Told {
  const verdict = verdictOn(refusal, party);
  // A header of OpenAI and Anthropic, which overrules the status.
  const told = refusal.headers['x-should-retry'] === 'false';
  return tell(told ? final(verdict.message) : verdict, readRetryAfter(refusal.headers, now));
}

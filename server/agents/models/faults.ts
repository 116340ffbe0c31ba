import { ModelFault } from '../engine.ts';
import type { Refusal } from './refusal.ts';
import { inWords, readRetryAfter } from './retry-after.ts';

const operator = 'whoever runs this service';

/** What happened, and what to do about it unless it may pass. */
interface Verdict {
  passing: boolean;
  message: string;
}

/** The same request cannot succeed later. */
const final = (message: string): Verdict => ({ passing: false, message });
/** The same request may succeed later. */
const passing = (message: string): Verdict => ({ passing: true, message });

const noCredit = final(`The model provider’s account has no credit left: ${operator} must add some.`);
const tooLong = final('The conversation is too long for the model. Start a new chat, or give it less to work on.');
const filtered = final('The model provider’s content filter stopped the answer. Word the request differently.');

const creditWords = /insufficient.?(quota|balance|funds|credit)|billing|credit balance|payment required/i;
const lengthWords =
  /context.?(length|window|size)|too long|too large|too many (input )?tokens|token limit|maximum.{0,40}tokens|input length/i;

/** By what the provider calls it, which is more than its status says. */
function byKind({ status, kinds, said }: Refusal): Verdict | undefined {
  const words = kinds.join(' ');
  if (creditWords.test(words) || (status !== 429 && creditWords.test(said))) return noCredit;
  if (/context_length|request_too_large/.test(words)) return tooLong;
  if (/content_(filter|policy)/.test(words)) return filtered;
  return undefined;
}

const statuses: Record<number, Verdict> = {
  401: final(`The model provider refused the key of this service: ${operator} must correct AI_API_KEY.`),
  402: noCredit,
  403: final(`The model provider forbids this: ${operator} must check what AI_API_KEY may use, and AI_MODEL.`),
  404: final(`The model provider knows no such model: ${operator} must check AI_MODEL and AI_BASE_URL.`),
  408: passing('The model provider took too long.'),
  413: tooLong,
  429: passing('The model provider is asked too often.'),
};

function byStatus(status: number, said: string): Verdict {
  const known = statuses[status];
  if (known) return known;
  if ((status === 400 || status === 422) && lengthWords.test(said)) return tooLong;
  if (status < 400)
    return final(`The model provider’s address leads elsewhere: ${operator} must set AI_BASE_URL to where it leads.`);
  if (status === 409 || status === 425 || (status >= 500 && status !== 501))
    return passing(`The model provider is overloaded or out of order (${status}).`);
  return final(`The model provider refused the request (${status}): ${operator} must check AI_MODEL and AI_BASE_URL.`);
}

/** By the words alone, for an error inside a stream that stands for no status. */
function byWords({ kinds, said }: Refusal): Verdict {
  const words = kinds.join(' ');
  if (/rate_limit|too_many|exhausted/i.test(words)) return byStatus(429, said);
  if (/authentication|api_key/i.test(words)) return byStatus(401, said);
  if (/permission/i.test(words)) return byStatus(403, said);
  if (/not_found/i.test(words)) return byStatus(404, said);
  if (/invalid_request|bad_request|unsupported/i.test(words)) return byStatus(400, said);
  return passing('The model provider broke off its answer with an error.');
}

function byNetwork(code: string): Verdict {
  if (/CERT|SSL|TLS|SIGNATURE/.test(code))
    return final(`No safe connection to the model provider (${code}): ${operator} must check AI_BASE_URL.`);
  if (/ENOTFOUND|EAI_|ECONNREFUSED|UNREACH|CONNECT_|ETIMEDOUT/.test(code))
    return passing(`The model provider cannot be reached (${code}).`);
  return passing('The connection to the model provider broke off.');
}

const unreadable: Record<NonNullable<Refusal['unreadable']>, Verdict> = {
  page: passing(`The model provider answered with a web page; if it stays so, ${operator} must check AI_BASE_URL.`),
  stream: passing('The model provider’s answer broke off or could not be read.'),
  length: passing('The model provider’s answer did not end.'),
};

function verdictOn(refusal: Refusal): Verdict {
  if (refusal.unreadable !== undefined) return unreadable[refusal.unreadable];
  if (refusal.network !== undefined) return byNetwork(refusal.network);
  return byKind(refusal) ?? (refusal.status === undefined ? byWords(refusal) : byStatus(refusal.status, refusal.said));
}

function faultFor(verdict: Verdict, retryAfterMs?: number): ModelFault {
  if (!verdict.passing) return new ModelFault(verdict.message, { retryable: false });
  const wait = retryAfterMs === undefined ? 'a minute' : inWords(retryAfterMs);
  return new ModelFault(`${verdict.message} Try again in ${wait}.`, { retryable: true, retryAfterMs });
}

/** The fault that a person is told of. `now` is in ms since 1970, for a `Retry-After` that is a date. */
export function faultOf(refusal: Refusal, now: number): ModelFault {
  const verdict = verdictOn(refusal);
  // A header of OpenAI and Anthropic, which overrules the status.
  const told = refusal.headers['x-should-retry'] === 'false';
  return faultFor(told ? final(verdict.message) : verdict, readRetryAfter(refusal.headers, now));
}

const shorter = `Ask for less at once; ${operator} may raise AI_MAX_OUTPUT_TOKENS.`;

/** Why an answer that ended in order is none, or did not end in time. */
export const answerFaults = {
  empty: () => faultFor(passing('The model gave an empty answer.')),
  filtered: () => faultFor(filtered),
  tooLong: () => faultFor(tooLong),
  cutInToolCall: () =>
    new ModelFault(`The model’s answer was cut at its length limit, in the middle of a tool call. ${shorter}`, {
      retryable: true,
    }),
  cutBeforeText: () =>
    new ModelFault(`The model reached its length limit before it said anything. ${shorter}`, { retryable: true }),
  silent: (seconds: number) => faultFor(passing(`The model provider was silent for ${seconds} s.`)),
  slow: (seconds: number) => faultFor(passing(`The model did not finish its answer within ${seconds} s.`)),
};

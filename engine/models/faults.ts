import { APICallError } from 'ai';
import { chain } from '../../outbound/errors.ts';
import { ModelFault } from '../engine.ts';
import { type Refusal, Refused, readBody, readErrorObject, refusalOfRequest } from '../providers/errors.ts';
import {
  fieldsForRefusal,
  fieldsOf,
  final,
  operator,
  type ProviderKind,
  passing,
  type Verdict,
} from '../providers/verdict.ts';

const tooLong: Verdict = {
  ...final('The conversation is too long for the model. Start a new chat, or give it less to work on.'),
  isTooLong: true,
};
const filtered = final('The model provider’s content filter stopped the answer. Word the request differently.');

const modelProvider: ProviderKind = {
  name: 'The model provider',
  settings: { key: 'AI_API_KEY', model: 'AI_MODEL', address: 'AI_BASE_URL' },
  tooLong,
  tooLongWords:
    /context.?(length|window|size)|too long|too large|too many (input )?tokens|token limit|maximum.{0,40}tokens|(input|prompt) length|exceeds max length|reduce the length|max_new_tokens/i,
  special: ({ kinds }) => {
    const words = kinds.join(' ');
    if (/context_length|exceed_context|request_too_large/.test(words)) return tooLong;
    return /content_(filter|policy)/.test(words) ? filtered : undefined;
  },
};

/** The fault as a person sees it. `now` is in ms since 1970, for a `Retry-After` that is a date. */
export function faultOf(refusal: Refusal, now: number): ModelFault {
  const fields = fieldsForRefusal(refusal, modelProvider, now);
  return new ModelFault(fields.message, fields);
}

function faultFor(verdict: Verdict): ModelFault {
  const fields = fieldsOf(verdict);
  return new ModelFault(fields.message, fields);
}

const shorter = `Ask for less at once; ${operator} may raise AI_MAX_OUTPUT_TOKENS.`;

/** The faults of answers that cannot be used although no error came, and of those that did not end in time. */
export const answerFaults = {
  empty: () => faultFor(passing('The model gave an empty answer.')),
  filtered: () => faultFor(filtered),
  tooLong: () => faultFor(tooLong),
  cutInToolCall: () =>
    new ModelFault(`The model’s answer was cut at its length limit, in the middle of a tool call. ${shorter}`, {
      retryable: true,
    }),
  cutBeforeText: () =>
    new ModelFault(`The model reached its length limit before it wrote anything. ${shorter}`, { retryable: true }),
  silent: (seconds: number) => faultFor(passing(`The model provider sent nothing for ${seconds} s.`)),
  slow: (seconds: number) => faultFor(passing(`The model did not finish its answer within ${seconds} s.`)),
};

/** Reads whatever the AI SDK throws, or puts into a stream as an error. */
export function refusalOf(error: unknown): Refusal {
  for (const each of chain(error)) if (each instanceof Refused) return each.refusal;
  const failed = refusalOfRequest(error);
  if (failed) return failed;
  if (APICallError.isInstance(error) && (error.statusCode ?? 0) >= 300) {
    const { status, kinds, text } = readErrorObject(readBody(error.responseBody));
    const whole = `${text} ${error.message}`;
    return { status: error.statusCode ?? status, kinds, text: whole, headers: error.responseHeaders ?? {} };
  }
  // Anything else that is an error is the SDK's: it could not read what came.
  if (error instanceof Error) return { kinds: [error.name], text: '', headers: {}, unreadable: 'stream' };
  return { ...readErrorObject(error), headers: {} };
}

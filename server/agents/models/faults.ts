import type { Refusal } from '../../providers/refusal.ts';
import { final, operator, type Party, passing, tell, tellOf, type Verdict } from '../../providers/verdict.ts';
import { ModelFault } from '../engine.ts';

const tooLong = final('The conversation is too long for the model. Start a new chat, or give it less to work on.');
const filtered = final('The model provider’s content filter stopped the answer. Word the request differently.');

const modelProvider: Party = {
  name: 'The model provider',
  settings: { key: 'AI_API_KEY', model: 'AI_MODEL', address: 'AI_BASE_URL' },
  tooLong,
  tooLongWords:
    /context.?(length|window|size)|too long|too large|too many (input )?tokens|token limit|maximum.{0,40}tokens|input length/i,
  special: ({ kinds }) => {
    const words = kinds.join(' ');
    if (/context_length|request_too_large/.test(words)) return tooLong;
    return /content_(filter|policy)/.test(words) ? filtered : undefined;
  },
};

/** The fault that a person is told of. `now` is in ms since 1970, for a `Retry-After` that is a date. */
export function faultOf(refusal: Refusal, now: number): ModelFault {
  const told = tellOf(refusal, modelProvider, now);
  return new ModelFault(told.message, told);
}

function faultFor(verdict: Verdict): ModelFault {
  const told = tell(verdict);
  return new ModelFault(told.message, told);
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

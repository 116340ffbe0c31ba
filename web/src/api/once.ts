import { keyed } from 'tandem/client';
import { v4 as newKey } from 'uuid';
import { actingAs } from './acting.ts';

/*
 * For forms that may be sent again before their first answer arrives: because it was lost, or because the person left
 * the page and came back.
 */

type SendOnce = <Input, Answer>(
  send: (input: Input, options: ReturnType<typeof keyed>) => Promise<Answer>,
  input: NoInfer<Input>,
) => Promise<Answer>;

/** The keys of what is not answered yet, by who sent it and what it is. */
const keys = new Map<string, string>();

/** Sends an input with a key of its own until it is answered: sent again before, it is done once. */
export const once: SendOnce = async (send, input) => {
  const text = JSON.stringify([actingAs(), input]);
  const key = keys.get(text) ?? newKey();
  keys.set(text, key);
  const answer = await send(input, keyed(key));
  keys.delete(text);
  return answer;
};

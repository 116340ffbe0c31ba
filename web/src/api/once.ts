import { useRef } from 'react';
import { keyed } from 'tandem/client';
import { v4 as newKey } from 'uuid';

type SendOnce = <Input, Answer>(
  send: (input: Input, options: ReturnType<typeof keyed>) => Promise<Answer>,
  input: NoInfer<Input>,
) => Promise<Answer>;

/** Returns what sends an input with a key of its own until it is answered: sent again after a lost answer, it is done once. */
export function useOnce(): SendOnce {
  const last = useRef({ text: '', key: '' });
  return async (send, input) => {
    const text = JSON.stringify(input);
    if (last.current.text !== text) last.current = { text, key: newKey() };
    const answer = await send(input, keyed(last.current.key));
    last.current.text = '';
    return answer;
  };
}

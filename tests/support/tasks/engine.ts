import type { Engine, Utterance } from '../../../engine/engine.ts';
import type { Assistant } from './task.ts';

/** Answers of the model to one request; then it has lost its way. */
const maxSteps = 20;

/** An assistant whose tool calls and reply a model chooses, from the instructions and tools of the service alone. */
export function assistantOf(engine: Pick<Engine, 'answer'>): Assistant {
  return async ({ request }, { instructions, tools, call }) => {
    const conversation: Utterance[] = [{ role: 'user', text: request }];
    const { signal } = new AbortController();
    for (let step = 0; step < maxSteps; step++) {
      const answer = await engine.answer({ purpose: 'turn', system: instructions, conversation, tools, signal });
      conversation.push({ role: 'agent', ...answer });
      if (answer.toolCalls.length === 0) return answer.text;
      const results = [];
      for (const { id, name, input } of answer.toolCalls) {
        const { isError, data } = await call(name, Object(input));
        results.push({ toolCallId: id, name, isError, output: data });
      }
      conversation.push({ role: 'tools', results });
    }
    throw new Error(`no reply after ${maxSteps} answers`);
  };
}

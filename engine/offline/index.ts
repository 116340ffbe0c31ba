import { type Engine, type EngineAnswer, ModelFault } from '../engine.ts';
import { nextStep } from './turn.ts';

/**
 * Answers without a network and without a model, the same to the same conversation: plain requests about todos, lists,
 * agents and captures are carried out with the tools of the turn; to everything else it describes itself. It answers
 * turns only, and needs `facts`: titles and the like are written by `offlineWriter`.
 */
export const offlineEngine: Engine = {
  name: 'built-in',

  async answer({ purpose, conversation, facts, tools, signal, onText }): Promise<EngineAnswer> {
    signal.throwIfAborted();
    if (purpose !== 'turn') throw new ModelFault('The built-in engine answers in chats only.', { retryable: false });
    const next = nextStep({ conversation, tools, ...(facts && { facts }) });
    if ('text' in next) {
      onText?.(next.text);
      return { text: next.text, toolCalls: [] };
    }
    const toolCalls = next.calls.map((call, place) => ({ id: `call_${place + 1}`, ...call }));
    return { text: '', toolCalls };
  },
};

import type { EngineRequest } from '../engine.ts';
import { withoutData } from '../prompt/data.ts';
import type { Done, Step } from './plan.ts';

/** A message, and the agent's steps and answer up to the next one. */
export interface Exchange {
  /** Without the data that came with it. */
  request: string;
  /** The agent that sent it, when it was not a person. */
  fromAgent: string | undefined;
  steps: Step[];
  /** The last text of the agent. */
  answer: string | undefined;
}

function inputOf(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}

/** The exchanges of a conversation, oldest first. Notes of the service belong to none. */
export function exchangesOf({ conversation, facts }: Pick<EngineRequest, 'conversation' | 'facts'>): Exchange[] {
  const exchanges: Exchange[] = [];
  let calls: readonly { id: string; name: string; input: unknown }[] = [];
  for (const each of conversation) {
    const exchange = exchanges.at(-1);
    if (each.role === 'user' && each.from?.kind !== 'service') {
      const request = facts ? withoutData(facts.nonce, each.text) : each.text;
      exchanges.push({ request, fromAgent: each.from?.name, steps: [], answer: undefined });
    } else if (each.role === 'agent') {
      calls = each.toolCalls;
      if (exchange && calls.length === 0) exchange.answer = each.text;
    } else if (each.role === 'tools') {
      const done = each.results.map(({ toolCallId, name, isError, output }): Done => {
        return { name, input: inputOf(calls.find(({ id }) => id === toolCallId)?.input), isError, output };
      });
      exchange?.steps.push(done);
    }
  }
  return exchanges;
}

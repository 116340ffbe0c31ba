import type { Asked, ModelServer, Received, Reply } from './model-server.ts';

/** What a model answers to the `n`th request of its plan, from 0. */
export type ModelPlan = (asked: Asked, n: number) => Reply | Promise<Reply>;

/** Which model each purpose is configured with. */
export const models = {
  turn: 'the-colleague',
  titles: 'the-headline-writer',
  summaries: 'the-secretary',
  estimates: 'the-controller',
} as const;

/** An answer that calls a tool. */
export function call(name: string, input: unknown): Reply {
  return { toolCalls: [{ name, input }] };
}

function textOf(asked: Asked): string {
  return JSON.stringify(asked.messages);
}

/**
 * Says over the wire what a test plans: a plan is registered under a word that a message of the chat contains, the
 * latest one counts. Titles and other texts are written by `writes`, by default something short.
 */
export class ScriptedModel {
  readonly #plans = new Map<string, { plan: ModelPlan; asked: number }>();

  /** Registers a plan, or a list of answers of which the last is repeated; returns its word. */
  plan(plan: ModelPlan | Reply[]): string {
    const word = `plan-${crypto.randomUUID()}`;
    const run = Array.isArray(plan) ? (_: Asked, n: number) => plan[Math.min(n, plan.length - 1)] as Reply : plan;
    this.#plans.set(word, { plan: run, asked: 0 });
    return word;
  }

  readonly script = (asked: Asked): Reply | Promise<Reply> => {
    if (asked.model !== models.turn) return this.#write(asked);
    const words = textOf(asked).match(/plan-[0-9a-f-]{36}/g) ?? [];
    const planned = this.#plans.get(words.at(-1) ?? '');
    return planned ? planned.plan(asked, planned.asked++) : 'Nothing was planned.';
  };

  #write({ model, messages }: Asked): Reply {
    if (JSON.stringify(messages).includes('no texts today')) return { status: 401 };
    const estimate = { minutes: 42, reason: 'Two hands would have needed as long.', confidence: 'high' };
    return model === models.estimates ? JSON.stringify(estimate) : `Written by ${model}`;
  }
}

/** The requests to the model of turns, or another one, whose conversation has this word. */
export function requestsWith(server: ModelServer, word: string, model: string = models.turn): Received[] {
  return server.received.filter(({ asked }) => asked?.model === model && textOf(asked).includes(word));
}

import type { Asked, ModelProtocol, ModelServer, Received, Reply } from './model-server.ts';

/** What a model answers to the `n`th request of its plan, from 0. */
export type ModelPlan = (asked: Asked, n: number) => Reply | Promise<Reply>;

/** Which model each purpose is configured with. */
export const models = {
  turn: 'the-colleague',
  titles: 'the-headline-writer',
  summaries: 'the-secretary',
  estimates: 'the-controller',
} as const;

/** The settings of a service that asks these models of a server. */
export function modelEnvironment(protocol: ModelProtocol, server: ModelServer, apiKey = 'none') {
  return {
    AI_PROVIDER: protocol,
    AI_BASE_URL: server.url,
    AI_API_KEY: apiKey,
    AI_MODEL: models.turn,
    AI_TITLES_MODEL: models.titles,
    AI_SUMMARIES_MODEL: models.summaries,
    AI_ESTIMATES_MODEL: models.estimates,
  };
}

/** An answer that calls a tool. */
export function call(name: string, input: unknown): Reply {
  return { toolCalls: [{ name, input }] };
}

/** What was said by those for whom the model works. */
function textOf({ messages }: Asked): string {
  return messages.map((message) => (message.role === 'user' ? message.text : '')).join('\n');
}

/**
 * Says over the wire what a test plans: a plan is registered under a word that a message of the chat contains, the
 * latest one counts. Titles and other texts are short and say who wrote them.
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

  #write(asked: Asked): Reply {
    const { model } = asked;
    if (textOf(asked).includes('no texts today')) return { status: 401 };
    const estimate = { minutes: 42, reason: 'Two hands would have needed as long.', confidence: 'high' };
    return model === models.estimates ? JSON.stringify(estimate) : `Written by ${model}`;
  }
}

/** The requests to the model of turns, or another one, in which somebody said this word. */
export function requestsWith(server: ModelServer, word: string, model: string = models.turn): Received[] {
  return server.received.filter(({ asked }) => asked?.model === model && textOf(asked).includes(word));
}

import type { Engine, EngineAnswer, EngineRequest, ToolCall } from '../../engine/engine.ts';
import type { Answer, TestWorkspace } from './harness.ts';
import { until } from './until.ts';

/** One answer of an engine: what it says, and the tools it calls. */
export type Script = (request: EngineRequest, asked: number) => EngineAnswer | Promise<EngineAnswer>;

/** An answer of text. */
export function reply(text: string): EngineAnswer {
  return { text, toolCalls: [] };
}

/** An answer that calls tools. */
export function use(...calls: [name: string, input: unknown][]): EngineAnswer {
  const toolCalls: ToolCall[] = calls.map(([name, input], place) => ({ id: `c${place}`, name, input }));
  return { text: '', toolCalls };
}

/**
 * An engine that does what a test says. Each test registers a script under a word of its own and puts the word into its
 * first message; a list of answers is a script too, its last one repeated.
 */
export class ScriptedEngine implements Engine {
  readonly name = 'scripted';
  readonly #scripts = new Map<string, { script: Script; asked: number }>();

  /** Registers a script; returns the word that a message must contain. */
  plan(script: Script | EngineAnswer[]): string {
    const word = `plan-${crypto.randomUUID()}`;
    const answers = Array.isArray(script) ? script : undefined;
    const run = answers
      ? (_: EngineRequest, asked: number) => answers[Math.min(asked, answers.length - 1)] as EngineAnswer
      : (script as Script);
    this.#scripts.set(word, { script: run, asked: 0 });
    return word;
  }

  async answer(request: EngineRequest): Promise<EngineAnswer> {
    const texts = request.conversation.flatMap((each) => (each.role === 'user' ? each.text : '')).reverse();
    for (const text of texts) {
      const planned = this.#scripts.get(/plan-[0-9a-f-]{36}/.exec(text)?.[0] ?? '');
      if (planned) return planned.script(request, planned.asked++);
    }
    return reply('Nothing was planned.');
  }
}

/** Asks again until `holds`; returns that answer. @throws Error after `maxWaitMs` with the last answer. */
export async function untilAnswer(ask: () => Promise<Answer>, holds: (answer: Answer) => boolean): Promise<Answer> {
  let answer: Answer | undefined;
  const isSo = async () => {
    answer = await ask();
    return holds(answer);
  };
  await until(isSo, () => answer?.text.slice(0, 1000) ?? 'no answer');
  return answer as Answer;
}

/** Waits until no agent works in the chat. */
export function settled({ call }: Pick<TestWorkspace, 'call'>, chatId: string): Promise<Answer> {
  const working = ['queued', 'running'];
  return untilAnswer(
    () => call(`GET /chats/${chatId}`),
    ({ body }) => !working.includes(body.status),
  );
}

import { type Engine, type EngineAnswer, type EngineRequest, ModelFault } from '../../../engine/engine.ts';
import type { Question } from './parts.ts';

/** The least share of the usual lengths that is sent: about 6,000 characters of the conversation. */
const minShare = 1 / 32;

type Request = ReturnType<Question['request']>;

function sizeOf({ system, conversation }: Request): number {
  return system.length + JSON.stringify(conversation).length;
}

/** Questions of one turn, as long as its model takes them: what a character is in tokens depends on language and model. */
export class Fitting {
  #share = 1;

  /**
   * Asks with half of the conversation and the captures, and half of that, while the model refuses them as too long. Later
   * questions begin with what it took. @throws what the engine throws.
   */
  async ask(
    engine: Engine,
    question: Pick<Question, 'request'>,
    more: Omit<EngineRequest, keyof Request>,
  ): Promise<EngineAnswer> {
    for (let request = question.request(this.#share); ; ) {
      try {
        return await engine.answer({ ...request, ...more });
      } catch (error) {
        const less = error instanceof ModelFault && error.isTooLong && this.#shorter(question, sizeOf(request));
        if (!less) throw error;
        more.onRestart?.();
        request = less;
      }
    }
  }

  /** The longest request that is shorter than `size`; undefined when none is. */
  #shorter({ request }: Pick<Question, 'request'>, size: number): Request | undefined {
    for (let share = this.#share / 2; share >= minShare; share /= 2) {
      const less = request(share);
      if (sizeOf(less) >= size) continue;
      this.#share = share;
      return less;
    }
    return undefined;
  }
}

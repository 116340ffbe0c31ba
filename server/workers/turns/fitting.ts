import { type Engine, type EngineAnswer, type EngineRequest, ModelFault } from '../../../engine/engine.ts';
import type { Question } from './parts.ts';

/** The least share of the usual lengths that is sent: about 6,000 characters of the conversation. */
const minShare = 1 / 32;
/** Turns whose shares are kept: more than are at work in a process, or wait for a person for a while. */
const maxTurns = 1000;

type Request = ReturnType<Question['request']>;

function sizeOf({ system, conversation }: Request): number {
  return system.length + JSON.stringify(conversation).length;
}

/**
 * Questions of turns, as long as their models take them: what a character is in tokens depends on language and model.
 */
export class Fitting {
  /** Of turns that were asked with less than 1, also when they are claimed anew. */
  readonly #shares = new Map<string, number>();

  /**
   * Asks with half of the conversation and the captures, and half of that, while the model refuses them as too long.
   * Later questions of the turn begin with what it took. @throws what the engine throws.
   */
  async ask(
    engine: Engine,
    turnId: string,
    question: Pick<Question, 'request'>,
    more: Omit<EngineRequest, keyof Request>,
  ): Promise<EngineAnswer> {
    for (let request = question.request(this.#shareOf(turnId)); ; ) {
      try {
        return await engine.answer({ ...request, ...more });
      } catch (error) {
        const less = error instanceof ModelFault && error.isTooLong && this.#shorter(turnId, question, sizeOf(request));
        if (!less) throw error;
        more.onRestart?.();
        request = less;
      }
    }
  }

  #shareOf(turnId: string): number {
    return this.#shares.get(turnId) ?? 1;
  }

  #keep(turnId: string, share: number): void {
    this.#shares.delete(turnId);
    this.#shares.set(turnId, share);
    const [oldest] = this.#shares.keys();
    if (this.#shares.size > maxTurns && oldest !== undefined) this.#shares.delete(oldest);
  }

  /** The longest request that is shorter than `size`; undefined when none is. */
  #shorter(turnId: string, { request }: Pick<Question, 'request'>, size: number): Request | undefined {
    for (let share = this.#shareOf(turnId) / 2; share >= minShare; share /= 2) {
      const less = request(share);
      if (sizeOf(less) >= size) continue;
      this.#keep(turnId, share);
      return less;
    }
    return undefined;
  }
}

import type { TurnFacts } from '../facts.ts';
import type { Row } from './rows.ts';

/** A tool call of the engine. */
export interface Call {
  name: string;
  input: Record<string, unknown>;
}

/** A tool call with its result. */
export interface Done extends Call {
  isError: boolean;
  output: unknown;
}

/** The calls of one answer, done, in their order. */
export type Step = readonly Done[];

/** The last text of an exchange, and what the next message may refer to. */
export interface FinalText {
  text: string;
  /** All that was asked for is done. */
  isDone?: boolean;
  /** The todos that the text numbers, from 1. */
  rows?: readonly Row[];
  /** Set when the text asks which of `rows` is meant: the plan for those that are chosen. */
  choose?: (chosen: readonly Row[]) => Plan;
  /** Set when the text asks an open question: the plan for the words of the reply. */
  reply?: (words: string) => Plan;
}

/** What comes next: tool calls, or the end. */
export type Next = { calls: readonly Call[] } | FinalText;

/**
 * How a request is carried out: what comes next after the steps done so far. It is a pure function, so that a turn
 * needs no memory but its conversation.
 */
export type Plan = (steps: readonly Step[]) => Next;

/** A plan that ends at once. */
export function respond(text: string, more: Omit<FinalText, 'text'> = {}): Plan {
  return () => ({ text, ...more });
}

/** A plan that makes these calls first; the plan that follows is made from their results. */
export function first(calls: readonly Call[], then: (done: Step) => Plan): Plan {
  return ([done, ...rest]) => (done === undefined ? { calls } : then(done)(rest));
}

/** A plan, and after it the plan that follows from its final text. */
export function andThen(plan: Plan, then: (end: FinalText) => Plan): Plan {
  return (steps) => {
    for (let count = 0; count <= steps.length; count++) {
      const next = plan(steps.slice(0, count));
      if ('text' in next) return then(next)(steps.slice(count));
    }
    return plan(steps);
  };
}

/** What the next message may refer to. */
export interface Memory {
  /** The last answer, if it was the engine’s own. */
  last: FinalText | undefined;
  /** The todos that were numbered last. */
  rows: readonly Row[];
  /** The todo that was created, changed or looked at last. */
  todoId: string | undefined;
}

/** All that a request is understood from, beside its words. */
export interface Scene {
  facts: TurnFacts;
  /** The date where the chat is, `YYYY-MM-DD`. */
  today: string;
  /** Names of the tools there are. */
  tools: ReadonlySet<string>;
  memory: Memory;
  /**
   * The request is the text of a todo that is run, not a person’s message: it must speak of todos by that word, and
   * may neither archive anything nor change many todos at once.
   */
  isRun: boolean;
}

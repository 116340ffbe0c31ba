import type { Tagged } from '../api/tagged.ts';
import type { Base, Todo } from './merge.ts';
import type { Action, Outcome, Write } from './write.ts';

/* What pages ask of the outbox. */

/**
 * A change as a page asks for it. `base` and `known`: the version that it was made from, if that is not the todo as
 * shown. `undoes`: it undoes an earlier change.
 */
export interface Draft {
  action: Action;
  todos: readonly Todo[];
  base?: Base;
  known?: Tagged<Todo> | undefined;
  undoes?: true;
}

/** A change that is stored in the browser and shown. */
export interface Sent {
  write: Write;
  outcome: Promise<Outcome>;
}

/** The writes of a person in a workspace, from this window. */
export interface Outbox {
  /** Stores and shows a change, then sends it. */
  add(draft: Draft): Promise<Sent>;
  /** Takes back what was never sent, and sends the inverse of the rest. Returns the result of that. */
  undo(writes: readonly Write[]): Promise<Outcome[]>;
  /** Takes a change back, whether the service may have it or not. Returns nothing when it is no longer there. */
  discard(id: string): Promise<readonly string[]>;
  /** Sends a change again that was refused, or sent long ago. */
  retry(id: string): Promise<void>;
  /** Shows what nobody in a window waits for any more, such as a refusal of what was typed before a reload. */
  onOutcome(show: (message: string) => void): void;
  close(): void;
}

/** What is said of a new todo. `isWaiting`: the service has not stored it yet. */
export function createdWords(title: string, isWaiting: boolean): string {
  return isWaiting
    ? `“${title}” is kept in this browser. It is sent once the service can be reached.`
    : `“${title}” is on the list.`;
}

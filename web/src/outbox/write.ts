import type { TandemInputs } from 'tandem/client';
import type { Problem } from '../api/problem.ts';
import type { Tagged } from '../api/tagged.ts';
import type { Base, Change, Todo } from './merge.ts';

/* Changes of todos that are shown at once and sent to the service as soon as it can be reached. */

export type NewTodo = TandemInputs['todos']['create'] & { id: string };

/**
 * What is done to todos. A creation has the id of its todo, so that the service makes it once, however often it is
 * sent.
 */
export type Action =
  | { operation: 'create'; input: NewTodo }
  | { operation: 'update'; change: Change }
  | { operation: 'archive' | 'restore' };

/**
 * - `waiting`: to be sent, or sent without an answer yet.
 * - `refused`: the service said no. It is kept for the text in it.
 * - `conflict`: somebody else changed the same field; a person decides.
 * - `asks`: it was sent so long ago that the service no longer knows its key; a person decides whether it is sent
 *   again.
 */
export type WriteState = 'waiting' | 'refused' | 'conflict' | 'asks';

/** A change of one or several todos on its way, as it is stored in the browser. Times are in ms since 1970. */
export interface Write {
  /** A UUIDv7: it orders the writes, and is the idempotency key. */
  id: string;
  action: Action;
  /**
   * The todos as they were shown before, which is what undoes the change; of a creation, the new todo as it is shown.
   */
  todos: readonly Todo[];
  /** The fields as they are shown until the service has answered. */
  shows: Partial<Todo>;
  /** Labels that it puts on its todos and takes off, besides those that they have. */
  labels?: { add: Todo['labels']; remove: readonly string[] };
  /** It takes back a change since which others may have changed the same, however soon it is sent. */
  undoes?: true;
  /** What an update of one todo was made of, which a merge compares with. */
  base: Base | null;
  /** The version of the todo that was known last: its tag is sent as `If-Match`. */
  known: Tagged<Todo> | null;
  madeAt: number;
  /** When it was sent first. */
  sentAt: number | null;
  state: WriteState;
  /** Why it is not stored by the service (yet), in a sentence. */
  problem: string | null;
  /** Of a conflict: the todo as the other client left it. */
  theirs: Todo | null;
}

/** A write as the pages show it. One that the service has stored is shown until the todos are read again. */
export interface ShownWrite extends Write {
  isStored?: true;
  /** The todos in the answer, where it has them. */
  answers?: readonly Todo[];
}

/** What became of a write. `waits`: it could not be sent yet, and will be. `withdrawn`: a person took it back. */
export type Outcome =
  | { state: 'stored'; todos: readonly Todo[]; tagged: Tagged<Todo> | null }
  | { state: 'waits' | 'conflict' | 'withdrawn' }
  | { state: 'refused'; problem: Problem };

/** The change of an update; empty for anything else. */
export function changeIn({ action }: Pick<Write, 'action'>): Change {
  return action.operation === 'update' ? action.change : {};
}

/** The fields that a write changes. */
export function fieldsIn(write: Pick<Write, 'action'>): (keyof Change)[] {
  return Object.keys(changeIn(write)) as (keyof Change)[];
}

/** Whether a write is about a todo. */
export function concerns({ todos }: Pick<Write, 'todos'>, todoId: string): boolean {
  return todos.some(({ id }) => id === todoId);
}

/** Whether a person typed something that would be lost with the write. */
export function hasText(write: Pick<Write, 'action'>): boolean {
  return (
    write.action.operation === 'create' || fieldsIn(write).some((field) => field === 'title' || field === 'content')
  );
}

/** Whether later writes of its todos have to wait for it. A refused creation has no todo that they could change. */
export function blocks({ action, state }: Pick<Write, 'action' | 'state'>): boolean {
  return state === 'waiting' || state === 'asks' || action.operation === 'create';
}

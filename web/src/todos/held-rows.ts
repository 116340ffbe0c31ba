import { useMemo, useState } from 'react';
import type { Todo } from '../todo-common/queries.ts';

/** A todo in the list. `isGone`: it no longer belongs to it, and leaves it when the focus does. */
export interface HeldRow {
  todo: Todo;
  isGone: boolean;
}

interface Held {
  rows: readonly HeldRow[];
  /** Todos that belong to the list and are not shown yet. */
  waiting: number;
}

const settled = (todos: readonly Todo[]): Held => ({
  rows: todos.map((todo) => ({ todo, isGone: false })),
  waiting: 0,
});

/**
 * The rows in the places that they have, with what is new about their todos. What follows the last of them in `todos`
 * is added at the end; todos that would come before it wait.
 */
export function holdRows(shown: readonly HeldRow[], todos: readonly Todo[]): Held {
  const fresh = new Map(todos.map((todo) => [todo.id, todo]));
  const places = new Set(shown.map(({ todo }) => todo.id));
  const last = todos.findLastIndex(({ id }) => places.has(id));
  // Without any of the shown todos there is no place after them.
  const added = last < 0 && shown.length > 0 ? [] : todos.slice(last + 1);
  const kept = shown.map(({ todo }) => {
    const now = fresh.get(todo.id);
    return { todo: now ?? todo, isGone: now === undefined };
  });
  const rows = [...kept, ...added.map((todo) => ({ todo, isGone: false }))];
  return { rows, waiting: todos.filter(({ id }) => !places.has(id)).length - added.length };
}

/** The rows of a list: as the todos are, or in the places that they have while `isHeld`. */
export function useHeldRows(todos: readonly Todo[], isHeld: boolean): Held {
  const [state, setState] = useState(() => ({ todos, isHeld, held: settled(todos) }));
  const isSame = state.todos === todos && state.isHeld === isHeld;
  const held = useMemo(
    () => (isSame ? state.held : isHeld ? holdRows(state.held.rows, todos) : settled(todos)),
    [isSame, state, isHeld, todos],
  );
  if (!isSame) setState({ todos, isHeld, held });
  return held;
}

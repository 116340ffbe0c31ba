import { useCallback, useRef, useState } from 'react';
import type { Todo } from '../todo-common/queries.ts';
import type { BoardColumn, PlacedCard } from './moves.ts';
import { keyOf } from './steps.ts';

/** The cards of a board, which its columns report as they read them, and which of them are selected. */
export function useCards(columns: readonly BoardColumn[]) {
  const read = useRef(new Map<string, readonly Todo[]>());
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // The board is rendered with them: it moves the focus to cards that have come, and from those that have left.
  const [, setReports] = useState(0);
  const report = useCallback((columnId: string, todos: readonly Todo[]) => {
    read.current.set(columnId, todos);
    setReports((count) => count + 1);
  }, []);
  const todosIn = (columnId: string) => read.current.get(columnId) ?? [];
  /** The cards with these keys that are still on the board. */
  const cardsOf = (keys: ReadonlySet<string>): PlacedCard[] =>
    columns.flatMap(({ id: from }) =>
      todosIn(from).flatMap((todo) => (keys.has(keyOf(from, todo.id)) ? { todo, from } : [])),
    );
  return {
    report,
    selected,
    clear: () => setSelected(new Set()),
    toggle: (key: string) => setSelected(selected.symmetricDifference(new Set([key]))),
    cardsOf,
    /** A todo as a column has read it; undefined where it is on the board no more. */
    todoOf: (todoId: string) => [...read.current.values()].flat().find(({ id }) => id === todoId),
    /** The keys of all cards, column by column. */
    keys: () => columns.map(({ id }) => todosIn(id).map((todo) => keyOf(id, todo.id))),
    /** The selected cards if this one is among them, else this one. */
    with: (card: PlacedCard): PlacedCard[] => {
      const chosen = cardsOf(selected);
      return chosen.some(({ todo, from }) => todo.id === card.todo.id && from === card.from) ? chosen : [card];
    },
  };
}

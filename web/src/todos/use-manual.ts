import { type Place, placeAfterStep, reversed } from '../todo-common/order.ts';
import type { Todo } from '../todo-common/queries.ts';
import { useOrder } from '../todo-common/use-order.ts';
import type { FilterOfPage } from './use-filter.ts';
import { type RowDrag, useRowDrag } from './use-row-drag.ts';

interface Manual {
  /** Whether the list is in the manual order. */
  isManual: boolean;
  /** Moves the row that a person has gone to up or down. */
  step: (by: 1 | -1) => void;
  /** What a row is dragged with, in the order or out of the list; undefined where it stays. */
  dragOf: (id: string, name: string) => RowDrag | undefined;
}

interface Rows {
  /** The ids of the visible rows, and of the one that a person has gone to. */
  ids: readonly string[];
  reached: string | undefined;
  todoOf: (id: string) => Todo | undefined;
  /** Called before a row moves. */
  onMove: (id: string) => void;
  /** A pointer takes the row along, out of the list too; undefined where rows do not leave it. */
  lift: ((id: string) => void) | undefined;
}

/**
 * Changes of the manual order of a list: by keys, and by a pointer that drags rows, which takes them out of any list
 * too. Archived todos stay where they are.
 */
export function useManual({ listing, place }: FilterOfPage, { ids, reached, todoOf, onMove, lift }: Rows): Manual {
  const order = useOrder();
  const isArchive = place.name === 'archive' || listing.includeArchived === true;
  const isManual = listing.sort === 'position' && place.name !== 'archive';
  const move = (id: string, to: Place) => {
    const todo = todoOf(id);
    if (!todo) return;
    onMove(id);
    void order(todo, listing.order === 'desc' ? reversed(to) : to, to);
  };
  const dragOf = useRowDrag((id) => !isArchive && lift?.(id), isManual ? move : undefined);
  const step = (by: 1 | -1) => {
    const to = reached === undefined ? null : placeAfterStep(ids, reached, by);
    if (to !== null && reached !== undefined) move(reached, to);
  };
  return { isManual, step, dragOf: (id, name) => (isManual || (lift && !isArchive) ? dragOf(id, name) : undefined) };
}

import { type Place, placeAfterStep, reversed } from '../work/order.ts';
import type { Todo } from '../work/queries.ts';
import { useOrder } from '../work/use-order.ts';
import type { FilterOfPage } from './use-filter.ts';
import { type RowDrag, useRowDrag } from './use-row-drag.ts';

interface Manual {
  /** Whether the list is in the manual order. */
  isManual: boolean;
  /** Moves the active row up or down. */
  step: (by: 1 | -1) => void;
  /** What a row is dragged with; undefined where the list is in another order. */
  dragOf: (id: string, name: string) => RowDrag | undefined;
}

interface Rows {
  /** The ids of the visible rows, and of the active one. */
  ids: readonly string[];
  active: string | undefined;
  todoOf: (id: string) => Todo | undefined;
  /** Called before a row moves. */
  onMove: (id: string) => void;
}

/** Changes of the manual order of a list: by keys, and by a pointer that drags rows. Archived todos have none. */
export function useManual({ listing, place }: FilterOfPage, { ids, active, todoOf, onMove }: Rows): Manual {
  const order = useOrder();
  const isManual = listing.sort === 'position' && place.name !== 'archive';
  const move = (id: string, to: Place) => {
    const todo = todoOf(id);
    if (!todo) return;
    onMove(id);
    void order(todo, listing.order === 'desc' ? reversed(to) : to, to);
  };
  const dragOf = useRowDrag(move);
  const step = (by: 1 | -1) => {
    const to = active === undefined ? null : placeAfterStep(ids, active, by);
    if (to !== null && active !== undefined) move(active, to);
  };
  return { isManual, step, dragOf: (id, name) => (isManual ? dragOf(id, name) : undefined) };
}

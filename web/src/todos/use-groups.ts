import { useCallback, useMemo, useState } from 'react';
import type { Todo } from '../todo-common/queries.ts';
import type { Filter, Place } from './filter.ts';
import type { HeldRow } from './held-rows.ts';

/** The group that a todo belongs to. */
export type GroupOf = (todo: Todo) => { id: string; name: string };

/** A run of rows that belong together. */
export interface Group {
  id: string;
  name: string;
  count: number;
  isCollapsed: boolean;
}

interface Groups {
  /** The ids of all rows, and of those that are not in a collapsed group. */
  all: readonly string[];
  ids: readonly string[];
  /** The ids of the visible rows, with the keys of the headings between them. */
  items: readonly string[];
  /** The groups by the keys of their headings. */
  groups: ReadonlyMap<string, Group>;
  /** The places of the headings in `items`. */
  headings: readonly number[];
}

/** The groups of rows that may be held in their places: while they are, each stays in the group that it had before. */
export function heldGroups(groupOf: GroupOf): (isHeld: boolean) => GroupOf {
  const before = new Map<string, ReturnType<GroupOf>>();
  return (isHeld) => (todo) => {
    const group = (isHeld ? before.get(todo.id) : undefined) ?? groupOf(todo);
    before.set(todo.id, group);
    return group;
  };
}

/**
 * The rows in groups, in their order. A row that came while others are held in their places may begin a second run of
 * the same group, so the key of a heading has the number of its run.
 */
export function groupRows(
  rows: readonly HeldRow[],
  groupOf: GroupOf | undefined,
  collapsed: ReadonlySet<string>,
): Groups {
  const all = rows.map(({ todo }) => todo.id);
  const groups = new Map<string, Group>();
  if (groupOf === undefined) return { all, ids: all, items: all, groups, headings: [] };
  const ids: string[] = [];
  const items: string[] = [];
  const headings: number[] = [];
  let last: Group | undefined;
  for (const { todo } of rows) {
    const { id, name } = groupOf(todo);
    if (last?.id !== id) {
      last = { id, name, count: 0, isCollapsed: collapsed.has(id) };
      headings.push(items.length);
      items.push(`#${groups.size} ${id}`);
      groups.set(`#${groups.size} ${id}`, last);
    }
    last.count++;
    if (last.isCollapsed) continue;
    ids.push(todo.id);
    items.push(todo.id);
  }
  return { all, ids, items, groups, headings };
}

function stored(key: string): ReadonlySet<string> {
  try {
    return new Set(JSON.parse(localStorage.getItem(key) ?? '[]') as string[]);
  } catch {
    return new Set();
  }
}

/**
 * The groups of the rows of a page; `groupOf` is that of the grouping. Which ones are collapsed is remembered in this
 * browser, for each page and grouping.
 */
export function useGroups(
  rows: readonly HeldRow[],
  place: Place,
  group: Filter['group'],
  groupOf: GroupOf | undefined,
) {
  const key = `tandem.collapsed.${place.name === 'list' ? place.todoListId : place.name}.${group ?? ''}`;
  const [state, setState] = useState(() => ({ key, collapsed: stored(key) }));
  if (state.key !== key) setState({ key, collapsed: stored(key) });
  const { collapsed } = state;
  const grouped = useMemo(() => groupRows(rows, groupOf, collapsed), [rows, groupOf, collapsed]);
  const toggle = useCallback(
    (id: string) => {
      const next = collapsed.symmetricDifference(new Set([id]));
      setState({ key, collapsed: next });
      try {
        localStorage.setItem(key, JSON.stringify([...next]));
      } catch {
        // Storage is disabled: the choice lasts until the page is left.
      }
    },
    [key, collapsed],
  );
  return { ...grouped, toggle };
}

import { useMemo, useRef, useState } from 'react';

/** The selected todos of a list, and how to change which they are. */
export interface Selection {
  selected: ReadonlySet<string>;
  toggle(id: string): void;
  set(ids: readonly string[]): void;
  /** Selects all rows from where the selection began, or `from`, up to a row. */
  extend(from: string, to: string): void;
}

/**
 * The selection of a list whose visible rows are `ids`, in their order. `all`: also those of collapsed groups. Todos that
 * leave the list leave the selection.
 */
export function useSelection(ids: readonly string[], all: readonly string[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string | null>(null);
  const selected = useMemo(() => {
    if (chosen.size === 0) return chosen;
    const listed = new Set(all);
    return chosen.isSubsetOf(listed) ? chosen : chosen.intersection(listed);
  }, [chosen, all]);
  return {
    selected,
    toggle: (id) => {
      anchor.current = id;
      setChosen(selected.symmetricDifference(new Set([id])));
    },
    set: (wanted) => {
      anchor.current = null;
      setChosen(new Set(wanted));
    },
    extend: (from, to) => {
      const begin = anchor.current !== null && selected.has(anchor.current) ? anchor.current : from;
      anchor.current = begin;
      const ends = [ids.indexOf(begin), ids.indexOf(to)].sort((a, b) => a - b);
      setChosen(new Set(ids.slice(ends[0], (ends[1] ?? 0) + 1)));
    },
  };
}

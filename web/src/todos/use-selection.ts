import { type RefObject, useMemo, useRef, useState } from 'react';

/** The selected todos of a list, and how to change which they are. */
export interface Selection {
  selected: ReadonlySet<string>;
  /** How many changes it had. What is to become selected after some time does not if there was one meanwhile. */
  changes: RefObject<number>;
  toggle(id: string): void;
  set(ids: readonly string[]): void;
  /** Selects all rows from where the selection began, or `from`, up to a row. */
  extend(from: string, to: string): void;
}

/**
 * The selection of a list whose visible rows are `ids`, in their order. `all`: also those of collapsed groups. Todos
 * that leave the list leave the selection.
 */
export function useSelection(ids: readonly string[], all: readonly string[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string | null>(null);
  const changes = useRef(0);
  const choose = (wanted: ReadonlySet<string>, begin: string | null) => {
    changes.current += 1;
    anchor.current = begin;
    setChosen(wanted);
  };
  const selected = useMemo(() => {
    if (chosen.size === 0) return chosen;
    const listed = new Set(all);
    return chosen.isSubsetOf(listed) ? chosen : chosen.intersection(listed);
  }, [chosen, all]);
  return {
    selected,
    changes,
    toggle: (id) => choose(selected.symmetricDifference(new Set([id])), id),
    set: (wanted) => choose(new Set(wanted), null),
    extend: (from, to) => {
      const begin = anchor.current !== null && selected.has(anchor.current) ? anchor.current : from;
      const ends = [ids.indexOf(begin), ids.indexOf(to)].sort((a, b) => a - b);
      choose(new Set(ids.slice(ends[0], (ends[1] ?? 0) + 1)), begin);
    },
  };
}

import { useRef } from 'react';
import type { Base, Change, Todo } from '../outbox/merge.ts';

export type Save = (change: Change, base?: Base) => Promise<boolean>;

/**
 * Saves a field that may stay open while the todo changes. A change is compared with the version that was shown when
 * the focus entered the field and with the changes made in it since, not with what arrived meanwhile.
 */
export function useOpened(todo: Todo, save: Save) {
  const opened = useRef<Base | null>(null);
  return {
    /** For the element around the field. */
    focus: {
      onFocus: () => {
        opened.current ??= todo;
      },
      onBlur: ({ currentTarget, relatedTarget }: { currentTarget: Node; relatedTarget: EventTarget | null }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) opened.current = null;
      },
    },
    /** Returns whether the change was stored. */
    change: async (change: Change): Promise<boolean> => {
      const base = opened.current ?? todo;
      const next = { ...base, ...change };
      if (opened.current !== null) opened.current = next;
      const isSaved = await save(change, base);
      // What the service has instead was shown with the question or the error.
      if (!isSaved && opened.current === next) opened.current = null;
      return isSaved;
    },
  };
}

/**
 * Returns a function that runs `save` unless the same value is being saved by it: Enter saves a field, and the Tab that
 * follows is no second change.
 */
export function useOneSave() {
  const saving = useRef<string>(null);
  return async (value: string, save: () => Promise<void>): Promise<void> => {
    if (saving.current === value) return;
    saving.current = value;
    await save();
    if (saving.current === value) saving.current = null;
  };
}

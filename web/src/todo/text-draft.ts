import type { Todo } from '../outbox/merge.ts';
import { useStoredDraft } from '../session/stored-drafts.ts';

type TextName = 'title' | 'content';

/** What the service stores of a text as it is typed. */
export const storedAs = {
  title: (text: string): string => text.trim(),
  content: (text: string): string | null => (text === '' ? null : text),
};

interface Typed {
  text: string;
  /** The value of the todo that the person began with. */
  base: string | null;
  /** Whether it was typed before the page was loaded. */
  isRestored: boolean;
}

/** A text of a todo that is being edited. */
export interface TextDraft {
  /** Null while nothing is edited. */
  typed: Typed | null;
  /** Begins with the value that the todo has, or goes on. */
  write: (text: string, todo: Todo) => void;
  /** `value` was stored: the draft ends unless more has been typed since. */
  saved: (value: string | null) => void;
  clear: () => void;
}

/** The draft of one text of a todo. It is stored while it differs from the value that it began with. */
export function useTextDraft(todoId: string, name: TextName): TextDraft {
  const key = `todo.${todoId}.${name}`;
  const [typed, change] = useStoredDraft<Typed | null>(
    key,
    (stored) => (stored as Typed | undefined) ?? null,
    (after) => (after === null || after.text === (after.base ?? '') ? undefined : { ...after, isRestored: true }),
  );
  return {
    typed,
    write: (text, todo) =>
      change((before) => (before === null ? { text, base: todo[name], isRestored: false } : { ...before, text })),
    saved: (value) =>
      change((before) => {
        if (before === null || storedAs[name](before.text) === value) return null;
        return { ...before, base: value, isRestored: false };
      }),
    clear: () => change(() => null),
  };
}

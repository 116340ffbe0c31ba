import { useEffect, useRef, useState } from 'react';
import { actorId } from '../api/acting.ts';

/*
 * What is typed and not sent yet, in session storage: it outlives a reload and a crash of this window. Signing out
 * removes it (captures/current-recording.ts); where that was done in another window, the next person here does.
 */

/** shell/background.ts reads the names too. */
const keyOf = (name: string) => `tandem.draft.${actorId()}.${name}`;

/** The draft of this name; undefined where there is none. */
export function storedDraft<Value>(name: string): Value | undefined {
  try {
    const text = sessionStorage.getItem(keyOf(name));
    return text === null ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined;
  }
}

/** Stores a draft as JSON, or removes it where it is `undefined`. */
export function storeDraft(name: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(keyOf(name));
    else sessionStorage.setItem(keyOf(name), JSON.stringify(value));
  } catch {
    // Storage is disabled or full: the draft is lost with the window.
  }
}

/**
 * How the forms that are shown change their drafts, by the name: one form at a time shows a draft. A form that is gone
 * changes that of the shown one, which may have what could not be stored.
 */
const shown = new Map<string, (next: never) => unknown>();

/**
 * The draft with this name, and a function that changes and returns it. A form that has left the page changes what is
 * shown or stored now: React may not run its updater any more. `restore` makes the draft from what is stored, `stored`
 * the reverse.
 */
export function useStoredDraft<Draft>(
  name: string,
  restore: (stored: unknown) => Draft,
  stored: (draft: Draft) => unknown,
): [draft: Draft, change: (next: (before: Draft) => Draft) => Draft] {
  const read = () => restore(storedDraft(name));
  const [draft, setDraft] = useState(read);
  const latest = useRef(draft);
  const set = (after: Draft) => {
    storeDraft(name, stored(after));
    setDraft(after);
    latest.current = after;
    return after;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name is that of the form, and never changes.
  useEffect(() => {
    shown.set(name, (next: (before: Draft) => Draft) => set(next(latest.current)));
    return () => void shown.delete(name);
  }, []);
  const change = (next: (before: Draft) => Draft) => {
    const inForm = shown.get(name);
    return inForm ? (inForm(next as never) as Draft) : set(next(read()));
  };
  return [draft, change];
}

/**
 * A text that outlives a reload of this window until it is sent, and how to change it. `sent`: only where it is this
 * text still.
 */
export function useStoredText(name: string): [text: string, write: (text: string, sent?: string) => void] {
  const [text, change] = useStoredDraft(
    name,
    (stored) => (stored ?? '') as string,
    (draft) => draft || undefined,
  );
  return [text, (next, sent) => change((before) => (sent === undefined || before === sent ? next : before))];
}

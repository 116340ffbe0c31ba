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

/** What shows drafts, by the name. A form that is gone changes what these have: they may have what could not be stored. */
const shown = new Set<{ name: string; change: (next: never) => unknown }>();

/**
 * The draft of this name, and how to change it, which returns it. A form that has left the page changes what is shown or
 * stored by then: React may run no updater of it any more. `restore` makes the draft of what is stored, `stored` the reverse.
 */
export function useStoredDraft<Draft>(
  name: string,
  restore: (stored: unknown) => Draft,
  stored: (draft: Draft) => unknown,
): [draft: Draft, change: (next: (before: Draft) => Draft) => Draft] {
  const read = () => restore(storedDraft(name));
  const [draft, setDraft] = useState(read);
  const latest = useRef(draft);
  const isHere = useRef(false);
  const change = (next: (before: Draft) => Draft): Draft => {
    const others = isHere.current ? [] : [...shown].filter((other) => other.name === name);
    if (others.length > 0) return others.map((other) => other.change(next as never) as Draft)[0] as Draft;
    const after = next(isHere.current ? latest.current : read());
    storeDraft(name, stored(after));
    latest.current = after;
    setDraft(after);
    return after;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name is that of the form, and never changes.
  useEffect(() => {
    const own = { name, change };
    isHere.current = true;
    shown.add(own);
    return () => {
      isHere.current = false;
      shown.delete(own);
    };
  }, []);
  return [draft, change];
}

/**
 * A text that outlives a reload of this window until it is sent, and how to change it. `sent`: only where it is this text
 * still.
 */
export function useStoredText(name: string): [text: string, write: (text: string, sent?: string) => void] {
  const [text, change] = useStoredDraft(
    name,
    (stored) => (stored ?? '') as string,
    (draft) => draft || undefined,
  );
  return [text, (next, sent) => change((before) => (sent === undefined || before === sent ? next : before))];
}

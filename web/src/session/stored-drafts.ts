import { useState } from 'react';
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

/** A text that outlives a reload of this window until it is sent, and how to change it. */
export function useStoredText(name: string): [text: string, write: (text: string) => void] {
  const [text, setText] = useState(() => storedDraft<string>(name) ?? '');
  const write = (next: string) => {
    setText(next);
    storeDraft(name, next === '' ? undefined : next);
  };
  return [text, write];
}

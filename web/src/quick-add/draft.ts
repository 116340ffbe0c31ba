import { useState } from 'react';
import { guardSession } from '../session/session.ts';
import { keyOf, type TokenKind } from './parse.ts';

/** A line that is not a todo yet. `plain`: its tokens that are text, by `keyOf`; `pasted`: lines that are offered as todos. */
interface LineDraft {
  text: string;
  plain: readonly string[];
  pasted: string;
}

const empty: LineDraft = { text: '', plain: [], pasted: '' };
const prefix = 'tandem.quickAdd.';
const keyIn = (workspaceId: string) => prefix + workspaceId;

guardSession({
  check: () => {},
  clear: () => {
    try {
      for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
    } catch {
      // Storage is disabled: nothing was stored.
    }
  },
});

function stored(workspaceId: string): LineDraft {
  try {
    return { ...empty, ...(JSON.parse(sessionStorage.getItem(keyIn(workspaceId)) ?? '{}') as Partial<LineDraft>) };
  } catch {
    return empty;
  }
}

function store(workspaceId: string, draft: LineDraft): void {
  try {
    if (draft.text === '' && draft.pasted === '') sessionStorage.removeItem(keyIn(workspaceId));
    else sessionStorage.setItem(keyIn(workspaceId), JSON.stringify(draft));
  } catch {
    // Storage is disabled or full: the line is lost with the window.
  }
}

/** The text of a token in `keyOf`. */
function textOf(key: string): string {
  const kind = key.split(' ')[0] as TokenKind;
  return key.slice(keyOf({ kind, text: '' }).length);
}

/** The draft of a workspace. It outlives a reload of this window; signing out removes it. */
export function useLineDraft(workspaceId: string) {
  const [draft, setDraft] = useState(() => stored(workspaceId));
  const change = (changes: Partial<LineDraft>) =>
    setDraft((before) => {
      const next = { ...before, ...changes };
      const lower = next.text.toLowerCase();
      // What is typed anew later is read again.
      const plain = next.plain.filter((key) => lower.includes(textOf(key)));
      store(workspaceId, { ...next, plain });
      return { ...next, plain };
    });
  return { draft, change };
}

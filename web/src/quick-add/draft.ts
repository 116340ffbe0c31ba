import { useState } from 'react';
import { storeDraft, storedDraft } from '../session/stored-drafts.ts';
import { keyOf, type TokenKind } from './parse.ts';

/** A line that is not a todo yet. `plain`: its tokens that are text, by `keyOf`; `pasted`: lines that are offered as todos. */
interface LineDraft {
  text: string;
  plain: readonly string[];
  pasted: string;
}

const empty: LineDraft = { text: '', plain: [], pasted: '' };
const nameOf = (workspaceId: string) => `quickAdd.${workspaceId}`;

function store(workspaceId: string, draft: LineDraft): void {
  storeDraft(nameOf(workspaceId), draft.text === '' && draft.pasted === '' ? undefined : draft);
}

/** The text of a token in `keyOf`. */
function textOf(key: string): string {
  const kind = key.split(' ')[0] as TokenKind;
  return key.slice(keyOf({ kind, text: '' }).length);
}

/** The draft of a workspace. It outlives a reload of this window; signing out removes it. */
export function useLineDraft(workspaceId: string) {
  const [draft, setDraft] = useState(() => ({ ...empty, ...storedDraft<Partial<LineDraft>>(nameOf(workspaceId)) }));
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

import { useState } from 'react';
import { storeDraft, storedDraft } from '../session/stored-drafts.ts';
import { keyOf, type TokenKind } from './parse.ts';

/**
 * A line that is not a todo yet. `plain`: its tokens that are text, by `keyOf`; `pasted`: lines that are offered as todos;
 * `shared`: the part that another application shared, in which no tokens are read.
 */
interface LineDraft {
  text: string;
  plain: readonly string[];
  pasted: string;
  shared: string;
}

const empty: LineDraft = { text: '', plain: [], pasted: '', shared: '' };
const nameOf = (of: string) => `quickAdd.${of}`;

function store(of: string, draft: LineDraft): void {
  storeDraft(nameOf(of), draft.text === '' && draft.pasted === '' ? undefined : draft);
}

/** The text of a token in `keyOf`. */
function textOf(key: string): string {
  const kind = key.split(' ')[0] as TokenKind;
  return key.slice(keyOf({ kind, text: '' }).length);
}

/** Of the field; a longer text is no line. */
const maxLength = 600;

/**
 * Adds a text that another application shared to the stored draft, after what is there. Returns false, and does nothing,
 * where it is no line or too long. Call it before the form is shown.
 */
export function addToLineDraft(workspaceId: string, shared: string): boolean {
  const draft = { ...empty, ...storedDraft<Partial<LineDraft>>(nameOf(workspaceId)) };
  const text = [draft.text, shared].filter(Boolean).join(' ');
  // One part of the line: what was shared before it must be next to it.
  const isApart = draft.shared !== '' && !draft.text.endsWith(draft.shared);
  if (/[\r\n]/.test(shared) || text.length > maxLength || isApart) return false;
  store(workspaceId, { ...draft, text, shared: [draft.shared, shared].filter(Boolean).join(' ') });
  return true;
}

/** The draft of a workspace, or of the todo whose sub-todos are added. It outlives a reload of this window; signing out removes it. */
export function useLineDraft(of: string) {
  const [draft, setDraft] = useState(() => ({ ...empty, ...storedDraft<Partial<LineDraft>>(nameOf(of)) }));
  const change = (changes: Partial<LineDraft>) =>
    setDraft((before) => {
      const next = { ...before, ...changes };
      const lower = next.text.toLowerCase();
      // What is typed anew later is read again.
      const plain = next.plain.filter((key) => lower.includes(textOf(key)));
      const shared = next.text.includes(next.shared) ? next.shared : '';
      store(of, { ...next, plain, shared });
      return { ...next, plain, shared };
    });
  return { draft, change };
}

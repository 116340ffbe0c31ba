import { nameOf, restored } from '../quick-add/draft.ts';
import { storeDraft, storedDraft } from '../session/stored-drafts.ts';

/*
 * What is shared and becomes the line of a new todo. Apart from the draft of that form, which every list loads first.
 */

/** Of the field; a longer text is no line. */
const maxLength = 600;

/**
 * Adds a text that another application shared to the stored draft of a line, after what is there. Returns false, and
 * does nothing, where it is no line or too long. Call it before the form is shown.
 */
export function addToLineDraft(workspaceId: string, shared: string): boolean {
  const draft = restored(storedDraft(nameOf(workspaceId)));
  const text = [draft.text, shared].filter(Boolean).join(' ');
  // One part of the line: what was shared before it must be next to it.
  const isApart = draft.shared !== '' && !draft.text.endsWith(draft.shared);
  if (/[\r\n]/.test(shared) || text.length > maxLength || isApart) return false;
  storeDraft(nameOf(workspaceId), { ...draft, text, shared: [draft.shared, shared].filter(Boolean).join(' ') });
  return true;
}

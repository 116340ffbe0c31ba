import { storeDraft, storedDraft, useStoredDraft } from '../session/stored-drafts.ts';

/* A note that is not saved yet. */

/** The fields of the form. */
export interface NoteDraft {
  title: string;
  content: string;
}

const nameOf = (workspaceId: string) => `note.new.${workspaceId}`;
const empty: NoteDraft = { title: '', content: '' };
const restored = (stored: unknown): NoteDraft => ({ ...empty, ...(stored as Partial<NoteDraft> | undefined) });

/**
 * The note of a workspace, how to change it, and how to empty it once `sent` is saved: not where more has been typed
 * since.
 */
export function useNoteDraft(workspaceId: string) {
  const [note, change] = useStoredDraft(nameOf(workspaceId), restored, (next) =>
    next.title === '' && next.content === '' ? undefined : next,
  );
  return {
    note,
    write: (changes: Partial<NoteDraft>) => change((before) => ({ ...before, ...changes })),
    saved: ({ title, content }: NoteDraft) =>
      change((before) => (before.title === title && before.content === content ? empty : before)),
  };
}

/** Adds a text after that of the stored note. Call it before the form is shown. */
export function addToNote(workspaceId: string, text: string): void {
  const name = nameOf(workspaceId);
  const note = restored(storedDraft(name));
  storeDraft(name, { ...note, content: [note.content, text].filter(Boolean).join('\n\n') });
}

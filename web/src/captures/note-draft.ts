import { storeDraft, storedDraft } from '../session/stored-drafts.ts';

/* A note that is not saved yet. */

/** The fields of the form. */
export interface NoteDraft {
  title: string;
  content: string;
}

const name = 'note.new';

/** The stored note; empty where there is none. */
export function storedNote(): NoteDraft {
  return { title: '', content: '', ...storedDraft<Partial<NoteDraft>>(name) };
}

/** Whether the stored note is this one. */
export function isStoredNote({ title, content }: NoteDraft): boolean {
  const stored = storedNote();
  return stored.title === title && stored.content === content;
}

/** Stores the note, or removes it. */
export function storeNote(note: NoteDraft | null): void {
  storeDraft(name, note ?? undefined);
}

/** Adds a text after that of the stored note. Call it before the form is shown. */
export function addToNote(text: string): void {
  const note = storedNote();
  storeNote({ ...note, content: [note.content, text].filter(Boolean).join('\n\n') });
}

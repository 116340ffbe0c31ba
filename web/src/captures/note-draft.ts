/* A note that is not saved yet, in session storage; signing out removes it. */

/** The fields of the form. */
export interface NoteDraft {
  title: string;
  content: string;
}

const key = 'tandem.note.new';

/** The stored note; empty where there is none. */
export function storedNote(): NoteDraft {
  const none = { title: '', content: '' };
  try {
    return { ...none, ...(JSON.parse(sessionStorage.getItem(key) ?? '{}') as object) };
  } catch {
    return none;
  }
}

/** Stores the note, or removes it. */
export function storeNote(note: NoteDraft | null): void {
  try {
    if (note) sessionStorage.setItem(key, JSON.stringify(note));
    else sessionStorage.removeItem(key);
  } catch {
    // Storage is disabled.
  }
}

/** Adds a text after that of the stored note. Call it before the form is shown. */
export function addToNote(text: string): void {
  const note = storedNote();
  storeNote({ ...note, content: [note.content, text].filter(Boolean).join('\n\n') });
}

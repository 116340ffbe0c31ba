/* The form that the system sends for what another application shares (`share_target` of the manifest). */

/** Files and texts that wait at most. */
export const maxShared = 20;
const maxFileBytes = 256 * 2 ** 20;
/** Less than a note may have. */
const maxTextLength = 100_000;

/** One text of what is shared; a title or address that is in the text already is not repeated. */
export function joinedText(parts: readonly string[]): string {
  const [title = '', text = '', url = ''] = parts.map((part) => part.trim());
  const repeats = (part: string) => part === '' || text.includes(part);
  return [...(repeats(title) ? [] : [title]), text, ...(repeats(url) ? [] : [url])].filter(Boolean).join(' ');
}

/**
 * What a form shares: files, or else a text. What accompanies a file is its name, or a sentence of the application that
 * shares it, and is left out.
 */
export function readShare(form: FormData): { text: string; files: File[] } | 'empty' | 'too_large' {
  const files = form.getAll('files').flatMap((value) => (typeof value === 'string' ? [] : [value]));
  const text = joinedText(['title', 'text', 'url'].map((name) => String(form.get(name) ?? '')));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > maxShared || bytes > maxFileBytes || text.length > maxTextLength) return 'too_large';
  return files.length === 0 && text === '' ? 'empty' : { text, files };
}

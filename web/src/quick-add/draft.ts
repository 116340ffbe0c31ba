import { useStoredDraft } from '../session/stored-drafts.ts';
import { keyOf, type TokenKind } from './parse.ts';

/**
 * A line that is not a todo yet. `plain`: its tokens that are text, by `keyOf`; `pasted`: lines that are offered as
 * todos; `shared`: the part that another application shared, in which no tokens are read; `made`: the id that a line
 * was sent with; `sent`: the ids that the first lines of `pasted` were sent with while those were `text`.
 */
export interface LineDraft {
  text: string;
  plain: readonly string[];
  pasted: string;
  shared: string;
  made: { text: string; id: string };
  sent?: { text: string; ids: readonly string[] } | undefined;
}

/** No line has been sent. */
export const noneMade: LineDraft['made'] = { text: '', id: '' };
const empty: LineDraft = { text: '', plain: [], pasted: '', shared: '', made: noneMade };
/** The name of a draft by the id of the workspace, or of the todo whose sub-todos are added. */
export const nameOf = (of: string) => `quickAdd.${of}`;
export const restored = (stored: unknown): LineDraft => ({ ...empty, ...(stored as Partial<LineDraft> | undefined) });

/** The text of a token in `keyOf`. */
function textOf(key: string): string {
  const kind = key.split(' ')[0] as TokenKind;
  return key.slice(keyOf({ kind, text: '' }).length);
}

/**
 * The draft of a workspace, or of the todo whose sub-todos are added. It outlives a reload of this window; signing out
 * removes it.
 */
export function useLineDraft(of: string) {
  const [draft, set] = useStoredDraft(nameOf(of), restored, (line) =>
    line.text === '' && line.pasted === '' ? undefined : line,
  );
  const change = (changes: Partial<LineDraft> | ((before: LineDraft) => Partial<LineDraft>)) =>
    set((before) => {
      const next = { ...before, ...(typeof changes === 'function' ? changes(before) : changes) };
      const lower = next.text.toLowerCase();
      // What is typed anew later is read again.
      const plain = next.plain.filter((key) => lower.includes(textOf(key)));
      return { ...next, plain, shared: next.text.includes(next.shared) ? next.shared : '' };
    });
  return { draft, change };
}

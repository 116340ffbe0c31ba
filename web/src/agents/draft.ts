import { useStoredDraft } from '../session/stored-drafts.ts';
import { isSame } from './merge.ts';

/** What is typed and not saved yet. */
interface Typed<Value> {
  value: Value;
  /** The value that it was begun with, or was compared with last. */
  base: Value;
  /** Whether it was typed before the page was loaded. */
  isRestored: boolean;
}

/** A value that is being edited. */
export interface Draft<Value> {
  /** Null while nothing is edited. */
  typed: Typed<Value> | null;
  /** Begins with the value that the service has, or goes on. */
  write: (value: Value, current: Value) => void;
  /** Goes on from the value that somebody else has set meanwhile; `value`: what both come to. */
  rebase: (base: Value, value?: Value) => void;
  /** `value` was saved: the draft ends unless more has been typed since. */
  saved: (value: Value) => void;
  clear: () => void;
}

/** The draft of this name, stored while it differs from the value that it was begun with. */
export function useDraft<Value>(name: string): Draft<Value> {
  const [typed, set] = useStoredDraft<Typed<Value> | null>(
    name,
    (stored) => (stored as Typed<Value> | undefined) ?? null,
    (after) => (after === null ? undefined : { ...after, isRestored: true }),
  );
  const change = (next: (before: Typed<Value> | null) => Typed<Value> | null) =>
    set((before) => {
      const after = next(before);
      return after === null || isSame(after.value, after.base) ? null : after;
    });
  return {
    typed,
    write: (value, current) =>
      change((before) =>
        before === null || isSame(before.value, current)
          ? { value, base: current, isRestored: false }
          : { ...before, value },
      ),
    rebase: (base, value) =>
      change((before) => (before === null ? null : { ...before, base, ...(value !== undefined && { value }) })),
    saved: (value) => change((before) => (before === null ? null : { ...before, base: value, isRestored: false })),
    clear: () => change(() => null),
  };
}

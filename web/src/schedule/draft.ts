import { useState } from 'react';
import { storeDraft, storedDraft } from '../session/stored-drafts.ts';
import type { ScheduleValues, StoredSchedule } from './request.ts';

/** What is typed in the editor of a schedule, and the schedule that it was made of. */
interface TypedSchedule {
  values: ScheduleValues;
  base: StoredSchedule;
  /** Whether it was typed before the page was loaded. */
  isRestored?: true;
}

/** The draft of a schedule. */
export interface ScheduleDraft {
  /** Null while the editor is closed. */
  typed: TypedSchedule | null;
  write: (typed: TypedSchedule) => void;
  clear: () => void;
}

/** The draft of the schedule of a todo. It outlives a reload; signing out removes it. */
export function useScheduleDraft(todoId: string): ScheduleDraft {
  const key = `todo.${todoId}.schedule`;
  const [typed, setTyped] = useState(() => storedDraft<TypedSchedule>(key) ?? null);
  const change = (next: TypedSchedule | null) => {
    storeDraft(key, next === null ? undefined : { ...next, isRestored: true });
    setTyped(next);
  };
  return { typed, write: change, clear: () => change(null) };
}

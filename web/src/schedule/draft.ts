import { useStoredDraft } from '../session/stored-drafts.ts';
import { type ScheduleValues, type StoredSchedule, storedOf } from './request.ts';
import { valuesOf } from './values.ts';

/** What is typed in the editor of a schedule, what the fields began with, and the schedule that it was made of. */
interface TypedSchedule {
  values: ScheduleValues;
  begun: ScheduleValues;
  base: StoredSchedule;
  /** Whether it was typed before the page was loaded. */
  isRestored?: true;
}

/** The draft of a schedule. */
export interface ScheduleDraft {
  /** Null while the editor is closed. */
  typed: TypedSchedule | null;
  write: (typed: TypedSchedule) => void;
  /** `values` were saved, as `base`: the draft ends unless more has been typed since. Returns whether it has ended. */
  saved: (values: ScheduleValues, base: StoredSchedule) => boolean;
  clear: () => void;
}

/** What the editor of a stored schedule, or of a new one in the zone of the workspace, opens with. */
export function begin(stored: StoredSchedule, timezoneOfWorkspace: string): TypedSchedule {
  const values = valuesOf(stored, timezoneOfWorkspace);
  return { values, begun: values, base: storedOf(stored) };
}

export const isSame = (one: ScheduleValues, other: ScheduleValues) => JSON.stringify(one) === JSON.stringify(other);

/** The draft of the schedule of a todo. It outlives a reload; signing out removes it. */
export function useScheduleDraft(todoId: string): ScheduleDraft {
  const [typed, change] = useStoredDraft<TypedSchedule | null>(
    `todo.${todoId}.schedule`,
    (stored) => (stored as TypedSchedule | undefined) ?? null,
    (after) => (after === null ? undefined : { ...after, isRestored: true }),
  );
  return {
    typed,
    write: (next) => change(() => next),
    saved: (values, base) =>
      change((before) =>
        before === null || isSame(before.values, values) ? null : { values: before.values, begun: values, base },
      ) === null,
    clear: () => change(() => null),
  };
}

import type { TandemInputs, TandemOutputs } from 'tandem/client';

/* Changes of one todo by several clients at once: a three-way merge, field by field. */

export type Todo = TandemOutputs['todos']['get'];
type Update = TandemInputs['todos']['update'];

/** The fields that the page of a todo changes. */
export type Change = Omit<Update, 'todoId'>;

/** The fields of a todo that a change of its schedule replaces. */
type Scheduled = Pick<Todo, 'scheduleType' | 'rrule' | 'timezone' | 'nextRunAt' | 'scheduleStatus'>;

/** What a change was made of: the values of its fields, as a todo or as a change has them. */
export type Base = { readonly [Field in keyof Change]?: unknown } & Partial<Scheduled & Pick<Todo, 'labels'>>;

/** A field that two clients changed to different values. */
export interface Conflict {
  field: keyof Change;
  /** The change of this page. */
  mine: Change;
  /** The todo as the other client left it. */
  current: Todo;
}

/** A schedule without what its own times change; null where there is none. */
function scheduleOf({ scheduleType = null, rrule, timezone, nextRunAt }: Base): unknown {
  return scheduleType === null ? null : { rrule, timezone, ...(scheduleType === 'one_off' && { runAt: nextRunAt }) };
}

/** The value of a field in the form in which a change has it; of a schedule, what a change of it would replace. */
export function fieldOf(base: Base, field: keyof Change): unknown {
  if (field === 'schedule') return scheduleOf(base);
  if (field === 'schedulePaused') return base.scheduleStatus === 'disabled';
  if (field === 'assignees') return (base.assignees as Todo['assignees'] | undefined)?.map(({ id }) => ({ id }));
  if (field === 'labelIds') return base.labelIds ?? base.labels?.map(({ id }) => id).sort();
  return base[field];
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/**
 * What is left of a change that was made of `base` when the todo is `current` by now: `rest` are the fields that nobody
 * else changed, `conflicts` those that another client set to something else. A field that both set to the same value is
 * neither.
 */
export function mergeChange(base: Base, current: Todo, change: Change): { rest: Change; conflicts: Conflict[] } {
  const rest: Record<string, unknown> = {};
  const conflicts: Conflict[] = [];
  for (const [name, value] of Object.entries(change)) {
    const field = name as keyof Change;
    const theirs = fieldOf(current, field);
    if (isSame(theirs, value)) continue;
    if (isSame(theirs, fieldOf(base, field))) rest[field] = value;
    else conflicts.push({ field, mine: { [field]: value } as Change, current });
  }
  return { rest: rest as Change, conflicts };
}

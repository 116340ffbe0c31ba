import type { TandemInputs, TandemOutputs } from 'tandem/client';

/* Changes of one todo by several clients at once: a three-way merge, field by field. */

export type Todo = TandemOutputs['todos']['get'];
type Update = TandemInputs['todos']['update'];

/** The fields that the page of a todo changes. */
export type Change = Omit<Update, 'todoId' | 'schedule' | 'schedulePaused'>;

/** What a change was made of: the values of its fields, as a todo or as a change has them. */
export type Base = { readonly [Field in keyof Change]?: unknown };

/** A field that two clients changed to different values. */
export interface Conflict {
  field: keyof Change;
  /** The change of this page. */
  mine: Change;
  /** The todo as the other client left it. */
  current: Todo;
}

/** The value of a field in the form in which a change has it. */
export function fieldOf(base: Base, field: keyof Change): unknown {
  if (field === 'assignees') return (base.assignees as Todo['assignees'] | undefined)?.map(({ id }) => ({ id }));
  return base[field];
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/**
 * What is left of a change that was made of `base` when the todo is `current` by now: `rest` are the fields that nobody else
 * changed, `conflicts` those that another client set to something else. A field that both set to the same value is neither.
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

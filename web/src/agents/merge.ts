import type { TandemInputs, TandemOutputs } from 'tandem/client';

/* Changes of one agent by several clients at once: a three-way merge, field by field. */

export type Agent = TandemOutputs['agents']['list']['data'][number];
export type AgentDetail = TandemOutputs['agents']['get'];
export type Patch = Omit<TandemInputs['agents']['preview'], 'agentId'>;
type Clearable = NonNullable<Patch['clear']>[number];

/** The fields that the pages of an agent change. Null empties one. */
export type Change = Partial<
  Pick<
    Agent,
    | 'name'
    | 'description'
    | 'instructions'
    | 'approvalGuidance'
    | 'requiresApproval'
    | 'workingHoursEnabled'
    | 'workingHours'
  >
>;
export type Field = keyof Change;

/** The values of fields that a change was made of. */
export type Base = { readonly [Name in Field]?: unknown };

/** Properties in the order of the alphabet, so that equal objects have equal texts. */
function textOf(value: unknown): string {
  const sorted = (_: string, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each;
  return JSON.stringify(value ?? null, sorted);
}

/** Whether two values of a field are equal. */
export function isSame(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other);
}

/**
 * What is left of a change that was made to `base`, when the agent is `current` now. `rest`: the fields that nobody
 * else changed. `conflicts`: those that another client set to another value. A field that both set to the same value is
 * in neither.
 */
export function mergeChange(base: Base, current: Agent, change: Change): { rest: Change; conflicts: Field[] } {
  const rest: Record<string, unknown> = {};
  const conflicts: Field[] = [];
  for (const [name, value] of Object.entries(change)) {
    const field = name as Field;
    if (isSame(current[field], value)) continue;
    if (isSame(current[field], base[field])) rest[field] = value;
    else conflicts.push(field);
  }
  return { rest: rest as Change, conflicts };
}

/** A change as updateAgent and previewAgentUpdate take it: empty fields by their names in `clear`. */
export function patchOf(change: Change): Patch {
  const entries = Object.entries(change);
  const clear = entries.flatMap(([name, value]) => (value === null ? [name as Clearable] : []));
  const given = Object.fromEntries(entries.filter(([, value]) => value !== null));
  return { ...given, ...(clear.length > 0 && { clear }) };
}

import { isDeepStrictEqual } from 'node:util';
import { conflict, type Failure, invalid } from '../errors.ts';
import { codePoints } from '../fields.ts';
import { tidyHours } from './hours-shapes.ts';
import { type AgentAnswer, type AgentChanges, agentFields, type FieldChange } from './shapes.ts';

/** The fields of an agent that a person sets. */
export type AgentSettings = Pick<AgentAnswer, (typeof agentFields)[number]>;

const redacted = new Set<string>(['description', 'instructions', 'approvalGuidance']);

function changeOf(
  field: FieldChange['field'],
  before: FieldChange['before'],
  after: FieldChange['after'],
): FieldChange {
  const action = before === null ? 'set' : after === null ? 'cleared' : 'changed';
  const lengthOf = (value: unknown) => (typeof value === 'string' ? codePoints(value) : null);
  const values = redacted.has(field)
    ? { before: null, after: null, redacted: true, beforeLength: lengthOf(before), afterLength: lengthOf(after) }
    : { before, after, redacted: false, beforeLength: null, afterLength: null };
  return { object: 'agent_field_change', field, action, ...values };
}

/** The differences between two states of an agent, field by field; long texts by their lengths alone (CONTRACT §6). */
export function changesBetween(before: AgentSettings, after: AgentSettings): FieldChange[] {
  const differing = agentFields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  return differing.map((field) => changeOf(field, before[field], after[field]));
}

/** @throws Failure 400 when a patch both gives and clears a field. */
export function requireOneWay<Field extends string>(
  patch: { clear?: Field[] | undefined } & Partial<Record<Field, unknown>>,
) {
  const index = patch.clear?.findIndex((field) => patch[field] !== undefined) ?? -1;
  if (index < 0) return;
  throw invalid(`clear[${index}]`, `“${patch.clear?.[index]}” is both given and cleared. Leave one of the two out.`);
}

function withoutHours({ clear = [], workingHoursEnabled }: AgentChanges): Failure {
  const index = clear.indexOf('workingHours');
  if (index < 0) {
    return invalid('workingHoursEnabled', 'This agent has no working hours. Pass workingHours too.');
  }
  const instead = workingHoursEnabled
    ? 'Leave it out of clear, or pass workingHoursEnabled: false.'
    : 'Pass workingHoursEnabled: false with it, or give new workingHours instead.';
  return invalid(`clear[${index}]`, `An agent with workingHoursEnabled needs workingHours. ${instead}`);
}

/** The settings of an agent after a patch. @throws Failure 400 when working hours are enabled and there are none. */
export function settingsAfter(agent: AgentSettings, patch: AgentChanges): AgentSettings {
  const { archived, clear = [], expectedVersion: _, workingHours, ...given } = patch;
  const before = Object.fromEntries(agentFields.map((field) => [field, agent[field]]));
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const after = {
    ...before,
    ...Object.fromEntries(set),
    ...(workingHours && { workingHours: tidyHours(workingHours) }),
    ...(archived !== undefined && { isArchived: archived }),
    ...Object.fromEntries(clear.map((field) => [field, null])),
  } as AgentSettings;
  if (after.workingHoursEnabled && after.workingHours === null) throw withoutHours(patch);
  return after;
}

/** @throws Failure 409 `version_mismatch` when the agent is at another version than the caller has seen. */
export function requireVersion({ version }: AgentAnswer, expected: number | undefined): void {
  if (expected === undefined || expected === version) return;
  const message = `The agent is at version ${version} now, not ${expected}. Read it again and repeat the change with the current version.`;
  const errors = [{ param: 'expectedVersion', code: 'version_mismatch', message }];
  throw conflict(message, { reason: 'version_mismatch', currentVersion: version, errors });
}

import { argumentsOf, isId, type Subject, setsOf, subjectField } from './subject.ts';

/* What the call of a tool would change, field by field and in words. */

/** One field that a call sets. */
export interface FieldEffect {
  field: string;
  label: string;
  /** The present value; null where there is none to compare with, as of something new. */
  before: string | null;
  after: string;
  /** Whether the value stays the same. */
  isSame: boolean;
}

/** The name of a member, agent or list by its id. */
export type NameOf = (id: string) => string | undefined;

const labels: Readonly<Record<string, string>> = {
  content: 'text',
  todoListId: 'list',
  todoListName: 'list',
  isSuggested: 'suggestion',
  run: 'start an agent at once',
  requiresApproval: 'asks before changes',
  archived: 'archived',
  rrule: 'rule',
};

/** A field in words: `dueDate` as `due date`, `agentId` as `agent`. */
export function labelOf(field: string): string {
  const plain = field.length > 2 ? field.replace(/Ids$/, 's').replace(/Id$/, '') : field;
  return labels[field] ?? plain.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`).replaceAll('_', ' ');
}

/** A label at the start of a line. */
export function headed(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const instant = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const isDay = /^\d{4}-\d\d-\d\d$/;
const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
/** Fields whose values are names of the API, such as `in_progress`. */
const enums = new Set(['status', 'priority', 'type', 'every']);

function textWords(field: string, value: string, nameOf: NameOf): string {
  if (value === '') return 'empty';
  if (value === 'me') return 'the person that it works for';
  if (isId(value)) return nameOf(value) ?? `unknown (${value})`;
  if (isDay.test(value) && !Number.isNaN(Date.parse(value))) return day.format(new Date(value));
  if (isInstant.test(value) && !Number.isNaN(Date.parse(value))) return instant.format(new Date(value));
  return enums.has(field) ? value.replaceAll('_', ' ') : value;
}

/** A value of a field in words, with names for ids where they are known. */
export function valueWords(field: string, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return textWords(field, value, nameOf);
  if (Array.isArray(value)) {
    if (value.length === 0) return field === 'assignees' ? 'nobody' : 'none';
    return value.map((each) => valueWords(field, each, nameOf)).join(', ');
  }
  if (typeof value !== 'object') return String(value);
  const { id, name } = value as { id?: unknown; name?: unknown };
  if (typeof name === 'string') return name;
  if (typeof id === 'string') return textWords(field, id, nameOf);
  return Object.entries(value)
    .map(([key, each]) => `${labelOf(key)}: ${valueWords(key, each, nameOf)}`)
    .join('; ');
}

/** Arguments that are long texts. */
export const longFields = ['content', 'instructions', 'message', 'notes', 'description', 'comment', 'approvalGuidance'];

function rankOf(field: string): number {
  if (field === 'title' || field === 'name') return 0;
  return longFields.includes(field) ? 2 : 1;
}

/** The arguments of a call, with `clear` spelled out as the fields that it empties. */
function spelledOut(input: unknown): Record<string, unknown> {
  const { clear, ...given } = argumentsOf(input);
  const emptied = Array.isArray(clear) ? clear.filter((each): each is string => typeof each === 'string') : [];
  return { ...given, ...Object.fromEntries(emptied.map((field) => [field, null])) };
}

/**
 * What a call would set, names first and long texts last, each beside the present value of `subject`. What it is about
 * is left out.
 */
export function effectOf(
  { toolName, input }: { toolName: string; input?: unknown },
  subject: Subject | null,
  nameOf: NameOf,
): FieldEffect[] {
  const own = subjectField(toolName);
  return Object.entries({ ...spelledOut(input), ...setsOf(toolName) })
    .filter(([field]) => field !== own)
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .map(([field, value]) => {
      const isKnown = subject !== null && field in subject.fields;
      const before = isKnown ? valueWords(field, subject.fields[field], nameOf) : null;
      const after = valueWords(field, value, nameOf);
      return { field, label: labelOf(field), before, after, isSame: before === after };
    });
}

/** What a person changed in the arguments of a call before they approved it. */
export function editsOf(asked: unknown, approved: unknown, nameOf: NameOf): FieldEffect[] {
  const [before, after] = [spelledOut(asked), spelledOut(approved)];
  const wordsIn = (input: Record<string, unknown>, field: string) =>
    field in input ? valueWords(field, input[field], nameOf) : 'not set';
  return Object.keys({ ...after, ...before })
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map((field) => ({ field, label: labelOf(field), before: wordsIn(before, field), after: wordsIn(after, field) }))
    .flatMap((edit) => (edit.before === edit.after ? [] : { ...edit, isSame: false }));
}

const hourMs = 3_600_000;
const minuteMs = 60_000;
const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** How long is left to decide, in words; null while it is a day or more. `now` in milliseconds. */
export function expiryWords(expiresAt: string, now: number): string | null {
  const left = Date.parse(expiresAt) - now;
  if (left >= 24 * hourMs) return null;
  if (left <= 0) return 'The time to decide is over';
  if (left < minuteMs) return 'Expires in less than a minute';
  const words =
    left < hourMs ? counted(Math.floor(left / minuteMs), 'minute') : counted(Math.floor(left / hourMs), 'hour');
  return `Expires in ${words}`;
}

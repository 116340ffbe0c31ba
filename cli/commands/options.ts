import type { Field, Shape } from '../model/catalogue.ts';
import { filledLists, flagNames, prefixedObjects, referenceFlags } from './spelling.ts';

export type Place = 'path' | 'query' | 'body';

/** Where a value goes in a request. */
export interface Target {
  place: Place;
  /** Names from the top of the query or body down. */
  path: readonly string[];
}

/** What a flag does. */
export type Effect =
  | { kind: 'value' }
  /** Takes no value: sets this one. */
  | { kind: 'fixed'; value: unknown }
  /** The value is a path; the text of that file is sent. */
  | { kind: 'file' }
  /** Adds the field name to the operation's `clear` list. */
  | { kind: 'clear'; name: string };

/** One flag of a command. */
export interface Option {
  /** Without the dashes. */
  flag: string;
  /** Other accepted spellings. */
  aliases: readonly string[];
  target: Target;
  shape: Shape;
  effect: Effect;
  isRequired: boolean;
  /** Placeholder of the value in the help; empty for flags without a value. */
  label: string;
  /** Help section; null for the main one. */
  group: string | null;
  /** Accepted and completed, but shown only beside its positive form. */
  isNegative: boolean;
  /** Names resolve to resources of this type only. */
  only?: string;
}

/** `lastRunAt` → `last-run-at`. */
export function kebab(name: string): string {
  return name
    .replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
    .replaceAll('_', '-')
    .replace(/^-/, '');
}

/** `todoListId` → `list`, `captureIds` → `capture`, `isSuggested` → `suggested`. */
function flagOf({ name, kind }: Field): string {
  const spelled = flagNames[name];
  if (spelled !== undefined) return spelled;
  const singular = kind === 'array' ? name.replace(/s$/, '') : name;
  const fact = kind === 'boolean' ? singular.replace(/^is(?=[A-Z])/, '') : singular;
  return kebab(fact.length > 2 ? fact.replace(/Id$/, '') : fact);
}

const labels: Readonly<Record<string, string>> = {
  uuid: 'ID',
  date: 'DATE',
  'date-time': 'TIME',
  email: 'EMAIL',
  integer: 'N',
  number: 'N',
  object: 'JSON',
  any: 'JSON',
};

/** Placeholder of a value of this shape in the help. */
export function labelOf(shape: Shape, name = 'text'): string {
  if (shape.kind === 'array') return shape.item ? labelOf(shape.item, name.replace(/s$/, '')) : 'JSON';
  if (shape.values) return kebab(name).toUpperCase();
  return labels[shape.format ?? ''] ?? labels[shape.kind] ?? 'TEXT';
}

/** Whether a text may be long enough to read it from a file. */
export function isLongText({ kind, maxLength = 0, values, format }: Shape): boolean {
  return kind === 'string' && maxLength > 1000 && !values && format !== 'password';
}

interface Root {
  place: Place;
  /** The operation changes an existing resource, so values can be removed. */
  changes: boolean;
  /** Fields that the operation's `clear` accepts. */
  clearable: readonly string[];
}

/** Whether a list can be emptied: an existing one, or one that is not empty when it is omitted. */
function canBeEmptied({ kind, name }: Field, parents: readonly string[], { changes }: Root): boolean {
  if (kind !== 'array' || name === 'clear') return false;
  return parents.length === 0 ? changes || filledLists.includes(name) : parents.at(-1) === 'patch';
}

/** The flags of one field, nested below `parents`. */
function optionsOf(field: Field, parents: readonly string[], root: Root): Option[] {
  const path = [...parents, field.name];
  const flag = flagOf(field);
  const [top] = parents;
  const plain = kebab(field.name);
  const base = {
    aliases: plain === flag ? [] : [plain],
    target: { place: root.place, path },
    shape: field,
    isRequired: field.isRequired === true && parents.length === 0,
    label: labelOf(field, field.name),
    group: top ?? (field.fields ? field.name : null),
    isNegative: false,
  };
  const negative = { ...base, aliases: [], label: '', isRequired: false, isNegative: true };
  const options: Option[] = [];
  if (field.kind === 'boolean') {
    const allows = (value: boolean) => !field.values || field.values.includes(value);
    if (allows(true)) options.push({ ...base, flag, label: '', effect: { kind: 'fixed', value: true } });
    const isNegative = allows(true);
    const no = { ...negative, isNegative, flag: `no-${flag}`, aliases: [`no-${plain}`] };
    if (allows(false)) options.push({ ...no, effect: { kind: 'fixed', value: false } });
    return options;
  }
  options.push({ ...base, flag, effect: { kind: 'value' } });
  const reference = referenceFlags[field.name];
  if (reference && field.kind === 'array') {
    const { flag: name, label, object } = reference;
    options.push({ ...base, aliases: [], flag: name, label, effect: { kind: 'value' }, only: object });
  }
  if (isLongText(field) || field.format === 'password') {
    options.push({ ...base, aliases: [], flag: `${flag}-file`, label: 'PATH', effect: { kind: 'file' } });
  }
  const no = { ...negative, flag: `no-${flag}`, aliases: [`no-${plain}`] };
  if (field.isNullable) options.push({ ...no, effect: { kind: 'fixed', value: null } });
  else if (canBeEmptied(field, parents, root)) {
    options.push({ ...no, effect: { kind: 'fixed', value: [] } });
  } else if (parents.length === 0 && root.clearable.includes(field.name)) {
    options.push({ ...no, effect: { kind: 'clear', name: field.name } });
  }
  for (const inner of field.kind === 'object' ? (field.fields ?? []) : []) {
    options.push(...optionsOf(inner, path, root));
  }
  return options;
}

/** Possible names of an option, the shortest first: `at`, then `schedule-at`. */
function spellings({ flag, target: { path } }: Option): string[] {
  const [, no = '', rest = flag] = /^(no-)?(.*)$/.exec(flag) ?? [];
  const parents = path.slice(0, -1).map(kebab);
  const counts = prefixedObjects.includes(path[0] ?? '') ? [parents.length] : [...parents.keys(), parents.length];
  return counts.map((count) => {
    const lead = parents.slice(parents.length - count);
    return `${no}${[...lead, rest].join('-')}`;
  });
}

/**
 * Gives every option its shortest unique name. A top-level field keeps its own name; a nested one is prefixed with the
 * name of its parent where two would be equal, or where a client flag has the name.
 */
function nameApart(options: readonly Option[], taken: ReadonlySet<string>): Option[] {
  const tops = options.filter(({ target }) => target.path.length === 1).map(({ flag }) => flag);
  const own = new Set(tops);
  const shared = new Set(tops.filter((flag, place) => tops.indexOf(flag) !== place));
  const count = new Map<string, number>();
  for (const option of options) {
    for (const name of new Set(spellings(option))) count.set(name, (count.get(name) ?? 0) + 1);
  }
  const named = options.map((option) => {
    const names = spellings(option);
    const isTop = option.target.path.length === 1;
    // The -file variant follows the name of its text flag.
    const text = (name: string) => (option.effect.kind === 'file' ? name.replace(/-file$/, '') : name);
    const free = (name: string) => !taken.has(text(name)) && (isTop || (count.get(name) === 1 && !own.has(name)));
    // Two fields such as `resources` and `resourceId` have one short name: each keeps its whole one.
    const whole = isTop && shared.has(option.flag) ? option.aliases[0] : undefined;
    const flag = whole ?? names.find(free) ?? `field-${names.at(-1)}`;
    return { ...option, flag, aliases: [...option.aliases, ...names].filter((each) => each !== flag) };
  });
  const flags = new Set(named.map(({ flag }) => flag));
  const aliases = new Map<string, number>();
  for (const option of named)
    for (const name of new Set(option.aliases)) aliases.set(name, (aliases.get(name) ?? 0) + 1);
  return named.map((option) => ({
    ...option,
    aliases: [...new Set(option.aliases)].filter(
      (name) => !flags.has(name) && !taken.has(name) && aliases.get(name) === 1,
    ),
  }));
}

/** The flags for these fields. `taken`: names of the client's own flags. */
export function optionsFor(
  fields: Readonly<Record<Place, readonly Field[]>>,
  changes: boolean,
  taken: ReadonlySet<string>,
): Option[] {
  const clear = fields.body.find(({ name, kind }) => name === 'clear' && kind === 'array');
  const clearable = (clear?.item?.values ?? []).map(String);
  const all = (['path', 'query', 'body'] as const).flatMap((place) => {
    const root = { place, changes: changes && place === 'body', clearable };
    return fields[place].flatMap((field) => optionsOf(field, [], root));
  });
  return nameApart(all, taken);
}

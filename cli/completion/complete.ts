import { type GeneralFlag, generalFlags } from '../commands/general.ts';
import type { Option } from '../commands/options.ts';
import { type Command, commandsIn, find, groupNames, isOperation, type Tree } from '../commands/tree.ts';
import type { Shape } from '../model/catalogue.ts';

/** One completion. */
export interface Candidate {
  text: string;
  about: string;
}

/** Names of the stored profiles. */
export type Profiles = readonly string[];

const starting = (typed: string, candidates: readonly Candidate[]) =>
  candidates.filter(({ text }) => text.startsWith(typed) && text !== typed);

function valuesOf(shape: Shape, typed: string): Candidate[] {
  const values = (shape.values ?? shape.item?.values ?? []).map(String);
  if (shape.kind !== 'array')
    return starting(
      typed,
      values.map((text) => ({ text, about: '' })),
    );
  // Completes the last of several values between commas; earlier ones are not suggested again.
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const taken = before.split(',');
  const left = values.filter((text) => !taken.includes(text));
  return starting(
    typed,
    left.map((text) => ({ text: before + text, about: '' })),
  );
}

interface Flag {
  text: string;
  about: string;
  option?: Option;
  general?: GeneralFlag;
}

function flagsOf(command: Command): Flag[] {
  const own = command.options
    .filter(({ target }) => target.place !== 'path' || target.path[0] === 'workspaceId')
    .map((option) => ({ text: `--${option.flag}`, about: option.shape.description ?? '', option }));
  const general = [...command.flags, ...generalFlags];
  return [...own, ...general.map((each) => ({ text: `--${each.flag}`, about: each.description, general: each }))];
}

const takesValue = ({ option, general }: Flag) =>
  option ? option.effect.kind === 'value' || option.effect.kind === 'file' : general?.label !== undefined;

function flagValues({ option, general }: Flag, typed: string, command: Command, profiles: Profiles): Candidate[] {
  if (general?.flag === 'profile')
    return starting(
      typed,
      profiles.map((text) => ({ text, about: '' })),
    );
  if (general?.flag === 'fields' && isOperation(command)) {
    const item = { kind: 'string', values: command.operation.answer.fields } as const;
    return valuesOf({ kind: 'array', item }, typed);
  }
  return option && option.effect.kind === 'value' ? valuesOf(option.shape, typed) : [];
}

/** How many of the words before the typed one fill a positional argument. */
function filledBy(before: readonly string[], flags: readonly Flag[]): number {
  let count = 0;
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? '';
    const flag = flags.find(({ text }) => text === word);
    if (flag && takesValue(flag)) index++;
    else if (!word.startsWith('-') || word === '-') count++;
  }
  return count;
}

function inCommand(command: Command, rest: readonly string[], profiles: Profiles): Candidate[] {
  const flags = flagsOf(command);
  const before = rest.slice(0, -1);
  const typed = rest.at(-1) ?? '';
  const pending = flags.find(({ text }) => text === before.at(-1));
  if (pending && takesValue(pending)) return flagValues(pending, typed, command, profiles);
  if (typed.startsWith('-')) {
    const [, name = '', value = ''] = /^(--[^=]+)=(.*)$/.exec(typed) ?? [];
    const flag = flags.find(({ text }) => text === name);
    if (flag) {
      return flagValues(flag, value, command, profiles).map(({ text, about }) => ({ text: `${name}=${text}`, about }));
    }
    const once = flags.filter(({ text, option }) => option?.shape.kind === 'array' || !before.includes(text));
    return starting(typed, once);
  }
  if (command.words[0] === 'profiles')
    return starting(
      typed,
      profiles.map((text) => ({ text, about: '' })),
    );
  const next = command.arguments[filledBy(before, flags)];
  return next ? valuesOf(next.shape, typed) : [];
}

/** Completions of the last word, which may be empty. */
export function complete(tree: Tree, words: readonly string[], profiles: Profiles): Candidate[] {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  let place: ReturnType<typeof find>;
  try {
    place = find(tree, before);
  } catch {
    return [];
  }
  if (place.kind === 'command') return inCommand(place.command, [...place.rest, typed], profiles);
  if (typed.startsWith('-')) {
    return starting(
      typed,
      generalFlags.map(({ flag, description }) => ({ text: `--${flag}`, about: description })),
    );
  }
  const inside = commandsIn(tree, place.group).map(({ words: all, summary }) => ({
    text: all.at(-1) ?? '',
    about: summary,
  }));
  const groups = place.group === null ? groupNames(tree).map((text) => ({ text, about: tree.groups[text] ?? '' })) : [];
  return starting(typed, [...groups, ...inside]);
}

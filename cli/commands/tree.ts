import type { Catalogue } from '../catalogue.ts';
import { usage } from '../failure.ts';
import { closest } from './closest.ts';
import { commandOf, type OperationCommand } from './command.ts';
import { generalFlags } from './general.ts';
import type { LocalCommand } from './local-command.ts';

export type Command = OperationCommand | LocalCommand;

/** Every command, and the words that lead to them. */
export interface Tree {
  commands: readonly Command[];
  /** What the first words of several commands are about. */
  groups: Readonly<Record<string, string>>;
}

/** Where a command line leads. */
export type Place =
  | { kind: 'command'; command: Command; rest: readonly string[] }
  /** A group, or everything when it has no name. */
  | { kind: 'group'; group: string | null; rest: readonly string[] };

export const isOperation = (command: Command): command is OperationCommand => 'operation' in command;

export function plant({ operations, groups }: Catalogue, local: readonly LocalCommand[]): Tree {
  return { commands: [...operations.map(commandOf), ...local], groups };
}

export function groupNames({ commands }: Tree): string[] {
  return [...new Set(commands.filter(({ words }) => words.length > 1).map(({ words: [group = ''] }) => group))];
}

/** The commands that begin with a word; without one, those that are a word alone. */
export function commandsIn({ commands }: Tree, group: string | null): Command[] {
  return commands.filter(({ words }) => (group === null ? words.length === 1 : words[0] === group && words.length > 1));
}

/** The words before the first flag of a command line, without what belongs to general flags before them. */
function leadingWords(argv: readonly string[]): { words: string[]; at: number[] } {
  const words: string[] = [];
  const at: number[] = [];
  for (let index = 0; index < argv.length && words.length < 2; index++) {
    const each = argv[index] ?? '';
    if (each === '--') break;
    const flag = generalFlags.find((known) => `--${known.flag}` === each);
    if (flag && 'label' in flag) index++;
    if (each.startsWith('-')) continue;
    words.push(each);
    at.push(index);
  }
  return { words, at };
}

const without = (argv: readonly string[], places: readonly number[]) =>
  argv.filter((_, index) => !places.includes(index));

/** @throws CliFailure 2 for words that lead nowhere, with the closest that do. */
export function find(tree: Tree, argv: readonly string[]): Place {
  const { words, at } = leadingWords(argv);
  const [first, second] = words;
  if (first === undefined) return { kind: 'group', group: null, rest: argv };
  const alone = tree.commands.find((command) => command.words.length === 1 && command.words[0] === first);
  if (alone) return { kind: 'command', command: alone, rest: without(argv, at.slice(0, 1)) };
  const groups = groupNames(tree);
  if (!groups.includes(first)) {
    const near = closest(first, [...groups, ...commandsIn(tree, null).map(({ words: [word = ''] }) => word)]);
    throw usage(`There is no command “${first}”.`, near ? `Did you mean: tandem ${near}?` : 'See: tandem --help');
  }
  const inside = commandsIn(tree, first);
  if (second === undefined) return { kind: 'group', group: first, rest: without(argv, at) };
  const command = inside.find(({ words: [, verb] }) => verb === second);
  if (command) return { kind: 'command', command, rest: without(argv, at) };
  const near = closest(
    second,
    inside.map(({ words: [, verb = ''] }) => verb),
  );
  throw usage(
    `There is no command “${first} ${second}”.`,
    near ? `Did you mean: tandem ${first} ${near}?` : `See: tandem ${first} --help`,
  );
}

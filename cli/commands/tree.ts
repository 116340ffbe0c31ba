import type { Catalogue } from '../model/catalogue.ts';
import { closest } from '../model/closest.ts';
import { usage } from '../model/failure.ts';
import { commandOf, type OperationCommand } from './command.ts';
import { generalFlags } from './general.ts';
import type { LocalCommand } from './local-command.ts';

export type Command = OperationCommand | LocalCommand;

/** All commands and their groups. */
export interface Tree {
  commands: readonly Command[];
  /** Descriptions of the groups, by first word. */
  groups: Readonly<Record<string, string>>;
}

/** What a command line resolves to. */
export type Place =
  | { kind: 'command'; command: Command; rest: readonly string[] }
  /** A group; null is the top level. */
  | { kind: 'group'; group: string | null; rest: readonly string[] };

export const isOperation = (command: Command): command is OperationCommand => 'operation' in command;

/** All commands: those of the operations, and the client's own. */
export function buildTree({ operations, groups }: Catalogue, local: readonly LocalCommand[]): Tree {
  return { commands: [...operations.map(commandOf), ...local], groups };
}

/** First words that several commands share. */
export function groupNames({ commands }: Tree): string[] {
  return [...new Set(commands.filter(({ words }) => words.length > 1).map(({ words: [group = ''] }) => group))];
}

/** The commands of a group; null: the commands of a single word. */
export function commandsIn({ commands }: Tree, group: string | null): Command[] {
  return commands.filter(({ words }) => (group === null ? words.length === 1 : words[0] === group && words.length > 1));
}

/** The command words of a line and their indexes, skipping general flags and their values. */
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

/** Resolves the words of a line. @throws CliFailure 2 for unknown words, naming the closest. */
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

import { parseArgs } from 'node:util';
import type { Argument } from '../commands/command.ts';
import { type GeneralFlag, generalFlags } from '../commands/general.ts';
import type { General, Given, Parsed } from '../commands/invocation.ts';
import type { Option } from '../commands/options.ts';
import { closest } from '../model/closest.ts';
import { usage } from '../model/failure.ts';

interface Known {
  option?: Option;
  general?: GeneralFlag;
}

/** Everything that may follow the dashes, by name. */
function knownFlags(options: readonly Option[], flags: readonly GeneralFlag[]): Map<string, Known> {
  const known = new Map<string, Known>();
  for (const option of options) for (const name of option.aliases) known.set(name, { option });
  for (const option of options) known.set(option.flag, { option });
  for (const general of flags) known.set(general.flag, { general });
  return known;
}

const takesValue = ({ option, general }: Known) =>
  general ? general.label !== undefined : option?.effect.kind === 'value' || option?.effect.kind === 'file';

/** A flag as `util.parseArgs` reports it. */
interface FlagToken {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

/** What parsing a line needs of its command. */
export interface Shaped {
  words: readonly string[];
  arguments: readonly Argument[];
  options: readonly Option[];
  flags: readonly GeneralFlag[];
}

const helpOf = ({ words }: Shaped) => `tandem ${[...words, '--help'].join(' ')}`;

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

/** `--run=false` means `--no-run`. */
function negated(option: Option, known: ReadonlyMap<string, Known>, value: string, shown: string): Option {
  const flagValue = booleans[value];
  if (flagValue === undefined || option.effect.kind !== 'fixed') throw usage(`${shown} takes no value.`);
  const wanted = option.effect.value === true ? flagValue : !flagValue;
  if (wanted === (option.effect.value === true)) return option;
  const name = option.flag.startsWith('no-') ? option.flag.slice(3) : `no-${option.flag}`;
  const other = known.get(name)?.option;
  if (!other) throw usage(`${shown} cannot be ${value}.`);
  return other;
}

/** Assigns positional words, in order, to the arguments that no flag filled. @throws CliFailure 2. */
function fillArguments(command: Shaped, words: readonly string[], given: readonly Given[], general: General): Given[] {
  const filled = new Set(given.map(({ by }) => by.target.path.join('.')));
  const left = [...words];
  const taken: Given[] = [];
  for (const by of command.arguments.filter(({ target }) => !filled.has(target.path.join('.')))) {
    const shown = by.name.toUpperCase();
    const texts = left.splice(0, by.isRest ? left.length : 1);
    for (const text of texts) taken.push({ by, shown, text });
    // --body already contains what the arguments would.
    const isNeeded = by.isRequired && !general.has('help') && (by.target.place === 'path' || !general.has('body'));
    if (texts.length === 0 && isNeeded) throw usage(`${shown} is missing.`, `See: ${helpOf(command)}`);
  }
  const [first] = left;
  if (first === undefined) return taken;
  throw usage(`Unexpected argument “${first}”.`, `Quote text that contains spaces. See: ${helpOf(command)}`);
}

/** Resolves one flag. @throws CliFailure 2 when it is unknown, lacks its value, or takes no value but got one. */
function readFlag(
  command: Shaped,
  known: ReadonlyMap<string, Known>,
  { name, rawName: shown, value, inlineValue }: FlagToken,
): { general: GeneralFlag; value: string | true } | Given {
  const found = known.get(name);
  if (!found) {
    const near = closest(name, [...known.keys()]);
    throw usage(`Unknown flag ${shown}.`, near ? `Did you mean --${near}?` : `See: ${helpOf(command)}`);
  }
  const takes = takesValue(found);
  const isNextFlag = !inlineValue && value?.startsWith('--') && known.has(value.slice(2).split('=')[0] ?? '');
  if (takes && (value === undefined || isNextFlag)) {
    throw usage(`${shown} needs a value: ${shown}=…`, `See: ${helpOf(command)}`);
  }
  if (found.general) {
    if (!takes && value !== undefined) throw usage(`${shown} takes no value.`);
    return { general: found.general, value: value ?? true };
  }
  const by = found.option as Option;
  if (takes) return { by, shown, text: value };
  return { by: value === undefined ? by : negated(by, known, value, shown), shown, text: undefined };
}

/**
 * Parses what follows the words of a command. Strict: an unknown flag is an error that names the closest one. A value
 * that looks like a flag of the command counts as a missing value unless it is written `--flag=value`.
 * @throws CliFailure 2.
 */
export function parseLine(command: Shaped, argv: readonly string[]): Parsed {
  const known = knownFlags(command.options, [...generalFlags, ...command.flags]);
  const config: Record<string, { type: 'string' | 'boolean'; multiple: true; short?: string }> = {};
  for (const [name, each] of known) {
    const short = each.general?.short;
    config[name] = { type: takesValue(each) ? 'string' : 'boolean', multiple: true, ...(short && { short }) };
  }
  const { tokens } = parseArgs({ args: [...argv], options: config, strict: false, tokens: true });
  const given: Given[] = [];
  const general = new Map<string, string | true>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const read = readFlag(command, known, token);
    if ('general' in read) general.set(read.general.flag, read.value);
    else given.push(read);
  }
  return { given: [...given, ...fillArguments(command, words, given, general)], general };
}

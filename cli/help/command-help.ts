import { takesNames } from '../arguments/names.ts';
import type { Catalogue, Shape } from '../catalogue.ts';
import { type Argument, isImplied, type OperationCommand } from '../commands/command.ts';
import { type GeneralFlag, generalFlags } from '../commands/general.ts';
import type { LocalCommand } from '../commands/local-command.ts';
import { isLongText, type Option } from '../commands/options.ts';
import { type Command, isOperation } from '../commands/tree.ts';
import { width } from '../output/width.ts';
import { examplesOf } from './examples.ts';
import { entry, helpColumns, type Prose, paragraph } from './prose.ts';

function usageLine({ words, arguments: args, options }: Command): string {
  const texts = args.map(({ name, isRequired, isRest }) => {
    const text = `${name.toUpperCase()}${isRest ? '…' : ''}`;
    return isRequired ? text : `[${text}]`;
  });
  const hasFlags = options.some(({ target }) => target.place !== 'path' || target.path[0] === 'workspaceId');
  return ['tandem', ...words, ...texts, ...(hasFlags ? ['[flags]'] : [])].join(' ');
}

const isNamed = ({ format, kind }: Shape, name: string, catalogue: Catalogue) =>
  (format === 'uuid' || kind === 'array') && takesNames(catalogue, name);

/** What may stand for a value, beside what its field says of itself. */
function notes(
  shape: Shape & { onlyWith?: readonly string[] },
  name: string,
  catalogue: Catalogue,
  option?: Option,
): string[] {
  const { kind, values, item, minimum, maximum, format } = shape;
  const choices = values ?? item?.values;
  const takesName = isNamed(shape, name, catalogue);
  const limits = minimum !== undefined && maximum !== undefined ? [`${minimum} to ${maximum}.`] : [];
  return [
    ...(shape.onlyWith ? [`Only of a ${shape.onlyWith.join(' or ')}.`] : []),
    ...(choices && kind !== 'boolean' ? [`One of ${choices.join(', ')}.`] : []),
    ...(kind === 'integer' && !shape.description?.includes(String(maximum)) ? limits : []),
    ...(format === 'date' ? ['Such as 2026-03-01, today or +7d.'] : []),
    ...(format === 'date-time' ? ['Such as 2026-03-01T09:00:00Z, “2026-03-01 09:00” (local) or -24h.'] : []),
    ...(takesName && !/^Id of/.test(shape.description ?? '') ? ['An id or a name.'] : []),
    ...(takesName && /assignee/i.test(name) && !option?.only ? ['“me” is you.'] : []),
    ...(kind === 'array' && item?.kind !== 'object' ? ['Commas between several, or repeat it.'] : []),
    ...(shape.default !== undefined && kind !== 'boolean' ? [`Default: ${shape.default}.`] : []),
  ];
}

function meaning(
  shape: Shape,
  name: string,
  options: readonly Option[],
  catalogue: Catalogue,
  prose: Prose,
  option?: Option,
) {
  const takesName = isNamed(shape, name, catalogue);
  const plain = shape.description ? prose.read(shape.description, options) : '';
  const said = takesName ? plain.replace(/^Id of/, 'Id or name of') : plain;
  return [said, ...notes(shape, name, catalogue, option)].filter(Boolean).join(' ');
}

function argumentLines(
  args: readonly Argument[],
  options: readonly Option[],
  catalogue: Catalogue,
  prose: Prose,
): string[] {
  if (args.length === 0) return [];
  const lines = args.flatMap(({ name, shape, target, isRest }) => {
    const rest = isRest ? ' One or more.' : '';
    const stdin = isLongText(shape) ? ' - reads stdin.' : '';
    const json = shape.kind === 'array' && !isRest ? ' JSON; @PATH reads a file, - stdin.' : '';
    const single = isRest
      ? { ...(shape.item ?? shape), ...(shape.description && { description: shape.description }) }
      : shape;
    const text = meaning(single, target.path.at(-1) ?? '', options, catalogue, prose);
    return entry(name.toUpperCase(), `${text}${rest}${stdin}${json}`.trim());
  });
  return ['', 'Arguments:', ...lines];
}

function optionLines(option: Option, all: readonly Option[], catalogue: Catalogue, prose: Prose): string[] {
  const { flag, label, shape, effect, target, isRequired, only } = option;
  const name = target.path.at(-1) ?? '';
  const named = label === 'ID' || shape.kind === 'array' ? isNamed(shape, name, catalogue) : false;
  const head = `--${flag}${label ? ` ${named ? flag.toUpperCase() : label}` : ''}`;
  if (effect.kind === 'file') return entry(head, 'The same, out of a file.');
  const negative = all.find(
    (each) => each.isNegative && each.target.path.join('.') === target.path.join('.') && only === undefined,
  );
  const isShown = negative && (shape.kind !== 'boolean' || (shape.default !== false && target.place === 'body'));
  const heads = isShown ? `${head}, --${negative.flag}` : head;
  if (only !== undefined)
    return entry(head, `As --${all.find((each) => each.target === target)?.flag}, but ${only}s alone.`);
  const json = shape.kind === 'object' ? ' @PATH reads a file, - stdin.' : isLongText(shape) ? ' - reads stdin.' : '';
  const secret = shape.format === 'password' ? ' - reads a line of stdin; without the flag you are asked.' : '';
  const must = isImplied({ name }) ? 'Omitted: that of your sign-in. ' : 'Required. ';
  const text = `${isRequired ? must : ''}${meaning(shape, name, all, catalogue, prose, option)}${json}${secret}`;
  return entry(heads, text.trim());
}

function generalLines(flags: readonly GeneralFlag[]): string[] {
  return flags.flatMap(({ flag, short, label, description }) =>
    entry(`${short ? `-${short}, ` : ''}--${flag}${label ? ` ${label}` : ''}`, description),
  );
}

/** One example; before a flag it may go on in the next line, as shells read it. */
function exampleLines(example: string): string[] {
  const isPipe = /^\w+ .*\| tandem /.test(example);
  const [first = '', ...flags] = `  ${isPipe ? '' : 'tandem '}${example}`.split(/ (?=--\w)/);
  const lines = [first];
  for (const flag of flags) {
    const last = lines.at(-1) ?? '';
    if (width(last) + width(flag) + 3 <= helpColumns) lines[lines.length - 1] = `${last} ${flag}`;
    else lines.splice(-1, 1, `${last} \\`, `    ${flag}`);
  }
  return lines;
}

const exampleSection = (examples: readonly string[]) =>
  examples.length === 0 ? [] : ['', 'Examples:', ...examples.flatMap(exampleLines)];

function needs({ access, scope }: OperationCommand['operation']): string {
  if (scope) return `Needs the scope ${scope}.`;
  if (access === 'session' || access === 'key_management') return 'Needs a signed-in person: tandem login --email.';
  if (access === 'public') return 'Needs no credential.';
  return access === 'reader' ? 'Needs a scope to read something.' : 'Works with every credential.';
}

/** Flags of fields, apart from those that the arguments stand for; grouped by the object that they are parts of. */
function fieldLines({ arguments: args, options }: OperationCommand, catalogue: Catalogue, prose: Prose): string[] {
  const inArguments = new Set(args.map(({ target }) => target.path.join('.')));
  const shown = options.filter(({ isNegative, target, effect }) => {
    if (isNegative) return false;
    return !inArguments.has(target.path.join('.')) || effect.kind === 'file';
  });
  const groups = [...new Set(shown.map(({ group }) => group))].sort((a, b) => Number(a !== null) - Number(b !== null));
  return groups.flatMap((group) => {
    const lines = shown
      .filter((each) => each.group === group)
      .flatMap((each) => optionLines(each, options, catalogue, prose));
    const title =
      group === null
        ? 'Flags'
        : `${group[0]?.toUpperCase()}${group.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
    return ['', `${title}:`, ...lines];
  });
}

function operationHelp(command: OperationCommand, catalogue: Catalogue, prose: Prose): string[] {
  const { operation, arguments: args, options, flags, summary } = command;
  const texts = operation.description.split('\n\n').filter(Boolean);
  const deprecated = operation.isDeprecated ? ['', ...paragraph('Deprecated: it will stop working.')] : [];
  return [
    ...paragraph(summary),
    ...texts.flatMap((text) => ['', ...paragraph(prose.read(text, options))]),
    '',
    ...paragraph(needs(operation)),
    ...deprecated,
    '',
    'Usage:',
    ...paragraph(usageLine(command), 2),
    ...argumentLines(args, options, catalogue, prose),
    ...fieldLines(command, catalogue, prose),
    '',
    'General:',
    ...generalLines([...flags, ...generalFlags]),
    ...exampleSection(examplesOf(command)),
  ];
}

function localHelp({ summary, description, arguments: args, flags, examples, ...command }: LocalCommand): string[] {
  const line = usageLine({ summary, description, arguments: args, flags, examples, ...command });
  return [
    ...paragraph(summary),
    ...(description === '' ? [] : ['', ...paragraph(description)]),
    '',
    'Usage:',
    `  ${line}${flags.length > 0 ? ' [flags]' : ''}`,
    ...(flags.length > 0 ? ['', 'Flags:', ...generalLines(flags)] : []),
    '',
    'General:',
    ...generalLines(generalFlags),
    ...exampleSection(examples),
  ];
}

/** The help of a command, in lines of at most 80 columns. */
export function commandHelp(command: Command, catalogue: Catalogue, prose: Prose): string {
  const lines = isOperation(command) ? operationHelp(command, catalogue, prose) : localHelp(command);
  return `${lines.join('\n')}\n`;
}

import { takesNames, takesTitles } from '../arguments/names.ts';
import { type Argument, isImplied, type OperationCommand } from '../commands/command.ts';
import { type GeneralFlag, generalFlags } from '../commands/general.ts';
import type { LocalCommand } from '../commands/local-command.ts';
import { isLongText, type Option } from '../commands/options.ts';
import { namedThings } from '../commands/spelling.ts';
import { type Command, isOperation } from '../commands/tree.ts';
import type { Catalogue, Shape } from '../model/catalogue.ts';
import { width } from '../terminal/width.ts';
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

/** Whether a value is an id, or a list of ids. */
const isId = ({ format, item }: Shape) => format === 'uuid' || item?.format === 'uuid';
const single = ({ kind }: Shape, name: string) => (kind === 'array' ? name.replace(/s$/, '') : name);

const isNamed = (shape: Shape, name: string, catalogue: Catalogue) =>
  (isId(shape) || namedThings[name] !== undefined) && takesNames(catalogue, single(shape, name));

const isTitled = (shape: Shape, name: string, catalogue: Catalogue) =>
  isId(shape) && takesTitles(catalogue, single(shape, name));

/** Accepted values and defaults, beside the description of the field. */
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
    ...(isTitled(shape, name, catalogue) ? ['An id, the start of one, or a title.'] : []),
    ...(takesName && /assignee/i.test(name) && !option?.only ? ['“me” is the current user.'] : []),
    ...(kind === 'array' && item?.kind !== 'object' ? ['Separate several with commas, or repeat the flag.'] : []),
    ...(String(shape.default ?? '') !== '' && kind !== 'boolean' ? [`Default: ${shape.default}.`] : []),
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
  const text = takesName ? plain.replace(/^Id of/, 'Id or name of') : plain;
  return [text, ...notes(shape, name, catalogue, option)].filter(Boolean).join(' ');
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
  if (effect.kind === 'file') return entry(head, 'The same, read from a file.');
  const negative = all.find(
    (each) => each.isNegative && each.target.path.join('.') === target.path.join('.') && only === undefined,
  );
  const isShown = negative && (shape.kind !== 'boolean' || (shape.default !== false && target.place === 'body'));
  const heads = isShown ? `${head}, --${negative.flag}` : head;
  if (only !== undefined)
    return entry(head, `Like --${all.find((each) => each.target === target)?.flag}, but ${only}s only.`);
  const json = shape.kind === 'object' ? ' @PATH reads a file, - stdin.' : isLongText(shape) ? ' - reads stdin.' : '';
  const secret = shape.format === 'password' ? ' - reads a line of stdin; omit the flag to be prompted.' : '';
  const must = isImplied({ name }) ? 'Default: the workspace you are signed in to. ' : 'Required. ';
  const text = `${isRequired ? must : ''}${meaning(shape, name, all, catalogue, prose, option)}${json}${secret}`;
  return entry(heads, text.trim());
}

function generalLines(flags: readonly GeneralFlag[]): string[] {
  return flags.flatMap(({ flag, short, label, description }) =>
    entry(`${short ? `-${short}, ` : ''}--${flag}${label ? ` ${label}` : ''}`, description),
  );
}

/** One example; long ones continue on the next line with a backslash. */
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
  if (access === 'session' || access === 'key_management') return 'Needs a session: tandem login --email.';
  if (access === 'public') return 'Needs no credential.';
  if (access === 'subscriber') return 'Needs a session, or a key with the read scopes of the events.';
  return access === 'reader' ? 'Needs any read scope.' : 'Works with every credential.';
}

/** Flags of fields that are not arguments, grouped by their parent object. */
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
        : `${group[0]?.toUpperCase()}${group.slice(1).replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)}`;
    return ['', `${title}:`, ...lines];
  });
}

function operationHelp(command: OperationCommand, catalogue: Catalogue, prose: Prose): string[] {
  const { operation, arguments: args, options, flags, summary } = command;
  const texts = operation.description.split('\n\n').filter(Boolean);
  const deprecated = operation.isDeprecated ? ['', ...paragraph('Deprecated: it will be removed.')] : [];
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

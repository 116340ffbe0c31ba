import type { Argument, OperationCommand } from '../commands/command.ts';
import type { Option } from '../commands/options.ts';
import { examples } from '../commands/spelling.ts';
import type { Shape } from '../model/catalogue.ts';

/** A value quoted for a shell where needed. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `"${text.replace(/(["$`\\])/g, '\\$1')}"`;
}

/** Longer examples are not used, to keep a command on one line. */
const maxExampleLength = 40;

function sample({ kind, values, format, example, item, minimum, isNullable }: Shape, name: string): string {
  if (format === 'uuid') return 'ID';
  if (values) return String(example ?? values[0]);
  if ((typeof example === 'string' && example.length <= maxExampleLength) || typeof example === 'number') {
    return quoted(String(example));
  }
  if (kind === 'array' && item) return item.kind === 'object' ? `@${name}.json` : sample(item, name);
  if (kind === 'integer' || kind === 'number') return String(minimum ?? 1);
  if (format === 'date') return 'tomorrow';
  if (format === 'date-time') return '-24h';
  if (format === 'email') return 'ada@example.com';
  return isNullable || kind === 'string' ? quoted(`the ${name}`) : `@${name}.json`;
}

const sampleOf = ({ shape, target }: Argument | Option) => sample(shape, target.path.at(-1) ?? 'value');

/** The command with its required arguments and flags. */
function required({ words, arguments: args, options }: OperationCommand): string {
  const inArguments = new Set(args.map(({ target }) => target.path.join('.')));
  const flags = options.filter(
    ({ isRequired, isNegative, effect, target, shape, only }) =>
      isRequired &&
      !isNegative &&
      effect.kind !== 'file' &&
      only === undefined &&
      !inArguments.has(target.path.join('.')) &&
      target.path[0] !== 'workspaceId' &&
      shape.format !== 'password',
  );
  const typed = flags.map((each) =>
    each.effect.kind === 'fixed' ? `--${each.flag}` : `--${each.flag} ${sampleOf(each)}`,
  );
  const texts = args.filter(({ isRequired }) => isRequired).map(sampleOf);
  return [...words, ...texts, ...typed].join(' ');
}

/** An optional flag for a second example. */
function optionalFlag({ options, operation }: OperationCommand): string | undefined {
  const fit = options.filter(
    ({ isRequired, isNegative, effect, target, shape }) =>
      !isRequired && !isNegative && effect.kind === 'value' && target.path.length === 1 && shape.format !== 'uuid',
  );
  const isFilter = operation.method === 'GET';
  const chosen =
    fit.find(({ shape }) => shape.values || shape.example !== undefined) ?? (isFilter ? undefined : fit[0]);
  return chosen && `--${chosen.flag} ${sampleOf(chosen)}`;
}

/** Example lines without the leading `tandem`: those of spelling.ts, or derived ones. */
export function examplesOf(command: OperationCommand): readonly string[] {
  const spelled = examples[command.operation.id];
  if (spelled) return spelled;
  const plain = required(command);
  const more = optionalFlag(command);
  return more && command.operation.method !== 'DELETE' ? [plain, `${plain} ${more}`] : [plain];
}

import type { Argument } from './command.ts';
import type { GeneralFlag } from './general.ts';
import type { Context, Parsed } from './invocation.ts';
import type { Option } from './options.ts';

/** A command of the client itself, without an operation. */
export interface LocalCommand {
  words: readonly string[];
  summary: string;
  description: string;
  arguments: readonly Argument[];
  options: readonly Option[];
  flags: readonly GeneralFlag[];
  examples: readonly string[];
  /** The exit code. @throws CliFailure. */
  run(parsed: Parsed, context: Context): Promise<number>;
}

/** An argument of a local command. */
export function plainArgument(name: string, more: Partial<Argument> = {}): Argument {
  const target = { place: 'body', path: [name] } as const;
  return { name, target, shape: { kind: 'string' }, isRequired: true, isRest: false, ...more };
}

/** The text given for an argument. */
export function textOf({ given }: Parsed, name: string): string | undefined {
  return given.find(({ by }) => by.target.path[0] === name)?.text;
}

/** The value of one of the client's own flags; undefined when it is absent or takes none. */
export function flagOf({ general }: Parsed, name: string): string | undefined {
  const value = general.get(name);
  return typeof value === 'string' ? value : undefined;
}

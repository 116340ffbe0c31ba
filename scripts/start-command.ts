import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How `npm start` starts the service: what it adds to the environment, and the arguments of Node. */
export interface StartCommand {
  environment: Record<string, string>;
  /** Flags of Node; the last one is the file, relative to the root of the project. */
  args: string[];
}

/**
 * Reads the command of `npm start` from package.json, for those who start the service without npm but otherwise the
 * same: tests and the bench. @throws Error when it is not `exec env NAME=value … node [flag …] file`.
 */
export function startCommand(): StartCommand {
  const manifest = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
  const { start } = (JSON.parse(manifest) as { scripts: { start: string } }).scripts;
  const [, variables, args] = /^exec env ((?:\w+=\S+ )+)node (.+)$/.exec(start) ?? [];
  if (variables === undefined || args === undefined) throw new Error(`npm start is not as expected: ${start}`);
  const environment = Object.fromEntries(
    variables
      .trim()
      .split(' ')
      .map((each) => each.split('=')),
  );
  return { environment, args: args.split(' ') };
}

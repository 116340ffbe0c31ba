import { execFileSync } from 'node:child_process';

/**
 * The arguments of each command line as a POSIX shell splits them, without the name of the program. `environment` gives
 * the variables that the lines use. @throws Error for a line that the shell cannot parse, or that runs another program.
 */
export function argumentsOf(
  program: string,
  lines: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): string[][] {
  const script = [
    `${program}() { for each in "$@"; do printf '%s\\0' "$each"; done; printf '\\1\\0'; }`,
    'set -eu',
    ...lines,
  ].join('\n');
  const printed = execFileSync('/bin/sh', ['-c', script], {
    encoding: 'utf8',
    env: { PATH: '/nowhere', ...environment },
    maxBuffer: 2 ** 26,
  });
  const calls: string[][] = [[]];
  for (const word of printed.split('\0').slice(0, -1)) {
    if (word === '\u0001') calls.push([]);
    else calls.at(-1)?.push(word);
  }
  calls.pop();
  if (calls.length !== lines.length) throw new Error(`${lines.length} lines are ${calls.length} calls of ${program}`);
  return calls;
}

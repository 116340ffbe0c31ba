import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FirstSteps } from './first-run.ts';

/**
 * The command line that runs a command of the operator. `folder` is that of the running code. The built commands are
 * beside it: where only the built files were copied, as in the image, there is no `npm run`.
 */
export function commandLine(name: string, args: readonly string[] = [], folder = import.meta.dirname): string {
  const built = join(folder, `${name}.mjs`);
  const isImage = existsSync(built) && !existsSync(join(folder, '../../scripts'));
  const command = isImage ? ['node', relative('', built)] : ['npm run', name, ...(args.length > 0 ? ['--'] : [])];
  return [...command, ...args].join(' ');
}

function linesOf(url: string, steps: FirstSteps): string[] {
  const welcome = commandLine('welcome');
  switch (steps.type) {
    case 'made':
      return [
        'Open this link to make your account (it works once, and for 24 hours):',
        `  ${steps.link}`,
        '',
        `Your API key, shown only this once: ${steps.apiKey}`,
        '',
        'Try it, and see the todo in the browser:',
        `  curl -H 'Authorization: Bearer ${steps.apiKey}' -H 'Content-Type: application/json' \\`,
        `    -d '{"title": "My first todo"}' ${url}/api/v1/todos`,
      ];
    case 'open': {
      const until =
        steps.validUntil === null
          ? 'its link has expired.'
          : `the link that was printed is valid until ${steps.validUntil}.`;
      return [`Nobody owns the first workspace yet: ${until}`, `A new one: ${welcome}`];
    }
    case 'empty':
      if (steps.signUp === 'invited') return [`Print a key and a link to make the first account: ${welcome}`];
      return [`Make the first account: ${url}/sign-up`, `Or print a key and a link for it: ${welcome}`];
    case 'taken':
      return [`Sign in: ${url}/sign-in`, `Forgot the password? ${commandLine('reset-password', ['EMAIL'])}`];
  }
}

/** What a start prints: where the service runs, and how a person gets in. Secrets only on the first start. */
export function banner(url: string, installUrl: string, steps: FirstSteps): string {
  const install = `Command line: curl -fsSL ${installUrl} | sh`;
  const lines = ['', `Tandem is running at ${url}`, `Reference: ${url}/docs`, install, '', ...linesOf(url, steps), ''];
  return lines.join('\n');
}

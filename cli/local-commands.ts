import { type LocalCommand, plainArgument, textOf } from './commands/local-command.ts';
import { completionScripts } from './completion/scripts.ts';
import { exitCodes } from './model/failure.ts';
import { login } from './sign-in/login.ts';
import { logout, profiles } from './sign-in/profiles.ts';

const shells = Object.keys(completionScripts);

const completion: LocalCommand = {
  words: ['completion'],
  summary: 'Print the completion script of a shell',
  description: 'Comments in the output describe where to save it.',
  arguments: [plainArgument('shell', { shape: { kind: 'string', values: shells } })],
  options: [],
  flags: [],
  examples: ['completion bash', 'completion zsh', 'completion fish'],
  run: async (parsed, { out }) => {
    out.write(completionScripts[textOf(parsed, 'shell') ?? ''] ?? '');
    return exitCodes.done;
  },
};

/** Commands without an operation. Those that call the service are added in `run.ts`. */
export const localCommands: readonly LocalCommand[] = [login, logout, profiles, completion];

import { completionScripts } from '../completion/scripts.ts';
import { login } from '../credentials/login.ts';
import { logout, profiles } from '../credentials/profiles.ts';
import { exitCodes } from '../failure.ts';
import { type LocalCommand, plainArgument, textOf } from './local-command.ts';

const shells = Object.keys(completionScripts);

const completion: LocalCommand = {
  words: ['completion'],
  summary: 'Print what a shell needs to complete commands and flags',
  description: 'The output says where to put it.',
  arguments: [plainArgument('shell', { shape: { kind: 'string', values: shells } })],
  options: [],
  flags: [],
  examples: ['completion bash', 'completion zsh', 'completion fish'],
  run: async (parsed, { out }) => {
    out.write(completionScripts[textOf(parsed, 'shell') ?? ''] ?? '');
    return exitCodes.done;
  },
};

/** The commands that no operation is behind. `todos follow` calls the service, and is made in `run.ts`. */
export const localCommands: readonly LocalCommand[] = [login, logout, profiles, completion];

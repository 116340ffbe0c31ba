import type { Parsed } from '../arguments/parse.ts';
import { isId } from '../arguments/values.ts';
import { type LocalCommand, plainArgument, textOf } from '../commands/local-command.ts';
import type { World } from '../commands/world.ts';
import { CliFailure, exitCodes, usage } from '../failure.ts';
import type { Calls } from '../service/calls.ts';
import { follow, readAgain, workOf } from './work.ts';

/** `tandem todos follow`: the latest run of a todo. */
export function followTodo(callsFor: (parsed: Parsed, world: World) => Calls): LocalCommand {
  return {
    words: ['todos', 'follow'],
    summary: 'Follow the latest run of a todo as it happens',
    description:
      'Shows what the agent writes and does until it stops; the exit code tells how. Ctrl-C ends the following, never the work. With --json or --jsonl each event is a line of JSON.',
    arguments: [plainArgument('todo', { shape: { kind: 'string', format: 'uuid' } })],
    options: [],
    flags: [],
    examples: ['todos follow ID'],
    run: async (parsed, world) => {
      const id = textOf(parsed, 'todo') ?? '';
      if (!isId(id)) throw usage(`TODO must be an id (a UUID); it is “${id}”.`);
      const calls = callsFor(parsed, world);
      const todo = await readAgain('todo', id, calls, world);
      const work = workOf(todo);
      if (!work) {
        throw new CliFailure(exitCodes.conflict, 'No agent has run this todo yet.', [
          `Start one: tandem todos run ${id} --wait`,
        ]);
      }
      const isForPrograms = parsed.general.has('json') || parsed.general.has('jsonl');
      return (await follow(work, calls, world, isForPrograms ? 'events' : 'people')).exitCode;
    },
  };
}

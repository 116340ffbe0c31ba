import { Names } from '../arguments/names.ts';
import type { Context, Parsed } from '../commands/invocation.ts';
import { type LocalCommand, plainArgument, textOf } from '../commands/local-command.ts';
import { CliFailure, exitCodes } from '../model/failure.ts';
import { refuseFields } from '../output/print.ts';
import type { Calls } from '../service/calls.ts';
import { follow, readAgain, workOf } from './work.ts';

/** `tandem todos follow`: the latest run of a todo. */
export function followTodo(callsFor: (parsed: Parsed, context: Context) => Calls): LocalCommand {
  return {
    words: ['todos', 'follow'],
    summary: 'Follow the latest run of a todo',
    description:
      'Prints messages and tool calls until the agent stops; the exit code is the outcome. Ctrl-C stops following, not the agent. With --json or --jsonl each event is a line of JSON.',
    arguments: [plainArgument('todo', { shape: { kind: 'string', format: 'uuid' } })],
    options: [],
    flags: [],
    examples: ['todos follow ID', 'todos follow "Compare three caterers"'],
    run: async (parsed, context) => {
      refuseFields(parsed.general);
      const calls = callsFor(parsed, context);
      const names = new Names(calls, context);
      const id = await names.idOf(textOf(parsed, 'todo') ?? '', { field: 'todoId', shown: 'TODO' });
      const todo = await readAgain('todo', id, calls, context);
      const work = workOf(todo);
      if (!work) {
        throw new CliFailure(exitCodes.conflict, 'No agent has run this todo yet.', [
          `Start one: tandem todos run ${id} --wait`,
        ]);
      }
      const isForPrograms = parsed.general.has('json') || parsed.general.has('jsonl');
      return (await follow(work, calls, context, isForPrograms ? 'events' : 'people')).exitCode;
    },
  };
}

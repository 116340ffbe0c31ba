import { Names } from '../arguments/names.ts';
import type { Titled } from '../arguments/titled.ts';
import { isId } from '../arguments/values.ts';
import type { Context, Parsed } from '../commands/invocation.ts';
import { type LocalCommand, plainArgument } from '../commands/local-command.ts';
import { CliFailure, exitCodes, usage } from '../model/failure.ts';
import { printingOf, printPage } from '../output/print.ts';
import type { Calls } from '../service/calls.ts';

/** Most todos that one command changes. */
const maxTodos = 100;

interface Change {
  verb: string;
  summary: string;
  description: string;
  /** What is sent beside the ids. */
  body: Readonly<Record<string, unknown>>;
  /** Among todos with the same title, those that the change applies to. */
  applies(todo: Titled): boolean;
}

const changes: readonly Change[] = [
  {
    verb: 'done',
    summary: 'Complete todos',
    description: 'Completing a todo stops its running agents and ends its schedule.',
    body: { patch: { status: 'done' } },
    applies: ({ status }) => status !== 'done',
  },
  {
    verb: 'reopen',
    summary: 'Reopen completed todos',
    description: 'They are ready again, and their schedules continue at the next future time.',
    body: { patch: { status: 'ready' } },
    applies: ({ status }) => status === 'done',
  },
  {
    verb: 'archive',
    summary: 'Archive todos',
    description: 'Archived todos stay readable; to restore one: tandem todos restore ID.',
    body: { archive: true },
    applies: ({ isArchived }) => !isArchived,
  },
];

const namesRule =
  'Each TODO is an id, the start of one, or a title. If one of them matches several todos, they are listed and nothing is changed. All of the todos are changed, or none.';

async function run(change: Change, parsed: Parsed, calls: Calls, context: Context): Promise<number> {
  const { catalogue } = context;
  const operation = catalogue.operations.find(({ name }) => name === 'todos.bulkUpdate');
  if (!operation) {
    throw new CliFailure(exitCodes.failed, 'This client was built for a service that cannot change several todos.');
  }
  const printing = printingOf(parsed.general, operation);
  const texts = parsed.given.filter(({ by }) => by.target.path[0] === 'ids').map(({ text = '' }) => text);
  const names = new Names(calls, context);
  const ids: string[] = [];
  for (const text of texts) {
    ids.push(isId(text) ? text : (await names.titled('todo', text, 'TODO', change.applies)).id);
  }
  const distinct = [...new Set(ids.map((id) => id.toLowerCase()))];
  if (distinct.length > maxTodos) throw usage(`At most ${maxTodos} todos at once; these are ${distinct.length}.`);
  const { body } = await calls.send(operation, { body: { ids: distinct, ...change.body } });
  printPage(body as Record<string, unknown>, operation, context, printing);
  return exitCodes.done;
}

/** `tandem todos done`, `todos reopen` and `todos archive`. */
export function changeTodos(callsFor: (parsed: Parsed, context: Context) => Calls): LocalCommand[] {
  return changes.map((change) => ({
    words: ['todos', change.verb],
    summary: change.summary,
    description: `${change.description} ${namesRule}`,
    arguments: [plainArgument('todo', { isRest: true, target: { place: 'body', path: ['ids'] } })],
    options: [],
    flags: [],
    examples: [`todos ${change.verb} ID`, `todos ${change.verb} "Call the bank" ID`],
    run: (parsed, context) => run(change, parsed, callsFor(parsed, context), context),
  }));
}

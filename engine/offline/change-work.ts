import { z } from 'zod';
import { causeOf } from './faults.ts';
import { assigneeName, listName } from './names.ts';
import { type Call, type Done, first, type Plan, respond, type Scene, type Step } from './plan.ts';
import { dayText, listed, quote, type Row, shown, titleOf, todoIn } from './rows.ts';
import type { Work } from './work.ts';

/** New values of a todo, as update_todo takes them. */
const ChangesShape = z
  .object({
    title: z.string(),
    content: z.string().nullable(),
    status: z.enum(['ready', 'in_progress', 'done']),
    priority: z.enum(['urgent', 'high', 'medium', 'low']).nullable(),
    dueDate: z.string().nullable(),
    todoListId: z.string(),
    assignees: z.array(z.object({ id: z.string() })),
  })
  .partial();
export type Changes = z.infer<typeof ChangesShape>;

function titles(rows: readonly Row[], done: Step): string[] {
  return done.map(({ output }, place) => {
    const row = todoIn(output) ?? rows[place];
    return row?.title || row?.content ? titleOf(row) : 'the todo';
  });
}

/** Calls a tool for each todo and reports the results; `describe` words it for todos that were changed alike. */
function act(
  rows: readonly Row[],
  callFor: (row: Row) => Call,
  verb: string,
  describe: (titles: string, count: number, input: Done['input']) => string,
): Plan {
  return first(rows.map(callFor), (done) => {
    const named = titles(rows, done);
    const good = done.flatMap(({ isError, input }, place) => (isError ? [] : { title: named[place] ?? '', input }));
    // A person may have changed the arguments of some before approving them.
    const alike = Map.groupBy(good, ({ input }) => JSON.stringify({ ...input, todoId: null }));
    const parts = [...alike.values()].flatMap((group) => {
      const [{ input } = { input: {} }] = group;
      const these = group.map(({ title }) => title);
      if (these.length <= 3) return [describe(listed(these), these.length, input)];
      const lines = these.map((title) => `- ${title}`);
      return [describe(`${these.length} todos`, these.length, input), lines.join('\n')];
    });
    for (const [place, each] of done.entries()) {
      if (each.isError) parts.push(`I did not ${verb} ${named[place]}: ${causeOf(each)}.`);
    }
    return respond(parts.join('\n\n'), { isDone: good.length === rows.length });
  });
}

function simple(tool: string, verb: string, done: string, filter: Work['filter'], otherwise?: string): Work {
  const callFor = ({ id }: Row): Call => ({ name: tool, input: { todoId: id } });
  return {
    verb,
    filter,
    ...(otherwise && { otherwise }),
    act: (rows) => act(rows, callFor, verb, (named) => done.replace('%', named)),
  };
}

export const completing = simple(
  'complete_todo',
  'complete',
  'I completed %.',
  { status: 'active' },
  'is done already',
);
export const reopening = simple('reopen_todo', 'reopen', 'I reopened %.', { status: 'done' }, 'is open already');
export const archiving = {
  ...simple('archive_todo', 'archive', 'I archived %. Archived todos can be brought back.', {}),
  isCautious: true,
};
export const restoring = simple(
  'unarchive_todo',
  'bring back',
  'I brought back %.',
  { includeArchived: true },
  'is not archived',
);

/** The changes of a call that was made: those that were planned, unless a person changed them. */
function changesIn({ clear, ...input }: Done['input'], planned: Changes): Changes {
  const cleared = Array.isArray(clear) ? clear.map((field) => [field, null]) : [];
  return ChangesShape.safeParse({ ...input, ...Object.fromEntries(cleared) }).data ?? planned;
}

function changesText(scene: Scene, changes: Changes): string {
  const { title, content, status, priority, dueDate, todoListId, assignees } = changes;
  const people = (assignees ?? []).map(({ id }) =>
    id === scene.facts.person.id ? 'you' : shown(assigneeName(scene, id)),
  );
  const parts = [
    title === undefined ? '' : `is now called ${quote(title)}`,
    content === undefined ? '' : content === null ? 'has no content any more' : 'has another content',
    status === undefined ? '' : status === 'in_progress' ? 'is in progress' : `is ${status}`,
    priority === undefined ? '' : priority === null ? 'has no priority any more' : `has the priority ${priority}`,
    dueDate === undefined
      ? ''
      : dueDate === null
        ? 'has no due date any more'
        : `is due ${dayText(dueDate, scene.today)}`,
    todoListId === undefined ? '' : `is in the list ${quote(listName(scene, todoListId))}`,
    assignees === undefined ? '' : people.length === 0 ? 'is assigned to nobody' : `is assigned to ${listed(people)}`,
  ];
  return listed(parts.filter(Boolean));
}

/** The work of changing todos with update_todo. */
export function updating(scene: Scene, changes: Changes): Work {
  const callFor = ({ id }: Row): Call => ({ name: 'update_todo', input: { todoId: id, ...changes } });
  const describe = (titles: string, count: number, input: Done['input']) => {
    const changed = changesText(scene, changesIn(input, changes));
    const text = count === 1 ? changed : changed.replaceAll(/\bis\b/g, 'are').replaceAll(/\bhas\b/g, 'have');
    return text === '' ? `Changed: ${titles}.` : `Changed: ${titles} ${text}.`;
  };
  return {
    verb: 'change',
    filter: {},
    act: (rows) =>
      changes.title !== undefined && rows.length > 1
        ? respond('One title is for one todo. Tell me which of them to rename.')
        : act(rows, callFor, 'change', describe),
  };
}

import type { Details } from './details.ts';
import { causeOf } from './faults.ts';
import { assigneeName, listName } from './names.ts';
import { type Call, first, type Plan, respond, type Scene, type Step } from './plan.ts';
import { dayText, listed, quote, type Row, shown, titleOf, todoIn } from './rows.ts';
import type { Work } from './work.ts';

/** New values of a todo, as update_todo takes them. */
export interface Changes {
  title?: string;
  status?: 'ready' | 'in_progress';
  priority?: Details['priority'] | null;
  dueDate?: string | null;
  todoListId?: string;
  assignees?: { id: string }[];
}

function titles(rows: readonly Row[], done: Step): string[] {
  return done.map(({ output }, place) => {
    const row = todoIn(output) ?? rows[place];
    return row?.title || row?.content ? titleOf(row) : 'the todo';
  });
}

/** Calls a tool for each todo and reports the results; `describe` words it for the todos that succeeded. */
function act(
  rows: readonly Row[],
  callFor: (row: Row) => Call,
  verb: string,
  describe: (titles: string) => string,
): Plan {
  return first(rows.map(callFor), (done) => {
    const named = titles(rows, done);
    const good = named.filter((_, place) => !done[place]?.isError);
    const parts = good.length > 3 ? [describe(`${good.length} todos`), good.map((each) => `- ${each}`).join('\n')] : [];
    if (good.length > 0 && good.length <= 3) parts.push(describe(listed(good)));
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

function changesText(scene: Scene, changes: Changes): string {
  const { title, status, priority, dueDate, todoListId, assignees } = changes;
  const people = (assignees ?? []).map(({ id }) =>
    id === scene.facts.person.id ? 'you' : shown(assigneeName(scene, id)),
  );
  const parts = [
    title === undefined ? '' : `is now called ${quote(title)}`,
    status === 'in_progress' ? 'is in progress' : status === 'ready' ? 'is ready' : '',
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
  const changed = changesText(scene, changes);
  const plural = changed.replaceAll(/\bis\b/g, 'are').replaceAll(/\bhas\b/g, 'have');
  return {
    verb: 'change',
    filter: {},
    act: (rows) =>
      changes.title !== undefined && rows.length > 1
        ? respond('One title is for one todo. Tell me which of them to rename.')
        : act(rows, callFor, 'change', (named) => `Changed: ${named} ${rows.length > 1 ? plural : changed}.`),
  };
}

import { z } from 'zod';
import type { Context } from '../../domain/context.ts';
import { IdOrName, idOf, type NamedKind } from '../../domain/names.ts';
import { me, TodoCreate, TodoUpdate } from '../../domain/todos/shapes.ts';
import { Clear } from './clearing.ts';

const Assignees = z
  .array(
    z.strictObject({
      id: IdOrName.describe('me, or the id or name of a member or an agent.'),
      type: z.enum(['user', 'agent']).optional().describe('Only when a member and an agent have the name.'),
    }),
  )
  .max(20);

type AssigneeArguments = z.infer<typeof Assignees>;

const { title, content, priority, dueDate, captureId } = TodoCreate.shape;

const typeText = 'task (default): finished once. responsibility: continuing work.';

/** The arguments of a new todo, with names where the API takes ids. */
export const CreateArguments = TodoCreate.omit({ id: true }).extend({
  title: title.describe('One line that says what is to be done.'),
  content: content.describe('Details for the person or agent that does it; Markdown.'),
  priority: priority.describe('Omitted: none.'),
  type: TodoCreate.shape.type.describe(typeText),
  todoListId: IdOrName.optional().describe('Id or name of a list. Omitted: the default list.'),
  todoListName: TodoCreate.shape.todoListName.describe('Same as todoListId, by name only; give one of the two.'),
  dueDate: dueDate.describe('Day by which it should be done, YYYY-MM-DD. It starts nothing: see schedule.'),
  assignees: Assignees.optional().describe('Omitted: me. Empty: nobody.'),
  schedule: TodoCreate.shape.schedule.describe(
    'At these times an assigned agent is started, and assigned people are notified. Give exactly one of: every, to repeat in simple steps, {"every":"week","on":["mon"],"at":"09:00"}; runAt, once, {"runAt":"2026-03-06T17:00:00+01:00"}; rrule, to repeat by a rule that every cannot express, last Friday of the month: {"rrule":"FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9;BYMINUTE=0"}.',
  ),
  captureId: captureId.describe('Id of the capture that it comes from.'),
  run: TodoCreate.shape.run.describe('True starts the first agent in assignees at once; spends agent minutes.'),
});

/** The arguments of a change of a todo, with names where the API takes ids. */
export const UpdateArguments = TodoUpdate.extend({
  title: TodoUpdate.shape.title.describe('Replaces it.'),
  content: TodoUpdate.shape.content.describe('Replaces all of it; Markdown.'),
  status: TodoUpdate.shape.status.describe('done: as complete_todo. ready: as reopen_todo.'),
  priority: TodoUpdate.shape.priority.describe('Replaces it.'),
  type: TodoUpdate.shape.type.describe('task: finished once. responsibility: continuing work.'),
  todoListId: IdOrName.optional().describe('Id or name of the list to move it to.'),
  dueDate: TodoUpdate.shape.dueDate.describe('YYYY-MM-DD.'),
  assignees: Assignees.optional().describe('Replaces all of them: name those that stay too. Empty: nobody.'),
  schedule: TodoUpdate.shape.schedule.describe(
    'Replaces the schedule. Exactly one of every, runAt and rrule: see create_todo.',
  ),
  isSuggested: TodoUpdate.shape.isSuggested.describe('False accepts a suggestion; archive_todo dismisses it.'),
  clear: Clear(['content', 'priority', 'dueDate', 'schedule']),
});

/** The id of the list that an argument names. @throws Failure 400. */
export async function listIdOf({ db, principal }: Context, value: string | undefined): Promise<string | undefined> {
  return value === undefined ? undefined : idOf(db, principal.workspaceId, 'todo list', value, 'todoListId');
}

/** The id of the member or agent that an argument names; `me` is the person of the credential. @throws Failure 400. */
export async function assigneeIdOf({ db, principal }: Context, value: string, param: string, type?: 'user' | 'agent') {
  if (value.trim().toLowerCase() === me) return principal.userId;
  const kinds = { user: 'member', agent: 'agent' } satisfies Record<string, NamedKind>;
  return idOf(db, principal.workspaceId, type ? kinds[type] : 'member or agent', value, param);
}

/** The assignees that an argument names, by id. @throws Failure 400 with the `param` at fault. */
export async function assigneeIdsOf(ctx: Context, assignees: AssigneeArguments | undefined) {
  if (assignees === undefined) return undefined;
  const found: AssigneeArguments = [];
  for (const [place, each] of assignees.entries()) {
    found.push({ ...each, id: await assigneeIdOf(ctx, each.id, `assignees[${place}].id`, each.type) });
  }
  return found;
}

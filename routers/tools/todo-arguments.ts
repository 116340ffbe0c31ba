import { z } from 'zod';
import type { Context } from '../../domain/context.ts';
import { invalid } from '../../domain/errors.ts';
import { maxLabelsOfTodo } from '../../domain/labels/shapes.ts';
import { IdOrName, idOf, type NamedKind } from '../../domain/names.ts';
import { me, TodoCreate, TodoUpdate } from '../../domain/todos/shapes.ts';
import { Clear } from './clearing.ts';

const Assignees = z
  .array(
    z.strictObject({
      id: IdOrName.describe('me, or an id or name.'),
      type: z.enum(['user', 'agent']).optional().describe('If both have the name.'),
    }),
  )
  .max(20);

type AssigneeArguments = z.infer<typeof Assignees>;

/** Labels of a todo. `labelIdsOf` bounds them: the list of tools has no characters to spare for `maxItems`. */
const LabelArguments = z.array(IdOrName).optional().describe('Ids or names.');

const { title, content, priority, dueDate, captureId, parentTodoId } = TodoCreate.shape;

const typeText = 'task (default): finished once. responsibility: continuing work.';

/** The arguments of a new todo, with names where the API takes ids. */
export const CreateArguments = TodoCreate.omit({ id: true }).extend({
  title: title.describe('One line: what is to be done.'),
  content: content.describe('Details for the person or agent that does it; Markdown.'),
  priority: priority.describe('Omitted: none.'),
  type: TodoCreate.shape.type.describe(typeText),
  todoListId: IdOrName.optional().describe('Id or name of a list. Omitted: the default list.'),
  todoListName: TodoCreate.shape.todoListName.describe('As todoListId, by name.'),
  dueDate: dueDate.describe('YYYY-MM-DD. It starts nothing: see schedule.'),
  assignees: Assignees.optional().describe('Omitted: me. Empty: nobody.'),
  labelIds: LabelArguments,
  schedule: TodoCreate.shape.schedule.describe(
    'At these times an assigned agent is started, and assigned people are notified. Give exactly one of: every, to repeat in simple steps, {"every":"week","on":["mon"],"at":"09:00"}; runAt, once; rrule, for what every cannot express, last Friday of the month: {"rrule":"FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9;BYMINUTE=0"}.',
  ),
  captureId: captureId.describe('Id of the capture that it comes from.'),
  parentTodoId: parentTodoId.describe('Makes it a sub-todo of this todo.'),
  run: TodoCreate.shape.run.describe('True starts the first agent in assignees at once; spends agent minutes.'),
});

/** The arguments of a change of a todo, with names where the API takes ids. */
export const UpdateArguments = TodoUpdate.omit({ labelIds: true }).extend({
  title: TodoUpdate.shape.title.describe('Replaces it.'),
  content: TodoUpdate.shape.content.describe('Replaces all of it; Markdown.'),
  status: TodoUpdate.shape.status.describe('done: as complete_todo. ready: as reopen_todo.'),
  priority: TodoUpdate.shape.priority.describe('Replaces it.'),
  type: TodoUpdate.shape.type.describe('As in create_todo.'),
  todoListId: IdOrName.optional().describe('Id or name of a list.'),
  dueDate: TodoUpdate.shape.dueDate.describe('YYYY-MM-DD.'),
  parentTodoId: TodoUpdate.shape.parentTodoId.describe('As in create_todo.'),
  assignees: Assignees.optional().describe('Replaces all: name those that stay too. Empty: nobody.'),
  addLabelIds: LabelArguments,
  removeLabelIds: LabelArguments,
  schedule: TodoUpdate.shape.schedule.describe(
    'Replaces the schedule. Exactly one of every, runAt and rrule: see create_todo.',
  ),
  isSuggested: TodoUpdate.shape.isSuggested.describe('False accepts a suggestion; archive_todo dismisses it.'),
  clear: Clear(['content', 'priority', 'dueDate', 'parentTodoId', 'schedule']),
});

/** The id of the list that an argument names. @throws Failure 400. */
export async function listIdOf({ db, principal }: Context, value: string | undefined): Promise<string | undefined> {
  return value === undefined ? undefined : idOf(db, principal.workspaceId, 'todo list', value, 'todoListId');
}

/** The id of the label that an argument names. @throws Failure 400. */
export async function labelIdOf({ db, principal }: Context, value: string | undefined, param: string) {
  return value === undefined ? undefined : idOf(db, principal.workspaceId, 'label', value, param);
}

/** The ids of the labels that an argument names. @throws Failure 400 with the `param` at fault. */
export async function labelIdsOf({ db, principal }: Context, values: readonly string[] | undefined, param: string) {
  if (values === undefined) return undefined;
  if (values.length > maxLabelsOfTodo) throw invalid(param, `${param}: a todo has at most ${maxLabelsOfTodo} labels.`);
  const ids: string[] = [];
  for (const [place, value] of values.entries()) {
    ids.push(await idOf(db, principal.workspaceId, 'label', value, `${param}[${place}]`));
  }
  return ids;
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

import { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { IdOrName, idOf } from '../names.ts';
import { TodoCreate, TodoUpdate } from './shapes.ts';

const Assignees = z
  .array(
    z.strictObject({
      id: IdOrName.describe('Id or name of a member or an agent.'),
      type: z.enum(['user', 'agent']).optional().describe('Needed only when both have the name.'),
    }),
  )
  .max(20);

type AssigneeArguments = z.infer<typeof Assignees>;

const { title, priority, dueDate, captureId } = TodoCreate.shape;

/** What a new todo may say, with names where the API takes ids. */
export const CreateArguments = TodoCreate.extend({
  title: title.describe('Give this, content or both.'),
  priority: priority.describe('Omitted: none.'),
  type: TodoCreate.shape.type.describe('A task is done once; a responsibility stands or recurs.'),
  todoListId: IdOrName.optional().describe('Id or name of a list. Omitted: the default list.'),
  todoListName: TodoCreate.shape.todoListName.describe('The same by name only. Pass one of the two.'),
  dueDate: dueDate.describe('YYYY-MM-DD.'),
  assignees: Assignees.optional().describe('Omitted: the owner of the credential. Empty: nobody.'),
  captureId: captureId.describe('The capture it comes from.'),
});

/** What a change of a todo may say, with names where the API takes ids. */
export const UpdateArguments = TodoUpdate.extend({
  title: TodoUpdate.shape.title.describe('Replaces it.'),
  content: TodoUpdate.shape.content.describe('Replaces it whole; Markdown.'),
  status: TodoUpdate.shape.status.describe('done completes it, ready reopens it.'),
  type: TodoUpdate.shape.type.describe('A task is done once; a responsibility stands or recurs.'),
  todoListId: IdOrName.optional().describe('Id or name of the list to move it to.'),
  assignees: Assignees.optional().describe('Replaces all of them; empty unassigns everyone.'),
});

/** The id of the list that an argument means. @throws Failure 400. */
export async function listId(db: Db, workspaceId: string, value: string | undefined): Promise<string | undefined> {
  return value === undefined ? undefined : idOf(db, workspaceId, 'todo list', value, 'todoListId');
}

/** The assignees that an argument means, by id. @throws Failure 400 with the `param` at fault. */
export async function assigneeIds(db: Db, workspaceId: string, assignees: AssigneeArguments | undefined) {
  if (assignees === undefined) return undefined;
  const found: AssigneeArguments = [];
  for (const [place, each] of assignees.entries()) {
    const kind = each.type === undefined ? 'member or agent' : each.type === 'user' ? 'member' : 'agent';
    found.push({ ...each, id: await idOf(db, workspaceId, kind, each.id, `assignees[${place}].id`) });
  }
  return found;
}

import { z } from 'zod';
import { CursorText } from '../../domain/fields.ts';
import { IdOrName, idOf } from '../../domain/names.ts';
import { pageTodoLists } from '../../domain/todo-lists/list.ts';
import { Color, Emoji, ListName, TodoList } from '../../domain/todo-lists/shapes.ts';
import { upsertTodoList } from '../../domain/todo-lists/update.ts';
import { Clear, cleared } from './clearing.ts';
import { ToolLimit, tool, toolProcedure } from './tool.ts';

export const todoListTools = {
  list_todo_lists: toolProcedure
    .meta(
      tool('list_todo_lists', {
        title: 'List todo lists',
        description:
          'List the todo lists, the default one first, with the number of todos in each and of those not done. For the todos of a list, use list_todos with todoListId. Example: {"includeArchived":true}.',
        scopes: ['todos:read'],
        readOnly: true,
      }),
    )
    .input(
      z.strictObject({
        includeArchived: z.boolean().default(false).describe('Also list archived ones.'),
        limit: ToolLimit,
        cursor: CursorText,
      }),
    )
    .output(z.object({ data: z.array(TodoList), hasMore: z.boolean(), nextCursor: z.string().nullable() }))
    .query(({ ctx, input }) => pageTodoLists(ctx, input)),

  upsert_todo_list: toolProcedure
    .meta(
      tool('upsert_todo_list', {
        title: 'Create or change a todo list',
        description:
          'Create, rename, archive or restore a todo list. Without todoListId: create the list of this name, or change the one that has it. With todoListId: change the given fields; clear empties fields. Archiving a list leaves its todos as they are. Examples: {"name":"Groceries","emoji":"🛒"}, {"todoListId":"Groceries","archived":true}.',
        scopes: ['todos:write'],
      }),
    )
    .input(
      z.strictObject({
        todoListId: IdOrName.optional().describe('Id or name of the list to change.'),
        name: ListName.optional().describe('Needed to create; else the new name.'),
        emoji: Emoji.nullable().optional().describe('One emoji.'),
        color: Color.nullable().optional().describe('Colour label, such as green.'),
        archived: z.boolean().optional().describe('True archives, false restores.'),
        clear: Clear(['emoji', 'color']),
      }),
    )
    .output(z.object({ todoList: TodoList, created: z.boolean() }))
    .mutation(async ({ ctx, input: { todoListId: given, ...changes } }) => {
      const { workspaceId } = ctx.principal;
      const todoListId = given && (await idOf(ctx.db, workspaceId, 'todo list', given, 'todoListId'));
      return upsertTodoList(ctx, { ...cleared(changes), todoListId });
    }),
};

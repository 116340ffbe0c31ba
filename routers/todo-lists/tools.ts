import { z } from 'zod';
import { principalOf } from '../base.ts';
import { invalid } from '../errors.ts';
import { CursorText } from '../fields.ts';
import { folded } from '../folding.ts';
import { IdOrName, idOf } from '../names.ts';
import { type CursorScope, pageOf, positionOf } from '../page.ts';
import { ToolLimit, tool, toolProcedure } from '../tool.ts';
import { createTodoList, listTodoLists, updateTodoList } from './rows.ts';
import { Color, Emoji, ListName, TodoList, type TodoListAnswer } from './shapes.ts';

/** Of two lists in their order, whether the second comes later; the default list has no position and comes first. */
function isAfter(list: TodoListAnswer, [createdAt, id]: readonly [string | number | null, string]): boolean {
  if (createdAt === null) return !list.isDefault;
  return !list.isDefault && (list.createdAt > String(createdAt) || (list.createdAt === createdAt && list.id > id));
}

const lock = `select pg_advisory_xact_lock(hashtextextended($1, 0))`;

export const todoListTools = {
  list_todo_lists: toolProcedure
    .meta(
      tool('list_todo_lists', {
        title: 'List todo lists',
        description:
          'Lists the todo lists, the default one first, with how many todos each holds and how many are open.',
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
    .query(async ({ ctx, input: { includeArchived, limit, cursor } }) => {
      const { workspaceId } = principalOf(ctx);
      const key = ctx.service.cursorKey;
      const order = { operation: 'list_todo_lists', sort: 'createdAt', order: 'asc' };
      const scope: CursorScope = { key, workspaceId, ...order, filters: { includeArchived } };
      const after = cursor === undefined ? undefined : positionOf(scope, cursor);
      const lists = await listTodoLists(ctx.db, workspaceId, includeArchived);
      const rest = after ? lists.filter((list) => isAfter(list, after)) : lists;
      return pageOf(rest, limit, scope, (list) => [list.isDefault ? null : list.createdAt, list.id]);
    }),

  upsert_todo_list: toolProcedure
    .meta(
      tool('upsert_todo_list', {
        title: 'Create or change a todo list',
        description:
          'Without todoListId: creates a list of this name, or returns the one that has it. With todoListId: changes only what is given; archived true archives, false restores.',
        scopes: ['todos:write'],
      }),
    )
    .input(
      z.strictObject({
        todoListId: IdOrName.optional().describe('Id or name of the list to change.'),
        name: ListName.optional().describe('Needed to create; else the new name.'),
        emoji: Emoji.nullable().optional().describe('One emoji; null removes it.'),
        color: Color.nullable().optional().describe('Colour label; null removes it.'),
        archived: z.boolean().optional().describe('True archives, false restores.'),
      }),
    )
    .output(z.object({ todoList: TodoList, created: z.boolean() }))
    .mutation(async ({ ctx, input: { todoListId, ...changes } }) => {
      const { workspaceId } = principalOf(ctx);
      if (todoListId !== undefined) {
        const id = await idOf(ctx.db, workspaceId, 'todo list', todoListId, 'todoListId');
        return { todoList: await updateTodoList(ctx.db, workspaceId, id, changes), created: false };
      }
      const { name, ...rest } = changes;
      if (name === undefined) throw invalid('name', 'Give name to create a list, or todoListId to change one.');
      return ctx.db.transaction(async (tx) => {
        await tx.rows(lock, [`todo list ${workspaceId} ${folded(name)}`]);
        const same = (await listTodoLists(tx, workspaceId, true)).filter((list) => folded(list.name) === folded(name));
        const existing = same.find((list) => !list.isArchived) ?? same[0];
        if (existing) return { todoList: await updateTodoList(tx, workspaceId, existing.id, rest), created: false };
        const list = await createTodoList(tx, workspaceId, { name, ...rest });
        return { todoList: rest.archived ? await updateTodoList(tx, workspaceId, list.id, rest) : list, created: true };
      });
    }),
};

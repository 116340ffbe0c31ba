import { v7 as newId } from 'uuid';
import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { op, principalOf, procedure, router } from './base.ts';
import { conflict, notFound } from './errors.ts';
import { requireMatch } from './etag.ts';
import { DeletedResource, Id, Instant, listOf, saidText, text, wholeList } from './fields.ts';

export const TodoList = z
  .object({
    object: z.literal('todo_list'),
    id: Id,
    name: z.string().meta({ examples: ['Groceries'] }),
    emoji: z
      .string()
      .nullable()
      .meta({ examples: ['🛒'] }),
    color: z.string().nullable().describe('Colour label, such as green.'),
    isDefault: z.boolean().describe('Exactly one list per workspace is the default; it cannot be deleted.'),
    isArchived: z.boolean(),
    todoCount: z
      .int()
      .meta({ description: 'Todos filed here, not archived and not mere suggestions.', examples: [12] }),
    activeTodoCount: z.int().meta({ description: 'Of those, still to do rather than done.', examples: [5] }),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'TodoList' });

export type TodoListAnswer = z.infer<typeof TodoList>;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const Emoji = text(32)
  .refine((value) => value.trim() !== '' && [...graphemes.segment(value)].length === 1, 'must be one emoji')
  .meta({ description: 'One emoji (a single grapheme).', examples: ['🛒'] });
const Name = saidText(100).meta({ examples: ['Groceries'] });
const Color = saidText(32).meta({ description: 'Colour label.', examples: ['green'] });

/** Lists of a workspace with their counts: all, or the one of id $2. */
function select(where: string): string {
  return `select l.id, l.name, l.emoji, l.color, l.is_default as "isDefault", l.archived_at is not null as "isArchived",
      coalesce(c.todos, 0)::int as "todoCount", coalesce(c.active, 0)::int as "activeTodoCount",
      l.created_at as "createdAt", l.updated_at as "updatedAt"
    from todo_lists l left join lateral (
      select count(*) as todos, count(*) filter (where t.status <> 'done') as active from todos t
      where t.workspace_id = l.workspace_id and t.todo_list_id = l.id and t.archived_at is null and not t.is_suggested
    ) c on true
    where l.workspace_id = $1 and ${where}`;
}

const all = `${select('($2 or l.archived_at is null)')} order by l.is_default desc, l.created_at, l.id`;
const one = select('l.id = $2');

function answer(row: Omit<TodoListAnswer, 'object'>): TodoListAnswer {
  return { object: 'todo_list', ...row };
}

/** @throws Failure 404 when the workspace has no such list. */
async function findTodoList(db: Db, workspaceId: string, todoListId: string): Promise<TodoListAnswer> {
  const [row] = await db.rows<Omit<TodoListAnswer, 'object'>>(one, [workspaceId, todoListId]);
  if (!row) throw notFound('todo list', 'todoListId');
  return answer(row);
}

/** The list with its row locked, so that a precondition holds until the write. @throws Failure 404, 412. */
async function lockTodoList(db: Db, workspaceId: string, todoListId: string, ifMatch: readonly string[] | undefined) {
  await db.rows('select 1 from todo_lists where workspace_id = $1 and id = $2 for update', [workspaceId, todoListId]);
  const list = await findTodoList(db, workspaceId, todoListId);
  requireMatch(ifMatch, TodoList, list);
  return list;
}

const insert = `insert into todo_lists (workspace_id, id, name, emoji, color) values ($1, $2, $3, $4, $5)`;
const update = `update todo_lists set name = $3, emoji = $4, color = $5,
    archived_at = case when $6 then coalesce(archived_at, now()) end, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2`;

export const todoLists = router({
  list: procedure
    .meta(
      op('GET /todo-lists', {
        id: 'listTodoLists',
        scope: 'todos:read',
        summary: 'List the todo lists',
        tool: 'list_todo_lists',
      }),
    )
    .input(z.strictObject({ includeArchived: z.boolean().default(false).describe('Also list archived ones.') }))
    .output(listOf(TodoList, 'TodoListPage'))
    .query(async ({ ctx, input }) => {
      const rows = await ctx.db.rows<Omit<TodoListAnswer, 'object'>>(all, [
        principalOf(ctx).workspaceId,
        input.includeArchived,
      ]);
      return wholeList(rows.map(answer));
    }),

  create: procedure
    .meta(
      op('POST /todo-lists', {
        id: 'createTodoList',
        scope: 'todos:write',
        summary: 'Create a todo list',
        status: 201,
        keyed: true,
        etag: true,
      }),
    )
    .input(
      z
        .strictObject({ name: Name, emoji: Emoji.optional(), color: Color.optional() })
        .meta({ id: 'TodoListCreateParams' }),
    )
    .output(TodoList)
    .mutation(async ({ ctx, input }) => {
      const { workspaceId } = principalOf(ctx);
      const id = newId();
      await ctx.db.rows(insert, [workspaceId, id, input.name, input.emoji ?? null, input.color ?? null]);
      return findTodoList(ctx.db, workspaceId, id);
    }),

  get: procedure
    .meta(
      op('GET /todo-lists/{todoListId}', {
        id: 'getTodoList',
        scope: 'todos:read',
        summary: 'Get a todo list',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ todoListId: Id }))
    .output(TodoList)
    .query(({ ctx, input }) => findTodoList(ctx.db, principalOf(ctx).workspaceId, input.todoListId)),

  update: procedure
    .meta(
      op('PATCH /todo-lists/{todoListId}', {
        id: 'updateTodoList',
        scope: 'todos:write',
        summary: 'Rename, recolour, archive or restore a todo list',
        etag: true,
        statuses: [404, 409],
      }),
    )
    .input(
      z
        .strictObject({
          todoListId: Id,
          name: Name.optional(),
          emoji: Emoji.nullable().optional(),
          color: Color.nullable().optional(),
          archived: z.boolean().optional().describe('True archives the list, false restores it.'),
        })
        .meta({ id: 'TodoListUpdateParams' }),
    )
    .output(TodoList)
    .mutation(({ ctx, input: { todoListId, ...changes } }) =>
      ctx.db.transaction(async (tx) => {
        const { workspaceId } = principalOf(ctx);
        const list = await lockTodoList(tx, workspaceId, todoListId, ctx.ifMatch);
        const { name = list.name, emoji = list.emoji, color = list.color, archived = list.isArchived } = changes;
        if (archived && list.isDefault) throw conflict('The default list cannot be archived.');
        const changed =
          name !== list.name || emoji !== list.emoji || color !== list.color || archived !== list.isArchived;
        if (!changed) return list;
        await tx.rows(update, [workspaceId, todoListId, name, emoji, color, archived]);
        return findTodoList(tx, workspaceId, todoListId);
      }),
    ),

  delete: procedure
    .meta(
      op('DELETE /todo-lists/{todoListId}', {
        id: 'deleteTodoList',
        scope: 'todos:write',
        summary: 'Delete an empty todo list',
        description: 'Refused with 409 for the default list and for a list that holds todos, archived ones included.',
        etag: true,
        statuses: [404, 409],
      }),
    )
    .input(z.strictObject({ todoListId: Id }))
    .output(DeletedResource)
    .mutation(({ ctx, input: { todoListId } }) =>
      ctx.db.transaction(async (tx) => {
        const { workspaceId } = principalOf(ctx);
        const list = await lockTodoList(tx, workspaceId, todoListId, ctx.ifMatch);
        if (list.isDefault) throw conflict('The default list cannot be deleted.');
        const key = [workspaceId, todoListId];
        const held = await tx.rows('select 1 from todos where workspace_id = $1 and todo_list_id = $2 limit 1', key);
        if (held.length > 0)
          throw conflict(
            'This list holds todos, perhaps archived ones. Move or erase them first, or archive the list.',
          );
        await tx.rows('delete from todo_lists where workspace_id = $1 and id = $2', key);
        return { object: 'deleted' as const, id: todoListId, deleted: true as const, recoverable: false };
      }),
    ),
});

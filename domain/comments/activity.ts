import { z } from 'zod';
import type { Context } from '../context.ts';
import { readActivity } from '../events/activity.ts';
import { Event } from '../events/shapes.ts';
import { CursorText, Id, Limit, listOf } from '../fields.ts';
import { cursorScope, pageOf, positionOf } from '../page.ts';
import { requireTodo } from '../todos/rows.ts';

export const ActivityPage = listOf(Event, 'TodoActivityPage');

export const ActivityListing = z.strictObject({ todoId: Id, limit: Limit, cursor: CursorText });

/**
 * One page of what happened to a todo, its runs and its comments, the latest first. @throws Failure 400
 * `invalid_cursor`, 404.
 */
export async function listTodoActivity(ctx: Context, input: z.infer<typeof ActivityListing>) {
  const { workspaceId } = ctx.principal;
  const { limit, cursor, todoId } = input;
  const scope = cursorScope(ctx, { sort: 'sequence', order: 'desc', filters: { todoId } });
  const before = cursor === undefined ? null : Number(positionOf(scope, cursor)[0]);
  await requireTodo(ctx.db, workspaceId, todoId);
  const events = await readActivity(ctx.db, { workspaceId, todoId, before, limit: limit + 1 });
  return { object: 'list' as const, ...pageOf(events, limit, scope, (each) => [each.sequence, each.id]) };
}

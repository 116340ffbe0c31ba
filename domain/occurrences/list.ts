import { and, desc, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { todoOccurrences } from '../../db/schema/schedules.ts';
import type { Context } from '../context.ts';
import { cursorScope, pageOf, positionOf } from '../page.ts';
import { nextRunOf } from '../schedules/rows.ts';
import type { OccurrenceAnswer, OccurrenceListing } from '../schedules/shapes.ts';
import { requireTodo } from '../todos/rows.ts';
import { nextOccurrence, occurrenceColumns, occurrenceOf } from './rows.ts';

function latestFirst(a: OccurrenceAnswer, b: OccurrenceAnswer): number {
  return a.plannedAt < b.plannedAt ? 1 : -1;
}

/**
 * One page of the planned times of a todo, the latest first: the next one of its schedule, then the past ones.
 * @throws Failure 400 `invalid_cursor`, 404.
 */
export async function listTodoOccurrences(ctx: Context, input: z.infer<typeof OccurrenceListing>) {
  const { db, principal } = ctx;
  const { workspaceId } = principal;
  const { limit, cursor, todoId } = input;
  const scope = cursorScope(ctx, { sort: 'plannedAt', order: 'desc', filters: { todoId } });
  const after = cursor === undefined ? undefined : positionOf(scope, cursor);
  await requireTodo(db, workspaceId, todoId);
  const next = await nextRunOf(db, workspaceId, todoId);
  const { plannedAt, id } = todoOccurrences;
  const rows = await db.orm
    .select(occurrenceColumns)
    .from(todoOccurrences)
    .where(
      and(
        eq(todoOccurrences.workspaceId, workspaceId),
        eq(todoOccurrences.todoId, todoId),
        after && sql`(${plannedAt}, ${id}) < (${after[0]}::timestamptz, ${after[1]})`,
      ),
    )
    .orderBy(desc(plannedAt), desc(id))
    .limit(limit + 1);
  const past = rows.map(occurrenceOf);
  const isAhead = next !== null && (after === undefined || next < String(after[0]));
  const isStored = past.some((each) => each.plannedAt === next);
  const all = isAhead && !isStored ? [...past, nextOccurrence(todoId, next)].sort(latestFirst) : past;
  return { object: 'list' as const, ...pageOf(all, limit, scope, (each) => [each.plannedAt, each.id]) };
}

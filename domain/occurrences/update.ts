import type { z } from 'zod';
import { todoOccurrences } from '../../db/schema/schedules.ts';
import type { Context } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { type NewEvent, recordEvent } from '../events/record.ts';
import { lockSchedules } from '../schedules/rows.ts';
import { Occurrence, type OccurrenceAnswer, type OccurrenceUpdate } from '../schedules/shapes.ts';
import { nextOpenTime, setNextRun } from '../schedules/states.ts';
import { recordTodoChanges } from '../todos/events.ts';
import { findTodo, lockTodos, touchTodo } from '../todos/rows.ts';
import { findOccurrence, isOccurrence, nextOccurrence, occurrenceColumns, occurrenceId, occurrenceOf } from './rows.ts';

/**
 * Maximum number of planned times of one todo that may be skipped or marked done ahead: the next time is searched after
 * all of them.
 */
const maxAhead = 400;

type Input = z.infer<typeof OccurrenceUpdate>;

/** The event of an occurrence whose status was set. */
function updated({ id, todoId }: Pick<OccurrenceAnswer, 'id' | 'todoId'>): NewEvent {
  return { type: 'todo_occurrence.updated', objectId: id, parents: { todoId }, changedFields: ['status'] };
}

/** Sets the status of an occurrence that has a row; undefined when it has none. @throws Failure 412. */
async function updateStored({ db, principal, ifMatch }: Context, { todoId, occurrenceId: id, status }: Input) {
  const { workspaceId } = principal;
  const found = await findOccurrence(db, workspaceId, { todoId, id });
  if (!found) return undefined;
  requireMatch(ifMatch, Occurrence, found);
  if (found.status === status) return found;
  const isThis = isOccurrence(workspaceId, { todoId, id });
  await db.orm.update(todoOccurrences).set({ status }).where(isThis);
  await recordEvent(db, workspaceId, updated(found));
  return { ...found, status };
}

/**
 * Inserts the next occurrence with its status and moves the schedule to the one after. @throws Failure 404, 409, 412.
 */
async function updateNext(ctx: Context, { todoId, occurrenceId: id, status }: Input): Promise<OccurrenceAnswer> {
  const { db, ifMatch } = ctx;
  const { workspaceId } = ctx.principal;
  const now = ctx.clock();
  const [schedule] = await lockSchedules(db, workspaceId, [todoId], now);
  const plannedAt = schedule?.nextRunAt;
  if (!schedule || !plannedAt || occurrenceId(todoId, plannedAt) !== id) throw notFound('occurrence', 'occurrenceId');
  requireMatch(ifMatch, Occurrence, nextOccurrence(todoId, plannedAt));
  if (schedule.settled.length >= maxAhead) {
    throw conflict(
      `${maxAhead} planned times of this todo are skipped or done ahead. Pause or change its schedule instead.`,
    );
  }
  const before = await findTodo(db, workspaceId, todoId);
  const row = { workspaceId, id, todoId, plannedAt, status };
  const [inserted] = await db.orm.insert(todoOccurrences).values(row).returning(occurrenceColumns);
  if (!inserted) throw new Error('The insert of an occurrence returned no row');
  const nextRunAt = nextOpenTime(schedule, Math.max(Date.parse(plannedAt), now.getTime()));
  await setNextRun(db, workspaceId, { todoId, status: nextRunAt === null ? 'completed' : schedule.status, nextRunAt });
  await touchTodo(db, workspaceId, todoId);
  await recordEvent(db, workspaceId, updated(inserted));
  await recordTodoChanges(db, workspaceId, [before], [await findTodo(db, workspaceId, todoId)]);
  return occurrenceOf(inserted);
}

/**
 * Marks one planned time of a todo done, or skips it. The next one then does not fire, and the schedule continues with
 * the one after. @throws Failure 404, 409 when too many are ahead, 412.
 */
export function updateTodoOccurrence(ctx: Context, input: Input): Promise<OccurrenceAnswer> {
  const { todoId } = input;
  return ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const known = await lockTodos(db, ctx.principal.workspaceId, [todoId]);
    if (!known.has(todoId)) throw notFound('todo', 'todoId');
    return (await updateStored(tx, input)) ?? updateNext(tx, input);
  });
}

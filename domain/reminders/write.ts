import { v7 as newId } from 'uuid';
import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { errorCode } from '../../db/errors.ts';
import type { Context } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { recordErasure } from '../events/changes.ts';
import { recordEvent } from '../events/record.ts';
import { wholeList } from '../fields.ts';
import { instantColumn } from '../todos/reminder-instants.ts';
import { lockTodos, requireTodo } from '../todos/rows.ts';
import type { ReminderAnswer, ReminderCreate, ReminderRef } from './shapes.ts';

/** Reminders of one person of one todo at most. */
const maxReminders = 5;

const columns = `'reminder' as object, r.id, r.todo_id as "todoId", r.days_before as "daysBefore",
  to_char(r.at_time, 'HH24:MI') as time, r.timezone, r.remind_at as "remindAt", r.created_at as "createdAt"`;
const mine = 'r.workspace_id = $1 and r.todo_id = $2 and r.user_id = $3';
const list = `select ${columns} from todo_reminders r where ${mine} order by r.days_before desc, r.at_time, r.id`;
const insert = `insert into todo_reminders (workspace_id, id, todo_id, user_id, days_before, at_time, timezone, remind_at)
  select t.workspace_id, r.id, t.id, $3, r.days_before, r.at_time, r.timezone,
    case when (${instantColumn}) > $8::timestamptz then (${instantColumn}) end
  from todos t, (select $4::uuid as id, $5::smallint as days_before, $6::time as at_time, $7::text as timezone) r
  where t.workspace_id = $1 and t.id = $2`;
const erase =
  'delete from todo_reminders r where r.workspace_id = $1 and r.todo_id = $2 and r.user_id = $3 and r.id = $4 returning id';
const zone = 'select timezone from workspaces where id = $1';
const inZone = 'select now() at time zone $1';

/** The reminders that the caller has of a todo: the earliest day first. */
function findReminders(
  db: Db,
  { workspaceId, userId }: Context['principal'],
  todoId: string,
): Promise<ReminderAnswer[]> {
  return db.rows<ReminderAnswer>(list, [workspaceId, todoId, userId]);
}

/** The caller's reminders of a todo, those that were sent too. @throws Failure 404. */
export async function listReminders({ db, principal }: Context, { todoId }: { todoId: string }) {
  const reminders = await findReminders(db, principal, todoId);
  if (reminders.length === 0) await requireTodo(db, principal.workspaceId, todoId);
  return wholeList(reminders);
}

/** The zone of a new reminder, which PostgreSQL must know too. @throws Failure 400. */
async function zoneOf({ db, principal }: Context, given: string | undefined): Promise<string> {
  const [row] = given === undefined ? await db.rows<{ timezone: string }>(zone, [principal.workspaceId]) : [];
  const timezone = given ?? row?.timezone ?? 'UTC';
  await db.rows(inZone, [timezone]).catch((error: unknown) => {
    if (errorCode(error) !== '22023') throw error;
    throw invalid('timezone', 'This time zone is not known to the database. Use another of the same region.');
  });
  return timezone;
}

/**
 * Reminds the caller of the due date of a todo. If there is an equal reminder, it is returned.
 * @throws Failure 400, 404, 409 when there are too many.
 */
export async function createReminder(ctx: Context, input: z.infer<typeof ReminderCreate>): Promise<ReminderAnswer> {
  const { workspaceId, userId } = ctx.principal;
  const { todoId, daysBefore, time } = input;
  const timezone = await zoneOf(ctx, input.timezone);
  return ctx.db.transaction(async (db) => {
    const found = await lockTodos(db, workspaceId, [todoId]);
    if (found.size === 0) throw notFound('todo', 'todoId');
    const before = await findReminders(db, ctx.principal, todoId);
    const isSame = (each: ReminderAnswer) =>
      each.daysBefore === daysBefore && each.time === time && each.timezone === timezone;
    const same = before.find(isSame);
    if (same) return same;
    if (before.length >= maxReminders)
      throw conflict(`You have ${maxReminders} reminders of this todo. Delete one first.`);
    const id = newId();
    await db.rows(insert, [workspaceId, todoId, userId, id, daysBefore, time, timezone, ctx.clock().toISOString()]);
    const made = (await findReminders(db, ctx.principal, todoId)).find((each) => each.id === id);
    if (!made) throw new Error('A new reminder was not found');
    await recordEvent(db, workspaceId, {
      type: 'reminder.created',
      objectId: id,
      parents: { todoId },
      readerId: userId,
    });
    return made;
  });
}

/** Deletes a reminder of the caller. @throws Failure 404. */
export function deleteReminder(ctx: Context, { todoId, reminderId: id }: z.infer<typeof ReminderRef>) {
  const { workspaceId, userId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const erased = await db.rows(erase, [workspaceId, todoId, userId, id]);
    if (erased.length === 0) {
      await requireTodo(db, workspaceId, todoId);
      throw notFound('reminder', 'reminderId');
    }
    await recordErasure(db, workspaceId, [
      { type: 'reminder.deleted', objectId: id, parents: { todoId }, readerId: userId },
    ]);
    return { object: 'deleted' as const, id, deleted: true as const, recoverable: false };
  });
}

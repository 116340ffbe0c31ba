import { v7 as newId } from 'uuid';
import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import type { Context, Principal } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { changedFieldsOf, recordErasure } from '../events/changes.ts';
import { recordEvent, recordEvents } from '../events/record.ts';
import { wholeList } from '../fields.ts';
import { type ChangedNotification, changedColumns, isRead, notificationEvents } from '../notifications/changes.ts';
import { maxSnoozeDays, maxSnoozes, type SnoozeAnswer, type SnoozeCreate } from './shapes.ts';

const dayMs = 86_400_000;

const columns = `'snooze' as object, id, subject_type as "subjectType", subject_id as "subjectId", until, created_at as "createdAt"`;
const mine = 'workspace_id = $1 and user_id = $2';
const list = `select ${columns} from snoozes where ${mine} order by until, id limit ${maxSnoozes}`;
const ofSubject = `select ${columns} from snoozes where ${mine} and subject_id = $3`;
const count = `select count(*)::int as count from snoozes where ${mine}`;
const insert = `insert into snoozes (workspace_id, user_id, id, subject_type, subject_id, until)
  values ($1, $2, $3, $4, $5, $6::timestamptz) returning ${columns}`;
const putOff = `update snoozes set until = $4::timestamptz where ${mine} and id = $3 returning ${columns}`;
const erase = `delete from snoozes where ${mine} and id = $3 returning id`;
const unread = `update notifications n set read_at = null
  where ${mine} and id = $3 and in_app and read_at is not null returning ${changedColumns}`;
/** Snoozes of one person come one after the other, so that they cannot exceed their number together. */
const lockCreation = `select pg_advisory_xact_lock(hashtextextended('snoozes ' || $1 || $2, 0))`;

/** Whether what is put off is there, by its type; a notification must be in the person's own list. */
const subjects = {
  approval: 'select 1 from approvals where workspace_id = $1 and id = $2',
  todo_run: 'select 1 from todo_runs where workspace_id = $1 and id = $2',
  todo: 'select 1 from todos where workspace_id = $1 and id = $2',
  notification: 'select 1 from notifications where workspace_id = $1 and id = $2 and user_id = $3 and in_app',
} as const satisfies Record<SnoozeAnswer['subjectType'], string>;

type Wanted = z.infer<typeof SnoozeCreate>;

/** What the caller has put off in this workspace, what comes back first before the others. */
export async function listSnoozes({ db, principal }: Context) {
  return wholeList(await db.rows<SnoozeAnswer>(list, [principal.workspaceId, principal.userId]));
}

/** @throws Failure 404 when the workspace, or the list of the person, has nothing of this id. */
async function requireSubject(db: Db, principal: Principal, { subjectType, subjectId }: Wanted): Promise<void> {
  const { workspaceId, userId } = principal;
  const values = [workspaceId, subjectId, ...(subjectType === 'notification' ? [userId] : [])];
  const found = await db.rows(subjects[subjectType], values);
  if (found.length === 0) throw notFound(subjectType.replace('_', ' '), 'subjectId');
}

/**
 * Hides something from the inbox of the caller until `until`. If it is put off already, it gets the new instant. A
 * notification that was read becomes unread, so that it is noticed when it is back.
 * @throws Failure 400, 404, 409 when there are too many.
 */
export function createSnooze(ctx: Context, wanted: Wanted): Promise<SnoozeAnswer> {
  const { workspaceId, userId } = ctx.principal;
  const until = new Date(wanted.until);
  const ahead = until.getTime() - ctx.clock().getTime();
  if (ahead <= 0) throw invalid('until', 'This time is past. Choose one in the future.');
  if (ahead > maxSnoozeDays * dayMs) throw invalid('until', `Choose a time within ${maxSnoozeDays} days.`);
  return ctx.db.transaction(async (db) => {
    await db.rows(lockCreation, [workspaceId, userId]);
    await requireSubject(db, ctx.principal, wanted);
    const [before] = await db.rows<SnoozeAnswer>(ofSubject, [workspaceId, userId, wanted.subjectId]);
    const after = before
      ? await again(db, ctx.principal, before, until)
      : await first(db, ctx.principal, wanted, until);
    if (wanted.subjectType === 'notification') {
      const read = await db.rows<ChangedNotification>(unread, [workspaceId, userId, wanted.subjectId]);
      await recordEvents(db, workspaceId, notificationEvents(read, isRead));
    }
    return after;
  });
}

async function first(db: Db, { workspaceId, userId }: Principal, wanted: Wanted, until: Date): Promise<SnoozeAnswer> {
  const [all] = await db.rows<{ count: number }>(count, [workspaceId, userId]);
  if (all && all.count >= maxSnoozes) throw conflict(`You have ${maxSnoozes} snoozes here. Delete one first.`);
  const { subjectType, subjectId } = wanted;
  const id = newId();
  const values = [workspaceId, userId, id, subjectType, subjectId, until.toISOString()];
  const [made] = await db.rows<SnoozeAnswer>(insert, values);
  if (!made) throw new Error('A new snooze was not found');
  await recordEvent(db, workspaceId, { type: 'snooze.created', objectId: id, readerId: userId });
  return made;
}

async function again(db: Db, { workspaceId, userId }: Principal, before: SnoozeAnswer, until: Date) {
  const { id } = before;
  const [after] = await db.rows<SnoozeAnswer>(putOff, [workspaceId, userId, id, until.toISOString()]);
  if (!after) throw new Error('A snooze was not found again');
  const changedFields = changedFieldsOf(before, after);
  if (changedFields.length > 0) {
    await recordEvent(db, workspaceId, { type: 'snooze.updated', objectId: id, readerId: userId, changedFields });
  }
  return after;
}

/** Ends a snooze of the caller: what was put off is in the inbox again. @throws Failure 404. */
export function deleteSnooze(ctx: Context, { snoozeId: id }: { snoozeId: string }) {
  const { workspaceId, userId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const erased = await db.rows(erase, [workspaceId, userId, id]);
    if (erased.length === 0) throw notFound('snooze', 'snoozeId');
    await recordErasure(db, workspaceId, [{ type: 'snooze.deleted', objectId: id, readerId: userId }]);
    return { object: 'deleted' as const, id, deleted: true as const, recoverable: false };
  });
}

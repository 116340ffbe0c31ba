import type { KeyObject } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { type CursorScope, pageOf, positionOf } from '../page.ts';
import { Notification, type NotificationAnswer } from './shapes.ts';

/** The person whose notifications they are, in one workspace. */
export interface Reader {
  workspaceId: string;
  userId: string;
}

type Row = Omit<NotificationAnswer, 'object'>;

const columns = `id, kind, title, text, todo_id as "todoId", chat_id as "chatId", approval_id as "approvalId",
  email as "letterStatus", read_at is not null as "isRead", read_at as "readAt", created_at as "createdAt"`;
const mine = 'workspace_id = $1 and user_id = $2 and in_app';
const newest = 'order by created_at desc, id desc limit $3';
const from = '(created_at, id) < ($4::timestamptz, $5::uuid)';
const one = `select ${columns} from notifications where ${mine} and id = $3`;
const unread = `select count(*)::int as count from notifications where ${mine} and read_at is null`;
const change = `update notifications set read_at = case when $4 then coalesce(read_at, $5::timestamptz) end
  where ${mine} and id = $3`;
const lock = `select 1 from notifications where ${mine} and id = $3 for no key update`;
const readAll = `with changed as (
    update notifications set read_at = $3::timestamptz
    where ${mine} and read_at is null and ($4::timestamptz is null or (created_at, id) <= ($4::timestamptz, $5::uuid))
    returning 1
  ) select count(*)::int as count from changed`;

function notificationOf(row: Row): NotificationAnswer {
  return { object: 'notification', ...row };
}

async function unreadCount(db: Db, { workspaceId, userId }: Reader): Promise<number> {
  const [row] = await db.rows<{ count: number }>(unread, [workspaceId, userId]);
  return row?.count ?? 0;
}

/** @throws Failure 404 when the person has no such notification in this workspace. */
export async function findNotification(
  db: Db,
  { workspaceId, userId }: Reader,
  id: string,
  param = 'notificationId',
): Promise<NotificationAnswer> {
  const [row] = await db.rows<Row>(one, [workspaceId, userId, id]);
  if (!row) throw notFound('notification', param);
  return notificationOf(row);
}

/** A page of a person's notifications, newest first, and how many are unread. @throws Failure 400 `invalid_cursor`. */
export async function listNotifications(
  db: Db,
  key: KeyObject,
  reader: Reader,
  query: { limit: number; cursor?: string | undefined; unread: boolean },
) {
  const { workspaceId, userId } = reader;
  const { limit, cursor } = query;
  const order = { operation: 'listNotifications', sort: 'createdAt', order: 'desc' };
  const scope: CursorScope = { key, workspaceId, ...order, filters: { unread: query.unread, userId } };
  const position = cursor === undefined ? [] : positionOf(scope, cursor);
  const where = [mine, query.unread && 'read_at is null', cursor !== undefined && from].filter(Boolean).join(' and ');
  const text = `select ${columns} from notifications where ${where} ${newest}`;
  const rows = await db.rows<Row>(text, [workspaceId, userId, limit + 1, ...position]);
  const page = pageOf(rows, limit, scope, (row) => [row.createdAt, row.id]);
  const data = page.data.map(notificationOf);
  return { object: 'list' as const, ...page, data, unreadCount: await unreadCount(db, reader) };
}

/** Marks one as read or unread; what is read already keeps its time. @throws Failure 404, 412. */
export function markNotification(
  db: Db,
  reader: Reader,
  id: string,
  { read, now, ifMatch }: { read: boolean; now: Date; ifMatch: readonly string[] | undefined },
): Promise<NotificationAnswer> {
  const { workspaceId, userId } = reader;
  return db.transaction(async (tx) => {
    await tx.rows(lock, [workspaceId, userId, id]);
    requireMatch(ifMatch, Notification, await findNotification(tx, reader, id));
    await tx.rows(change, [workspaceId, userId, id, read, now.toISOString()]);
    return findNotification(tx, reader, id);
  });
}

/** Marks all as read, or those that are not newer than `upTo`. @throws Failure 404. */
export async function markAllRead(db: Db, reader: Reader, upTo: string | undefined, now: Date) {
  const { workspaceId, userId } = reader;
  const last = upTo === undefined ? null : await findNotification(db, reader, upTo, 'upTo');
  const values = [workspaceId, userId, now.toISOString(), last?.createdAt ?? null, last?.id ?? null];
  const [row] = await db.rows<{ count: number }>(readAll, values);
  return {
    object: 'notifications_read' as const,
    readCount: row?.count ?? 0,
    unreadCount: await unreadCount(db, reader),
  };
}

import type { notifications } from '../../db/schema/index.ts';
import type { Context, Principal } from '../context.ts';
import { notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { recordEvents } from '../events/record.ts';
import { type CursorScope, pageOf, positionOf } from '../page.ts';
import { type ChangedNotification, changedColumns, isRead, notificationEvents } from './changes.ts';
import { approvalsDedupeKey } from './events.ts';
import { pageOfSubject } from './pages.ts';
import { Notification, type NotificationAnswer, type NotificationQuery } from './shapes.ts';

/** The person whose notifications they are, in one workspace. */
type Reader = Pick<Principal, 'workspaceId' | 'userId'>;

type Columns = 'id' | 'title' | 'text' | 'todoId' | 'chatId' | 'approvalId' | 'readAt' | 'createdAt';
type Row = Pick<typeof notifications.$inferSelect, Columns> &
  Pick<NotificationAnswer, 'kind' | 'letterStatus' | 'isRead'>;

const columns = `id, kind, title, text, todo_id as "todoId", chat_id as "chatId", approval_id as "approvalId",
  email as "letterStatus", read_at is not null as "isRead", read_at as "readAt", created_at as "createdAt"`;
const mine = 'workspace_id = $1 and user_id = $2 and in_app';
const newest = 'order by created_at desc, id desc limit $3';
const from = '(created_at, id) < ($4::timestamptz, $5::uuid)';
const one = `select ${columns} from notifications where ${mine} and id = $3`;
/** Whether the person has put something off until later than `now`; `subject` is a condition on the snooze `s`. */
const isPutOff = (now: string, subject: string) => `exists (select 1 from snoozes s
    where s.workspace_id = $1 and s.user_id = $2 and s.until > ${now}::timestamptz and ${subject})`;
/**
 * Whether an approval of its message, which has one notification for all, waits and is not put off; null if none waits.
 */
const isAsked = (now: string) => `(select bool_or(not ${isPutOff(now, 's.subject_id = p.id')}) from approvals p
    where p.workspace_id = $1 and p.chat_id = n.chat_id and p.status = 'pending' and n.dedupe = ${approvalsDedupeKey('p')})`;
/**
 * What is put off comes back later, and is not counted or marked before; neither is what says that approvals or a run
 * which are put off need the person.
 */
const isNotPutOff = (now: string) => `not ${isPutOff(
  now,
  `(s.subject_id = n.id or n.kind = 'run_failed' and s.subject_type = 'todo_run' and n.dedupe = 'run:' || s.subject_id)`,
)}
    and (n.kind <> 'approval_requested' or coalesce(${isAsked(now)}, true))`;
const unread = `select count(*)::int as count from notifications n where ${mine} and read_at is null and ${isNotPutOff('$3')}`;
const mark = `update notifications set read_at = case when $4 then coalesce(read_at, $5::timestamptz) end
  where ${mine} and id = $3`;
const lock = `select 1 from notifications where ${mine} and id = $3 for no key update`;
const markAll = `update notifications n set read_at = $3::timestamptz
  where ${mine} and read_at is null and ${isNotPutOff('$3')}
    and ($4::timestamptz is null or (created_at, id) <= ($4::timestamptz, $5::uuid))
  returning ${changedColumns}`;

/** A notification with the address of the page of what it is about. */
function notificationOf(row: Row, publicUrl: string): NotificationAnswer {
  return { object: 'notification', ...row, url: pageOfSubject(publicUrl, row) };
}

async function unreadCount({
  db,
  principal,
  clock,
}: Pick<Context, 'db' | 'clock'> & { principal: Reader }): Promise<number> {
  const values = [principal.workspaceId, principal.userId, clock().toISOString()];
  const [row] = await db.rows<{ count: number }>(unread, values);
  return row?.count ?? 0;
}

async function findNotification(
  { db, principal, service }: Pick<Context, 'db' | 'principal' | 'service'>,
  id: string,
  param = 'notificationId',
): Promise<NotificationAnswer> {
  const [row] = await db.rows<Row>(one, [principal.workspaceId, principal.userId, id]);
  if (!row) throw notFound('notification', param);
  return notificationOf(row, service.publicUrl);
}

/** @throws Failure 404 when the person has no such notification in this workspace. */
export function getNotification(ctx: Context, { notificationId }: { notificationId: string }) {
  return findNotification(ctx, notificationId);
}

/** A page of a person's notifications, newest first, and how many are unread. @throws Failure 400 `invalid_cursor`. */
export async function listNotifications(ctx: Context, { limit, cursor, unread: onlyUnread }: NotificationQuery) {
  const { db, principal, operation } = ctx;
  const { workspaceId, userId } = principal;
  const filters = { unread: onlyUnread, userId };
  const order = { sort: 'createdAt', order: 'desc' };
  const scope: CursorScope = { key: ctx.service.cursorKey, operation, workspaceId, ...order, filters };
  const position = cursor === undefined ? [] : positionOf(scope, cursor);
  const where = [mine, onlyUnread && 'read_at is null', cursor !== undefined && from].filter(Boolean).join(' and ');
  const text = `select ${columns} from notifications where ${where} ${newest}`;
  const rows = await db.rows<Row>(text, [workspaceId, userId, limit + 1, ...position]);
  const page = pageOf(rows, limit, scope, (row) => [row.createdAt, row.id]);
  const data = page.data.map((row) => notificationOf(row, ctx.service.publicUrl));
  return { object: 'list' as const, ...page, data, unreadCount: await unreadCount(ctx) };
}

/** Marks one as read or unread; one that is read already keeps its `readAt`. @throws Failure 404, 412. */
export function updateNotification(
  ctx: Context,
  { notificationId: id, read }: { notificationId: string; read: boolean },
): Promise<NotificationAnswer> {
  const { workspaceId, userId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    await tx.rows(lock, [workspaceId, userId, id]);
    const notification = await findNotification({ ...ctx, db: tx }, id);
    requireMatch(ctx.ifMatch, Notification, notification);
    if (notification.isRead === read) return notification;
    await tx.rows(mark, [workspaceId, userId, id, read, ctx.clock().toISOString()]);
    const changed = { ...notification, readerId: userId, isListed: true };
    await recordEvents(tx, workspaceId, notificationEvents([changed], isRead));
    return findNotification({ ...ctx, db: tx }, id);
  });
}

/** Marks all as read, or those that are not newer than `upTo`. @throws Failure 404. */
export async function markNotificationsRead(ctx: Context, { upTo }: { upTo?: string | undefined }) {
  const { db, principal } = ctx;
  const last = upTo === undefined ? null : await findNotification(ctx, upTo, 'upTo');
  const values = [ctx.clock().toISOString(), last?.createdAt ?? null, last?.id ?? null];
  const { workspaceId, userId } = principal;
  const readCount = await db.transaction(async (tx) => {
    const read = await tx.rows<ChangedNotification>(markAll, [workspaceId, userId, ...values]);
    await recordEvents(tx, workspaceId, notificationEvents(read, isRead));
    return read.length;
  });
  return {
    object: 'notifications_read' as const,
    readCount,
    unreadCount: await unreadCount(ctx),
  };
}

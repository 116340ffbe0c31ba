import { v7 as newId } from 'uuid';
import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { notifications } from '../../db/schema/index.ts';
import type { ServiceContext } from '../context.ts';
import { recordTodoUpdate } from '../events/changes.ts';
import { recordingPart } from '../events/record.ts';
import { wake } from '../jobs.ts';
import { cutTo } from '../text.ts';
import { notificationEvents } from './changes.ts';
import { hasEmails, isPushed, type NotificationKind } from './shapes.ts';

const maxTitleLength = 300;
const maxTextLength = 2000;

/** An event that people are notified of. */
export interface NotificationEvent {
  workspaceId: string;
  /** The people concerned; those who are no longer members are left out. */
  userIds: readonly string[];
  kind: NotificationKind;
  /** One line, cut at 300 characters. */
  title: string;
  /** Cut at 2,000 characters. No secrets, no contents of captures: it is sent by email. */
  text: string;
  todoId?: string | null;
  chatId?: string | null;
  approvalId?: string | null;
  /** Names the event within the workspace: each person is notified of it once, however often `notify` is called. */
  dedupe: string;
}

/** How a notification was delivered: `outcomeOf` for one person, `statusOf` for all of them. */
type DeliveryStatus = 'sent' | 'partial' | 'failed' | 'suppressed';

/** The delivery of a notification to one person, as its row has it. */
export type Delivery = Pick<typeof notifications.$inferSelect, 'userId' | 'inApp' | 'email' | 'createdAt'>;

export interface Outcome {
  /** Null: there was nobody to notify. */
  status: DeliveryStatus | null;
  /** When they were notified. */
  at: string;
  people: { userId: string; outcome: DeliveryStatus }[];
}

/** What `notify` needs of a context. `db` is the transaction of the event. */
export type NotifyContext = Pick<ServiceContext, 'db' | 'clock' | 'mail'>;

const insert = `with n as (
  insert into notifications (workspace_id, id, user_id, kind, title, text, todo_id, chat_id, approval_id,
    dedupe, created_at, in_app, email, email_due_at)
  select $1, given.id, m.user_id, $4::text, $5::text, $6::text, $7::uuid, $8::uuid, $9::uuid,
    $10::text, $11::timestamptz, coalesce(s.in_app, true),
    case when not coalesce(s.email, true) then 'suppressed' when $12 then 'pending' else 'none' end,
    case when $12 and coalesce(s.email, true) then now() end
  from unnest($2::uuid[], $3::uuid[]) as given (user_id, id)
  join members m on m.workspace_id = $1 and m.user_id = given.user_id and m.removed_at is null
  left join notification_settings s on s.workspace_id = $1 and s.user_id = m.user_id and s.kind = $4
  order by m.user_id
  on conflict (workspace_id, dedupe, user_id) do nothing returning *
  ), listed as (select id from n where in_app
  ), pushed as (
    insert into push_deliveries (workspace_id, notification_id, subscription_id, due_at)
    select $1, n.id, p.id, now() from n
    join push_subscriptions p on p.workspace_id = $1 and p.user_id = n.user_id
    left join notification_settings s
      on s.workspace_id = $1 and s.user_id = n.user_id and s.kind = n.kind
    where $13 and coalesce(s.push, true) for key share of p skip locked returning 1
  )`;
const deliveries = `select user_id as "userId", in_app as "inApp", email, created_at as "createdAt" from notifications
  where workspace_id = $1 and dedupe = $2 order by user_id`;

/**
 * The outcome for one person. `sent`: it is in the list, or its email was sent or is queued. `partial`: it is in the
 * list, but its email failed for good. `failed`: there was only the email, and it failed. `suppressed`: the person
 * switched off both the list and the emails for this kind.
 */
export function outcomeOf({ inApp, email }: Pick<Delivery, 'inApp' | 'email'>): DeliveryStatus {
  if (email === 'failed') return inApp ? 'partial' : 'failed';
  return inApp || email === 'pending' || email === 'sent' ? 'sent' : 'suppressed';
}

/** The outcome for all of them. `suppressed` counts only when it holds for everybody; null when there is nobody. */
export function statusOf(people: readonly Pick<Delivery, 'inApp' | 'email'>[]): DeliveryStatus | null {
  const outcomes = new Set(people.map(outcomeOf));
  if (outcomes.size > 1) outcomes.delete('suppressed');
  const [first = null, second] = outcomes;
  return second === undefined ? first : 'partial';
}

/** The outcome of an event for everybody notified of it; `at` is when the last of them was. Null when nobody was. */
async function outcomeFor(db: Db, workspaceId: string, dedupe: string): Promise<Outcome | null> {
  const rows = await db.rows<Delivery>(deliveries, [workspaceId, dedupe]);
  const at = rows
    .map(({ createdAt }) => createdAt)
    .sort()
    .at(-1);
  if (at === undefined) return null;
  const people = rows.map((row) => ({ userId: row.userId, outcome: outcomeOf(row) }));
  return { status: statusOf(rows), at, people };
}

/**
 * Notifies people of an event, in its transaction: one row per person, in their list unless they switched that off, and
 * with a queued email where the service sends emails and they did not switch those off, and a queued push to each of
 * their browsers for the kinds that have it. A second call with the same
 * `dedupe` notifies nobody twice, and returns the outcome so far.
 */
export async function notify({ db, clock, mail }: NotifyContext, event: NotificationEvent): Promise<Outcome> {
  const { workspaceId, kind, dedupe, todoId = null, chatId = null, approvalId = null } = event;
  const userIds = [...new Set(event.userIds)];
  const ids = userIds.map(() => newId());
  const at = clock().toISOString();
  const title = cutTo(event.title.replace(/\s+/g, ' '), maxTitleLength);
  const texts = [kind, title, cutTo(event.text, maxTextLength)];
  const references = [todoId, chatId, approvalId, dedupe];
  if (userIds.length > 0) {
    const bindings = new Bindings();
    const values = [
      workspaceId,
      userIds,
      ids,
      ...texts,
      ...references,
      at,
      mail.sends && hasEmails(kind),
      isPushed(kind),
    ];
    for (const value of values) bindings.bind(value);
    const made = userIds.map((readerId, place) => ({
      id: ids[place] as string,
      readerId,
      isListed: true,
      todoId,
      chatId,
    }));
    const events = notificationEvents(made, { type: 'notification.created' });
    const { eventId } = db.origin;
    const recording = recordingPart(bindings, db.origin, { events, changed: 'listed', workspace: '$1' });
    const { eventId: own } = db.origin;
    const text = `${insert}, ${recording} select exists (select from pushed) as pushes, array(select id from recorded) as recorded`;
    const [sent] = await db.rows<{ pushes: boolean; recorded: string[] }>(text, bindings.values);
    // People who switched the list off get no event. An event that was recorded meanwhile stays the last one.
    if (own && db.origin.eventId === own && !sent?.recorded.includes(own)) db.origin.eventId = eventId;
    if (sent?.pushes) wake(db, 'pushes');
  }
  return (await outcomeFor(db, workspaceId, dedupe)) ?? { status: null, at, people: [] };
}

const record = `update todo_schedules
  set last_notification_status = $3, last_notification_sent_at = $4::timestamptz, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and todo_id = $2 and coalesce(last_notification_sent_at <= $4::timestamptz, true)`;

/**
 * Records on the schedule of a todo how its due notification was delivered. No change when nobody was notified, or when
 * a newer notification is recorded.
 */
export async function recordOnSchedule(
  db: Db,
  { workspaceId, todoId }: { workspaceId: string; todoId: string },
  { status, at }: Pick<Outcome, 'status' | 'at'>,
): Promise<void> {
  if (status !== null) await db.rows(record, [workspaceId, todoId, status, at]);
}

const lockTodo = 'select 1 from todos where workspace_id = $1 and id = $2 for no key update';
const lockSchedule = `select last_notification_sent_at as "at", last_notification_status as status from todo_schedules
  where workspace_id = $1 and todo_id = $2 for no key update`;

/**
 * Updates the schedule of a todo once the email of its latest notification was sent or failed for good; call it in the
 * transaction that records that. A schedule with a newer notification stays. The locks come before the read, so that of
 * two emails that end at once the second one sees the first; the todo is locked before its schedule, as everywhere.
 */
export async function recordEmailOnSchedule(
  tx: Db,
  { workspaceId, todoId, dedupe }: { workspaceId: string; todoId: string; dedupe: string },
): Promise<void> {
  await tx.rows(lockTodo, [workspaceId, todoId]);
  const [schedule] = await tx.rows<{ at: string | null } & Pick<Outcome, 'status'>>(lockSchedule, [
    workspaceId,
    todoId,
  ]);
  const outcome = schedule && (await outcomeFor(tx, workspaceId, dedupe));
  if (!outcome || outcome.at !== schedule.at) return;
  await recordOnSchedule(tx, { workspaceId, todoId }, outcome);
  const isOther = outcome.status !== null && outcome.status !== schedule.status;
  if (isOther) await recordTodoUpdate(tx, workspaceId, todoId, ['lastNotificationStatus']);
}

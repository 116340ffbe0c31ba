import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Mailer } from '../mail.ts';
import { cutTo } from './cut.ts';
import { hasLetters, type NotificationKind } from './kinds.ts';

/** Something that people should know. */
export interface News {
  workspaceId: string;
  /** Who is told; those who are no members any more are passed over. */
  userIds: readonly string[];
  kind: NotificationKind;
  /** One line, cut at 300 characters. */
  title: string;
  /** Cut at 2,000 characters. No secrets, no contents of captures: it goes into letters. */
  text: string;
  todoId?: string | null;
  chatId?: string | null;
  approvalId?: string | null;
  /** Names the event within the workspace: a person is told of it once, however often it is told. */
  dedupe: string;
}

/** What telling somebody came to: see `outcomeOf` for one person, `statusOf` for all of them. */
export type Told = 'sent' | 'partial' | 'failed' | 'suppressed';

/** What became of a notification for one person, as its row has it. */
export interface PersonTold {
  userId: string;
  inApp: boolean;
  email: 'none' | 'pending' | 'sent' | 'failed' | 'suppressed';
  createdAt: string;
}

export interface Outcome {
  /** Null: there was nobody to tell. */
  status: Told | null;
  /** When they were told. */
  at: string;
  people: { userId: string; outcome: Told }[];
}

/** What telling needs of the world. `db` is the transaction of the event. */
export interface Teller {
  db: Db;
  clock: () => Date;
  mail: Pick<Mailer, 'sends'>;
}

const insert = `insert into notifications (workspace_id, id, user_id, kind, title, text, todo_id, chat_id, approval_id,
    dedupe, created_at, in_app, email, email_due_at)
  select m.workspace_id, given.id, m.user_id, $4::text, $5::text, $6::text, $7::uuid, $8::uuid, $9::uuid,
    $10::text, $11::timestamptz, coalesce(s.in_app, true),
    case when not coalesce(s.email, true) then 'suppressed' when $12 then 'pending' else 'none' end,
    case when $12 and coalesce(s.email, true) then now() end
  from unnest($2::uuid[], $3::uuid[]) as given (user_id, id)
  join members m on m.workspace_id = $1 and m.user_id = given.user_id and m.removed_at is null
  left join notification_settings s on s.workspace_id = m.workspace_id and s.user_id = m.user_id and s.kind = $4
  order by m.user_id
  on conflict (workspace_id, dedupe, user_id) do nothing`;
const told = `select user_id as "userId", in_app as "inApp", email, created_at as "createdAt" from notifications
  where workspace_id = $1 and dedupe = $2 order by user_id`;

/**
 * What became of it for one person. `sent`: it is in the list, or its letter went out or is on its way. `partial`: it is
 * in the list, but its letter failed for good. `failed`: the letter was all there was, and failed. `suppressed`: the
 * person switched off every way there is to tell of this kind.
 */
export function outcomeOf({ inApp, email }: Pick<PersonTold, 'inApp' | 'email'>): Told {
  if (email === 'failed') return inApp ? 'partial' : 'failed';
  return inApp || email === 'pending' || email === 'sent' ? 'sent' : 'suppressed';
}

/** What became of it for all of them. Who switched it off counts only when all did; null when there is nobody. */
export function statusOf(people: readonly Pick<PersonTold, 'inApp' | 'email'>[]): Told | null {
  const outcomes = new Set(people.map(outcomeOf));
  if (outcomes.size > 1) outcomes.delete('suppressed');
  const [first = null, second] = outcomes;
  return second === undefined ? first : 'partial';
}

/** Everybody who was told of an event, and what became of it. `at` is that of the one told last. */
export async function outcomeFor(db: Db, workspaceId: string, dedupe: string): Promise<Outcome | null> {
  const rows = await db.rows<PersonTold>(told, [workspaceId, dedupe]);
  const at = rows
    .map(({ createdAt }) => createdAt)
    .sort()
    .at(-1);
  if (at === undefined) return null;
  const people = rows.map((row) => ({ userId: row.userId, outcome: outcomeOf(row) }));
  return { status: statusOf(rows), at, people };
}

/**
 * Tells people of something, in the transaction of the event: one row each, in their list unless they switched that off,
 * and with a letter to come where the service sends letters and they did not switch those off. Repeated with the same
 * `dedupe` it tells nobody twice, and returns what became of it so far.
 */
export async function notify({ db, clock, mail }: Teller, news: News): Promise<Outcome> {
  const { workspaceId, kind, dedupe, todoId = null, chatId = null, approvalId = null } = news;
  const userIds = [...new Set(news.userIds)];
  const ids = userIds.map(() => newId());
  const at = clock().toISOString();
  const text = [kind, cutTo(news.title.replace(/\s+/g, ' '), 300), cutTo(news.text, 2000)];
  const about = [todoId, chatId, approvalId, dedupe];
  const values = [workspaceId, userIds, ids, ...text, ...about, at, mail.sends && hasLetters(kind)];
  if (userIds.length > 0) await db.rows(insert, values);
  return (await outcomeFor(db, workspaceId, dedupe)) ?? { status: null, at, people: [] };
}

const record = `update todo_schedules
  set last_notification_status = $3, last_notification_sent_at = $4::timestamptz, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and todo_id = $2 and coalesce(last_notification_sent_at <= $4::timestamptz, true)`;

/** Keeps on the schedule of a todo what became of the news that it is due. When nobody was to be told, or it has newer, it stays. */
export async function recordOnSchedule(
  db: Db,
  { workspaceId, todoId }: { workspaceId: string; todoId: string },
  { status, at }: Pick<Outcome, 'status' | 'at'>,
): Promise<void> {
  if (status !== null) await db.rows(record, [workspaceId, todoId, status, at]);
}

const lockSchedule = `select last_notification_sent_at as "at" from todo_schedules
  where workspace_id = $1 and todo_id = $2 for no key update`;

/**
 * Brings the schedule of a todo up to date once a letter of its latest news went out or failed for good; call it in the
 * transaction that says so. A schedule that was told of something newer stays. The lock comes before the reading, so
 * that of two letters that end at once the second one sees the first.
 */
export async function recordLetterOnSchedule(
  tx: Db,
  { workspaceId, todoId, dedupe }: { workspaceId: string; todoId: string; dedupe: string },
): Promise<void> {
  const [schedule] = await tx.rows<{ at: string | null }>(lockSchedule, [workspaceId, todoId]);
  const outcome = schedule && (await outcomeFor(tx, workspaceId, dedupe));
  if (outcome && outcome.at === schedule.at) await recordOnSchedule(tx, { workspaceId, todoId }, outcome);
}

import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';
import { isUnavailable, waitedTooLong } from '../db/errors.ts';
import { deleteOldApprovals } from '../domain/approvals/retention.ts';
import { type ChatRetention, endOldChats } from '../domain/chats/retention.ts';
import { type Retention, sweepEvents } from '../domain/events/retention.ts';
import { deleteOldNotifications, withOldNotifications } from '../domain/notifications/retention.ts';
import { deleteOldSnoozes, withOldSnoozes } from '../domain/snoozes/retention.ts';
import { deleteOldRuns } from '../domain/todos/run-retention.ts';
import { deleteOldTurns } from '../domain/turns/retention.ts';
import { sumDays } from '../domain/usage/daily-sums.ts';
import { sumOldMinutes } from '../domain/usage/retention.ts';
import { sweepDeliveries, sweepEndpoints } from '../domain/webhooks/retention.ts';
import type { Config } from './config.ts';
import { expiredDeletions, keyDeletions, maxBatch } from './expired-rows.ts';
import { runPeriodically } from './periodic.ts';
import { endEmail, type UnsentEmail } from './workers/emails/claims.ts';

const hour = 60 * 60 * 1000;

/** Parts of a sweep. One that fails, or waits too long for a lock, does not stop the others. */
class Parts {
  readonly #failures: unknown[] = [];

  /** @throws what the work throws while the database is unavailable: the others would wait for it one after another. */
  async do(work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => {
      if (isUnavailable(error) && !waitedTooLong(error)) throw error;
      this.#failures.push(error);
    });
  }

  /** @throws AggregateError when parts were left out. */
  end(): void {
    const [cause] = this.#failures;
    const message = `${this.#failures.length} parts of a sweep failed`;
    if (cause !== undefined) throw new AggregateError(this.#failures, message, { cause });
  }
}

/**
 * The oldest keys first, each batch from where the one before ended: there are millions, and deleted keys stay in the
 * index until it is vacuumed.
 */
async function deleteKeys(db: Db): Promise<void> {
  const text = `with gone as (${keyDeletions[db.engine]} returning created_at)
    select count(*)::int as deleted, max(created_at) as until from gone`;
  for (let from = '-infinity', deleted = 1; deleted > 0; ) {
    const [row] = await db.rows<{ deleted: number; until: string | null }>(text, [from]);
    deleted = row?.deleted ?? 0;
    from = row?.until ?? from;
  }
}

async function deleteExpired(db: Db, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const counted = `with gone as (${text} returning 1) select count(*)::int as deleted from gone`;
    for (let deleted = maxBatch; deleted === maxBatch; ) {
      const [row] = await db.rows<{ deleted: number }>(counted, []);
      deleted = row?.deleted ?? 0;
    }
  }
}

/** Deletes up to `limit` old rows of a workspace with their events, in the transaction given. Returns how many. */
type Remove = (tx: Db, workspaceId: string, limit: number) => Promise<number>;

/** Deletes old rows of these workspaces in transactions of one workspace each: these hold the log of that one alone. */
async function removeInEach(db: Db, workspaces: readonly { id: string }[], remove: Remove): Promise<void> {
  const parts = new Parts();
  for (const { id } of workspaces) {
    await parts.do(async () => {
      while ((await db.transaction((tx) => remove(tx, id, maxBatch))) === maxBatch);
    });
  }
  parts.end();
}

async function deleteNotifications(db: Db, days: number): Promise<void> {
  const workspaces = await db.rows<{ id: string }>(withOldNotifications, [days]);
  await removeInEach(db, workspaces, (tx, id, limit) => deleteOldNotifications(tx, id, { days, limit }));
}

async function deleteSnoozes(db: Db): Promise<void> {
  await removeInEach(db, await db.rows<{ id: string }>(withOldSnoozes, []), deleteOldSnoozes);
}

const unsentEmails = `select workspace_id as "workspaceId", id, kind, todo_id as "todoId", dedupe, email_attempts as attempt
  from notifications where email = 'pending' and created_at < now() - interval '73 hours' limit ${maxBatch}`;

/**
 * Ends emails that no process sends, as after `SMTP_URL` was removed. A process that sends emails ends them itself
 * after three days.
 */
async function endUnsentEmails(db: Db): Promise<void> {
  for (const each of await db.rows<UnsentEmail>(unsentEmails, [])) await endEmail(db, each, 'failed');
}

const someWorkspaces = 'select id from workspaces where id > $1 order by id limit 500';

async function inEachWorkspace(db: Db, work: (workspaceId: string) => Promise<unknown>): Promise<void> {
  const parts = new Parts();
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after; ) {
    const found: { id: string }[] = await db.rows<{ id: string }>(someWorkspaces, [after]);
    for (const { id } of found) await parts.do(() => work(id));
    after = found.at(-1)?.id;
  }
  parts.end();
}

/** For how many days the traces of work are kept; 0: always. Minutes in detail, and as sums afterwards. */
export interface WorkRetention {
  runDays: number;
  approvalDays: number;
  turnDays: number;
  minuteDetailDays: number;
}

/** For how many days what grows is kept. */
export type KeptDays = Retention & ChatRetention & WorkRetention & { deliveryDays: number; notificationDays: number };

/** The days of the settings. */
export function keptDaysOf(config: Config): KeptDays {
  return {
    eventDays: config.EVENT_RETENTION_DAYS,
    auditDays: config.AUDIT_RETENTION_DAYS,
    deliveryDays: config.WEBHOOK_RETENTION_DAYS,
    notificationDays: config.NOTIFICATION_RETENTION_DAYS,
    archiveDays: config.CHAT_ARCHIVE_DAYS,
    erasureDays: config.ARCHIVED_CHAT_RETENTION_DAYS,
    runDays: config.RUN_RETENTION_DAYS,
    approvalDays: config.APPROVAL_RETENTION_DAYS,
    turnDays: config.TURN_RETENTION_DAYS,
    minuteDetailDays: config.MINUTE_DETAIL_DAYS,
  };
}

/**
 * Deletes what has expired: idempotency keys after 24 hours, rate counts after one, OAuth grants that were never
 * redeemed, registered clients that were never connected, endpoints of webhooks that were deleted, subscriptions over
 * MCP that ended, and events, deliveries of webhooks, notifications and chats after the days for which they are kept.
 * Ends emails that nobody sends.
 * @throws AggregateError once all was tried, when parts failed.
 */
export async function sweep(db: Db, kept: KeptDays): Promise<void> {
  const parts = new Parts();
  await parts.do(() => deleteKeys(db));
  for (const texts of expiredDeletions) await parts.do(() => deleteExpired(db, texts));
  await parts.do(() => sweepEndpoints(db));
  await parts.do(() => endUnsentEmails(db));
  await parts.do(() => deleteSnoozes(db));
  await parts.do(() => deleteNotifications(db, kept.notificationDays));
  await parts.do(() => sweepEvents(db, kept));
  await parts.do(() => sweepDeliveries(db, kept.deliveryDays));
  const endsChats = kept.archiveDays > 0 || kept.erasureDays > 0;
  if (endsChats) await parts.do(() => inEachWorkspace(db, (id) => endOldChats(db, id, kept)));
  parts.end();
}

const minuteDetail = `select s.swept_until as "from", (now() - make_interval(days => $1::int))::timestamptz(3) as until
  from (values ('minute detail')) w(name) left join sweeps s on s.name = w.name`;
const minutesSwept = `insert into sweeps (name, swept_until) values ('minute detail', $1)
  on conflict (name) do update set swept_until = excluded.swept_until, begun_at = excluded.begun_at`;

async function sumMinutesOfAll(db: Db, days: number): Promise<void> {
  const [span] = await db.rows<{ from: string | null; until: string }>(minuteDetail, [days]);
  if (!span || (span.from !== null && span.from >= span.until)) return;
  await inEachWorkspace(db, (id) => sumOldMinutes(db, id, span));
  await db.rows(minutesSwept, [span.until]);
}

/** Deletes the old traces of the work of agents, and sums up the minutes that were charged for it. */
export async function sweepWork(db: Db, kept: WorkRetention): Promise<void> {
  const { runDays, approvalDays, turnDays, minuteDetailDays } = kept;
  if (runDays > 0 || approvalDays > 0 || turnDays > 0) {
    await inEachWorkspace(db, async (id) => {
      await deleteOldRuns(db, id, runDays);
      // First the approvals: a turn that has some is kept.
      await deleteOldApprovals(db, id, approvalDays);
      await deleteOldTurns(db, id, turnDays);
    });
  }
  if (minuteDetailDays > 0) await sumMinutesOfAll(db, minuteDetailDays);
}

const daysOver = `select d.until from (values ('minutes of days', date_trunc('day', now() - interval '2 hours', 'UTC'))) d(name, until)
  left join sweeps s on s.name = d.name where s.swept_until is null or s.swept_until < d.until`;
const daysSummed = `update sweeps set swept_until = $1 where name = 'minutes of days'`;

/** Sums up the minutes of the days that are over, in every workspace. */
export async function sumDaysOfAll(db: Db): Promise<void> {
  const [days] = await db.rows<{ until: string }>(daysOver, []);
  if (!days) return;
  await inEachWorkspace(db, (id) => sumDays(db, id));
  await db.rows(daysSummed, [days.until]);
}

// The timers of processes may differ by half an hour without a second sweep; after a crash the next process begins an
// hour later.
const pauseMinutes = 30;
// Once a day: it passes what is kept of all times.
const pauseOfWorkMinutes = 23.5 * 60;

/**
 * The sweep, unless a process of the service has one in progress, or began one within the last half hour. Returns
 * whether it did.
 */
export function sweepOnce(db: Db, kept: KeptDays, renewMs?: number): Promise<boolean> {
  return runPeriodically(db, { name: 'expired rows', pauseMinutes, renewMs }, () => sweep(db, kept));
}

/** The same of the traces of work, once a day. */
export function sweepWorkOnce(db: Db, kept: WorkRetention, renewMs?: number): Promise<boolean> {
  const work = { name: 'traces of work', pauseMinutes: pauseOfWorkMinutes, renewMs };
  return runPeriodically(db, work, () => sweepWork(db, kept));
}

/** The minutes of the days that are over are summed up, unless a process has it in progress. Returns whether it did. */
export function sumDaysOnce(db: Db, renewMs?: number): Promise<boolean> {
  return runPeriodically(db, { name: 'minutes of days', pauseMinutes, renewMs }, () => sumDaysOfAll(db));
}

/**
 * Every hour, by one of the processes: deletes what has expired, once a day the old traces of work, and sums up the
 * minutes of the days that are over. Returns the function that stops it.
 */
export function startSweeps(db: Db, log: Logger, kept: KeptDays): () => void {
  const run = async () => {
    const parts = new Parts();
    await parts.do(() => sweepOnce(db, kept));
    await parts.do(() => sweepWorkOnce(db, kept));
    await parts.do(() => sumDaysOnce(db));
    parts.end();
  };
  const timer = setInterval(() => {
    run().catch((error: unknown) => log.warn({ err: error }, 'expired rows not deleted, will retry in an hour'));
  }, hour);
  timer.unref();
  return () => clearInterval(timer);
}

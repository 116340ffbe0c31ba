import type { Logger } from 'pino';
import type { Db } from '../../db/client.ts';
import { endsTransaction, waitedTooLong } from '../../db/errors.ts';
import { lockAnywhere, type Search } from '../../db/lock-anywhere.ts';
import type { ServiceContext } from '../../domain/context.ts';
import { type DueReminder, endReminder, sendReminder } from '../../domain/reminders/send.ts';
import { type Poller, startPoller } from '../runtime/poller.ts';
import { within } from '../runtime/timeouts.ts';
import { HeldWorkspaces } from './held-workspaces.ts';

interface ReminderParts {
  ctx: ServiceContext;
  log: Logger;
  /** For how long a workspace in which others hold a lock is left out; another time only in tests. */
  heldMs?: number;
}

/** Sends the reminders of due dates. Any number of processes may run one. */
export interface Reminders {
  /** Sends all that are due now, and returns how many. */
  sendAll(): Promise<number>;
  /**
   * Sends each reminder when it is due, until `stop` is called. The first look waits for `after`. Resolves when the
   * first look has ended.
   */
  start(after?: Promise<void>): Promise<void>;
  /** Sends nothing more, and waits up to `seconds` for what is in progress. */
  stop(seconds: number): Promise<void>;
}

/** Reminders that were set meanwhile, here or in another process, are found after this time. */
const pollMs = 5000;
const minPauseMs = 50;

// The lock and the transaction are the claim, as in the scheduler: one that another process sends is passed over.
const claimOf =
  (workspaces: string) =>
  ({ within, lock, limit }: Search) =>
    `select workspace_id as "workspaceId", id from todo_reminders
  where remind_at <= $1::timestamptz and workspace_id ${workspaces}${within('workspace_id')}
  order by remind_at limit ${limit} ${lock('for update skip locked')}`;
const claims = { others: claimOf('<> all($2::uuid[])'), only: claimOf('= any($2::uuid[])') };
const nextDue = `select remind_at as at from todo_reminders
  where remind_at is not null and workspace_id <> all($1::uuid[]) order by remind_at limit 1`;

/** Reminders on the database and the clock of `ctx`. */
export function createReminders({ ctx, log, heldMs }: ReminderParts): Reminders {
  const { db, clock } = ctx;
  let isStopped = false;
  let poller: Poller | undefined;

  /** Sends one reminder that is due in `workspaces`; false when there is none, or other processes hold all. */
  const sendOne = async (claim: (typeof claims)['only'], workspaces: readonly string[]): Promise<boolean> => {
    let due: DueReminder | undefined;
    try {
      return await db.transaction(async (tx: Db) => {
        [due] = await lockAnywhere<DueReminder>(tx, claim, [clock().toISOString(), workspaces], 1);
        if (!due) return false;
        await sendReminder({ ...ctx, db: tx }, due);
        return true;
      });
    } catch (error) {
      if (!due) throw error;
      if (waitedTooLong(error)) {
        log.warn({ err: error, ...due }, 'reminder not sent, others hold a lock, will retry');
        held.add(due.workspaceId);
        return true;
      }
      if (endsTransaction(error)) throw error;
      // One that cannot be sent must not hold up the others.
      log.error({ err: error, ...due }, 'reminder failed, not sent');
      await endReminder(ctx, due);
      return true;
    }
  };
  const held = new HeldWorkspaces((workspaceId) => sendOne(claims.only, [workspaceId]), heldMs);
  const sendAll = async (): Promise<number> => {
    held.tryAgain();
    let sent = 0;
    while (!isStopped && (await sendOne(claims.others, held.ids))) sent++;
    return sent;
  };
  /** Sends what is due, and returns the milliseconds until more may be. */
  const poll = async (): Promise<number> => {
    await sendAll();
    const [row] = await db.rows<{ at: string }>(nextDue, [held.ids]);
    const wait = row ? Date.parse(row.at) - clock().getTime() : pollMs;
    return Math.min(pollMs, Math.max(wait, minPauseMs));
  };
  return {
    sendAll,
    start: (after) => {
      poller ??= startPoller(poll, 'reminders not sent, will retry', log, after);
      return poller.first;
    },
    stop: async (seconds) => {
      isStopped = true;
      if (poller) await within(seconds, Promise.all([poller.stop(), held.ended()]));
    },
  };
}

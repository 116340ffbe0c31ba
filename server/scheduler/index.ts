import type { Logger } from 'pino';
import type { Db } from '../../db/client.ts';
import { endsTransaction, waitedTooLong } from '../../db/errors.ts';
import { lockAnywhere, type Search } from '../../db/lock-anywhere.ts';
import type { ServiceContext } from '../../domain/context.ts';
import { disableSchedule, fireDue, missDue, type NotifyDue } from '../../domain/occurrences/fire.ts';
import { type Poller, startPoller } from '../runtime/poller.ts';
import { within } from '../runtime/timeouts.ts';
import { HeldWorkspaces } from './held-workspaces.ts';

export interface SchedulerParts {
  ctx: ServiceContext;
  notifyDue: NotifyDue;
  log: Logger;
  /** Schedules fired at a time. */
  concurrency?: number;
  /** For how long a workspace in which others hold a lock is left out; another time only in tests. */
  heldMs?: number;
}

/** Fires the schedules of todos when they are due. Any number of processes may run one. */
export interface Scheduler {
  /** Fires all that is due now, and returns how many schedules advanced. */
  fireAll(): Promise<number>;
  /**
   * Fires each schedule when it is due, until `stop` is called. The first look waits for `after`. Resolves when the
   * first look has ended.
   */
  start(after?: Promise<void>): Promise<void>;
  /** Fires nothing more, and waits up to `seconds` for what is in progress. */
  stop(seconds: number): Promise<void>;
}

/** Schedules that were set meanwhile, here or in another process, are found after this time. */
const pollMs = 2000;
const minPauseMs = 50;

// The todo is locked without waiting: one that another process has locked is passed over. The lock and the transaction
// are the claim: firing advances the schedule and starts the work in the same transaction, so there is no lease that
// could end. The schedule is read after the lock. The inner limit makes the plan walk the index of what is due,
// whatever the planner expects of `$1`; it is far above what all processes lock at a time.
const claimOf =
  (workspaces: string) =>
  ({ within, lock, limit }: Search) =>
    `select s.workspace_id as "workspaceId", s.todo_id as "todoId" from (
    select workspace_id, todo_id, next_run_at from todo_schedules
    where next_run_at <= $1::timestamptz and workspace_id ${workspaces}${within('workspace_id')} order by next_run_at limit 500
  ) s join todos t on t.workspace_id = s.workspace_id and t.id = s.todo_id${within('t.workspace_id')}
  order by s.next_run_at limit ${limit} ${lock('for no key update of t skip locked')}`;
const claims = { others: claimOf('<> all($2::uuid[])'), only: claimOf('= any($2::uuid[])') };
const lockTodo = 'select 1 from todos where workspace_id = $1 and id = $2 for no key update';
const nextDue = `select next_run_at as at from todo_schedules
  where next_run_at is not null and workspace_id <> all($1::uuid[]) order by next_run_at limit 1`;

interface DueSchedule {
  workspaceId: string;
  todoId: string;
}

/** A scheduler on the database and the clock of `ctx`. */
export function createScheduler({ ctx, notifyDue, log, concurrency = 4, heldMs }: SchedulerParts): Scheduler {
  const { db, clock } = ctx;
  let isStopped = false;
  let poller: Poller | undefined;

  const withTodo = ({ workspaceId, todoId }: DueSchedule, act: typeof missDue) =>
    db.transaction(async (tx) => {
      await tx.rows(lockTodo, [workspaceId, todoId]);
      await act({ ...ctx, db: tx }, { workspaceId, todoId });
    });
  /**
   * One schedule that cannot be fired must not hold up the others, which come after it.
   * @throws what ends every transaction.
   */
  const passOver = async (due: DueSchedule, error: unknown) => {
    if (endsTransaction(error)) throw error;
    log.error({ err: error, ...due }, 'schedule failed, occurrence missed');
    await withTodo(due, missDue).catch(async (second: unknown) => {
      if (endsTransaction(second)) throw second;
      log.error({ err: second, ...due }, 'schedule failed, disabled');
      await withTodo(due, disableSchedule);
    });
  };

  /** Fires one schedule that is due in `workspaces`; false when other processes hold all that are. */
  const fireOne = async (claim: (typeof claims)['only'], workspaces: readonly string[]): Promise<boolean> => {
    let due: DueSchedule | undefined;
    try {
      return await db.transaction(async (tx: Db) => {
        [due] = await lockAnywhere<DueSchedule>(tx, claim, [clock().toISOString(), workspaces], 1);
        if (!due) return false;
        await fireDue({ ...ctx, db: tx }, due, notifyDue);
        return true;
      });
    } catch (error) {
      if (!due) throw error;
      await passOver(due, error).catch((last: unknown) => {
        if (!due || !waitedTooLong(last)) throw last;
        log.warn({ err: last, ...due }, 'schedule not fired, others hold a lock, will retry');
        held.add(due.workspaceId);
      });
      return true;
    }
  };
  const held = new HeldWorkspaces((workspaceId) => fireOne(claims.only, [workspaceId]), heldMs);
  const fireNext = () => fireOne(claims.others, held.ids);

  const fireMany = async (): Promise<number> => {
    let fired = 0;
    while (!isStopped && (await fireNext())) fired++;
    return fired;
  };
  const fireAll = async (): Promise<number> => {
    held.tryAgain();
    if (!(await fireNext())) return 0;
    const counts = await Promise.allSettled(Array.from({ length: concurrency }, fireMany));
    const rejected = counts.find((each) => each.status === 'rejected');
    if (rejected) throw rejected.reason;
    return counts.reduce((sum, each) => sum + (each.status === 'fulfilled' ? each.value : 0), 1);
  };

  /** Fires what is due, and returns the milliseconds until more may be. */
  const poll = async (): Promise<number> => {
    await fireAll();
    const [row] = await db.rows<{ at: string }>(nextDue, [held.ids]);
    const wait = row ? Date.parse(row.at) - clock().getTime() : pollMs;
    return Math.min(pollMs, Math.max(wait, minPauseMs));
  };
  return {
    fireAll,
    start: (after) => {
      poller ??= startPoller(poll, 'schedules not fired, will retry', log, after);
      return poller.first;
    },
    stop: async (seconds) => {
      isStopped = true;
      if (poller) await within(seconds, Promise.all([poller.stop(), held.ended()]));
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../db/client.ts';
import { endsTransaction } from '../../db/trouble.ts';
import type { World } from '../../routers/chats/turns.ts';
import { disableSchedule, fireDue, passDue, type TellDue } from '../../routers/schedules/fire.ts';
import { complainer } from '../jobs/complaints.ts';
import { within } from '../patience.ts';

export interface ClockworkParts {
  world: World;
  tell: TellDue;
  log: Logger;
  /** Schedules fired at a time. */
  concurrency?: number;
}

/** Fires the schedules of todos when they are due. Any number of processes may have one. */
export interface Clockwork {
  /** Fires all that is due now, and returns how many schedules went on. */
  fireAll(): Promise<number>;
  /** Fires what is due, again and again, at its time. */
  start(): void;
  /** Fires nothing more, and waits up to so many seconds for what is under way. */
  stop(seconds: number): Promise<void>;
}

/** Schedules that were set meanwhile, here or in another process, are seen after this time. */
const pollMs = 2000;
/** After a failure of the database. */
const restMs = 1000;

// The todo is locked and nothing waits: what another process holds is passed over. Its schedule is read after that, as
// it then stands. The inner limit makes the plan walk the index of what is due, whatever the planner thinks of `$1`; it
// is far above what all processes hold at a time.
const claim = `select s.workspace_id as "workspaceId", s.todo_id as "todoId" from (
    select workspace_id, todo_id, next_run_at from todo_schedules where next_run_at <= $1::timestamptz
    order by next_run_at limit 500
  ) s join todos t on t.workspace_id = s.workspace_id and t.id = s.todo_id
  order by s.next_run_at limit 1 for no key update of t skip locked`;
const hold = 'select 1 from todos where workspace_id = $1 and id = $2 for no key update';
const nextDue = `select next_run_at as at from todo_schedules where next_run_at is not null order by next_run_at limit 1`;

interface Claimed {
  workspaceId: string;
  todoId: string;
}

export function createClockwork({ world, tell, log, concurrency = 4 }: ClockworkParts): Clockwork {
  const { db, clock } = world;
  const complain = complainer(log);
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  const withTodo = ({ workspaceId, todoId }: Claimed, act: typeof passDue) =>
    db.transaction(async (tx) => {
      await tx.rows(hold, [workspaceId, todoId]);
      await act({ ...world, db: tx }, workspaceId, todoId);
    });
  /** One schedule that cannot be fired must not hold up the others, which come after it. */
  const passOver = async (claimed: Claimed, error: unknown) => {
    log.error({ err: error, ...claimed }, 'a schedule could not be fired; this time of it is passed over');
    await withTodo(claimed, passDue).catch(async (worse: unknown) => {
      if (endsTransaction(worse)) throw worse;
      log.error({ err: worse, ...claimed }, 'a schedule could not be passed over; it is disabled');
      await withTodo(claimed, disableSchedule);
    });
  };

  /** Fires one schedule that is due; false when there is none that nobody else has in hand. */
  const fireOne = async (): Promise<boolean> => {
    let claimed: Claimed | undefined;
    try {
      return await db.transaction(async (tx: Db) => {
        [claimed] = await tx.rows<Claimed>(claim, [clock().toISOString()]);
        if (!claimed) return false;
        await fireDue({ ...world, db: tx }, claimed.workspaceId, claimed.todoId, tell);
        return true;
      });
    } catch (error) {
      if (!claimed || endsTransaction(error)) throw error;
      await passOver(claimed, error);
      return true;
    }
  };

  const fireMany = async (): Promise<number> => {
    let fired = 0;
    while (!stopping.signal.aborted && (await fireOne())) fired++;
    return fired;
  };
  const fireAll = async (): Promise<number> => {
    if (!(await fireOne())) return 0;
    const counts = await Promise.allSettled(Array.from({ length: concurrency }, fireMany));
    const lost = counts.find((each) => each.status === 'rejected');
    if (lost) throw lost.reason;
    return counts.reduce((sum, each) => sum + (each.status === 'fulfilled' ? each.value : 0), 1);
  };

  /** Milliseconds until there may be something to do. */
  const pause = async (): Promise<number> => {
    const [row] = await db.rows<{ at: string }>(nextDue, []);
    const wait = row ? Date.parse(row.at) - clock().getTime() : pollMs;
    return Math.min(pollMs, Math.max(wait, 50)) + Math.random() * 10;
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      const wait = await fireAll()
        .then(pause)
        .catch((error: unknown) => {
          complain(error, 'the clockwork of schedules failed; it tries again');
          return restMs;
        });
      await sleep(wait, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  };
  return {
    fireAll,
    start: () => {
      running ??= run();
    },
    stop: async (seconds) => {
      stopping.abort();
      if (running) await within(seconds, running);
    },
  };
}

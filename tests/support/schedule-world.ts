import { pino } from 'pino';
import type { ServiceContext } from '../../domain/context.ts';
import { notifyDue } from '../../domain/notifications/events.ts';
import { createScheduler, type Scheduler } from '../../server/scheduler/index.ts';
import type { TestService } from './harness.ts';
import { type IdleService, startIdleService } from './run-fixtures.ts';

/** A clock that a test moves. */
export interface TestClock {
  now(): Date;
  set(instant: string): void;
  /** Moves on by so many minutes. */
  pass(minutes: number): void;
}

export function testClock(instant: string): TestClock {
  let at = Date.parse(instant);
  return {
    now: () => new Date(at),
    set: (next) => {
      at = Date.parse(next);
    },
    pass: (minutes) => {
      at += minutes * 60_000;
    },
  };
}

export interface ScheduledService extends IdleService {
  clock: TestClock;
  /** Fires all that is due by the clock of the test. */
  fire(): Promise<number>;
}

/** The context of a scheduler beside the service of a test. */
export function worldOf(tandem: TestService, clock: TestClock, more: Partial<ServiceContext> = {}): ServiceContext {
  const live = { subscribe: () => () => {}, isFollowed: () => false };
  return { db: tandem.db, live, clock: clock.now, mail: { sends: false }, ...more };
}

/**
 * Fires `concurrency` schedules at a time; `heldMs` is for how long a workspace in which others hold a lock is left
 * out.
 */
export function schedulerOf(ctx: ServiceContext, concurrency = 1, heldMs?: number): Scheduler {
  const more = heldMs === undefined ? {} : { heldMs };
  return createScheduler({ ctx, notifyDue, log: pino({ level: 'silent' }), concurrency, ...more });
}

/**
 * A service whose clock a test moves and whose agents never get to work. No process of the run fires anything by
 * itself: `fire` does.
 */
export async function startScheduled(instant: string): Promise<ScheduledService> {
  const clock = testClock(instant);
  const tandem = await startIdleService(clock.now, { AGENT_CONCURRENCY: '0' });
  const scheduler = schedulerOf(worldOf(tandem, clock));
  return { ...tandem, clock, fire: scheduler.fireAll };
}

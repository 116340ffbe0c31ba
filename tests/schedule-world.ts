import { pino } from 'pino';
import type { World } from '../routers/chats/turns.ts';
import { tellDue } from '../routers/notifications/events.ts';
import { type Clockwork, createClockwork } from '../server/clockwork/index.ts';
import type { TestService } from './harness.ts';
import { idleJobs } from './idle-jobs.ts';
import { type IdleService, startIdleService } from './run-world.ts';

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

/** The world of a clockwork beside the service of a test. */
export function worldOf(tandem: TestService, clock: TestClock, more: Partial<World> = {}): World {
  const jobs = idleJobs;
  const live = { subscribe: () => () => {}, isFollowed: () => false };
  return { db: tandem.db, jobs, live, clock: clock.now, mail: { sends: false }, ...more };
}

export function clockworkOf(world: World, concurrency = 1): Clockwork {
  return createClockwork({ world, tell: tellDue, log: pino({ level: 'silent' }), concurrency });
}

/**
 * A service whose clock a test moves and whose agents never get to work. No process of the run fires anything by itself:
 * `fire` does.
 */
export async function startScheduled(instant: string): Promise<ScheduledService> {
  const clock = testClock(instant);
  const tandem = await startIdleService(clock.now, { AGENT_CONCURRENCY: '0' });
  const jobs: World['jobs'] = {
    turn: async (_, turn, after) => void tandem.turns.push({ ...turn, after }),
    digest: async (_, digest) => void tandem.digests.push(digest),
    capture: idleJobs.capture,
  };
  const clockwork = clockworkOf(worldOf(tandem, clock, { jobs }));
  return { ...tandem, clock, fire: clockwork.fireAll };
}

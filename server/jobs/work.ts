import type { Logger } from 'pino';
import type { Db } from '../../db/client.ts';
import type { CaptureRef, DigestRef, TurnRef } from '../../routers/jobs.ts';
import type { Config } from '../config.ts';
import type { Line } from '../live/line.ts';
import { reclaimTurns } from './leases.ts';
import { createPeriodic, type Periodic } from './periodic.ts';
import { type Pump, startPump } from './pump.ts';
import { jobsChannel, type Queue } from './queue.ts';

/**
 * What is done for a job. Resolve when there is nothing left to do, also when somebody else does it; reject to have it
 * tried again. The signal tells that this process stops: save what is ready, give up the turn, and reject.
 */
export interface Handlers {
  onTurn(turn: TurnRef, signal: AbortSignal): Promise<void>;
  onDigest(digest: DigestRef, signal: AbortSignal): Promise<void>;
  onCapture(capture: CaptureRef, signal: AbortSignal): Promise<void>;
}

export interface WorkParts extends Handlers {
  config: Pick<Config, 'AGENT_CONCURRENCY' | 'SHUTDOWN_SECONDS'>;
  db: Db;
  queue: Queue;
  line: Line;
  log: Logger;
}

export interface Work {
  /** For other works that every process with workers repeats. */
  periodic: Periodic;
  turns: Pick<Pump, 'running' | 'done' | 'failed'>;
  digests: Pick<Pump, 'running' | 'done' | 'failed'>;
  captures: Pick<Pump, 'running' | 'done' | 'failed'>;
  /** Gives up the work in hand within SHUTDOWN_SECONDS; other processes go on with it. */
  stop(): Promise<void>;
}

const digestsAtATime = 4;
const capturesAtATime = 4;

/** Starts the workers of this process; null when AGENT_CONCURRENCY is 0. */
export function startWork({ config, db, queue, line, log, onTurn, onDigest, onCapture }: WorkParts): Work | null {
  if (config.AGENT_CONCURRENCY === 0) return null;
  const turns = startPump({ queue, log, name: 'turns', concurrency: config.AGENT_CONCURRENCY, handle: onTurn });
  const digests = startPump({ queue, log, name: 'digests', concurrency: digestsAtATime, handle: onDigest });
  const captures = startPump({ queue, log, name: 'captures', concurrency: capturesAtATime, handle: onCapture });
  const pumps = { turns, digests, captures };
  const wakeAll = () => {
    for (const pump of Object.values(pumps)) pump.wake();
  };
  const deafen = line.hear(jobsChannel, {
    onNotice: (name) => pumps[name as keyof typeof pumps]?.wake(),
    onReturn: wakeAll,
  });
  const periodic = createPeriodic(log);
  periodic.every(3, 'turns that nobody works on', () => reclaimTurns(db, queue));
  return {
    periodic,
    turns,
    digests,
    captures,
    stop: async () => {
      deafen();
      const seconds = config.SHUTDOWN_SECONDS;
      await Promise.all([periodic.stop(seconds), turns.stop(seconds), digests.stop(seconds), captures.stop(seconds)]);
    },
  };
}

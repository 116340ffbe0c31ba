import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import type { Config } from './config.ts';
import type { Periodic } from './jobs/periodic.ts';
import { openQueue, type Queue } from './jobs/queue.ts';
import { type Handlers, startWork, type Work } from './jobs/work.ts';
import { type LiveNews, openLive } from './live/index.ts';
import { type Line, openLine } from './live/line.ts';
import type { Measure } from './metrics.ts';

/** What goes on behind the requests: the queue, the news of chats, and the workers. */
export interface Backstage {
  queue: Queue;
  live: LiveNews;
  line: Line;
  measures: Measure[];
  /** Starts the workers, once requests are answered; null when this process has none, else where to add what repeats. */
  startWork(handlers?: Partial<Handlers>): Pick<Periodic, 'every'> | null;
  stopWork(): Promise<void>;
  /** After the last request and the last job. */
  close(): Promise<void>;
}

/** @throws StartError when the tables of the queue may not be made. */
export async function openBackstage(config: Config, db: Database, log: Logger): Promise<Backstage> {
  const queue = await openQueue(db.url, log, config.AGENT_CONCURRENCY > 0);
  const line = openLine(db.url, log);
  const live = openLive(line, log);
  let work: Work | null = null;
  const pass: Handlers = {
    onTurn: async (turn) => log.info(turn, 'a turn of an agent'),
    onDigest: async (digest) => log.info(digest, 'something to be summed up'),
    onCapture: async (capture) => log.info(capture, 'a capture to be worked on'),
  };
  const measures: Measure[] = [
    {
      kind: 'gauge',
      name: 'tandem_agent_turns_running',
      help: 'Turns of agents that this process works on',
      read: () => work?.turns.running ?? 0,
    },
    {
      kind: 'counter',
      name: 'tandem_jobs_done_total',
      help: 'Jobs that this process did',
      read: () => (work ? work.turns.done + work.digests.done + work.captures.done : 0),
    },
    {
      kind: 'counter',
      name: 'tandem_jobs_failed_total',
      help: 'Jobs that failed on this process and were put back',
      read: () => (work ? work.turns.failed + work.digests.failed + work.captures.failed : 0),
    },
    {
      kind: 'gauge',
      name: 'tandem_live_subscribers',
      help: 'Requests and turns of this process that listen to a chat',
      read: () => live.subscribers,
    },
    {
      kind: 'counter',
      name: 'tandem_live_reconnects_total',
      help: 'Times the listening connection was lost',
      read: () => line.losses,
    },
  ];
  return {
    queue,
    live,
    line,
    measures,
    startWork: (handlers = {}) => {
      work = startWork({ config, db, queue, line, log, ...pass, ...handlers });
      return work?.periodic ?? null;
    },
    stopWork: async () => work?.stop(),
    close: async () => {
      live.close();
      await Promise.all([line.close(), queue.close()]);
    },
  };
}

import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import type { Config } from './config.ts';
import { type Sequencer, startSequencer } from './events/sequencer.ts';
import { type OpenEventLogs, openEventLogs } from './pubsub/event-logs.ts';
import { type OnSession, openPgListener, type PgListener } from './pubsub/listener.ts';
import { type LiveChannel, openLive } from './pubsub/live.ts';
import { closingSeconds } from './runtime/draining.ts';
import { watchEventLoop } from './runtime/event-loop.ts';
import type { Measure } from './runtime/metrics.ts';
import { createPeriodic, type Periodic } from './runtime/periodic.ts';
import { within } from './runtime/timeouts.ts';
import { backlogMeasures } from './workers/queue/backlog.ts';
import { type Handlers, queues, startWork, type Work } from './workers/work.ts';

/** What runs beside the requests: the listening connection, the events of chats and workspaces, and the workers. */
export interface Background {
  live: LiveChannel;
  logs: OpenEventLogs;
  sequencer: Sequencer;
  pgListener: PgListener;
  measures: Measure[];
  /**
   * Starts the workers and the watch of the event loop, once requests are answered. Returns where to add periodic work,
   * and a promise that resolves when each kind of work was looked for once. Null if this process has no workers.
   */
  startWork(handlers: Handlers): { periodic: Pick<Periodic, 'every'>; first: Promise<void> } | null;
  stopWork(): Promise<void>;
  /** After the last request and the last job. */
  close(): Promise<void>;
}

/** Opens the listening connection, each anew with `onSession`; no work starts yet. */
export function openBackground(config: Config, db: Database, log: Logger, onSession?: OnSession): Background {
  const pgListener = openPgListener(db.url, log, onSession);
  const live = openLive(pgListener, db, log);
  const logs = openEventLogs(pgListener, db.for('events'), log);
  const sequencer = startSequencer(db, log);
  const eventLoop = watchEventLoop(log);
  let work: Work | null = null;
  let periodic: Periodic | null = null;
  const measures: Measure[] = [
    ...eventLoop.measures,
    ...sequencer.measures,
    ...backlogMeasures(db.for('workers'), queues, log),
    {
      kind: 'gauge',
      name: 'tandem_event_followers',
      help: 'Streams of this process that follow the log of a workspace',
      read: () => logs.followers,
    },
    {
      kind: 'gauge',
      name: 'tandem_agent_turns_running',
      help: 'Turns of agents that are running in this process',
      read: () => work?.turns.running ?? 0,
    },
    {
      kind: 'counter',
      name: 'tandem_jobs_done_total',
      help: 'Jobs completed by this process, by queue',
      label: 'queue',
      read: () => work?.done ?? {},
    },
    {
      kind: 'counter',
      name: 'tandem_jobs_failed_total',
      help: 'Jobs that failed in this process and will be retried, by queue',
      label: 'queue',
      read: () => work?.failed ?? {},
    },
    {
      kind: 'gauge',
      name: 'tandem_database_connections_busy',
      help: 'Database connections in use by requests of this process',
      read: () => db.load.busy,
    },
    {
      kind: 'gauge',
      name: 'tandem_database_waiting',
      help: 'Statements and transactions of requests that wait for a connection',
      read: () => db.load.waiting,
    },
    {
      kind: 'gauge',
      name: 'tandem_live_subscribers',
      help: 'Requests and turns of this process that wait for events of a chat',
      read: () => live.subscribers,
    },
    {
      kind: 'counter',
      name: 'tandem_live_reconnects_total',
      help: 'Number of times the LISTEN connection was lost',
      read: () => pgListener.reconnects,
    },
  ];
  return {
    live,
    logs,
    sequencer,
    pgListener,
    measures,
    startWork: (handlers) => {
      eventLoop.start();
      if (config.AGENT_CONCURRENCY === 0) return null;
      work = startWork({ db: db.for('workers'), pgListener, log, turnConcurrency: config.AGENT_CONCURRENCY, handlers });
      periodic = createPeriodic(log);
      return { periodic, first: work.first };
    },
    stopWork: async () => {
      const seconds = closingSeconds(config);
      await Promise.all([periodic?.stop(seconds), work?.stop(seconds)]);
    },
    close: async () => {
      eventLoop.stop();
      live.close();
      logs.close();
      await within(closingSeconds(config), sequencer.stop());
      await pgListener.close();
    },
  };
}

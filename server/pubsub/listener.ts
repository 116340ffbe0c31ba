import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import postgres from 'postgres';
import { tickMs } from '../../db/connection.ts';
import { Hosts } from '../../db/hosts.ts';

export interface ChannelListener {
  onNotification(payload: string): void;
  /** The connection is (again) established: notifications may have been missed before. */
  onReconnect?(): void;
}

/** The one connection on which this process listens to notifications of PostgreSQL. */
export interface PgListener {
  /** Listens to a channel. The returned function unsubscribes. */
  listen(channel: string, listener: ChannelListener): () => void;
  /** How often the connection was lost. */
  readonly reconnects: number;
  close(): Promise<void>;
}

/** Called with each new listening connection. */
export type OnSession = (connection: postgres.Sql) => Promise<unknown>;

const heartbeatMs = 3000;
const queryTimeoutMs = 3000;
const maxPauseMs = 2000;

interface ListenOptions extends postgres.Options<Record<string, never>> {
  /** Missing in the types of the driver, whose own `listen` uses it. */
  onnotify(channel: string, payload: string): void;
}

function connectTo(
  url: string,
  hosts: Hosts,
  onNotification: ListenOptions['onnotify'],
  onLost: () => void,
): postgres.Sql {
  const options: ListenOptions = {
    max: 1,
    idle_timeout: undefined,
    max_lifetime: null,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'tandem listener' },
    onnotify: onNotification,
    onclose: onLost,
    ...hosts.driverOptions,
  };
  return postgres(url, options);
}

/**
 * Counts ticks, not time: after this process itself was suspended, an answer that has arrived meanwhile is read before
 * the timeout.
 * @throws Error when `query` takes too long: a network that drops packets gives no error.
 */
async function inTime(query: Promise<unknown>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let ticks = 0;
  const ticking = setInterval(() => {
    if (++ticks * tickMs >= queryTimeoutMs) reject(new Error('The database did not respond in time'));
  }, tickMs).unref();
  query.catch(() => {});
  try {
    await Promise.race([query, late]);
  } finally {
    clearInterval(ticking);
  }
}

/**
 * Opens a listening connection to the database at `url` and maintains it: a query checks it every three seconds, and a
 * connection that is lost or unresponsive is replaced. Returns at once; `onReconnect` is called when it is established,
 * and before that `onSession` with the connection, which may take locks that last as long as it does.
 */
export function openPgListener(url: string, log: Logger, onSession?: OnSession): PgListener {
  const listeners = new Map<string, Set<ChannelListener>>();
  const closing = new AbortController();
  const hosts = new Hosts(url);
  let sql: postgres.Sql | undefined;
  let reconnects = 0;

  const guarded = (act: () => void) => {
    try {
      act();
    } catch (error) {
      log.error({ err: error }, 'notification handler failed');
    }
  };
  const onNotification = (channel: string, payload: string) => {
    // Listeners that were given no connection yet read again when they get one: an earlier event would be handled
    // twice.
    if (!sql) return;
    for (const listener of [...(listeners.get(channel) ?? [])]) guarded(() => listener.onNotification(payload));
  };
  const listenTo = (current: postgres.Sql, channel: string) => inTime(current.unsafe(`listen ${channel}`));
  const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});

  /** Serves one connection until it is lost. */
  const serve = async () => {
    const lost = new AbortController();
    const current = connectTo(url, hosts, onNotification, () => lost.abort());
    const over = AbortSignal.any([lost.signal, closing.signal]);
    try {
      // Connect first: a query that the driver queues while it connects would open a new connection when this one is
      // ended.
      await inTime(current.unsafe('select 1'));
      if (onSession) await inTime(onSession(current));
      for (const channel of listeners.keys()) await listenTo(current, channel);
      sql = current;
      for (const listener of [...listeners.values()].flatMap((each) => [...each]))
        guarded(() => listener.onReconnect?.());
      log.debug('pg listener connected');
      while (!over.aborted) {
        await pause(heartbeatMs, over);
        if (!over.aborted) await inTime(current.unsafe('select 1'));
      }
    } finally {
      sql = undefined;
      await current.end({ timeout: 0 }).catch(() => {});
    }
  };
  const run = async () => {
    for (let tries = 0; !closing.signal.aborted; tries++) {
      const since = Date.now();
      await serve().catch((error: unknown) => log.debug({ err: error }, 'pg listener failed'));
      if (closing.signal.aborted) return;
      if (Date.now() - since > heartbeatMs) tries = 0;
      if (tries === 0) log.warn('pg listener disconnected, will reconnect');
      reconnects++;
      await pause(Math.min(maxPauseMs, 100 * 2 ** tries) * (0.5 + Math.random() / 2), closing.signal);
    }
  };
  const running = run();

  return {
    listen: (channel, listener) => {
      const known = listeners.get(channel);
      const subscribed = known ?? new Set();
      listeners.set(channel, subscribed.add(listener));
      const current = sql;
      if (!known && current)
        listenTo(current, channel).then(listener.onReconnect?.bind(listener), () => current.end({ timeout: 0 }));
      return () => subscribed.delete(listener);
    },
    get reconnects() {
      return reconnects;
    },
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

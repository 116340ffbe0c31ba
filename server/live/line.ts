import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import postgres from 'postgres';

export interface Ear {
  onNotice(payload: string): void;
  /** The line is there (again): anything may have been said meanwhile. */
  onReturn?(): void;
}

/** The one connection on which this process listens to what the database tells all processes. */
export interface Line {
  /** Listens to a channel until the returned function is called. */
  hear(channel: string, ear: Ear): () => void;
  /** Says something to all processes, this one included. Lost when the line is down. */
  say(channel: string, payload: string): Promise<void>;
  /** How often it was lost. */
  readonly losses: number;
  close(): Promise<void>;
}

const heartbeatMs = 3000;
const patienceMs = 3000;
const longestPauseMs = 2000;

interface ListenOptions extends postgres.Options<Record<string, never>> {
  /** Of the driver, missing in its types: its own `listen` uses it. */
  onnotify(channel: string, payload: string): void;
}

function connectTo(url: string, onNotice: ListenOptions['onnotify'], onLost: () => void): postgres.Sql {
  const options: ListenOptions = {
    max: 1,
    idle_timeout: undefined,
    max_lifetime: null,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'tandem line' },
    onnotify: onNotice,
    onclose: onLost,
  };
  return postgres(url, options);
}

/** @throws Error when `work` takes longer than the patience: a network that went silent gives no error. */
async function soon(work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  const limit = sleep(patienceMs, undefined, { signal: late.signal, ref: false }).then(() => {
    throw new Error('The database went silent');
  });
  limit.catch(() => {});
  work.catch(() => {});
  try {
    await Promise.race([work, limit]);
  } finally {
    late.abort();
  }
}

/**
 * Opens the line to the database at `url` and keeps it up: a query goes over it every three seconds, and a connection
 * that is lost or silent is replaced. Returns at once; `onReturn` tells when it is there.
 */
export function openLine(url: string, log: Logger): Line {
  const ears = new Map<string, Set<Ear>>();
  const closing = new AbortController();
  let sql: postgres.Sql | undefined;
  let losses = 0;

  const guarded = (act: () => void) => {
    try {
      act();
    } catch (error) {
      log.error({ err: error }, 'a listener failed');
    }
  };
  const onNotice = (channel: string, payload: string) => {
    for (const ear of [...(ears.get(channel) ?? [])]) guarded(() => ear.onNotice(payload));
  };
  const listenTo = (current: postgres.Sql, channel: string) => soon(current.unsafe(`listen ${channel}`));
  const wait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});

  /** Serves one connection until it is lost. */
  const serve = async () => {
    const lost = new AbortController();
    const current = connectTo(url, onNotice, () => lost.abort());
    const over = AbortSignal.any([lost.signal, closing.signal]);
    try {
      for (const channel of ears.keys()) await listenTo(current, channel);
      sql = current;
      for (const ear of [...ears.values()].flatMap((each) => [...each])) guarded(() => ear.onReturn?.());
      log.debug('the line to the database is up');
      while (!over.aborted) {
        await wait(heartbeatMs, over);
        if (!over.aborted) await soon(current.unsafe('select 1'));
      }
    } finally {
      sql = undefined;
      await current.end({ timeout: 0 }).catch(() => {});
    }
  };
  const keep = async () => {
    for (let tries = 0; !closing.signal.aborted; tries++) {
      const since = Date.now();
      await serve().catch((error: unknown) => log.debug({ err: error }, 'the line to the database broke'));
      if (closing.signal.aborted) return;
      if (Date.now() - since > heartbeatMs) tries = 0;
      if (tries === 0) log.warn('the line to the database is lost; news of chats come late until it is back');
      losses++;
      await wait(Math.min(longestPauseMs, 100 * 2 ** tries) * (0.5 + Math.random() / 2), closing.signal);
    }
  };
  const kept = keep();

  return {
    hear: (channel, ear) => {
      const known = ears.get(channel);
      const those = known ?? new Set();
      ears.set(channel, those.add(ear));
      const current = sql;
      if (!known && current)
        listenTo(current, channel).then(ear.onReturn?.bind(ear), () => current.end({ timeout: 0 }));
      return () => those.delete(ear);
    },
    say: async (channel, payload) => {
      await sql?.unsafe('select pg_notify($1, $2)', [channel, payload], { prepare: true });
    },
    get losses() {
      return losses;
    },
    close: async () => {
      closing.abort();
      await kept;
    },
  };
}

import type { Db as JobDatabase } from 'pg-boss';
import postgres from 'postgres';
import { reconnectPause } from '../../db/client.ts';

/** The connections of the queue: few, its own, and by the same driver as all others, so that one URL means one thing. */
export interface JobStore extends JobDatabase {
  /** The tables are there: from now on nothing has a reason to take long. */
  ready(): void;
  close(): Promise<void>;
}

/** How long one statement may take before its connections are given up: a network that went silent gives no error. */
const patienceMs = 15_000;

/** Installing and upgrading the tables waits for other processes that do the same. */
const installPatienceMs = 120_000;

function open(url: string, max: number): postgres.Sql {
  return postgres(url, {
    max,
    connect_timeout: 10,
    backoff: reconnectPause,
    onnotice: () => {},
    connection: { application_name: 'tandem jobs', TimeZone: 'UTC' },
    types: {
      // pg-boss gives JSON as text already.
      json: {
        to: 114,
        from: [114, 3802],
        serialize: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
        parse: (text: string): unknown => JSON.parse(text),
      },
    },
  });
}

interface Connections {
  /** For single statements. */
  pool: postgres.Sql;
  /** For blocks of statements, which may open a transaction: one at a time. */
  single: postgres.Sql;
  lastBlock: Promise<unknown>;
}

const connectTo = (url: string): Connections => ({
  pool: open(url, 2),
  single: open(url, 1),
  lastBlock: Promise.resolve(),
});

async function runBlock(single: postgres.Sql, text: string): Promise<unknown[]> {
  try {
    const answer: unknown[] = await single.unsafe(text).simple();
    return answer.some(Array.isArray) ? answer.flat() : [...answer];
  } catch (error) {
    await single.unsafe('rollback').catch(() => {});
    throw error;
  }
}

function run(connections: Connections, text: string, values: unknown[]): Promise<unknown[]> {
  const { pool, single, lastBlock } = connections;
  const isBlock = values.length === 0 && /;\s*\S/.test(text);
  if (!isBlock) return pool.unsafe(text, values as never[], { prepare: true }).then((rows) => [...rows]);
  const block = lastBlock.then(() => runBlock(single, text));
  connections.lastBlock = block.catch(() => {});
  return block;
}

/** Opens the connections of the queue to the database at `url`, lazily. */
export function openStore(url: string): JobStore {
  let current = connectTo(url);
  let limit = installPatienceMs;
  const end = ({ pool, single }: Connections, seconds: number) =>
    Promise.allSettled([pool.end({ timeout: seconds }), single.end({ timeout: seconds })]);
  const drop = (silent: Connections) => {
    if (silent !== current) return;
    current = connectTo(url);
    void end(silent, 0);
  };
  return {
    executeSql: async (text, values = []) => {
      const used = current;
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        drop(used);
        late.reject(new Error('The database did not answer the queue in time'));
      }, limit);
      timer.unref();
      try {
        return { rows: await Promise.race([run(used, text, values), late.promise]) };
      } finally {
        clearTimeout(timer);
      }
    },
    ready: () => {
      limit = patienceMs;
    },
    close: async () => {
      await end(current, 5);
    },
  };
}

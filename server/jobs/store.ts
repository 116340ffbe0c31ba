import { setTimeout as sleep } from 'node:timers/promises';
import type { Db as JobDatabase } from 'pg-boss';
import postgres from 'postgres';

/** The connections of the queue: few, its own, and by the same driver as all others, so that one URL means one thing. */
export interface JobStore extends JobDatabase {
  close(): Promise<void>;
}

/** How long one statement may take before its connections are given up: a network that went silent gives no error. */
const patienceMs = 15_000;

/** Installing and upgrading the tables waits for other processes that do the same. */
const blockPatienceMs = 120_000;

const connections = 3;

function open(url: string): postgres.Sql {
  return postgres(url, {
    max: connections,
    connect_timeout: 10,
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

/** A block of several statements, which pg-boss sends without values; it may open a transaction of its own. */
async function block(sql: postgres.Sql, text: string): Promise<{ rows: unknown[] }> {
  const connection = await sql.reserve();
  try {
    const answer: unknown[] = await connection.unsafe(text).simple();
    return { rows: answer.some(Array.isArray) ? answer.flat() : answer };
  } catch (error) {
    await connection.unsafe('rollback').catch(() => undefined);
    throw error;
  } finally {
    connection.release();
  }
}

/** Opens the connections of the queue to the database at `url`, lazily. */
export function openStore(url: string): JobStore {
  let sql = open(url);
  const drop = (broken: postgres.Sql) => {
    if (broken !== sql) return;
    sql = open(url);
    void broken.end({ timeout: 0 });
  };
  return {
    executeSql: async (text, values = []) => {
      const current = sql;
      const answer =
        values.length > 0
          ? current.unsafe(text, values as never[], { prepare: true }).then((rows) => ({ rows: [...rows] }))
          : block(current, text);
      const late = new AbortController();
      const limit = values.length > 0 ? patienceMs : blockPatienceMs;
      const timeout = sleep(limit, undefined, { signal: late.signal, ref: false }).then(() => {
        drop(current);
        throw new Error('The database did not answer the queue in time');
      });
      timeout.catch(() => {});
      try {
        return await Promise.race([answer, timeout]);
      } finally {
        late.abort();
      }
    },
    close: () => sql.end({ timeout: 5 }),
  };
}

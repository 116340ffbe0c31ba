import postgres from 'postgres';
import { testDatabaseUrl } from './harness.ts';
import { until } from './until.ts';

/** A transaction of the test that stays open, and with it every lock it took. */
export interface Held {
  /** Runs another statement in the same transaction. */
  also(text: string, values: unknown[]): Promise<void>;
  /** Rolls back and lets go. */
  release(): Promise<void>;
}

const open = new Set<Held>();

/**
 * Looks for what waits; connected as long as something is held. A statement gives up its wait after seconds, and on a busy
 * machine a connection may take as long to open.
 */
let watch: postgres.Sql | undefined;

async function openWatch(): Promise<void> {
  watch ??= postgres(testDatabaseUrl(), { max: 1, onnotice: () => {} });
  await watch`select 1`;
}

async function closeWatch(): Promise<void> {
  const ending = watch;
  watch = undefined;
  await ending?.end();
}

/** Lets go of whatever a test that failed still holds; call it after each. */
export async function releaseAll(): Promise<void> {
  await Promise.all([...open].map((held) => held.release()));
}

/** Runs one statement in a transaction of its own and keeps that open. */
export async function hold(text: string, values: unknown[] = []): Promise<Held> {
  await openWatch();
  const sql = postgres(testDatabaseUrl(), { max: 1, onnotice: () => {} });
  await sql.unsafe('begin');
  await sql.unsafe(text, values as never[]);
  const held: Held = {
    also: async (more, given) => {
      await sql.unsafe(more, given as never[]);
    },
    release: async () => {
      if (!open.delete(held)) return;
      await sql.unsafe('rollback');
      await sql.end();
      if (open.size === 0) await closeWatch();
    },
  };
  open.add(held);
  return held;
}

/** Keeps the workspace from getting new lists (their foreign key needs its row): createTodoList then waits. */
export function holdWorkspace(workspaceId: string): Promise<Held> {
  return hold('select 1 from workspaces where id = $1 for update', [workspaceId]);
}

/** Waits until a statement like `pattern` waits for a lock, or until `work` is over. @throws Error when neither happens. */
export async function untilBlocked(pattern: string, work?: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work?.then(end, end);
  const sql = watch ?? postgres(testDatabaseUrl(), { max: 1 });
  try {
    const isBlocked = async () => {
      const blocked = await sql`select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database() and query like ${pattern}`;
      return blocked.length > 0;
    };
    await until(
      async () => isOver || (await isBlocked()),
      () => `a statement like ${pattern} waits for a lock`,
    );
  } finally {
    if (sql !== watch) await sql.end();
  }
}

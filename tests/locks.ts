import postgres from 'postgres';
import { testDatabaseUrl } from './harness.ts';

/** A transaction of the test that stays open, and with it every lock it took. */
export interface Held {
  /** Runs another statement in the same transaction. */
  also(text: string, values: unknown[]): Promise<void>;
  /** Rolls back and lets go. */
  release(): Promise<void>;
}

const open = new Set<Held>();

/** Lets go of whatever a test that failed still holds; call it after each. */
export async function releaseAll(): Promise<void> {
  await Promise.all([...open].map((held) => held.release()));
}

/** Runs one statement in a transaction of its own and keeps that open. */
export async function hold(text: string, values: unknown[] = []): Promise<Held> {
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
    },
  };
  open.add(held);
  return held;
}

/** Keeps the workspace from getting new lists (their foreign key needs its row): createTodoList then waits. */
export function holdWorkspace(workspaceId: string): Promise<Held> {
  return hold('select 1 from workspaces where id = $1 for update', [workspaceId]);
}

/** Waits until a statement like `pattern` waits for a lock. @throws Error when none does within seconds. */
export async function untilBlocked(pattern: string): Promise<void> {
  const sql = postgres(testDatabaseUrl(), { max: 1 });
  try {
    for (let tries = 0; tries < 100; tries++) {
      const blocked = await sql`select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database() and query like ${pattern}`;
      if (blocked.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`nothing like ${pattern} waits for a lock`);
  } finally {
    await sql.end();
  }
}

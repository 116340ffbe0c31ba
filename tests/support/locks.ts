import postgres from 'postgres';
import { type EngineName, engineOf } from '../../db/engine/index.ts';
import { testDatabaseUrl } from './harness.ts';
import { until } from './until.ts';

/** A transaction of the test that stays open, and with it every lock it took. */
export interface Held {
  /** Runs another statement in the same transaction. */
  also(text: string, values: unknown[]): Promise<void>;
  /** Rolls back and lets go. */
  release(): Promise<void>;
  /** Commits and lets go. */
  commit(): Promise<void>;
}

const open = new Set<Held>();

/**
 * Looks for what waits; connected as long as something is held. A statement gives up its wait after seconds, and on a
 * busy machine a connection may take as long to open.
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
export async function hold(text: string, values: unknown[] = [], url = testDatabaseUrl()): Promise<Held> {
  await openWatch();
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe('begin');
  // Shards are locked by their own names.
  if (engineOf().name === 'citus') await sql.unsafe('set local citus.enable_manual_changes_to_shards = on');
  await sql.unsafe(text, values as never[]);
  const end = async (how: 'rollback' | 'commit') => {
    if (!open.delete(held)) return;
    await sql.unsafe(how);
    await sql.end();
    if (open.size === 0) await closeWatch();
  };
  const held: Held = {
    also: async (more, given) => {
      await sql.unsafe(more, given as never[]);
    },
    release: () => end('rollback'),
    commit: () => end('commit'),
  };
  open.add(held);
  return held;
}

/** Locks one row of a table by workspace, which is looked for first: Citus locks within one workspace. */
export async function holdRow(table: string, id: string, lock = 'for update'): Promise<Held> {
  await openWatch();
  const found = (await watch?.unsafe(`select workspace_id as "workspaceId" from ${table} where id = $1`, [id])) ?? [];
  return hold(`select 1 from ${table} where workspace_id = $2 and id = $1 ${lock}`, [id, found[0]?.workspaceId]);
}

/** The shards of a table by their nodes. */
const shardsText = `select nodename as hostname, nodeport::text as port, string_agg($1 || '_' || shardid, ', ') as shards
  from pg_dist_shard_placement where shardid in (select shardid from pg_dist_shard where logicalrelid = $1::regclass)
  group by 1, 2`;

/** Locks a whole table, on Citus with its shards: it is read there on the workers. */
export async function holdTable(table: string): Promise<Pick<Held, 'release'>> {
  const locking = (name: string) => `lock table ${name} in access exclusive mode`;
  if (engineOf().name === 'postgres') return hold(locking(table));
  await openWatch();
  const nodes = (await watch?.unsafe(shardsText, [table])) ?? [];
  const all = nodes.map(({ shards, ...node }) => {
    const { href } = Object.assign(new URL(testDatabaseUrl()), node);
    return hold(locking(shards), [], href);
  });
  const held = [await hold(locking(table)), ...(await Promise.all(all))];
  return { release: async () => void (await Promise.all(held.map((each) => each.release()))) };
}

/** Keeps the workspace from getting new lists (their foreign key needs its row): createTodoList then waits. */
export function holdWorkspace(workspaceId: string): Promise<Held> {
  return hold('select 1 from workspaces where id = $1 for update', [workspaceId]);
}

/**
 * In SQL: how many statements wait for a lock that were sent to a worker and are like a pattern, but for the names of
 * shards.
 */
const blockedOnWorker = String.raw`select count(*) from pg_stat_activity where wait_event_type = 'Lock'
  and datname = current_database() and application_name not like 'citus_internal%%'
  and regexp_replace(query, '\m([a-z_]+)_\d{6,}( (as )?\1\M)?', '\1', 'g') like %L`;

/**
 * Finds statements like `$1` that wait for a lock; on Citus on the coordinator, or there for a worker, or on a worker.
 */
const blocked: Record<EngineName, string> = {
  postgres: `select 1 from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and query like $1`,
  citus: `select 1 from pg_stat_activity where datname = current_database() and query like $1
    and (wait_event_type = 'Lock' or pid in (select waiting_gpid % 10000000000 from citus_lock_waits))
    union all select 1 from run_command_on_workers(format($c$${blockedOnWorker}$c$, $1::text)) r
      cross join lateral generate_series(1, case when r.success then r.result::int else 0 end)`,
};

/** How many statements like `pattern` wait for a lock. */
async function countBlocked(sql: postgres.Sql, pattern: string): Promise<number> {
  return (await sql.unsafe(blocked[engineOf().name], [pattern])).length;
}

/** Waits until `count` statements like `pattern` wait for a lock, while something is held. */
export async function untilAllBlocked(count: number, pattern: string): Promise<void> {
  await openWatch();
  await until(
    async () => watch && (await countBlocked(watch, pattern)) === count,
    () => `${count} statements like ${pattern} wait for a lock`,
  );
}

/**
 * Waits until a statement like `pattern` waits for a lock, or until `work` is over. @throws Error when neither happens.
 */
export async function untilBlocked(pattern: string, work?: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work?.then(end, end);
  const sql = watch ?? postgres(testDatabaseUrl(), { max: 1 });
  try {
    await until(
      async () => isOver || (await countBlocked(sql, pattern)) > 0,
      () => `a statement like ${pattern} waits for a lock`,
    );
  } finally {
    if (sql !== watch) await sql.end();
  }
}

import type { Db } from '../../db/client.ts';
import { isUnavailable } from '../../db/errors.ts';
import {
  type Batch,
  fitting,
  holdQueues,
  maxRows,
  maxWorkspaces,
  type Numbered,
  noWorkspace,
  numberWaiting,
  oldestOf,
  queuedColumns,
  type Read,
  type Waiting,
} from './queue.ts';

/*
 * On Citus, events that wait for their numbers are on the worker of their workspace, and the log is on the coordinator.
 * A batch copies events into the log, in a transaction of the coordinator alone; afterwards the numbered ones are
 * deleted from the queue. Until then they are found again, and skipped because the log has them. So however a process
 * ends, no event is lost or numbered twice.
 */

const counted = `workspace_id as id, count(*)::int as count, min(occurred_at) as "committedAt"`;
const waiting = `select ${counted} from event_queue
  where workspace_id > $1::uuid group by workspace_id order by workspace_id limit $2::int`;

/** The same of each worker by itself, over a new connection. `$1` and `$2` become literals. */
const waitingOnEach = `with nodes as (
    select n.nodename::text as host, n.nodeport as port, format(
      'select coalesce(json_agg(w), ''[]'')::text from (select ${counted} from (%s) q where workspace_id > %L group by 1 order by 1 limit %s) w',
      string_agg(format('select workspace_id, occurred_at from event_queue_%s', s.shardid), ' union all '), $1::uuid, $2::int
    ) as command
    from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid
      join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where s.logicalrelid = to_regclass('event_queue') group by 1, 2
  ) select r.success, r.result from (
      select array_agg(host) as hosts, array_agg(port) as ports, array_agg(command) as commands from nodes
    ) n, master_run_on_worker(n.hosts, n.ports, n.commands, true) r`;
/** So that one which cannot be reached does not delay the others for long. */
const shortWaits = `select set_config('citus.node_connection_timeout', '1s', true), set_config('statement_timeout', '2s', true)`;
/** So long each worker is asked by itself after one could not be reached, in ms. */
const lossMs = 60_000;
let lostAt: number | undefined;

function soon<Row extends object>(db: Db, text: string, values: readonly unknown[]): Promise<Row[]> {
  return db.transaction(async (tx) => {
    await tx.rows(shortWaits, []);
    return tx.rows<Row>(text, values);
  });
}

/** @throws Error when no worker can be reached. */
async function askEach(db: Db, values: readonly [after: string, limit: number]): Promise<Waiting[]> {
  const rows = await soon<{ success: boolean; result: string }>(db, waitingOnEach, values);
  if (!rows.some(({ success }) => success)) throw new Error(`No worker can be reached: ${rows[0]?.result}`);
  const found = rows.flatMap(({ success, result }) => (success ? (JSON.parse(result) as Waiting[]) : []));
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, values[1]);
}

/** Workspaces that have events in the queue. Those of a worker that is lost do not hold up the others. */
async function findWaiting(db: Db, after: string): Promise<Waiting[]> {
  const values = [after, maxWorkspaces] as const;
  if (lostAt !== undefined && performance.now() - lostAt < lossMs) return askEach(db, values);
  try {
    const found = await (lostAt === undefined ? db.rows<Waiting>(waiting, values) : soon<Waiting>(db, waiting, values));
    lostAt = undefined;
    return found;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    lostAt = performance.now();
    return askEach(db, values);
  }
}

const make = `insert into event_positions (workspace_id) select i.id from unnest($1::uuid[]) i(id)
  where not exists (select from event_positions p where p.workspace_id = i.id) order by i.id on conflict do nothing`;

/** Whether the worker records when transactions commit: a setting of each server. */
const isTracked = `current_setting('track_commit_timestamp') = 'on'`;

/**
 * The next events in the order in which the worker committed their transactions. A worker to which the queue was moved
 * by logical replication has the times of the other one, and of the copy: then, and where no times are known, the order
 * is that of the last event of each transaction, by the clock of the node that ran it. A row that was copied is older
 * than all that were written there. Ids are in the order of the events within a transaction.
 */
const next = `select ${queuedColumns}, committed_at::text, last_position::text, transaction::text
  from (
    select q.*, case when bool_and(q.is_own) over (partition by q.workspace_id) then q.at end as committed_at,
      max(q.position) over (partition by q.workspace_id, q.at, q.transaction) as last_position
    from (
      select e.*, case when ${isTracked} then pg_xact_commit_timestamp(e.xmin) end as at,
        case when ${isTracked} then coalesce((pg_xact_commit_timestamp_origin(e.xmin)).roident, 0) = 0 else false end as is_own
      from event_queue e where e.workspace_id = any($1::uuid[])
    ) q
  ) w order by w.committed_at nulls first, w.last_position, w.transaction, w.id limit $2::int`;

/** Numbers those of the events that the log does not have. On the coordinator, as on PostgreSQL. */
const number = `with waiting as materialized (
    select w.*, row_number() over (partition by w.workspace_id
      order by w.committed_at nulls first, w.last_position, w.transaction, w.id) as place
    from jsonb_to_recordset($1::jsonb) as w(workspace_id uuid, id uuid, type text, object_id uuid, parents jsonb,
      changed_fields text[], actor_type text, actor_id uuid, credential_id uuid, via text, request_id text, reader_id uuid,
      version int, occurred_at timestamptz, committed_at timestamptz, last_position bigint, transaction xid8)
    where not exists (select from events e where e.workspace_id = w.workspace_id and e.id = w.id)
  ), ${numberWaiting}`;

/** For the transaction only, as on PostgreSQL. */
const settings = {
  text: `select set_config('work_mem', $1, true),
    set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true)`,
  values: ['32MB'],
};

interface Done extends Batch {
  positions: string;
}

/** What a batch read, and what of that it numbered. */
interface Outcome {
  held: string[];
  read: Read[];
  done: Done | undefined;
}

/** Numbers events of these workspaces, as far as no other process does, and notifies all processes. */
async function numberThese(db: Db, ids: readonly string[], limit: number, channel: string): Promise<Outcome> {
  if (ids.length === 0) return { held: [], read: [], done: undefined };
  const { held, read, numbering } = await db.transaction(async (tx) => {
    const [, held] = await Promise.all([tx.rows(make, [ids]), holdQueues(tx, ids)]);
    // After the positions were locked: what a later batch finds was committed later.
    const read = held.length > 0 ? await tx.rows<Read>(next, [held, limit]) : [];
    const numbering = read.length > 0 ? tx.rows<Done>(number, [JSON.stringify(read)]) : Promise.resolve([]);
    numbering.catch(() => {});
    return { held, read, numbering };
  }, settings);
  const [done] = await numbering;
  if (done) db.notify(channel, done.positions);
  return { held, read, done };
}

/** `numberEvents` on Citus. `channel`: where it notifies all processes. */
export async function numberOnCitus(db: Db, after: string, channel: string): Promise<Numbered> {
  const found = await findWaiting(db, after);
  const together = fitting(found);
  const large = found.filter(({ count }) => count > maxRows);
  const ids = together.map(({ id }) => id);
  const { held, read, done } = await numberThese(db, ids, maxRows, channel);
  const others = found.filter(({ id }) => !held.includes(id)).map((each) => each.committedAt);
  const end = found.length === maxWorkspaces ? (found.at(-1)?.id ?? noWorkspace) : noWorkspace;
  const count = done?.count ?? 0;
  const isLeft = together.length + large.length < found.length || after !== noWorkspace;
  return {
    count,
    hasMore: end !== noWorkspace || (isLeft && count > 0),
    oldest: oldestOf([done?.oldest ?? null, ...others]),
    next: end,
    large: large[Math.floor(Math.random() * large.length)],
    read,
  };
}

/** `numberMany` on Citus. */
export async function numberManyOnCitus(db: Db, id: string, limit: number, channel: string): Promise<number> {
  const { read, done } = await numberThese(db, [id], limit, channel);
  await deleteNumbered(db, read);
  return done?.count ?? 0;
}

const shardsOf = `select i.id, get_shard_id_for_distribution_column('event_queue', i.id)::text as shard
  from unnest($1::uuid[]) i(id)`;
const gone = 'delete from event_queue where workspace_id = any($1::uuid[]) and id = any($2::uuid[])';

/**
 * An event of a shard that is moved is tried again with the next batch. Numbered events that are still in the queue
 * take up places of each batch.
 */
const shortLock = { text: `select set_config('lock_timeout', '200ms', true)`, values: [] };

/**
 * Deletes numbered events from the queue, shard by shard: a shard that is being moved makes its writers wait, and
 * numbering needs the other connections.
 * @throws the last error, after all that can be deleted is.
 */
export async function deleteNumbered(db: Db, read: readonly Read[]): Promise<void> {
  const byWorkspace = Map.groupBy(read, (each) => each.workspace_id);
  const found = await db.rows<{ id: string; shard: string }>(shardsOf, [[...byWorkspace.keys()]]);
  const faults: unknown[] = [];
  for (const workspaces of Map.groupBy(found, ({ shard }) => shard).values()) {
    const ids = workspaces.map(({ id }) => id);
    const events = ids.flatMap((id) => byWorkspace.get(id) ?? []).map(({ id }) => id);
    const deleted = db.transaction((tx) => tx.rows(gone, [ids, events]), shortLock);
    await deleted.catch((error: unknown) => faults.push(error));
  }
  if (faults.length > 0) throw faults.at(-1);
}

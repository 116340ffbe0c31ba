import type { Db } from '../../db/client.ts';

/**
 * Maximum number of events in a batch of several workspaces, and of workspaces in a batch: all of them fit in one
 * notification.
 */
export const maxRows = 5000;
export const maxWorkspaces = 100;

/** Where the search for what waits begins. */
export const noWorkspace = '00000000-0000-0000-0000-000000000000';

/** A workspace with very many events. */
export interface LargeQueue {
  id: string;
  /** PostgreSQL records when transactions commit. */
  isTracked: boolean;
}

/** A workspace whose events wait for their numbers. */
export interface Waiting extends LargeQueue {
  /** Its events, up to one more than a batch of several workspaces has. */
  count: number;
  /** When its oldest event was committed. */
  committedAt: string;
}

/** The columns of an event in the queue and in the log. */
export const queuedColumns = `workspace_id, id, type, object_id, parents, changed_fields, actor_type, actor_id, credential_id, via,
  request_id, reader_id, version, occurred_at`;

/**
 * The end of a statement whose `waiting` has events of held workspaces, each with its `place` among those of its
 * workspace: gives them the next numbers, and returns a `Batch` with the positions that are announced.
 */
export const numberWaiting = `added as (
    insert into events (${queuedColumns}, sequence)
    select ${queuedColumns.replace(/\w+/g, 'w.$&')}, p.latest + w.place
    from waiting w join event_positions p on p.workspace_id = w.workspace_id
    returning workspace_id, sequence
  ), moved as (
    update event_positions p set latest = a.latest
    from (select workspace_id, max(sequence) as latest, count(*) as added from added group by 1) a
    where p.workspace_id = a.workspace_id returning p.workspace_id, p.latest, a.added
  ) select sum(added)::int as count, (select min(coalesce(committed_at, occurred_at)) from waiting) as oldest,
      json_agg(json_build_array(workspace_id, latest))::text as positions
    from moved having count(*) > 0`;

/** What was numbered. */
export interface Batch {
  count: number;
  /** When its oldest event was committed. */
  oldest: string | null;
}

/** What one batch did. */
export interface Numbered {
  /** How many events got their numbers. */
  count: number;
  /** There may be more that can be numbered at once. */
  hasMore: boolean;
  /** When the oldest event that waited was committed, as RFC 3339. */
  oldest: string | null;
  /** Where the next batch begins, so that no workspace waits for all others. */
  next: string;
  /** A workspace that has too many events for a batch with others; at random, so that each has its turn. */
  large: LargeQueue | undefined;
  /** What is to be deleted from the queue (`deleteNumbered`): on Citus alone. */
  read?: readonly Read[];
}

/** An event that was read from the queue. */
export interface Read {
  workspace_id: string;
  id: string;
}

/** What the next batch can number. */
export interface Found {
  /** The workspaces of the batch: no other process numbers their events until this transaction ends. */
  held: string[];
  isTracked: boolean;
  /** Workspaces with too many events for a batch with others. */
  large: LargeQueue[];
  /**
   * Other workspaces have events that this batch leaves out. The search continues at `next`, or did not begin at the
   * first workspace.
   */
  isLeft: boolean;
  isPart: boolean;
  next: string;
  /** When the oldest event was committed of those that another process holds; null where it holds none. */
  oldest: string | null;
}

const anyQueued = `select exists (select from event_queue) as "isQueued"`;

/** Whether events may wait for their numbers: less work than to look for them. */
export async function hasQueuedEvents(db: Db): Promise<boolean> {
  const [queue] = await db.rows<{ isQueued: boolean }>(anyQueued, []);
  return queue?.isQueued ?? false;
}

const isTracked = `current_setting('track_commit_timestamp') = 'on'`;

/** When a transaction of the queue `q` committed; null where PostgreSQL does not record it. */
export const committedAt = `case when ${isTracked} then pg_xact_commit_timestamp(q.transaction::xid) end`;

const made = `made as (
    insert into event_positions (workspace_id) select workspace_id from found f
    where not exists (select from event_positions p where p.workspace_id = f.workspace_id)
    order by workspace_id on conflict do nothing returning workspace_id
  )`;

/**
 * Locks all workspaces that have events; but if these are more than $1 events or $2 workspaces, returns one row that
 * says so.
 */
const holdAll = `with queued as materialized (
    select workspace_id from event_queue limit $1::int + 1
  ), found as materialized (
    select workspace_id, count(*)::int as count from queued
    where (select count(*) <= $1 and count(distinct workspace_id) <= $2 from queued) group by workspace_id
  ), ${made}, held as materialized (
    select workspace_id from event_positions where workspace_id = any(array(select workspace_id from found))
    for update skip locked
  ), ours as (
    select workspace_id from held union all select workspace_id from made
  )
  select f.workspace_id as id, ${isTracked} as "isTracked", o.workspace_id is not null as "isHeld",
    case when o.workspace_id is null then (
      select min(coalesce(${committedAt}, q.occurred_at)) from event_queue q where q.workspace_id = f.workspace_id
    ) end as "committedAt"
  from found f left join ours o on o.workspace_id = f.workspace_id
  union all select null, false, false, null from (select count(*) as count from queued) q
    where q.count > 0 and not exists (select from found)`;

interface HeldRow {
  /** Null: there are too many. */
  id: string | null;
  isTracked: boolean;
  isHeld: boolean;
  committedAt: string | null;
}

const waiting = `with recursive first as (
    (select workspace_id, id from event_queue where workspace_id > $1::uuid order by workspace_id, id limit 1)
    union all
    select n.workspace_id, n.id from first f cross join lateral (
      select q.workspace_id, q.id from event_queue q where q.workspace_id > f.workspace_id
      order by q.workspace_id, q.id limit 1
    ) n
  ), found as materialized (select * from first limit $2), ${made}
  select f.workspace_id as id, coalesce(${committedAt}, q.occurred_at) as "committedAt",
    (select count(*) from (
      select from event_queue b where b.workspace_id = f.workspace_id limit ${maxRows + 1}
    ) b)::int as count, ${isTracked} as "isTracked"
  from found f join event_queue q on q.workspace_id = f.workspace_id and q.id = f.id`;

const lock = `select workspace_id as id from event_positions where workspace_id = any($1::uuid[])
  for update skip locked`;

/** The oldest of some instants; null without any. */
export function oldestOf(instants: readonly (string | null)[]): string | null {
  return instants.filter((each) => each !== null).toSorted()[0] ?? null;
}

/** Workspaces whose events make one batch together; those first whose events have waited longest. */
export function fitting(found: readonly Waiting[]): Waiting[] {
  let sum = 0;
  const small = found.filter(({ count }) => count <= maxRows);
  const oldestFirst = small.toSorted((a, b) => (a.committedAt < b.committedAt ? -1 : 1));
  return oldestFirst.filter(({ count }) => {
    if (sum + count > maxRows) return false;
    sum += count;
    return true;
  });
}

/** Holds those of these workspaces that no other process holds. */
export async function holdQueues(tx: Db, ids: readonly string[]): Promise<string[]> {
  return (await tx.rows<{ id: string }>(lock, [ids])).map(({ id }) => id);
}

/** Looks for what waits, from a workspace on, and holds as many workspaces as make one batch. */
async function holdSome(tx: Db, after: string): Promise<Found> {
  const found = await tx.rows<Waiting>(waiting, [after, maxWorkspaces]);
  const together = fitting(found);
  const large = found.filter((each) => each.count > maxRows);
  const next = found.length === maxWorkspaces ? (found.at(-1)?.id ?? noWorkspace) : noWorkspace;
  const held =
    together.length > 0
      ? await holdQueues(
          tx,
          together.map(({ id }) => id),
        )
      : [];
  return {
    held,
    isTracked: found.some((each) => each.isTracked),
    large,
    isLeft: together.length + large.length < found.length,
    isPart: next !== noWorkspace || after !== noWorkspace,
    next,
    oldest: oldestOf(found.map((each) => each.committedAt)),
  };
}

/**
 * Locks the workspaces whose events make the next batch: all if they fit in one, else some from `after` on. Call it in
 * the transaction of the batch, in a statement before the one that reads the queue.
 */
export async function holdNext(tx: Db, after: string): Promise<Found> {
  const rows = await tx.rows<HeldRow>(holdAll, [maxRows, maxWorkspaces]);
  if (rows.some(({ id }) => id === null)) return holdSome(tx, after);
  return {
    held: rows.flatMap(({ id, isHeld }) => (isHeld && id !== null ? [id] : [])),
    isTracked: rows.some((each) => each.isTracked),
    large: [],
    isLeft: false,
    isPart: false,
    next: noWorkspace,
    oldest: oldestOf(rows.map((each) => each.committedAt)),
  };
}

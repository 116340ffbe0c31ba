import type { Db } from '../../db/client.ts';

/** The channel of NOTIFY that carries `[workspaceId, sequence of its last event]` of workspaces with new events, as JSON. */
export const eventsChannel = 'tandem_events';

/** Workspaces of one batch, all of which fit in one notification, and their events. */
const maxWorkspaces = 100;
const maxRows = 5000;
/**
 * A workspace with more events than that is numbered by itself, so that it delays no other (`numberMany`), and in larger
 * batches: each one reads all that waits, to find what was committed first.
 */
const maxRowsOfOne = 20_000;

const noWorkspace = '00000000-0000-0000-0000-000000000000';

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
}

/** A workspace with very many events. */
export interface LargeQueue {
  id: string;
  /** PostgreSQL records when transactions commit. */
  isTracked: boolean;
}

const anyQueued = `select exists (select from event_queue) as "isQueued"`;

/** When a transaction of the queue `q` committed; null where PostgreSQL does not record it. */
const committedAt = `case when current_setting('track_commit_timestamp') = 'on'
    then pg_xact_commit_timestamp(q.transaction::xid) end`;

/**
 * The plan is the same for a queue of one row and of a million; the largest batch is sorted in memory; numbers that readers
 * have seen survive a crash.
 */
const settings = `select set_config('enable_seqscan', 'off', true), set_config('work_mem', '32MB', true),
  set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true)`;

const waiting = `with recursive first as (
    (select workspace_id, id from event_queue where workspace_id > $1::uuid order by workspace_id, id limit 1)
    union all
    select n.workspace_id, n.id from first f cross join lateral (
      select q.workspace_id, q.id from event_queue q where q.workspace_id > f.workspace_id
      order by q.workspace_id, q.id limit 1
    ) n
  ), found as materialized (select * from first limit $2), made as (
    insert into event_positions (workspace_id) select workspace_id from found f
    where not exists (select from event_positions p where p.workspace_id = f.workspace_id)
    order by workspace_id on conflict do nothing
  )
  select f.workspace_id as id, coalesce(${committedAt}, q.occurred_at) as "committedAt",
    (select count(*) from (
      select from event_queue b where b.workspace_id = f.workspace_id limit ${maxRows + 1}
    ) b)::int as count, current_setting('track_commit_timestamp') = 'on' as "isTracked"
  from found f join event_queue q on q.workspace_id = f.workspace_id and q.id = f.id`;

const lock = `select workspace_id as id from event_positions where workspace_id = any($1::uuid[])
  for update skip locked`;

const columns = `workspace_id, id, type, object_id, parents, changed_fields, actor_type, actor_id, credential_id, via,
  request_id, reader_id, version, occurred_at`;

/**
 * The next events in the order of the commits, and of the last event of each transaction where that is not known or the
 * same.
 */
const byLastEvent = {
  from: `(
      select q.ctid as place_in_queue, q.*, ${committedAt} as committed_at,
        max(q.position) over (partition by q.workspace_id, q.transaction) as last_position
      from event_queue q where q.workspace_id = any($1::uuid[])
    )`,
  order: 'w.committed_at nulls first, w.last_position, w.position',
};

/** The same of very many, without a sort of all of them: transactions that committed at the same moment in any order. */
const byTransaction = {
  from: `(
      select q.ctid as place_in_queue, q.*, ${committedAt} as committed_at
      from event_queue q where q.workspace_id = any($1::uuid[])
    )`,
  order: 'w.committed_at nulls first, w.transaction, w.position',
};

const numberOf = ({ from, order }: typeof byLastEvent) => `with waiting as materialized (
    select w.*, row_number() over (partition by w.workspace_id order by ${order}) as place
    from (select * from ${from} w order by ${order} limit $2) w
  ), taken as (
    delete from event_queue where ctid = any(array(select place_in_queue from waiting))
  ), added as (
    insert into events (${columns}, sequence)
    select ${columns.replace(/\w+/g, 'w.$&')}, p.latest + w.place
    from waiting w join event_positions p on p.workspace_id = w.workspace_id
    returning workspace_id, sequence
  ), moved as (
    update event_positions p set latest = a.latest
    from (select workspace_id, max(sequence) as latest, count(*) as added from added group by 1) a
    where p.workspace_id = a.workspace_id returning p.workspace_id, p.latest, a.added
  ), announced as (
    select sum(added)::int as count, pg_notify('${eventsChannel}', json_agg(json_build_array(workspace_id, latest))::text)
    from moved having count(*) > 0
  ) select count from announced`;

const [number, numberTracked] = [numberOf(byLastEvent), numberOf(byTransaction)];

interface Waiting extends LargeQueue {
  committedAt: string;
  /** Its events, up to one more than a batch of several workspaces has. */
  count: number;
}

/** Workspaces whose events make one batch together; those first whose events have waited longest. */
function fitting(found: readonly Waiting[]): Waiting[] {
  let sum = 0;
  const small = found.filter(({ count }) => count <= maxRows);
  const oldestFirst = small.toSorted((a, b) => (a.committedAt < b.committedAt ? -1 : 1));
  return oldestFirst.filter(({ count }, place) => {
    sum += count;
    return place === 0 || sum <= maxRows;
  });
}

/** Numbers events of these workspaces, except those whose position another process holds. Returns how many. */
async function numberBatch(tx: Db, workspaces: readonly LargeQueue[], text: string, limit: number): Promise<number> {
  const locked = await tx.rows<{ id: string }>(lock, [workspaces.map(({ id }) => id)]);
  if (locked.length === 0) return 0;
  const [added] = await tx.rows<{ count: number }>(text, [locked.map(({ id }) => id), limit]);
  return added?.count ?? 0;
}

/**
 * Gives the next numbers to events of transactions that have committed, in the order of their commits, and notifies all
 * processes. The positions of the workspaces are locked in a statement before: the one that reads the queue then has a
 * snapshot that no other batch of these workspaces shares, so that what a later one finds was committed later. Events of
 * one transaction follow each other, unless there are more of them than a batch takes.
 */
export async function numberEvents(db: Db, after = noWorkspace): Promise<Numbered> {
  const [found, together, count] = await db.transaction(async (tx) => {
    // Sent together: each wait for an answer delays the readers.
    const [, found] = await Promise.all([tx.rows(settings, []), tx.rows<Waiting>(waiting, [after, maxWorkspaces])]);
    const together = fitting(found);
    return [found, together, together.length > 0 ? await numberBatch(tx, together, number, maxRows) : 0];
  });
  const large = found.filter((each) => each.count > maxRows);
  const next = found.length === maxWorkspaces ? (found.at(-1)?.id ?? noWorkspace) : noWorkspace;
  const isLeft = together.length + large.length < found.length && count > 0;
  const [oldest = null] = found.map(({ committedAt }) => committedAt).toSorted();
  return {
    count,
    hasMore: isLeft || next !== noWorkspace || after !== noWorkspace,
    oldest,
    next,
    large: large[Math.floor(Math.random() * large.length)],
  };
}

/** Numbers a batch of a workspace that `numberEvents` left out. Returns how many; it may take many seconds. */
export function numberMany(db: Db, large: LargeQueue): Promise<number> {
  return db.transaction(async (tx) => {
    await tx.rows(settings, []);
    return numberBatch(tx, [large], large.isTracked ? numberTracked : number, maxRowsOfOne);
  });
}

/** Whether events may wait for their numbers: less work than to look for them. */
export async function hasQueuedEvents(db: Db): Promise<boolean> {
  const [queue] = await db.rows<{ isQueued: boolean }>(anyQueued, []);
  return queue?.isQueued ?? false;
}

import type { Db } from '../../db/client.ts';
import { numberManyOnCitus, numberOnCitus } from './number-citus.ts';
import {
  type Batch,
  committedAt,
  type Found,
  holdNext,
  holdQueues,
  type LargeQueue,
  maxRows,
  type Numbered,
  noWorkspace,
  numberWaiting,
  oldestOf,
} from './queue.ts';

/**
 * The channel of NOTIFY that carries `[workspaceId, sequence of its last event]` of workspaces with new events, as
 * JSON.
 */
export const eventsChannel = 'tandem_events';

/**
 * A workspace with more events than a batch has is numbered by itself, so that it delays no other (`numberMany`), and
 * in larger batches: each one reads all that waits, to find what was committed first.
 */
const maxRowsOfOne = 20_000;

/**
 * The plan is the same for a queue of one row and of a million; the largest batch is sorted in memory; numbers that
 * readers have seen survive a crash. For the transaction only: outside of one it does nothing.
 */
const settings = {
  text: `select set_config('enable_seqscan', 'off', true), set_config('work_mem', $1, true),
    set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true)`,
  values: ['32MB'],
};

/** The next events in the order of the last event of each transaction, where the times of commits are not known. */
const byLastEvent = {
  from: `(
      select q.ctid as place_in_queue, q.*, ${committedAt} as committed_at,
        max(q.position) over (partition by q.workspace_id, q.transaction) as last_position
      from event_queue q where q.workspace_id = any($1::uuid[])
    )`,
  order: 'w.committed_at nulls first, w.last_position, w.position',
};

/** The same where the times of commits are known: transactions that committed at the same moment in any order. */
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
  ), ${numberWaiting}`;

const [number, numberTracked] = [numberOf(byLastEvent), numberOf(byTransaction)];

/** Numbers events of workspaces that this transaction holds. */
async function numberHeld(
  tx: Db,
  { held, isTracked }: Pick<Found, 'held' | 'isTracked'>,
  limit: number,
): Promise<Batch> {
  if (held.length === 0) return { count: 0, oldest: null };
  const [batch] = await tx.rows<Batch & { positions: string }>(isTracked ? numberTracked : number, [held, limit]);
  if (batch) tx.notify(eventsChannel, batch.positions);
  return batch ?? { count: 0, oldest: null };
}

/**
 * Gives the next numbers to events of transactions that have committed, in the order of their commits, and notifies all
 * processes. The positions of the workspaces are locked by an earlier statement, so the one that reads the queue has a
 * snapshot that no other batch of these workspaces shares: whatever a later batch finds was committed later. Events of
 * one transaction follow each other, unless there are more of them than fit into a batch.
 */
export async function numberEvents(db: Db, after = noWorkspace): Promise<Numbered> {
  if (db.engine === 'citus') return numberOnCitus(db, after, eventsChannel);
  const { found, numbering } = await db.transaction(async (tx) => {
    // The last one is sent with the COMMIT, and the settings with the BEGIN: each wait for an answer delays the
    // readers.
    const found = await holdNext(tx, after);
    const numbering = numberHeld(tx, found, maxRows);
    numbering.catch(() => {});
    return { found, numbering };
  }, settings);
  const { count, oldest } = await numbering;
  const { large, next, isLeft, isPart } = found;
  return {
    count,
    hasMore: (isLeft && count > 0) || isPart,
    oldest: oldestOf([oldest, found.oldest]),
    next,
    large: large[Math.floor(Math.random() * large.length)],
  };
}

/** Numbers a batch of a workspace that `numberEvents` left out. Returns how many; it may take many seconds. */
export function numberMany(db: Db, { id, isTracked }: LargeQueue): Promise<number> {
  if (db.engine === 'citus') return numberManyOnCitus(db, id, maxRowsOfOne, eventsChannel);
  return db.transaction(async (tx) => {
    const held = await holdQueues(tx, [id]);
    return (await numberHeld(tx, { held, isTracked }, maxRowsOfOne)).count;
  }, settings);
}

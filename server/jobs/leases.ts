import type { Db } from '../../db/client.ts';
import type { TurnRef } from '../../routers/jobs.ts';
import type { Queue } from './queue.ts';

const batch = 100;

/** Turns whose job is due and waits for a worker: where the queue is long they have lost nothing. One scan for all. */
const waiting = `select (j.data->>'turnId')::uuid from pgboss.job j
  where j.name = 'turns' and j.state < 'active' and j.start_after <= now()`;

/** A turn that is asked for again is left in peace for as long as a new one. */
const reclaim = `with lapsed as (
    select t.workspace_id, t.id, t.chat_id from chat_turns t
    join chats c on c.workspace_id = t.workspace_id and c.id = t.chat_id
    where t.ended_at is null and t.lease_until < now()
      and (c.status = 'running' or (c.status = 'queued' and (t.not_before is null or t.not_before <= now())))
      and (t.worker_id is not null or t.id not in (${waiting}))
    order by t.lease_until limit ${batch} for update of t skip locked
  ) update chat_turns t set worker_id = null, lease_until = now() + interval '20 seconds' from lapsed
  where t.workspace_id = lapsed.workspace_id and t.id = lapsed.id
  returning t.workspace_id as "workspaceId", t.chat_id as "chatId", t.id as "turnId"`;

/**
 * Makes new jobs for open turns that nobody works on: their job was lost, or their process died. Returns how many. A
 * turn that waits for a person, or in a long queue, is left alone.
 */
export async function reclaimTurns(db: Db, queue: Pick<Queue, 'turns'>): Promise<number> {
  let total = 0;
  for (let found = batch; found === batch; total += found) {
    found = await db.transaction(async (tx) => {
      const turns = await tx.rows<TurnRef>(reclaim, []);
      if (turns.length > 0) await queue.turns(tx, turns);
      return turns.length;
    });
  }
  return total;
}

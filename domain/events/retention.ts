import type { Db } from '../../db/client.ts';
import { auditObjects, eventTypes, objectOf } from './types.ts';

/** For how many days events are kept: all, and those on which security depends, which are never kept shorter. */
export interface Retention {
  eventDays: number;
  auditDays: number;
}

const batch = 5000;

const auditTypes = eventTypes.filter((type) => auditObjects.includes(objectOf(type)));

/** In one statement: no reader sees a log that lacks events without a position that says so. */
const expire = `with gone as (
    delete from events e using (
      select workspace_id, sequence from events
      where occurred_at < now() - make_interval(days => $1::int)
        and (occurred_at < now() - make_interval(days => $2::int) or not type = any($3::text[]))
      limit ${batch}
    ) old where e.workspace_id = old.workspace_id and e.sequence = old.sequence
    returning e.workspace_id, e.sequence
  ), moved as (
    update event_positions p set expired = greatest(p.expired, g.last)
    from (select workspace_id, max(sequence) as last from gone group by 1) g
    where p.workspace_id = g.workspace_id
  ) select count(*)::int as deleted from gone`;

/** Deletes the events that are older than they are kept, in batches. Several processes may do so at once. */
export async function sweepEvents(db: Db, { eventDays, auditDays }: Retention): Promise<void> {
  for (let deleted = batch; deleted === batch; ) {
    const [row] = await db.rows<{ deleted: number }>(expire, [eventDays, Math.max(eventDays, auditDays), auditTypes]);
    deleted = row?.deleted ?? 0;
  }
}

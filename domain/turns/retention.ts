import type { Db } from '../../db/client.ts';
import { deleteOld, isOld, type OldRows } from '../old-rows.ts';

// The first turn of a chat is what it was started for (`domain/chats/first-work.ts`). A turn that has approvals stays
// with them: they would be deleted without their events. Subqueries of one value: see `domain/todos/run-retention.ts`.
const isDue = `${isOld('t.ended_at')}
  and (select a.id from approvals a where a.workspace_id = $1 and a.turn_id = t.id limit 1) is null
  and t.id is distinct from (select f.id from chat_turns f
    where f.workspace_id = $1 and f.chat_id = t.chat_id and f.outcome is distinct from 'superseded'
    order by f.created_at, f.id limit 1)`;

// Ids are of version 7 and begin with their time: the primary key has the turns in order.
const pass = `select t.id, t.created_at as at, (${isDue}) as "isDue", not ${isOld('t.created_at')} as "isYoung"
  from chat_turns t where t.workspace_id = $1 and t.id > $4::uuid and $3::timestamptz is not null
  order by t.id limit $5`;

const remove = `delete from chat_turns t where t.workspace_id = $1 and t.id = any($3::uuid[]) and ${isDue} returning t.id`;

const turns: OldRows = {
  pass,
  remove: async (tx, workspaceId, days, ids) => (await tx.rows(remove, [workspaceId, days, ids])).length,
};

/**
 * Deletes the turns of a workspace that ended longer ago than `days`, apart from the first of each chat and those whose
 * approvals are kept. Messages and what was charged stay. No event: turns are no resource. Returns how many were
 * deleted.
 */
export function deleteOldTurns(db: Db, workspaceId: string, days: number): Promise<number> {
  return deleteOld(db, workspaceId, days, turns);
}

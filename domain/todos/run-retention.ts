import type { Db } from '../../db/client.ts';
import { recordErasure } from '../events/changes.ts';
import { parentsOf } from '../events/record.ts';
import { deleteOld, isOld, type OldRows } from '../old-rows.ts';

// The latest run of a todo is shown with it, and its todo cannot be erased: it is kept. One that was followed by
// another never becomes the latest again. A subquery of one value, as PostgreSQL may answer `exists` by reading all
// todos.
const isDue = `${isOld('r.finished_at')} and r.id is distinct from (
    select t.latest_run_id from todos t where t.workspace_id = $1 and t.id = r.todo_id)`;

const pass = `select r.id, r.started_at as at, (${isDue}) as "isDue" from todo_runs r
  where r.workspace_id = $1 and ${isOld('r.started_at')} and (r.started_at, r.id) > ($3::timestamptz, $4::uuid)
  order by r.started_at, r.id limit $5`;

const remove = `delete from todo_runs r where r.workspace_id = $1 and r.id = any($3::uuid[]) and ${isDue}
  returning r.id, r.todo_id as "todoId", r.chat_id as "chatId", r.agent_id as "agentId"`;

interface DeletedRun {
  id: string;
  todoId: string;
  chatId: string;
  agentId: string;
}

const runs: OldRows = {
  pass,
  async remove(tx, workspaceId, days, ids) {
    const deleted = await tx.rows<DeletedRun>(remove, [workspaceId, days, ids]);
    const type = 'todo_run.deleted' as const;
    const events = deleted.map(({ id, ...parents }) => ({ type, objectId: id, parents: parentsOf(parents) }));
    await recordErasure(tx, workspaceId, events);
    return deleted.length;
  },
};

/**
 * Deletes the runs of a workspace that finished longer ago than `days`, apart from the latest of each todo, with their
 * events. Their chats stay, and so does what was charged for them. Returns how many were deleted.
 */
export function deleteOldRuns(db: Db, workspaceId: string, days: number): Promise<number> {
  return deleteOld(db, workspaceId, days, runs);
}

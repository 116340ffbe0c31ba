import type { Db } from '../../db/client.ts';
import type { LoggedEvent } from '../event-logs.ts';
import { actors, type EventRow, eventColumns, eventOf } from './read.ts';

/** Which events are wanted: the latest before a sequence. */
interface Wanted {
  workspaceId: string;
  todoId: string;
  before: number | null;
  limit: number;
}

/** The objects of each kind are few; the index of each has its events in order. */
const activity = `select ${eventColumns} from (
    select * from events e where e.workspace_id = $1 and e.sequence < coalesce($3::bigint, ${Number.MAX_SAFE_INTEGER})
      and e.reader_id is null and e.object_id = any(array(
        select $2::uuid
        union all select r.id from todo_runs r where r.workspace_id = $1 and r.todo_id = $2
        union all select o.id from todo_occurrences o where o.workspace_id = $1 and o.todo_id = $2
        union all select c.id from todo_comments c where c.workspace_id = $1 and c.todo_id = $2))
    order by e.sequence desc limit $4
  ) e ${actors} order by e.sequence desc`;

/** The latest events of a todo, and of the runs, occurrences and comments that it has, that are in the log. */
export async function readActivity(db: Db, { workspaceId, todoId, before, limit }: Wanted): Promise<LoggedEvent[]> {
  const rows = await db.rows<EventRow>(activity, [workspaceId, todoId, before, limit]);
  return rows.map((row) => eventOf(workspaceId, row));
}

import type { Db } from '../../db/client.ts';
import type { EngineName } from '../../db/engine/index.ts';

/*
 * How many todos a workspace has, by list, status and priority, is kept (db/schema/counts.ts): reading it takes no
 * longer with more of them.
 */

const isKept = 'exists (select from counted_workspaces w where w.workspace_id = $1)';
const isListed = 'archived_at is null and not is_suggested';
const savedMinutes = `case when status = 'done' then coalesce(minutes_saved, 0) else 0 end`;

const eachTodo = `select t.todo_list_id, t.status, coalesce(t.priority, 0::smallint) as priority, 1::bigint as todos,
      (${savedMinutes})::bigint as minutes
    from todos t where t.workspace_id = $1 and ${isListed}`;
const columns = 'c.todo_list_id, c.status, c.priority, c.todos::bigint, c.minutes::bigint';
const kept = `select ${columns} from todo_counts c where c.workspace_id = $1 and ${isKept}
    union all select ${columns} from todo_count_changes c where c.workspace_id = $1 and ${isKept}
    union all ${eachTodo} and not ${isKept}`;
const sources: Record<EngineName, string> = { postgres: `(${kept})`, citus: `(${eachTodo})` };

/**
 * The listed todos of the workspace $1 in numbers: `todos` and their saved `minutes` by `todo_list_id`, `status` and
 * `priority`, which is 0 for none. There may be several rows of each, of which some take away. Where no numbers are
 * kept there is a row for each todo: in workspaces in which nothing has changed since an upgrade, and on Citus.
 */
export const countedTodos = (engine: EngineName): string => sources[engine];

/** How many todos of the workspace $1 were listed some seconds ago; null where no numbers are kept. */
export const keptTotals: Record<EngineName, string> = {
  postgres: '(select sum(c.todos)::int from todo_counts c where c.workspace_id = $1)',
  citus: 'null::int',
};

/** One at a time folds or counts. Whoever writes todos does not wait for it. */
const lockName = `hashtextextended('counts of todos', 0)`;
const lock = `select pg_advisory_xact_lock(${lockName})`;
const tryLock = `select pg_try_advisory_xact_lock(${lockName}) as "isLocked"`;

/*
 * Found by where they are, which is right while nobody else deletes them, and is one plan whatever the planner knows:
 * the table is empty at one moment and has thousands of rows at the next.
 */
const fold = `with gone as (
    delete from todo_count_changes where ctid = any(array(
      select c.ctid from todo_count_changes c
      where exists (select from counted_workspaces w where w.workspace_id = c.workspace_id) limit $1))
    returning workspace_id, todo_list_id, status, priority, todos, minutes
  ), sums as (
    select workspace_id, todo_list_id, status, priority, sum(todos) as todos, sum(minutes) as minutes from gone
    group by workspace_id, todo_list_id, status, priority having sum(todos) <> 0 or sum(minutes) <> 0
  ), added as (
    insert into todo_counts as c (workspace_id, todo_list_id, status, priority, todos, minutes) select * from sums
    on conflict (workspace_id, todo_list_id, status, priority)
      do update set todos = c.todos + excluded.todos, minutes = c.minutes + excluded.minutes
    returning workspace_id, todo_list_id, status, priority, todos, minutes
  ) select (select count(*)::int from gone) as count, (
      select json_agg(json_build_array(workspace_id, todo_list_id, status, priority)) from added where todos = 0 and minutes = 0
    ) as emptied`;
const deleteEmptied = `delete from todo_counts where todos = 0 and minutes = 0
  and (workspace_id, todo_list_id, status, priority) in (
    select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::smallint[]))`;

/** What a number is of: workspace, list, status and priority. */
type CountKey = [string, string, string, number];

/**
 * Adds up to `limit` changes to the numbers that they change, and deletes those that are 0 then, unless a process is at
 * it. Returns how many it added: `limit` when there may be more.
 */
export function foldCounts(db: Db, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const [held] = await tx.rows<{ isLocked: boolean }>(tryLock, []);
    if (!held?.isLocked) return 0;
    const [folded] = await tx.rows<{ count: number; emptied: CountKey[] | null }>(fold, [limit]);
    const { count: added = 0, emptied } = folded ?? {};
    if (emptied) {
      const keys = [0, 1, 2, 3].map((column) => emptied.map((key) => key[column]));
      await tx.rows(deleteEmptied, keys);
    }
    return added;
  });
}

const uncounted = `select distinct c.workspace_id as id from todo_count_changes c
  where not exists (select from counted_workspaces w where w.workspace_id = c.workspace_id) limit $1`;

/** Up to `limit` workspaces whose todos have changed and whose numbers are not kept yet. */
export async function uncountedWorkspaces(db: Db, limit: number): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(uncounted, [limit]);
  return rows.map(({ id }) => id);
}

/*
 * In one snapshot: what is counted is all that the changes up to it have made, so these go. Changes of transactions
 * that commit later are added to it.
 */
const count = `with gone as (
    delete from todo_count_changes where workspace_id = $1 returning todo_list_id, status, priority, todos, minutes
  ), kept as (
    select todo_list_id, status, priority, sum(todos) as todos, sum(minutes) as minutes from (
      select todo_list_id, status, priority, todos, minutes from todo_counts where workspace_id = $1
      union all select * from gone) c
    group by todo_list_id, status, priority
  ), found as materialized (
    select todo_list_id, status, coalesce(priority, 0::smallint) as priority, count(*) as todos, sum(${savedMinutes}) as minutes
    from todos where workspace_id = $1 and ${isListed} group by 1, 2, 3
  ), removed as (
    delete from todo_counts c where c.workspace_id = $1 and not exists (
      select from found f where f.todo_list_id = c.todo_list_id and f.status = c.status and f.priority = c.priority)
  ), put as (
    insert into todo_counts (workspace_id, todo_list_id, status, priority, todos, minutes) select $1, * from found
    on conflict (workspace_id, todo_list_id, status, priority)
      do update set todos = excluded.todos, minutes = excluded.minutes
  ), placed as (
    insert into counted_workspaces (workspace_id) values ($1) on conflict (workspace_id) do update set counted_at = now()
  ) select ${isKept} and exists (
      select from kept k full join found f using (todo_list_id, status, priority)
      where coalesce(k.todos, 0) <> coalesce(f.todos, 0) or coalesce(k.minutes, 0) <> coalesce(f.minutes, 0)
    ) as "wasWrong"`;

/**
 * Counts the todos of a workspace, and keeps the numbers from then on. Returns whether other numbers were kept, which
 * is a defect or the work of somebody who changed tables by hand.
 */
export function countWorkspace(db: Db, workspaceId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.rows(lock, []);
    const [counted] = await tx.rows<{ wasWrong: boolean }>(count, [workspaceId]);
    return counted?.wasWrong ?? false;
  });
}

/*
 * When the reminders of todos are sent is computed by PostgreSQL, in the statement that changes what it depends on: no
 * change of a todo leaves a reminder with an old instant, and no process needs to remember it.
 */

/**
 * In SQL: the instant of the wall time of a reminder `r`. One that is skipped in spring moves forward by the gap. One
 * that is repeated in autumn is the first of both, with the offset of the day before (CONTRACT §5), where PostgreSQL
 * takes the second. The rule is that of `instantOf` for schedules (domain/recurrence/wall-clock.ts): change both.
 */
function instantOf(wall: string): string {
  return `(select case when first at time zone r.timezone = wall then first else wall at time zone r.timezone end
    from (select wall, utc - ((utc - interval '24 hours') at time zone r.timezone - (wall - interval '24 hours')) as first
      from (select ${wall} as wall, ${wall} at time zone 'UTC' as utc) days) instants)`;
}

/**
 * In SQL: the instant of a reminder `r` of a todo `t`; null while the todo has no due date, is done or archived. Days
 * are taken from the date, so that the time of the day stays where clocks change in between.
 */
export const instantColumn = `case when t.due_date is not null and t.status <> 'done' and t.archived_at is null
    then least(${instantOf('((t.due_date - r.days_before) + r.at_time)')}, '9999-12-31T23:59:59Z') end`;

/**
 * A common table expression that sets the instants of the reminders of the todos in the relation `t`, of the workspace
 * in the bound parameter. An instant that is past is left out, unless it is still to be sent: nobody is reminded of the
 * past.
 */
export function settlingPart(todos: string, workspace: string): string {
  return `settled as (
    update todo_reminders r set remind_at = case
      when (${instantColumn}) > now() or (${instantColumn}) = r.remind_at then (${instantColumn}) end
    from ${todos} t where r.workspace_id = ${workspace} and r.todo_id = t.id)`;
}

import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import { todoParentsColumn } from '../events/changes.ts';
import { recordingPart } from '../events/record.ts';
import type { Plan } from '../schedules/plan.ts';
import type { ScheduleOwner } from '../schedules/rows.ts';
import type { Assigned } from './references.ts';
import { type TodoRow, todoColumns, todosOf } from './rows.ts';
import type { TodoAnswer } from './shapes.ts';

const insertSchedules = `, scheduled as (
    insert into todo_schedules
      (workspace_id, todo_id, kind, rrule, timezone, starts_at, status, next_run_at, user_id, scopes)
    select $1, i.id, s.kind, s.rrule, s.timezone, s."startsAt", 'pending', s."nextRunAt", s."userId", s.scopes
    from input i cross join lateral jsonb_to_record(i.plan) s(kind text, rrule text, timezone text,
      "startsAt" timestamptz, "nextRunAt" timestamptz, "userId" uuid, scopes text[])
    where i.plan is not null returning *
  )`;

const insertLabels = `, labelled as (
    insert into todo_labels (workspace_id, todo_id, label_id, created_at)
    select $1, m.id, l.id, m.created_at from input i join made m on m.id = i.id cross join unnest(i.labels) l(id) returning *
  )`;

/*
 * Inserts a batch of todos in one statement: rows, assignees, search text and events, and reads them back. The batch is
 * one JSON parameter, so that the text is the same for one todo and for fifty.
 */
const insertOf = (scheduled: boolean, labelled: boolean, recorded: string) => `with input as materialized (
    select * from jsonb_to_recordset($2::jsonb) as r(place int, id uuid, title text, content text, priority smallint, type text,
      list uuid, due date, capture uuid, parent uuid, suggested boolean, source text, created_from bytea, assignees jsonb, labels uuid[], folded_title text,
      folded_content text, plan jsonb)
  ), made as (
    insert into todos (workspace_id, id, title, content, priority, type, todo_list_id, due_date, capture_id,
      parent_todo_id, is_suggested, source, created_from, is_scheduled, has_had_labels)
    select $1, id, title, content, priority, type,
      coalesce(list, (select l.id from todo_lists l where l.workspace_id = $1 and l.is_default)), due, capture,
      parent, suggested, source, created_from, plan is not null, cardinality(labels) > 0
    from input order by place returning *
  ), indexed as (
    insert into todo_search (workspace_id, todo_id, title, content) select $1, id, folded_title, folded_content from input
  ), assigned as (
    insert into todo_assignees (workspace_id, todo_id, position, user_id, agent_id, created_at)
    select $1, i.id, a.position, (a.assignee->>'user')::uuid, (a.assignee->>'agent')::uuid, m.created_at
    from input i join made m on m.id = i.id cross join lateral jsonb_array_elements(i.assignees) with ordinality a(assignee, position)
    returning *
  )${scheduled ? insertSchedules : ''}${labelled ? insertLabels : ''}, ${recorded}
  select ${todoColumns('assigned', scheduled ? 'scheduled' : 'todo_schedules', labelled ? 'labelled' : 'todo_labels')} from made t join input i on i.id = t.id order by i.place`;

/** A row to insert. `list` null: the default list. */
export interface NewRow {
  place: number;
  id: string;
  title: string | null;
  content: string | null;
  priority: number | null;
  type: TodoAnswer['type'];
  list: string | null;
  due: string | null;
  capture: string | null;
  parent: string | null;
  suggested: boolean;
  source: TodoAnswer['source'];
  /** Bytes as PostgreSQL writes them: `\x` and hexadecimal digits. */
  created_from: string | null;
  assignees: readonly Assigned[];
  labels: readonly string[];
  plan: (Plan & ScheduleOwner) | null;
  folded_title: string;
  folded_content: string;
}

/**
 * Inserts the rows, records that they were created, and returns the todos in their order. The rows that they refer to
 * must exist.
 */
export async function writeTodos(db: Db, workspaceId: string, rows: readonly NewRow[]): Promise<TodoAnswer[]> {
  const bindings = new Bindings(workspaceId);
  bindings.bind(JSON.stringify(rows));
  const recorded = recordingPart(bindings, db.origin, {
    events: rows.map(({ id }) => ({ type: 'todo.created', objectId: id })),
    changed: 'made',
    workspace: '$1',
    parents: todoParentsColumn,
    version: 'c.revision',
  });
  const text = insertOf(
    rows.some((row) => row.plan),
    rows.some((row) => row.labels.length > 0),
    recorded,
  );
  return todosOf(await db.rows<TodoRow>(text, bindings.values));
}

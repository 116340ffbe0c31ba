/* The handwritten statements of the ceiling. */

const columns = (
  assigned: string,
) => `t.id, t.title, t.content, t.status, t.priority, t.type, t.todo_list_id, t.due_date,
  t.capture_id, t.archived_at is not null as archived, t.is_suggested, t.source, t.minutes_saved, t.minutes_saved_reason,
  t.minutes_saved_confidence, t.revision as version, t.created_at, t.updated_at, t.parent_todo_id,
  coalesce(t.position, replace(t.id::text, '-', '')) as position,
  case when t.has_had_sub_todos then (
    select json_build_array(count(*), count(*) filter (where p.status = 'done')) from todos p
    where p.workspace_id = t.workspace_id and p.parent_todo_id = t.id and p.archived_at is null and not p.is_suggested) end as parts,
  case when t.has_had_labels then (select json_agg(json_build_array(l.id, l.name, l.color) order by l.key) from todo_labels x
    join labels l on l.workspace_id = x.workspace_id and l.id = x.label_id
    where x.workspace_id = t.workspace_id and x.todo_id = t.id) end as labels,
  (select json_agg(json_build_array(case when a.user_id is null then 'agent' else 'user' end, a.assignee_id,
      coalesce(u.name, g.name), coalesce(m.removed_at, g.archived_at) is not null) order by a.position)
    from ${assigned} a
    left join users u on u.id = a.user_id
    left join members m on m.workspace_id = a.workspace_id and m.user_id = a.user_id
    left join agents g on g.workspace_id = a.workspace_id and g.id = a.agent_id
    where a.workspace_id = t.workspace_id and a.todo_id = t.id) as assignees`;

const plain = columns('todo_assignees');
const listed = 't.workspace_id = $1 and t.archived_at is null and not t.is_suggested';

export const get = `select ${plain} from todos t where t.workspace_id = $1 and t.id = $2`;

/** $1 workspace, $2 page size + 1, then $3 user, priority, or value and $4 id of the last row. */
export const pages = {
  newest: `select ${plain} from todos t where ${listed} order by t.created_at desc, t.id desc limit $2`,
  after: `select ${plain} from todos t where ${listed} and (t.created_at, t.id) < ($3::timestamptz, $4::uuid)
    order by t.created_at desc, t.id desc limit $2`,
  active: `select ${plain} from (
      (select * from todos t where ${listed} and t.status = 'ready' order by t.created_at desc, t.id desc limit $2)
      union all
      (select * from todos t where ${listed} and t.status = 'in_progress' order by t.created_at desc, t.id desc limit $2)
      order by created_at desc, id desc limit $2) t order by t.created_at desc, t.id desc`,
  high: `select ${plain} from todos t where ${listed} and t.priority = $3 order by t.created_at desc, t.id desc limit $2`,
  mine: `select ${plain} from (
      select t.* from todo_assignees a join todos t on t.workspace_id = a.workspace_id and t.id = a.todo_id
      where a.workspace_id = $1 and a.assignee_id = $3 and ${listed}
      order by a.created_at desc, a.todo_id desc limit $2) t order by t.created_at desc, t.id desc`,
  priority: nullsLast('priority', 'desc'),
  dueDate: nullsLast('due_date', 'asc'),
};

function nullsLast(column: string, order: string): string {
  const half = (
    rank: number,
    is: string,
  ) => `(select t.*, ${rank} as rank from todos t where ${listed} and t.${column} is ${is}
      order by t.${column} ${order}, t.id ${order} limit $2)`;
  return `select ${plain} from (${half(0, 'not null')} union all ${half(1, 'null')}
      order by rank, ${column} ${order}, id ${order} limit $2) t order by t.rank, t.${column} ${order}, t.id ${order}`;
}

export const summary = `select t.status, t.priority, count(*)::int as count,
    (sum(t.minutes_saved) filter (where t.status = 'done'))::int as minutes
  from todos t where ${listed} group by t.status, t.priority`;

const matches = (terms: number, first: number) =>
  Array.from({ length: terms }, (_, i) => `(s.title || ' ' || s.content) like $${first + i}`).join(' and ');

/** $1 workspace, $2 page size + 1, $3 how many of the newest to look through, $4 … the patterns. */
export const searchNear = (terms: number) => `with near as materialized (
    select t.workspace_id, t.id, t.created_at from todos t where ${listed} order by t.created_at desc, t.id desc limit $3
  ), page as (
    select t.* from near t cross join lateral (
      select title, content from todo_search s where s.workspace_id = t.workspace_id and s.todo_id = t.id offset 0) s
    where ${matches(terms, 4)} order by t.created_at desc, t.id desc limit $2
  ), whole as (
    select t.* from page p join todos t on t.workspace_id = p.workspace_id and t.id = p.id
  ) select n.looked, ${plain} from (select count(*)::int as looked from near) n left join whole t on true
    order by t.created_at desc, t.id desc`;

/** $1 workspace, $2 page size + 1, $3 … the patterns: through the trigram index. */
export const searchIndex = (terms: number) => `with hits as materialized (
    select s.todo_id from todo_search s where s.workspace_id = $1 and ${matches(terms, 3)}
  ) select ${plain} from (select t.* from hits h join todos t on t.id = h.todo_id where ${listed}
    order by t.created_at desc, t.id desc limit $2) t order by t.created_at desc, t.id desc`;

const made = `made as (
    insert into todos (workspace_id, id, title, content, priority, todo_list_id, due_date, source)
    select $1, $2, $3, $4, $5, l.id, $6, 'user_created' from todo_lists l where l.workspace_id = $1 and l.is_default
    returning *
  ), indexed as (
    insert into todo_search (workspace_id, todo_id, title, content) values ($1, $2, $7, $8)
  ), assigned as (
    insert into todo_assignees (workspace_id, todo_id, position, user_id, created_at)
    select $1, $2, 1, $9, m.created_at from made m returning *
  )`;

/** $1 workspace, $2 id, $3 title, $4 content, $5 priority, $6 due date, $7 and $8 folded texts, $9 user. */
export const create = `with ${made} select ${columns('assigned')} from made t`;

/**
 * The same, then $10 credential, $11 idempotency key, $12 fingerprint of the body; a used key violates a constraint.
 */
export const createOnce = `with ${made}, answered as materialized (
    select ${columns('assigned')} from made t
  ), stored as (
    insert into idempotency_keys (workspace_id, credential_id, operation, path, key, fingerprint, answer)
    select $1, $10, 'ceiling', '', $11, $12, to_json(a)::text from answered a
  ) select * from answered`;

/** $1 workspace, $2 credential, $3 idempotency key. */
export const stored = `select fingerprint, answer from idempotency_keys
  where workspace_id = $1 and credential_id = $2 and operation = 'ceiling' and key = $3`;

/** $1 workspace, $2 id, then the values of `sets`, and last the folded title when there is one. */
export function update(sets: readonly string[]): string {
  const assignments = sets.map((column, i) => `${column} = $${i + 3}`).join(', ');
  const searched = sets.includes('title')
    ? `, indexed as (update todo_search set title = $${sets.length + 3} where workspace_id = $1 and todo_id = $2)`
    : '';
  return `with changed as (update todos set ${assignments}, revision = revision + 1, updated_at = greatest(now(), updated_at)
    where workspace_id = $1 and id = $2 returning *)${searched} select ${plain} from changed t`;
}

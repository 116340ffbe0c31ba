/*
 * The statements of a turn, written out by hand: three (start, claim, end), and two for each title or subtitle. Each
 * commits on its own and leaves the rows that the service leaves. $1 is the workspace, $2 the chat.
 */

/** The jobs of the ceiling: a queue of its own, so that the workers of the service leave it alone. */
export const jobsTable = `create table bench_jobs (id uuid primary key, kind text not null, chat_id uuid not null,
  active boolean not null default false, created_at timestamptz not null default now())`;

const funded = 'exists (select from workspaces where id = $1 and agent_minutes > 0)';
const answer = `select agent_id as "answeringAgentId" from agent`;

/** $3 user, $4 message, $5 turn, $6 text, $7 blocks, $8 scopes, $9 and on: jobs. */
const begun = (sequence: string) => `message as (
    insert into messages (workspace_id, chat_id, sequence, id, role, text, blocks, user_id)
    select $1, $2, ${sequence}, $4, 'user', $6, $7::jsonb, $3 from chat
  ), turn as (
    insert into chat_turns (workspace_id, id, chat_id, agent_id, user_id, trigger, scopes, lease_until)
    select $1, $5, $2, agent.agent_id, $3, 'chat', $8::text[], now() + interval '20 seconds' from agent, chat
  )`;

export const create = `with agent as (
    select id as agent_id from agents where workspace_id = $1 and is_default and archived_at is null and ${funded}
  ), chat as (
    insert into chats (workspace_id, id, search, status, message_count) select $1, $2, E'\\n', 'running', 1 from agent
    returning id
  ), ${begun('1')}, jobs as (
    insert into bench_jobs (id, kind, chat_id) select $9::uuid, 'turn', $2 from chat
    union all select $10::uuid, 'title', $2 from chat
  ) ${answer}, chat`;

export const send = `with agent as (
    select id as agent_id from agents where workspace_id = $1 and is_default and archived_at is null and ${funded}
  ), chat as (
    update chats set status = 'running', error_message = null, message_count = message_count + 1,
      last_message_at = greatest(now(), last_message_at), updated_at = greatest(now(), updated_at)
    from agent where workspace_id = $1 and id = $2 and status not in ('queued', 'running') and archived_at is null
    returning message_count
  ), ${begun('message_count')}, jobs as (
    insert into bench_jobs (id, kind, chat_id) select $9::uuid, 'turn', $2 from chat
  ) ${answer}, chat`;

const names = (from: string) => `(select coalesce(json_agg(name order by name), '[]') from (${from} limit 100) named)`;

/** $3 turn, $4 worker, $5 job: claims the turn, and reads everything that the prompt is built from. */
export const claim = `with job as (update bench_jobs set active = true where id = $5),
  claimed as (
    update chat_turns set attempt = attempt + 1, worker_id = $4, lease_until = now() + interval '12 seconds',
      started_at = now()
    where workspace_id = $1 and chat_id = $2 and id = $3 and ended_at is null and worker_id is null returning agent_id
  ) select a.name, a.instructions, w.name as workspace,
    ${names('select u.name from members m join users u on u.id = m.user_id where m.workspace_id = $1 and m.removed_at is null')} as people,
    ${names('select name from agents where workspace_id = $1 and archived_at is null')} as agents,
    ${names('select name from todo_lists where workspace_id = $1 and archived_at is null')} as lists,
    (select json_agg(json_build_array(role, text) order by sequence) from messages
      where workspace_id = $1 and chat_id = $2) as messages
  from claimed c join agents a on a.workspace_id = $1 and a.id = c.agent_id join workspaces w on w.id = $1`;

/** $3 turn, $4 message, $5 text, $6 blocks, $7 active ms, $8 minutes, $9 entry, $10 job done, $11 job to do. */
export const end = `with turn as (
    update chat_turns set ended_at = now(), outcome = 'completed', worker_id = null, active_ms = $7, minutes = $8
    where workspace_id = $1 and id = $3 and attempt = 1 and ended_at is null returning agent_id
  ), chat as (
    update chats set status = 'completed', completed_at = now(), message_count = message_count + 1,
      last_message_at = greatest(now(), last_message_at), updated_at = greatest(now(), updated_at)
    from turn where workspace_id = $1 and id = $2 and status = 'running' returning message_count
  ), message as (
    insert into messages (workspace_id, chat_id, sequence, id, turn_id, role, text, blocks, agent_id)
    select $1, $2, message_count, $4, $3, 'agent', $5, $6::jsonb, agent_id from chat, turn
  ), paid as (
    update workspaces set agent_minutes = greatest(0, agent_minutes - $8::numeric) from turn where id = $1
  ), entry as (
    insert into minute_entries (workspace_id, id, kind, minutes, agent_id, chat_id, turn_id, trigger)
    select $1, $9, 'turn', -$8::numeric, agent_id, $2, $3, 'chat' from turn
  ), done as (delete from bench_jobs where id = $10
  ), job as (insert into bench_jobs (id, kind, chat_id) values ($11, 'subtitle', $2)
  ) select agent_id as "answeringAgentId", message_count as sequence from turn, chat`;

/** $3 job. */
export const latestMessages = `with job as (update bench_jobs set active = true where id = $3)
  select role, text from messages where workspace_id = $1 and chat_id = $2 order by sequence desc limit 30`;

/** $3 job, $4 the new text. */
export const retitle = (column: 'title' | 'subtitle') => `with job as (delete from bench_jobs where id = $3)
  update chats set ${column} = $4, updated_at = greatest(now(), updated_at),
    search = lower(${column === 'title' ? '$4' : "coalesce(title, '')"} || E'\\n' || ${column === 'title' ? "coalesce(subtitle, '')" : '$4'})
  where workspace_id = $1 and id = $2`;

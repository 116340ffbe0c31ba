import type { Database } from '../../db/client.ts';
import { wordsSql } from '../harness/words.ts';

/** What a chat has; its turns answer every other message. */
export const messagesPerChat = 10;
const turnsPerChat = messagesPerChat / 2;
/** `chat.created`, one of each message, and two of the status. */
const eventsPerChat = messagesPerChat + 3;
/** One chat of four is the run of a todo, and in one of five a person approved something. */
const chatsPerRun = 4;
const chatsPerApproval = 5;
/** Todos of a workspace that agents run again and again. */
const todosWithRuns = 20;
const texts = 5000;

/** The time that the whole history takes, in days; its end is now. */
export const historyDays = 730;

/** An id of version 7 of this time, the same for the same salt. */
const idOf = (instant: string, salt: string) =>
  `(lpad(to_hex((extract(epoch from ${instant}) * 1000)::bigint), 12, '0') || '7' || substr(md5(${salt}), 1, 3)
    || '8' || substr(md5(${salt}), 4, 15))::uuid`;

const prepare = [
  `create unlogged table growth_spaces as
    select row_number() over (order by w.id <> $giant, w.id) - 1 as n, w.id, a.id as agent_id, m.user_id
    from workspaces w join agents a on a.workspace_id = w.id and a.is_default
      join members m on m.workspace_id = w.id and m.role = 'owner'`,
  `create unlogged table growth_todos as
    select s.n as space, row_number() over (partition by s.n order by t.id) - 1 as place, count(*) over (partition by s.n) as places, t.id
    from growth_spaces s cross join lateral (
      select id from todos where workspace_id = s.id and archived_at is null order by id limit ${todosWithRuns}) t`,
  `create unlogged table growth_texts as select n, ${wordsSql('10 + n * 7 % 90')} as text from generate_series(0, ${texts - 1}) n`,
  'create index on growth_spaces (n)',
  'create index on growth_todos (space, place)',
  'create index on growth_texts (n)',
  'analyze growth_spaces, growth_todos, growth_texts',
];

/** Half of the chats are in the giant workspace; `place` is the place of a chat in its workspace. */
const chats = `create unlogged table growth_chats as
  select c.n, c.place, c.at, ${idOf('c.at', `'chat' || c.n`)} as id, s.id as workspace_id, s.agent_id, s.user_id, t.id as todo_id
  from (
    select n, now() - ($chats - n) * (interval '${historyDays} days' / $chats) as at,
      case n % 2 when 0 then 0 else 1 + (n / 2) % ($workspaces - 1) end as space,
      case n % 2 when 0 then n / 2 else (n / 2) / ($workspaces - 1) end as place
    from generate_series($from, $to - 1) n
  ) c join growth_spaces s on s.n = c.space
  left join growth_todos t on t.space = c.space and (c.place % ${chatsPerRun}) = 0 and t.place = (c.place / ${chatsPerRun}) % t.places`;

const turn = (k: string) => idOf('c.at', `'turn' || c.n || ' ' || ${k}`);
const message = (k: string) => idOf('c.at', `'message' || c.n || ' ' || ${k}`);
const minutes = (k: string) => `c.at + (${k}) * interval '1 minute'`;

const fills = [
  `insert into chats (workspace_id, id, todo_id, title, title_given, search, status, message_count, created_at, updated_at,
      last_message_at, completed_at)
    select c.workspace_id, c.id, c.todo_id, left(x.text, 60), false, left(x.text, 60), 'completed', ${messagesPerChat}, c.at, c.at,
      ${minutes(`${messagesPerChat}`)}, ${minutes(`${messagesPerChat}`)}
    from growth_chats c join growth_texts x on x.n = c.n % ${texts}`,
  `insert into messages (workspace_id, chat_id, sequence, id, turn_id, role, text, blocks, agent_id, user_id, created_at)
    select c.workspace_id, c.id, k, ${message('k')}, ${turn('(k + 1) / 2')}, case k % 2 when 1 then 'user' else 'agent' end, x.text,
      jsonb_build_array(jsonb_build_object('type', 'text', 'text', x.text)), case k % 2 when 0 then c.agent_id end,
      case k % 2 when 1 then c.user_id end, ${minutes('k')}
    from growth_chats c cross join generate_series(1, ${messagesPerChat}) k
      join growth_texts x on x.n = (c.n * 31 + k * 7) % ${texts}`,
  `insert into chat_turns (workspace_id, id, chat_id, agent_id, user_id, run_id, trigger, scopes, attempt, active_ms, minutes,
      started_at, ended_at, outcome, created_at)
    select c.workspace_id, ${turn('k')}, c.id, c.agent_id, c.user_id,
      case when c.todo_id is not null and k = 1 then ${idOf('c.at', `'run' || c.n`)} end,
      case when c.todo_id is not null and k = 1 then 'manual' else 'chat' end, '{todos:read,todos:write,chats:read,chats:write}',
      1, 18000, 0.3, ${minutes('2 * k')}, ${minutes('2 * k')}, 'completed', ${minutes('2 * k - 1')}
    from growth_chats c cross join generate_series(1, ${turnsPerChat}) k`,
  `insert into minute_entries (workspace_id, id, kind, minutes, agent_id, chat_id, turn_id, todo_id, trigger, created_at)
    select c.workspace_id, ${idOf('c.at', `'entry' || c.n || ' ' || k || ' ' || e`)}, 'turn', -0.1, c.agent_id, c.id, ${turn('k')},
      c.todo_id, case when c.todo_id is not null and k = 1 then 'manual' else 'chat' end, ${minutes('2 * k')} + e * interval '1 second'
    from growth_chats c cross join generate_series(1, ${turnsPerChat}) k cross join generate_series(1, 3) e`,
  `insert into approvals (workspace_id, id, chat_id, turn_id, todo_id, agent_id, message_sequence, tool_call_id, tool_name, title,
      input, reason, status, requested_at, expires_at, decided_at, decided_by)
    select c.workspace_id, ${idOf('c.at', `'approval' || c.n`)}, c.id, ${turn('2')}, c.todo_id, c.agent_id, 4, 'call_1', 'create_todo',
      'Create a todo', jsonb_build_object('title', left(x.text, 80)), left(x.text, 120), 'approved', ${minutes('3')},
      ${minutes('3')} + interval '7 days', ${minutes('4')}, c.user_id
    from growth_chats c join growth_texts x on x.n = c.n % ${texts} where c.place % ${chatsPerApproval} = 1`,
  `insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status, summary, minutes_used, started_at, finished_at)
    select c.workspace_id, ${idOf('c.at', `'run' || c.n`)}, c.todo_id, c.id, c.agent_id, 'manual', 'completed', left(x.text, 200), 0.3,
      c.at, ${minutes('2')}
    from growth_chats c join growth_texts x on x.n = c.n % ${texts} where c.todo_id is not null`,
  `insert into events (workspace_id, id, type, object_id, parents, changed_fields, actor_type, actor_id, via, request_id, sequence,
      occurred_at)
    select c.workspace_id, ${idOf('c.at', `'event' || c.n || ' ' || e`)},
      case e when 1 then 'chat.created' when 3 then 'chat.status_changed' when ${eventsPerChat} then 'chat.status_changed' else 'message.created' end,
      case when e in (1, 3, ${eventsPerChat}) then c.id else ${message('case e when 2 then 1 else e - 2 end')} end,
      jsonb_strip_nulls(jsonb_build_object('chatId', case when e not in (1, 3, ${eventsPerChat}) then c.id end, 'todoId', c.todo_id,
        'agentId', c.agent_id)),
      case when e in (3, ${eventsPerChat}) then '{status,messageCount,lastMessageAt}'::text[] else '{}' end,
      case e % 2 when 0 then 'user' else 'agent' end, case e % 2 when 0 then c.user_id else c.agent_id end,
      case e % 2 when 0 then 'page' else 'agent' end, case e % 2 when 0 then c.id::text end,
      coalesce(p.latest, 0) + (c.place - f.place) * ${eventsPerChat} + e, ${minutes('e')}
    from growth_chats c
      join (select workspace_id, min(place) as place from growth_chats group by 1) f on f.workspace_id = c.workspace_id
      left join event_positions p on p.workspace_id = c.workspace_id
      cross join generate_series(1, ${eventsPerChat}) e order by c.at, e`,
  `update todos t set latest_run_id = r.id from (
      select distinct on (workspace_id, todo_id) workspace_id, todo_id, id from todo_runs
      order by workspace_id, todo_id, started_at desc, id desc) r
    where t.workspace_id = r.workspace_id and t.id = r.todo_id`,
  `insert into event_positions as p (workspace_id, latest)
    select workspace_id, count(*) * ${eventsPerChat} from growth_chats group by 1
    on conflict (workspace_id) do update set latest = p.latest + excluded.latest`,
];

/** A history that is made in parts, the oldest first. */
export interface History {
  /** Chats of the whole of it. */
  chats: number;
  workspaces: number;
  giant: string;
}

/**
 * Adds the chats from number `from` to `to`, with all that work leaves behind, at the times that they have in the whole
 * history. Foreign keys are not checked, for speed.
 */
export async function addHistory(db: Database, history: History, from: number, to: number): Promise<void> {
  const values: Record<string, string> = {
    chats: `${history.chats}`,
    workspaces: `${history.workspaces}`,
    giant: `'${history.giant}'::uuid`,
    from: `${from}`,
    to: `${to}`,
  };
  const sized = (text: string) => text.replaceAll(/\$([a-z]+)/g, (all, name: string) => values[name] ?? all);
  const connection = await db.driver.reserve();
  try {
    await connection.unsafe(
      `set synchronous_commit = off; set work_mem = '256MB'; set session_replication_role = replica`,
    );
    for (const text of from === 0 ? prepare : []) await connection.unsafe(sized(text));
    await connection.unsafe(sized(chats));
    await connection.unsafe('analyze growth_chats');
    for (const text of fills) await connection.unsafe(sized(text));
    await connection.unsafe('drop table growth_chats');
    await connection.unsafe('vacuum (analyze)');
    await connection.unsafe('checkpoint');
  } finally {
    await connection.unsafe('reset all').catch(() => {});
    connection.release();
  }
}

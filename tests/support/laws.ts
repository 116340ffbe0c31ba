import * as assert from 'uvu/assert';
import type { Db } from '../../db/client.ts';

const openTurn = `select 1 from chat_turns t where t.workspace_id = c.workspace_id and t.chat_id = c.id and t.ended_at is null`;
const working = `('queued', 'running', 'awaiting_input')`;
// An agent that completes its own todo continues: it may ask a person about the next call of the same answer.
const completedByItself = `exists (select 1
    from messages called, jsonb_array_elements(called.blocks) call, messages answered, jsonb_array_elements(answered.blocks) result
    where called.workspace_id = c.workspace_id and called.chat_id = c.id
      and call ->> 'name' = 'complete_todo' and call #>> '{input,todoId}' = t.id::text
      and answered.workspace_id = c.workspace_id and answered.chat_id = c.id
      and result ->> 'toolCallId' = call ->> 'id' and result ->> 'isError' = 'false')
  and (select e.actor_id from completed e where e.object_id = t.id)
    = (select u.agent_id from chat_turns u where u.workspace_id = c.workspace_id and u.chat_id = c.id and u.ended_at is null)`;

/** What must hold of a workspace at any time: each finds what breaks it. */
const laws: Record<string, string> = {
  'a chat that works has an open turn, and no other has': `select c.id, c.status from chats c
    where c.workspace_id = $1 and (c.status in ${working}) <> exists (${openTurn})`,
  'a chat that waits for a person has something to decide': `select c.id from chats c
    where c.workspace_id = $1 and c.status = 'awaiting_input' and not exists (select 1 from approvals a
      where a.workspace_id = c.workspace_id and a.chat_id = c.id and a.status = 'pending')`,
  'what waits to be decided belongs to an open turn': `select a.id from approvals a
    join chat_turns t on t.workspace_id = a.workspace_id and t.id = a.turn_id
    where a.workspace_id = $1 and a.status = 'pending' and t.ended_at is not null`,
  'a run is running exactly while a turn of it is open': `select r.id from todo_runs r
    where r.workspace_id = $1 and (r.status = 'running') <> exists (select 1 from chat_turns t
      where t.workspace_id = r.workspace_id and t.run_id = r.id and t.ended_at is null)`,
  // The log is on the coordinator of Citus: it is read before what it is joined with.
  'only who completed a todo still works on it': `with completed as materialized (
      select distinct on (object_id) object_id, actor_id from events
      where workspace_id = $1 and type = 'todo.completed' order by object_id, sequence desc)
    select c.id, c.status from todos t
    join chats c on c.workspace_id = t.workspace_id and c.todo_id = t.id
    where t.workspace_id = $1 and t.status = 'done' and c.status in ${working} and not (${completedByItself})`,
  'the latest run of a todo is the one it names': `select t.id from todos t where t.workspace_id = $1
    and t.latest_run_id is distinct from (select r.id from todo_runs r
      where r.workspace_id = t.workspace_id and r.todo_id = t.id order by r.started_at desc, r.id desc limit 1)`,
  'the messages of a chat are numbered without gaps': `select c.id from chats c
    join messages m on m.workspace_id = c.workspace_id and m.chat_id = c.id where c.workspace_id = $1
    group by c.id, c.message_count having count(*) <> max(m.sequence) or max(m.sequence) <> c.message_count`,
  'a call has one result at most': `select m.chat_id, b ->> 'toolCallId' from messages m, jsonb_array_elements(m.blocks) b
    where m.workspace_id = $1 and b ->> 'type' = 'tool_result' group by 1, 2 having count(*) > 1`,
  'the balance is what the ledger says': `select w.id from workspaces w where w.id = $1
    and w.agent_minutes <> (select sum(e.minutes) from minute_entries e where e.workspace_id = w.id)`,
};

/** Holds the rows of a workspace to all of them. @throws Error that names the law and what breaks it. */
export async function assertLaws(db: Db, workspaceId: string): Promise<void> {
  for (const [law, text] of Object.entries(laws)) assert.equal([...(await db.rows(text, [workspaceId]))], [], law);
}

import { v7 as newId } from 'uuid';
import { Bindings } from '../../db/bindings.ts';
import { chatEvent, fieldsOfMessages, statusChange } from '../chats/events.ts';
import { textBlocks } from '../chats/messages.ts';
import type { ServiceContext } from '../context.ts';
import { parentsOf, recordingPart } from '../events/record.ts';
import { addingDigest, wake } from '../jobs.ts';
import { announce } from '../live.ts';
import { storable, storableJson } from '../text.ts';
import type { Claim } from './steps.ts';

/*
 * $1 workspace, $2 chat, $3 turn, $4 attempt, $5 ms spent, $6 agent that the chat names, $7 message, $8 text, $9
 * blocks, $10 agent, $11 minute entry, $12 trigger. Every part depends on `paid`: without it nothing is changed.
 * Minutes are owed as `minutesOwed` has it.
 */
const parts = `held as materialized (
    select t.active_ms + $5::int as active_ms,
      greatest(0, (ceil((t.active_ms + $5::int) / 6000.0) - round(t.minutes * 10)) / 10) as owed
    from chats c join chat_turns t on t.workspace_id = c.workspace_id and t.chat_id = c.id
    where c.workspace_id = $1 and c.id = $2 and c.status = 'running' and c.todo_id is null
      and c.agent_id is not distinct from $6::uuid and t.id = $3 and t.attempt = $4 and t.ended_at is null
      and not exists (select from approvals a where a.workspace_id = $1 and a.turn_id = $3 and a.status = 'pending')
    for update of c, t
  ), paid as (
    update workspaces w set agent_minutes = w.agent_minutes - h.owed from held h
    where w.id = $1 and w.agent_minutes > h.owed returning h.owed, h.active_ms
  ), ended as (
    update chat_turns t set ended_at = now(), outcome = 'completed', worker_id = null, claims = 0,
      active_ms = p.active_ms, minutes = t.minutes + p.owed
    from paid p where t.workspace_id = $1 and t.id = $3
  ), entered as (
    insert into minute_entries (workspace_id, id, kind, minutes, agent_id, chat_id, turn_id, trigger)
    select $1, $11, 'turn', -p.owed, $10, $2, $3, $12 from paid p where p.owed > 0
  ), moved as (
    update chats c set status = 'completed', error_message = null, message_count = c.message_count + 1,
      last_message_at = greatest(now(), c.last_message_at), updated_at = greatest(now(), c.updated_at),
      completed_at = greatest(now(), c.last_message_at)
    from paid p where c.workspace_id = $1 and c.id = $2 returning c.message_count, c.last_message_at
  ), m as (
    insert into messages (workspace_id, chat_id, sequence, id, turn_id, role, text, blocks, agent_id, created_at)
    select $1, $2, message_count, $7, $3, 'agent', $8, $9::jsonb, $10, last_message_at from moved returning id
  ), digest as (
    ${addingDigest('$1', `'chat_subtitle'`, '$2', 'from moved')}
  ), changed as (select $2::uuid as id from moved union all select id from m)`;

/**
 * Step (c) of a turn in a chat without a todo, in one statement: what `saveEnd` saves. Returns false, with nothing
 * saved, when something else is to be done as well: the minutes end with it, or approvals are pending; also when the
 * lease is lost.
 */
export async function saveEndAtOnce(
  { db, live }: Pick<ServiceContext, 'db' | 'live'>,
  claim: Claim,
  text: string,
  spentMs: number,
): Promise<boolean> {
  const { workspaceId, chatId, turnId, attempt, agentId, namedAgentId, runId, todoId, trigger } = claim;
  if (runId !== null || todoId !== null) return false;
  const id = newId();
  const bindings = new Bindings();
  const message = [id, storable(text), storableJson(textBlocks(text)), agentId];
  const turn = [workspaceId, chatId, turnId, attempt, Math.ceil(spentMs), namedAgentId];
  for (const value of [...turn, ...message, newId(), trigger]) bindings.bind(value);
  const created = { type: 'message.created' as const, objectId: id, parents: parentsOf({ chatId, todoId, agentId }) };
  const settled = statusChange('completedAt', ...fieldsOfMessages);
  const events = [created, chatEvent({ chatId, todoId, agentId: namedAgentId }, settled)];
  const { eventId, hasRecorded } = db.origin;
  const recording = recordingPart(bindings, db.origin, { events, changed: 'changed', workspace: '$1' });
  const saved = await db.rows(`with ${parts}, ${recording} select 1 from m`, bindings.values);
  if (saved.length === 0) {
    Object.assign(db.origin, { eventId, hasRecorded });
    return false;
  }
  wake(db, 'digests');
  announce(db, { kind: 'status', chatId });
  if (live.isFollowed(chatId)) announce(db, { kind: 'message', chatId });
  return true;
}

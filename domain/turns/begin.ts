import { originOfAgent, serviceOrigin } from '../../db/origin.ts';
import { chatEvent, statusChange } from '../chats/events.ts';
import { append, textBlocks } from '../chats/messages.ts';
import { type HeldChat, holdChat } from '../chats/rows.ts';
import { endTurn } from '../chats/turns.ts';
import type { ServiceContext } from '../context.ts';
import { changeAndRecord } from '../events/record.ts';
import { LostLease } from '../jobs.ts';
import { announce } from '../live.ts';
import { beginRun } from '../todos/runs.ts';
import type { Claim } from './steps.ts';

// A replan may have moved the time after the turn was claimed.
const start = `update chat_turns set started_at = now()
  where workspace_id = $1 and id = $2 and started_at is null and (not_before is null or not_before <= now())
  returning not_before is not null as waited`;
const open = `update chats set status = 'running', updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and status = 'queued' returning id`;

const outdated = `select a.archived_at is not null as "agentArchived", t.archived_at is not null as "todoArchived",
    u.trigger in ('assignment', 'schedule') and not exists (select from todo_assignees s
      where s.workspace_id = $1 and s.todo_id = t.id and s.agent_id = u.agent_id) as unassigned
  from chat_turns u join agents a on a.workspace_id = $1 and a.id = u.agent_id
  left join todos t on t.workspace_id = $1 and t.id = $3
  where u.workspace_id = $1 and u.id = $2`;

/** Why a turn that waited for working hours must no longer begin; null when it may. */
async function reasonToCancel(
  { db }: Pick<ServiceContext, 'db'>,
  { workspaceId, todoId, turn }: HeldChat,
): Promise<string | null> {
  const [now] = await db.rows<{ agentArchived: boolean; todoArchived: boolean; unassigned: boolean }>(outdated, [
    workspaceId,
    turn?.turnId,
    todoId,
  ]);
  if (now?.agentArchived) return 'The agent was archived before its working hours began, so it did not start.';
  if (now?.todoArchived) return 'The todo was archived before the working hours of its agent began.';
  if (now?.unassigned) return 'The agent was unassigned from the todo before its working hours began.';
  return null;
}

/** Ends a turn that waited for working hours and is no longer wanted. */
async function cancelTurn(ctx: ServiceContext, chat: HeldChat, text: string): Promise<void> {
  const turnId = chat.turn?.turnId ?? null;
  const db = ctx.db.as(serviceOrigin());
  await append(db, ctx.live, chat, { turnId, role: 'system', text, blocks: textBlocks(text) }, null);
  await endTurn({ ...ctx, db }, chat, { outcome: 'cancelled', beside: 'message' });
}

async function begin(ctx: ServiceContext, claim: Claim): Promise<boolean> {
  const { db } = ctx;
  const { workspaceId, chatId, turnId, attempt } = claim;
  const chat = await holdChat(db, workspaceId, chatId, () => new LostLease());
  if (chat.turn?.turnId !== turnId || chat.turn.attempt !== attempt) throw new LostLease();
  const [started] = await db.rows<{ waited: boolean }>(start, [workspaceId, turnId]);
  if (!started) throw new LostLease();
  const reason = started.waited ? await reasonToCancel(ctx, chat) : null;
  if (reason !== null) {
    await cancelTurn(ctx, chat, reason);
    return false;
  }
  if (chat.status === 'queued') {
    await changeAndRecord(db, open, [workspaceId, chatId], [chatEvent(chat, statusChange())]);
    announce(db, { kind: 'status', chatId });
  }
  const { runId } = chat.turn;
  if (runId) await beginRun(db, workspaceId, runId);
  return true;
}

/**
 * The first step of a run, or of a turn that waited for working hours: its chat, run and todo begin, in one
 * transaction. Returns false when the turn was cancelled because it is no longer wanted. @throws LostLease.
 */
export function beginTurn(ctx: ServiceContext, claim: Claim): Promise<boolean> {
  const theirs = ctx.db.as(originOfAgent(claim.agentId));
  return theirs.transaction((db) => begin({ ...ctx, db }, claim));
}

import { v7 as newId } from 'uuid';
import type { TurnRef } from '../../domain/jobs.ts';
import type { TestService, TestWorkspace } from './harness.ts';

/** Working hours on all days but those left out. */
export function hours(start: string, end: string, timezone = 'UTC', days = ['mon', 'tue', 'wed', 'thu', 'fri']) {
  return { timezone, days, start, end };
}

/** A chat of an agent with an open turn that waits until `notBefore`, as a scheduled start leaves it. */
export async function waitingTurn(
  { db }: TestService,
  { workspaceId, userId }: TestWorkspace,
  agentId: string,
  { notBefore, status = 'queued' }: { notBefore: string | null; status?: string },
): Promise<TurnRef> {
  const [chatId, turnId] = [newId(), newId()];
  const chat = 'insert into chats (workspace_id, id, agent_id, status) values ($1, $2, $3, $4)';
  await db.rows(chat, [workspaceId, chatId, agentId, status]);
  const turn = `insert into chat_turns (workspace_id, id, chat_id, agent_id, user_id, trigger, scopes, not_before, lease_until)
    values ($1, $2, $3, $4, $5, 'schedule', '{}', $6, $6)`;
  await db.rows(turn, [workspaceId, turnId, chatId, agentId, userId, notBefore]);
  return { workspaceId, chatId, turnId };
}

import { v7 as newId } from 'uuid';
import type { Db } from '../db/client.ts';
import { Failure } from './errors.ts';
import { tellMinutesExhausted } from './notifications/events.ts';
import type { Teller } from './notifications/notify.ts';

/** What starts a piece of agent work. */
export const triggers = ['chat', 'manual', 'create', 'assignment', 'schedule'] as const;
export type Trigger = (typeof triggers)[number];

const left = 'select agent_minutes > 0 as some from workspaces where id = $1';

/** Call it before anything is written. @throws Failure 402 when the workspace has no agent minutes left. */
export async function requireMinutes(db: Db, workspaceId: string): Promise<void> {
  const [row] = await db.rows<{ some: boolean }>(left, [workspaceId]);
  if (row?.some) return;
  const message = 'The workspace has no agent minutes left, so no agent can start. Nothing was changed.';
  throw new Failure({ status: 402, code: 'insufficient_minutes', message });
}

/** A turn that did some work, with what it was charged so far. */
export interface Charged {
  workspaceId: string;
  turnId: string;
  chatId: string;
  agentId: string;
  todoId: string | null;
  runId: string | null;
  trigger: Trigger;
  /** Active milliseconds, with the work to be charged now. */
  activeMs: number;
  /** Minutes charged before. */
  minutes: number;
}

// The weaker lock: with a full one, two steps that each made a list of the workspace first would wait for each other.
const take = `update workspaces w set agent_minutes = greatest(0, w.agent_minutes - $2::numeric)
  from (select id, agent_minutes as before from workspaces where id = $1 for no key update) old where w.id = old.id
  returning least(old.before, $2::numeric) as taken, old.before < $2::numeric as dry, w.agent_minutes = 0 as "isEmpty"`;
const enter = `insert into minute_entries (workspace_id, id, kind, minutes, agent_id, chat_id, turn_id, todo_id, trigger)
  values ($1, $2, 'turn', -($3::numeric), $4, $5, $6, $7, $8)`;
const count =
  'update chat_turns set active_ms = $3, minutes = minutes + $4::numeric where workspace_id = $1 and id = $2';
const countRun = 'update todo_runs set minutes_used = minutes_used + $3::numeric where workspace_id = $1 and id = $2';

/**
 * Charges a turn for its active time, rounded up to 0.1 minute over the whole turn (CONTRACT §6), in the transaction of
 * the step: turn, run, balance and ledger move together. Returns whether the balance ran dry; it never goes below zero.
 * The owners are told by the charge that takes the last of it.
 */
export async function charge(teller: Teller, turn: Charged): Promise<{ dry: boolean }> {
  const { db: tx } = teller;
  const { workspaceId, turnId, runId, activeMs } = turn;
  const owed = (Math.ceil(activeMs / 6000) - Math.round(turn.minutes * 10)) / 10;
  if (owed <= 0) {
    await tx.rows(count, [workspaceId, turnId, activeMs, 0]);
    return { dry: false };
  }
  const [row] = await tx.rows<{ taken: string; dry: boolean; isEmpty: boolean }>(take, [workspaceId, owed]);
  if (!row) throw new Error('A turn without its workspace');
  const { taken, dry, isEmpty } = row;
  await tx.rows(count, [workspaceId, turnId, activeMs, taken]);
  if (Number(taken) > 0) {
    const { agentId, chatId, todoId, trigger } = turn;
    const entryId = newId();
    await tx.rows(enter, [workspaceId, entryId, taken, agentId, chatId, turnId, todoId, trigger]);
    if (runId) await tx.rows(countRun, [workspaceId, runId, taken]);
    if (isEmpty) await tellMinutesExhausted(teller, workspaceId, entryId);
  }
  return { dry };
}

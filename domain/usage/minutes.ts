import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { Failure } from '../errors.ts';
import { recordTodoUpdate } from '../events/changes.ts';
import { reportMinutesExhausted } from '../notifications/events.ts';
import type { NotifyContext } from '../notifications/notify.ts';

/** What starts a piece of agent work. */
export const triggers = ['chat', 'manual', 'create', 'assignment', 'schedule'] as const;
export type Trigger = (typeof triggers)[number];

const left = 'select agent_minutes > 0 as some from workspaces where id = $1';

/** Whether the workspace has agent minutes left. */
export async function hasMinutes(db: Db, workspaceId: string): Promise<boolean> {
  const [row] = await db.rows<{ some: boolean }>(left, [workspaceId]);
  return row?.some ?? false;
}

/** 402: throw it before anything is written. */
export function outOfMinutes(): Failure {
  const message =
    'The workspace has no agent minutes left, so no agent can start. Ask the operator of the service for more. Nothing was changed.';
  return new Failure({ status: 402, code: 'insufficient_minutes', message });
}

/** Call it before anything is written. @throws Failure 402 when the workspace has no agent minutes left. */
export async function requireMinutes(db: Db, workspaceId: string): Promise<void> {
  if (!(await hasMinutes(db, workspaceId))) throw outOfMinutes();
}

/** A turn with its working time, and the minutes charged for it so far. */
export interface Charged {
  workspaceId: string;
  turnId: string;
  chatId: string;
  agentId: string;
  todoId: string | null;
  runId: string | null;
  trigger: Trigger;
  /** Active milliseconds, including the work to be charged now. */
  activeMs: number;
  /** Minutes charged before. */
  minutes: number;
  /** The run ends in this transaction, which records it with its minutes. */
  isLast?: boolean;
}

/** Minutes still to be charged for `activeMs` of work in all, rounded up to 0.1. */
export function minutesOwed(activeMs: number, charged: number): number {
  return (Math.ceil(activeMs / 6000) - Math.round(charged * 10)) / 10;
}

// NO KEY UPDATE, not UPDATE: two steps that each inserted a row of the workspace before would deadlock.
const take = `with taken as (
    update workspaces w set agent_minutes = greatest(0, w.agent_minutes - $4::numeric)
    from (select id, agent_minutes as before from workspaces where id = $1 for no key update) old where w.id = $1
    returning least(old.before, $4::numeric) as minutes, old.before < $4::numeric as dry,
      w.agent_minutes = 0 and old.before > 0 as emptied
  ), counted as (
    update chat_turns t set active_ms = $3, claims = 0, minutes = t.minutes + taken.minutes from taken
    where t.workspace_id = $1 and t.id = $2
  ), entered as (
    insert into minute_entries (workspace_id, id, kind, minutes, agent_id, chat_id, turn_id, todo_id, trigger)
    select $1, $5, 'turn', -minutes, $6, $7, $2, $8, $9 from taken where minutes > 0
  ), run as (
    update todo_runs r set minutes_used = r.minutes_used + taken.minutes from taken
    where r.workspace_id = $1 and r.id = $10::uuid and taken.minutes > 0
  ) select dry, emptied, minutes > 0 as minutes from taken`;
const count = 'update chat_turns set active_ms = $3, claims = 0 where workspace_id = $1 and id = $2';

/**
 * Charges a turn for its active time, rounded up to 0.1 minute over the whole turn (CONTRACT §6), in the transaction of
 * the step, which a worker then has saved: turn, run, balance and ledger change together. Returns whether the balance
 * was too small; it never goes below zero. The charge that takes the last of it notifies the owners.
 */
export async function charge(ctx: NotifyContext, turn: Charged): Promise<{ dry: boolean }> {
  const { db: tx } = ctx;
  const { workspaceId, turnId, agentId, chatId, todoId, trigger, runId, activeMs } = turn;
  const owed = minutesOwed(activeMs, turn.minutes);
  const values = [workspaceId, turnId, activeMs];
  if (owed <= 0) {
    await tx.rows(count, values);
    return { dry: false };
  }
  const entryId = newId();
  const entry = [entryId, agentId, chatId, todoId, trigger, runId];
  const [row] = await tx.rows<{ dry: boolean; emptied: boolean; minutes: boolean }>(take, [...values, owed, ...entry]);
  if (!row) throw new Error('the workspace of the turn does not exist');
  if (row.emptied) await reportMinutesExhausted(ctx, workspaceId, entryId);
  if (row.minutes && runId !== null && todoId !== null && !turn.isLast) {
    await recordTodoUpdate(tx, workspaceId, todoId, ['latestRun']);
  }
  return { dry: row.dry };
}

import { v7 as newId } from 'uuid';
import type { Db } from '../db/client.ts';
import { Failure } from './errors.ts';
import { tellMinutesExhausted } from './notifications/events.ts';
import type { Teller } from './notifications/notify.ts';

/** What starts a piece of agent work. */
export const triggers = ['chat', 'manual', 'create', 'assignment', 'schedule'] as const;
export type Trigger = (typeof triggers)[number];

const left = 'select agent_minutes > 0 as some from workspaces where id = $1';

/** Whether the workspace has agent minutes left. */
export async function hasMinutes(db: Db, workspaceId: string): Promise<boolean> {
  const [row] = await db.rows<{ some: boolean }>(left, [workspaceId]);
  return row?.some ?? false;
}

/** 402: to be thrown before anything is written. */
export function outOfMinutes(): Failure {
  const message = 'The workspace has no agent minutes left, so no agent can start. Nothing was changed.';
  return new Failure({ status: 402, code: 'insufficient_minutes', message });
}

/** Call it before anything is written. @throws Failure 402 when the workspace has no agent minutes left. */
export async function requireMinutes(db: Db, workspaceId: string): Promise<void> {
  if (!(await hasMinutes(db, workspaceId))) throw outOfMinutes();
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

/** Minutes still to be charged for work of so many milliseconds, rounded up to 0.1 over the whole of it. */
export function minutesOwed(activeMs: number, charged: number): number {
  return (Math.ceil(activeMs / 6000) - Math.round(charged * 10)) / 10;
}

// The weaker lock: with a full one, two steps that each made a list of the workspace first would wait for each other.
const take = `with taken as (
    update workspaces w set agent_minutes = greatest(0, w.agent_minutes - $4::numeric)
    from (select id, agent_minutes as before from workspaces where id = $1 for no key update) old where w.id = old.id
    returning least(old.before, $4::numeric) as minutes, old.before < $4::numeric as dry,
      w.agent_minutes = 0 and old.before > 0 as emptied
  ), counted as (
    update chat_turns t set active_ms = $3, minutes = t.minutes + taken.minutes from taken
    where t.workspace_id = $1 and t.id = $2
  ), entered as (
    insert into minute_entries (workspace_id, id, kind, minutes, agent_id, chat_id, turn_id, todo_id, trigger)
    select $1, $5, 'turn', -minutes, $6, $7, $2, $8, $9 from taken where minutes > 0
  ), run as (
    update todo_runs r set minutes_used = r.minutes_used + taken.minutes from taken
    where r.workspace_id = $1 and r.id = $10::uuid and taken.minutes > 0
  ) select dry, emptied from taken`;
const count = 'update chat_turns set active_ms = $3 where workspace_id = $1 and id = $2';

/**
 * Charges a turn for its active time, rounded up to 0.1 minute over the whole turn (CONTRACT §6), in the transaction of
 * the step: turn, run, balance and ledger move together. Returns whether the balance ran dry; it never goes below zero.
 * The owners are told by the charge that takes the last of it.
 */
export async function charge(teller: Teller, turn: Charged): Promise<{ dry: boolean }> {
  const { db: tx } = teller;
  const { workspaceId, turnId, agentId, chatId, todoId, trigger, runId, activeMs } = turn;
  const owed = minutesOwed(activeMs, turn.minutes);
  const values = [workspaceId, turnId, activeMs];
  if (owed <= 0) {
    await tx.rows(count, values);
    return { dry: false };
  }
  const entryId = newId();
  const entry = [entryId, agentId, chatId, todoId, trigger, runId];
  const [row] = await tx.rows<{ dry: boolean; emptied: boolean }>(take, [...values, owed, ...entry]);
  if (!row) throw new Error('A turn without its workspace');
  if (row.emptied) await tellMinutesExhausted(teller, workspaceId, entryId);
  return { dry: row.dry };
}

import type { Db } from '../../db/client.ts';
import { Failure } from '../errors.ts';
import type { TurnRef } from '../jobs.ts';
import { announce } from '../live.ts';
import { beginRun } from '../todos/runs.ts';
import { append, textBlocks } from './messages.ts';
import { type HeldChat, holdChat } from './rows.ts';
import type { Claim } from './steps.ts';
import { endTurn, type World } from './turns.ts';

/** How long a worker holds a turn without a sign of life. */
export const leaseSeconds = 12;

/** Nobody works on it, or whoever did gave no sign of life. */
const claimable = `t.ended_at is null and (t.worker_id is null or t.lease_until < now())`;

const claim = `update chat_turns t set attempt = t.attempt + 1, worker_id = $4,
    lease_until = now() + interval '${leaseSeconds} seconds', started_at = coalesce(t.started_at, now())
  from chats c
  where t.workspace_id = $1 and t.chat_id = $2 and t.id = $3 and c.workspace_id = $1 and c.id = $2
    and c.status = 'running' and ${claimable} and ($5 or t.started_at is not null or t.run_id is null)
  returning t.attempt, t.agent_id as "agentId", t.user_id as "userId", t.run_id as "runId", c.todo_id as "todoId",
    t.trigger, t.scopes, t.depth, t.active_ms as "activeMs", c.timezone`;

async function tryClaim(db: Db, ref: TurnRef, workerId: string, begun: boolean): Promise<Claim | null> {
  const [row] = await db.rows<Omit<Claim, keyof TurnRef>>(claim, [
    ref.workspaceId,
    ref.chatId,
    ref.turnId,
    workerId,
    begun,
  ]);
  return row ? { ...ref, ...row } : null;
}

// What waited for the hours of an agent has not begun when they come; what was to start at once has.
const due = `select t.not_before is not null and a.archived_at is not null as "isOrphaned" from chat_turns t
  join agents a on a.workspace_id = t.workspace_id and a.id = t.agent_id
  where t.workspace_id = $1 and t.id = $2 and t.started_at is null and (t.not_before is null or t.not_before <= now())`;
const open = `update chats set status = 'running', updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and status = 'queued'`;
const unwait = `update todo_runs set status_reason = null where workspace_id = $1 and id = $2`;

/** Ends a turn that waited for the working hours of an agent that was archived meanwhile. */
async function endOrphaned(world: World, chat: HeldChat, turnId: string): Promise<void> {
  const errorMessage =
    'The agent is archived since before its working hours came, so it did not start. Restore it, or assign another.';
  const message = { turnId, role: 'system' as const, text: errorMessage, blocks: textBlocks(errorMessage) };
  await append(world.db, world.live, chat, message);
  await endTurn(world, chat, { outcome: 'failed', errorMessage });
}

/** The first claim of a run, or of a turn that waited for working hours: chat, run and todo begin with it. */
async function begin(world: World, ref: TurnRef, workerId: string): Promise<Claim | null> {
  const { db } = world;
  const { workspaceId, chatId, turnId } = ref;
  const chat = await holdChat(db, workspaceId, chatId).catch((error: unknown) => {
    if (error instanceof Failure) return null;
    throw error;
  });
  if (chat?.turn?.turnId !== turnId) return null;
  const [turn] = await db.rows<{ isOrphaned: boolean }>(due, [workspaceId, turnId]);
  if (!turn) return null;
  if (turn.isOrphaned) {
    await endOrphaned(world, chat, turnId);
    return null;
  }
  if (chat.status === 'queued') {
    await db.rows(open, [workspaceId, chatId]);
    await announce(db, { kind: 'status', chatId });
  }
  const { runId } = chat.turn;
  if (runId) {
    await db.rows(unwait, [workspaceId, runId]);
    await beginRun(db, workspaceId, runId);
  }
  return tryClaim(db, ref, workerId, true);
}

/**
 * Claims a turn for a worker: raises the fence, so that whoever held it before cannot save another step. Null when it
 * has ended, waits for a person, is not due, or somebody works on it.
 */
export async function claimTurn(world: World, ref: TurnRef, workerId: string): Promise<Claim | null> {
  const claimed = await tryClaim(world.db, ref, workerId, false);
  return claimed ?? world.db.transaction((db) => begin({ ...world, db }, ref, workerId));
}

const renew = `update chat_turns set lease_until = now() + interval '${leaseSeconds} seconds'
  where workspace_id = $1 and id = $2 and attempt = $3 and ended_at is null
    and exists (select from chats where workspace_id = $1 and id = $4 and status = 'running') returning 1`;

/** A sign of life; false when the turn is not the worker's any more. */
export async function renewLease(db: Db, { workspaceId, turnId, attempt, chatId }: Claim): Promise<boolean> {
  return (await db.rows(renew, [workspaceId, turnId, attempt, chatId])).length > 0;
}

const giveUp = `update chat_turns set worker_id = null, lease_until = now() + interval '20 seconds'
  where workspace_id = $1 and id = $2 and attempt = $3 and ended_at is null returning 1`;

/** Gives a turn back to the workers, before the process ends. */
export async function releaseTurn({ db, jobs }: World, { workspaceId, chatId, turnId, attempt }: Claim): Promise<void> {
  await db.transaction(async (tx) => {
    const released = await tx.rows(giveUp, [workspaceId, turnId, attempt]);
    if (released.length > 0) await jobs.turn(tx, { workspaceId, chatId, turnId });
  });
}

import type { Db } from '../../db/client.ts';
import type { TurnRef } from '../jobs.ts';
import { announce } from '../live.ts';
import { beginRun } from '../todos/runs.ts';
import { append, textBlocks } from './messages.ts';
import { type HeldChat, holdChat } from './rows.ts';
import { type Claim, LostTurn } from './steps.ts';
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

const due = `select not_before is not null as waited from chat_turns where workspace_id = $1 and id = $2 and started_at is null
  and (not_before is null or not_before <= now())`;
const open = `update chats set status = 'running', updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and status = 'queued'`;
const unwait = `update todo_runs set status_reason = null where workspace_id = $1 and id = $2`;

const outdated = `select a.archived_at is not null as "agentArchived", t.archived_at is not null as "todoArchived",
    u.trigger = 'assignment' and not exists (select from todo_assignees s
      where s.workspace_id = $1 and s.todo_id = t.id and s.agent_id = u.agent_id) as unassigned
  from chat_turns u join agents a on a.workspace_id = $1 and a.id = u.agent_id
  left join todos t on t.workspace_id = $1 and t.id = $3
  where u.workspace_id = $1 and u.id = $2`;

/** Why a turn that waited for working hours must not begin any more; null when it may. */
async function whyNot(db: Db, { workspaceId, todoId, turn }: HeldChat): Promise<string | null> {
  const [now] = await db.rows<{ agentArchived: boolean; todoArchived: boolean; unassigned: boolean }>(outdated, [
    workspaceId,
    turn?.turnId,
    todoId,
  ]);
  if (now?.agentArchived) return 'The agent was archived before its working hours came, so it did not begin.';
  if (now?.todoArchived) return 'The todo was archived before the working hours of its agent came.';
  if (now?.unassigned) return 'The agent was taken off the todo before its working hours came.';
  return null;
}

/** Ends a turn that waited and is wanted no longer. */
async function callOff(world: World, chat: HeldChat, text: string): Promise<void> {
  const turnId = chat.turn?.turnId ?? null;
  await append(world.db, world.live, chat, { turnId, role: 'system', text, blocks: textBlocks(text) });
  await endTurn(world, chat, { outcome: 'cancelled' });
}

/** The first claim of a run, or of a turn that waited for working hours: chat, run and todo begin with it. */
async function begin(world: World, ref: TurnRef, workerId: string): Promise<Claim | null> {
  const { db } = world;
  const { workspaceId, chatId, turnId } = ref;
  const chat = await holdChat(db, workspaceId, chatId, () => new LostTurn());
  const [turn] = await db.rows<{ waited: boolean }>(due, [workspaceId, turnId]);
  if (chat.turn?.turnId !== turnId || !turn) return null;
  const reason = turn.waited ? await whyNot(db, chat) : null;
  if (reason !== null) {
    await callOff(world, chat, reason);
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
  if (claimed) return claimed;
  const began = world.db.transaction((db) => begin({ ...world, db }, ref, workerId));
  return began.catch((error: unknown) => {
    if (error instanceof LostTurn) return null;
    throw error;
  });
}

// A row that is locked is passed over: the step that holds it may wait long, and its signs of life must not pile up
// behind it, each with a connection. Nobody else can claim it meanwhile.
const renew = `with free as materialized (
    select workspace_id, id from chat_turns
    where workspace_id = $1 and id = $2 and attempt = $3 and ended_at is null for no key update skip locked
  ), renewed as (
    update chat_turns t set lease_until = now() + interval '${leaseSeconds} seconds'
    from free where t.workspace_id = free.workspace_id and t.id = free.id
  )
  select 1 from chat_turns t join chats c on c.workspace_id = t.workspace_id and c.id = t.chat_id
  where t.workspace_id = $1 and t.id = $2 and t.attempt = $3 and t.ended_at is null and c.status = 'running'`;

/** A sign of life; false when the turn is not the worker's any more. It never waits for a lock. */
export async function renewLease(db: Db, { workspaceId, turnId, attempt }: Claim): Promise<boolean> {
  return (await db.rows(renew, [workspaceId, turnId, attempt])).length > 0;
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

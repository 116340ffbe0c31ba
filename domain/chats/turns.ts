import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Principal, ServiceContext } from '../context.ts';
import { conflict } from '../errors.ts';
import { changeAndRecord, type NewEvent, parentsOf, recordEvents } from '../events/record.ts';
import { addDigest, wake } from '../jobs.ts';
import { announce } from '../live.ts';
import { changedColumns, isRead, notificationEvents } from '../notifications/changes.ts';
import { approvalsDedupeKey, type EndedRun, notifyRunFailed } from '../notifications/events.ts';
import { type Scope, scopes } from '../scopes.ts';
import type { Trigger } from '../usage/minutes.ts';
import { type ChatChange, type ChatRef, chatEvent, fieldsOfMessages, statusChange } from './events.ts';
import type { HeldChat, OpenTurn } from './rows.ts';
import { type Ending, endRun, setRunReason } from './runs.ts';

/** Agents that may stand between a person and a turn: an agent that asks an agent that asks an agent. */
const deepest = 3;

/** Who a turn works for. */
export interface Starter {
  userId: string;
  /** What the turn may do. */
  scopes: Scope[];
  depth: number;
}

/**
 * On whose behalf a turn starts. An agent works with its own authority, but reads captures only for somebody who may
 * read them: otherwise its answers would leak them (CONTRACT §10.9).
 * @throws Failure 409 when too many agents stand in between: two agents could otherwise call each other forever.
 */
export function starterOf(principal: Pick<Principal, 'userId' | 'scopes' | 'agent'>): Starter {
  const depth = principal.agent ? principal.agent.depth + 1 : 0;
  if (depth > deepest) {
    throw conflict(
      `Agents asked each other ${deepest} times in a row. Answer the person instead of asking another agent.`,
    );
  }
  const granted = scopes.filter((scope) => !scope.startsWith('captures:') || principal.scopes.has(scope));
  return { userId: principal.userId, scopes: granted, depth };
}

export interface NewTurn {
  workspaceId: string;
  chatId: string;
  /** The agent that answers. */
  agentId: string;
  starter: Starter;
  trigger: Trigger;
  runId?: string | null;
  /** It waits as `queued` until then. */
  notBefore?: string | null;
}

const insert = `insert into chat_turns
    (workspace_id, id, chat_id, agent_id, user_id, run_id, trigger, scopes, depth, not_before, lease_until)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::timestamptz, greatest(now(), $10::timestamptz))`;

/**
 * Starts a turn in a chat that is locked and has none open; the caller sets the status of the chat. Workers claim the
 * turn once the transaction commits, or at `notBefore`.
 */
export async function startTurn({ db }: Pick<ServiceContext, 'db'>, turn: NewTurn): Promise<string> {
  const { workspaceId, chatId, agentId, starter, trigger, runId = null, notBefore = null } = turn;
  const turnId = newId();
  const { userId, scopes: granted, depth } = starter;
  await db.rows(insert, [workspaceId, turnId, chatId, agentId, userId, runId, trigger, granted, depth, notBefore]);
  // Before that time it wakes them for nothing.
  wake(db, 'turns');
  return turnId;
}

const free = `update chat_turns set worker_id = null, lease_until = now() where workspace_id = $1 and id = $2`;
const go = `update chats set status = 'running', updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 returning id`;

/**
 * Hands an open turn of a locked chat back to the workers, after a person decided or when its time has come. `change`
 * is all that the transaction changes of the chat.
 */
export async function resumeTurn(
  { db }: Pick<ServiceContext, 'db'>,
  { turn, ...chat }: ChatRef & { turn: OpenTurn | null },
  change: ChatChange = statusChange(),
): Promise<void> {
  const { workspaceId, chatId } = chat;
  if (!turn) throw new Error('No turn to resume');
  wake(db, 'turns');
  announce(db, { kind: 'status', chatId });
  await Promise.all([
    db.rows(free, [workspaceId, turn.turnId]),
    changeAndRecord(db, go, [workspaceId, chatId], [chatEvent(chat, change)]),
    turn.runId && setRunReason(db, workspaceId, turn.runId, null),
  ]);
}

export type { Ending };

const endTurnRow = `update chat_turns set ended_at = now(), outcome = $3, worker_id = null where workspace_id = $1 and id = $2`;
const settleChat = `update chats set status = $3, error_message = $4, updated_at = greatest(now(), updated_at),
    completed_at = case when $3 = 'completed' then greatest(now(), last_message_at) else completed_at end
  where workspace_id = $1 and id = $2 returning id`;
// An approved call without a result was not made, because a turn continues only when all its approvals are decided. The
// notification is no longer needed once all approvals of its message are decided.
const supersede = `with gone as (
    update approvals a set status = 'superseded', decided_at = least(now(), a.decided_at)
    where a.workspace_id = $1 and a.turn_id = $2 and (a.status = 'pending' or a.status = 'approved' and not exists (
      select from messages m, jsonb_array_elements(m.blocks) block
      where m.workspace_id = $1 and m.chat_id = a.chat_id and m.sequence > a.message_sequence
        and block ->> 'type' = 'tool_result' and block ->> 'toolCallId' = a.tool_call_id))
    returning *
  ), looked_at as (
    update notifications n set read_at = now() from (select distinct chat_id, message_sequence from gone) g
    where n.workspace_id = $1 and n.dedupe = ${approvalsDedupeKey('g')} and n.read_at is null returning ${changedColumns}
  ) select id, agent_id as "agentId", decided_by is not null as "wasApproved", null::uuid as "readerId",
    null::boolean as "isListed" from gone
  union all select id, null, null, "readerId", "isListed" from looked_at`;

interface Superseded {
  id: string;
  /** Of an approval. */
  agentId: string | null;
  /** A person had approved it; null of a notification. */
  wasApproved: boolean | null;
  /** Of a notification that is read by it. */
  readerId: string | null;
  isListed: boolean | null;
}

/** Supersedes the approvals of a turn that are pending, or whose calls were not made. Most turns have none. */
async function supersedeApprovals(db: Db, chat: ChatRef, turnId: string, isErased = false): Promise<void> {
  const { workspaceId, chatId, todoId } = chat;
  const rows = await db.rows<Superseded>(supersede, [workspaceId, turnId]);
  const events = rows.flatMap(({ id: objectId, agentId, wasApproved, readerId, isListed }): NewEvent[] => {
    if (readerId !== null) {
      return notificationEvents([{ id: objectId, readerId, isListed: isListed ?? false, todoId, chatId }], isRead);
    }
    const parents = parentsOf({ chatId, todoId, agentId });
    const changedFields = wasApproved ? ['status'] : ['status', 'decidedAt'];
    return isErased ? [] : [{ type: 'approval.superseded', objectId, parents, changedFields }];
  });
  await recordEvents(db, workspaceId, events);
}

/** The event of a chat whose turn ends; none when it is erased. */
function eventsOf(chat: ChatRef, { outcome, errorMessage, beside }: Ending): NewEvent[] {
  if (beside === 'erasure') return [];
  const fields = [
    ...(errorMessage ? ['errorMessage'] : []),
    ...(outcome === 'completed' ? ['completedAt'] : []),
    ...(beside === 'message' ? fieldsOfMessages : []),
  ];
  return [chatEvent(chat, statusChange(...fields))];
}

type Ended = Pick<EndedRun, 'workspaceId' | 'chatId' | 'turnId' | 'runId'>;

/** Ends a run, unless it has ended before, and notifies people when it failed. */
async function settleRun(ctx: ServiceContext, run: Ended, ending: Ending): Promise<void> {
  const { outcome, errorMessage = null } = ending;
  const todo = await endRun(ctx.db, run, ending, ctx.clock());
  if (!todo || outcome === 'completed' || outcome === 'cancelled') return;
  await notifyRunFailed(ctx, { ...run, todo, outcome, errorMessage });
}

/**
 * Ends the open turn of a locked chat, with its run and the status of the chat, together. Approvals that were still
 * pending, or whose calls were not made, are superseded. Those whom a run concerns are notified when it failed.
 */
export async function endTurn(ctx: ServiceContext, chat: HeldChat, ending: Ending): Promise<void> {
  const { db } = ctx;
  const { workspaceId, chatId, todoId, todoDone, turn } = chat;
  const { outcome, errorMessage = null, beside } = ending;
  if (!turn) throw new Error('No turn to end');
  const { turnId, runId } = turn;
  const status = outcome === 'timed_out' ? 'failed' : outcome;
  // The agent completed the todo itself: what it saved is estimated once its run is over, however that ends.
  const estimates = runId !== null && todoId !== null && todoDone;
  announce(db, { kind: 'status', chatId });
  await Promise.all([
    db.rows(endTurnRow, [workspaceId, turnId, outcome]),
    supersedeApprovals(db, chat, turnId, beside === 'erasure'),
    changeAndRecord(db, settleChat, [workspaceId, chatId, status, errorMessage], eventsOf(chat, ending)),
    runId && settleRun(ctx, { workspaceId, chatId, turnId, runId }, ending),
    outcome === 'completed' && addDigest(db, { kind: 'chat_subtitle', workspaceId, id: chatId }),
    estimates && addDigest(db, { kind: 'minutes_saved', workspaceId, id: todoId }),
  ]);
}

/**
 * Ends the turn of a locked chat that waits for a person, because the person wrote instead of deciding: the text is the
 * answer. Its run continues in the turn that follows. Returns the id of that run.
 */
export async function supersedeTurn(db: Db, chat: HeldChat): Promise<string | null> {
  const { workspaceId, turn } = chat;
  if (!turn) return null;
  await Promise.all([
    supersedeApprovals(db, chat, turn.turnId),
    db.rows(endTurnRow, [workspaceId, turn.turnId, 'superseded']),
  ]);
  return turn.runId;
}

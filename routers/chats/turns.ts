import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Context, Principal } from '../base.ts';
import { conflict } from '../errors.ts';
import { announce } from '../live.ts';
import type { Mailer } from '../mail.ts';
import type { Trigger } from '../minutes.ts';
import { approvalsNews, type EndedRun, tellRunFailed } from '../notifications/events.ts';
import { tellSchedule } from '../schedules/states.ts';
import { type Scope, scopes } from '../scopes.ts';
import type { HeldChat, OpenTurn } from './rows.ts';

/** What the work of agents needs of a context. `db` is the transaction of the change. */
export type World = Pick<Context, 'db' | 'jobs' | 'live' | 'clock'> & { mail: Pick<Mailer, 'sends'> };

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
 * read them: its answers would leak them otherwise (CONTRACT §10.9).
 * @throws Failure 409 when too many agents stand in between: two of them could go on calling each other for ever.
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

/** How long a turn may lie before the sweep asks the workers again. */
const patience = `interval '20 seconds'`;

const insert = `insert into chat_turns
    (workspace_id, id, chat_id, agent_id, user_id, run_id, trigger, scopes, depth, not_before, lease_until)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::timestamptz, greatest(now(), $10::timestamptz) + ${patience})`;

/**
 * Starts a turn in a chat that is locked and has none open; its status is the caller's to set. The job is made in the
 * same transaction.
 */
export async function startTurn({ db, jobs }: World, turn: NewTurn): Promise<string> {
  const { workspaceId, chatId, agentId, starter, trigger, runId = null, notBefore = null } = turn;
  const turnId = newId();
  const { userId, scopes: granted, depth } = starter;
  await Promise.all([
    db.rows(insert, [workspaceId, turnId, chatId, agentId, userId, runId, trigger, granted, depth, notBefore]),
    jobs.turn(db, { workspaceId, chatId, turnId }, notBefore ?? undefined),
  ]);
  return turnId;
}

const free = `update chat_turns set worker_id = null, lease_until = now() + ${patience} where workspace_id = $1 and id = $2`;
const go = `update chats set status = 'running', updated_at = greatest(now(), updated_at) where workspace_id = $1 and id = $2`;
const unwait = `update todo_runs set status_reason = null where workspace_id = $1 and id = $2`;

/** Hands an open turn of a locked chat back to the workers, after a person decided or when its time has come. */
export async function resumeTurn(
  { db, jobs }: World,
  { workspaceId, chatId, turn }: Pick<HeldChat, 'workspaceId' | 'chatId'> & { turn: OpenTurn | null },
): Promise<void> {
  if (!turn) throw new Error('No turn to resume');
  await Promise.all([
    db.rows(free, [workspaceId, turn.turnId]),
    db.rows(go, [workspaceId, chatId]),
    turn.runId && db.rows(unwait, [workspaceId, turn.runId]),
    announce(db, { kind: 'status', chatId }),
    jobs.turn(db, { workspaceId, chatId, turnId: turn.turnId }),
  ]);
}

export interface Ending {
  outcome: 'completed' | 'failed' | 'cancelled' | 'timed_out';
  /** For a person; with `failed` and `timed_out`. */
  errorMessage?: string | null;
  /** What the agent said last. */
  summary?: string | null;
}

const endTurnRow = `update chat_turns set ended_at = now(), outcome = $3, worker_id = null where workspace_id = $1 and id = $2`;
const settleChat = `update chats set status = $3, error_message = $4, updated_at = greatest(now(), updated_at),
    completed_at = case when $3 = 'completed' then greatest(now(), last_message_at) else completed_at end
  where workspace_id = $1 and id = $2`;
const endRun = `with ended as (
    update todo_runs set status = $3, error_message = $4, summary = $5, status_reason = null, finished_at = now()
    where workspace_id = $1 and id = $2 and status = 'running' returning todo_id
  ) update todos set updated_at = greatest(now(), updated_at)
    where workspace_id = $1 and id = (select todo_id from ended) returning id, title, content`;
// With the news of them: nobody need look at it any more.
const supersede = `with gone as (
    update approvals set status = 'superseded', decided_at = now()
    where workspace_id = $1 and turn_id = $2 and status = 'pending' returning chat_id, message_sequence
  ) update notifications n set read_at = now() from gone g
    where n.workspace_id = $1 and n.dedupe = ${approvalsNews('g')} and n.read_at is null`;

type Ended = Pick<EndedRun, 'workspaceId' | 'chatId' | 'turnId' | 'runId'>;

/** Ends a run, unless it has ended before, and tells of it when it failed. */
async function settleRun(
  world: World,
  run: Ended,
  { outcome, errorMessage, summary }: Required<Ending>,
): Promise<void> {
  const values = [run.workspaceId, run.runId, outcome, errorMessage, summary];
  const [todo] = await world.db.rows<EndedRun['todo']>(endRun, values);
  if (!todo) return;
  const { workspaceId, runId } = run;
  await tellSchedule(world.db, { workspaceId, runId }, outcome, errorMessage, world.clock());
  if (outcome === 'completed' || outcome === 'cancelled') return;
  await tellRunFailed(world, { ...run, todo, outcome, errorMessage });
}

/**
 * Ends the open turn of a locked chat, with its run and the status of the chat, together. Approvals that were still
 * pending are superseded. Whom a run concerns is told when it failed.
 */
export async function endTurn(world: World, chat: HeldChat, ending: Ending): Promise<void> {
  const { db, jobs } = world;
  const { workspaceId, chatId, todoId, todoDone, turn } = chat;
  const { outcome, errorMessage = null, summary = null } = ending;
  if (!turn) throw new Error('No turn to end');
  const { turnId, runId } = turn;
  const status = outcome === 'timed_out' ? 'failed' : outcome;
  // The agent completed the todo itself: what it saved is estimated once its run is over.
  const estimates = outcome !== 'cancelled' && runId !== null && todoId !== null && todoDone;
  await Promise.all([
    db.rows(endTurnRow, [workspaceId, turnId, outcome]),
    db.rows(supersede, [workspaceId, turnId]),
    db.rows(settleChat, [workspaceId, chatId, status, errorMessage]),
    runId && settleRun(world, { workspaceId, chatId, turnId, runId }, { outcome, errorMessage, summary }),
    announce(db, { kind: 'status', chatId }),
    outcome === 'completed' && jobs.digest(db, { kind: 'chat_subtitle', workspaceId, id: chatId }),
    estimates && jobs.digest(db, { kind: 'minutes_saved', workspaceId, id: todoId }),
  ]);
}

/**
 * Ends the turn of a locked chat that waits for a person, because the person wrote instead of deciding: the text is the
 * answer. Its run goes on in the turn that follows. Returns the id of that run.
 */
export async function supersedeTurn(db: Db, { workspaceId, turn }: HeldChat): Promise<string | null> {
  if (!turn) return null;
  await Promise.all([
    db.rows(supersede, [workspaceId, turn.turnId]),
    db.rows(endTurnRow, [workspaceId, turn.turnId, 'superseded']),
  ]);
  return turn.runId;
}

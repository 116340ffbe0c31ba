import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Principal } from '../base.ts';
import { append } from '../chats/messages.ts';
import { type Starter, starterOf, startTurn, type World } from '../chats/turns.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { folded } from '../folding.ts';
import { requireMinutes, type Trigger } from '../minutes.ts';
import { nameOf } from './naming.ts';
import { findTodo, lockTodos } from './rows.ts';
import { type RunRow, runColumns, runOf } from './run-rows.ts';
import type { RunStartInput, TodoRunAnswer } from './run-shapes.ts';
import type { TodoAnswer } from './shapes.ts';

export interface NewRun {
  todo: Pick<TodoAnswer, 'id' | 'title' | 'content'>;
  /** An agent of the workspace that is not archived. */
  agentId: string;
  trigger: Exclude<Trigger, 'chat'>;
  /** What to tell the agent beside the todo. */
  message?: string | undefined;
  /** The run waits as `queued` until then; null: it runs at once. */
  notBefore?: string | null;
}

// The clock of the statement, not of the transaction: that may have waited for the run before, which started later.
const insert = `with chat as (
    insert into chats (workspace_id, id, agent_id, todo_id, title, title_given, search, status, timezone)
    select w.id, $2, $3, $4, $5, true, $6, $7, w.timezone from workspaces w where w.id = $1
  ), latest as (
    update todos set latest_run_id = $8, updated_at = greatest(now(), updated_at) where workspace_id = $1 and id = $4
  ), r as (
    insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status_reason, started_at)
    values ($1, $8, $4, $2, $3, $9, $10, statement_timestamp()) returning *
  ) select ${runColumns} from r`;

/**
 * Starts an agent on a todo: its chat with the first message, the run and the turn, together. Call it in a transaction
 * with the todo locked and no run of it running. @throws Failure 402, 409 when too many agents started each other.
 */
export async function startRun(world: World, principal: Principal, run: NewRun): Promise<TodoRunAnswer> {
  const { workspaceId, agent } = principal;
  const { todo, agentId, trigger, notBefore = null } = run;
  const starter: Starter = starterOf(principal);
  await requireMinutes(world.db, workspaceId);
  const [chatId, runId] = [newId(), newId()];
  const name = nameOf(todo);
  const [status, reason] = notBefore === null ? ['running', null] : ['queued', 'queued'];
  const values = [
    workspaceId,
    chatId,
    agentId,
    todo.id,
    name,
    folded(`${name ?? ''}\n`),
    status,
    runId,
    trigger,
    reason,
  ];
  const [row] = await world.db.rows<RunRow>(insert, values);
  if (!row) throw new Error('A run in no workspace');
  const text = run.message ?? (name === null ? 'Work on this todo.' : `Work on the todo “${name}”.`);
  const reference = { type: 'reference' as const, resource: 'todo' as const, resourceId: todo.id, title: todo.title };
  const author = agent ? { agentId: agent.agentId } : { userId: principal.userId };
  const blocks = [{ type: 'text' as const, text }, reference];
  await append(world.db, world.live, { workspaceId, chatId }, { turnId: null, role: 'user', text, blocks, ...author });
  await startTurn(world, { workspaceId, chatId, agentId, starter, trigger, runId, notBefore });
  return runOf(row);
}

const begin = `update todos set status = 'in_progress', updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and status = 'ready' and id = (select todo_id from todo_runs where workspace_id = $1 and id = $2)`;

/**
 * A run really starts: its todo, if it was ready, is in progress. It locks the todo, so it comes before the chat of the
 * run is locked, or after `holdChat`.
 */
export async function beginRun(tx: Db, workspaceId: string, runId: string): Promise<void> {
  await tx.rows(begin, [workspaceId, runId]);
}

/** @throws Failure 409 when no run of the todo can start now. */
function requireRunnable({ latestRun, status, isArchived }: TodoAnswer): void {
  if (latestRun?.status === 'running') {
    const message = 'An agent is already at work on this todo. Wait until its run ends, or cancel its chat.';
    throw conflict(message, { reason: 'already_running' });
  }
  if (isArchived) throw conflict('This todo is archived. Restore it before an agent works on it.');
  if (status === 'done') throw conflict('This todo is done. Set its status to ready before an agent works on it.');
}

const named = 'select archived_at is not null as "isArchived" from agents where workspace_id = $1 and id = $2';
const standard = 'select id from agents where workspace_id = $1 and is_default';

/** Whether the workspace has the agent. @throws Failure 400 when it is archived. */
async function agentExists(db: Db, workspaceId: string, agentId: string): Promise<boolean> {
  const [agent] = await db.rows<{ isArchived: boolean }>(named, [workspaceId, agentId]);
  if (!agent?.isArchived) return agent !== undefined;
  throw invalid('agentId', 'This agent is archived. Restore it first, or choose another.');
}

/** The first agent among the assignees, else the default one. @throws Failure 409 when those assigned are archived. */
async function agentFor(db: Db, workspaceId: string, todo: TodoAnswer): Promise<string> {
  const assigned = todo.assignees.filter(({ type }) => type === 'agent');
  const able = assigned.find(({ isArchived }) => !isArchived);
  if (able) return able.id;
  if (assigned.length > 0) {
    throw conflict('The agent of this todo is archived. Restore it, assign another, or name one as agentId.');
  }
  const [agent] = await db.rows<{ id: string }>(standard, [workspaceId]);
  if (!agent) throw new Error('A workspace without a default agent');
  return agent.id;
}

/**
 * Starts an agent on a todo because somebody asks for it, at once and whatever its working hours.
 * @throws Failure 400 archived agent, 404 todo or agent, 409 already running, done or archived, 402.
 */
export function runTodo(
  world: World,
  principal: Principal,
  { todoId, agentId, message }: RunStartInput,
): Promise<TodoRunAnswer> {
  const { workspaceId } = principal;
  return world.db.transaction(async (db) => {
    const known = agentId === undefined || (await agentExists(db, workspaceId, agentId));
    await lockTodos(db, workspaceId, [todoId]);
    const todo = await findTodo(db, workspaceId, todoId);
    if (!known) throw notFound('agent', 'agentId');
    requireRunnable(todo);
    const chosen = agentId ?? (await agentFor(db, workspaceId, todo));
    return startRun({ ...world, db }, principal, { todo, agentId: chosen, trigger: 'manual', message });
  });
}

import { and, eq } from 'drizzle-orm';
import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import { newId } from '../../db/ids.ts';
import { agents } from '../../db/schema/workspaces.ts';
import { closeChat } from '../chats/cancel.ts';
import { append } from '../chats/messages.ts';
import { changeRunReason } from '../chats/runs.ts';
import { type Starter, starterOf, startTurn } from '../chats/turns.ts';
import type { Context, Principal, ServiceContext } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { recordTodoUpdate } from '../events/changes.ts';
import { recordingPart } from '../events/record.ts';
import { folded, nameOf } from '../text.ts';
import { requireMinutes, type Trigger } from '../usage/minutes.ts';
import { findTodo, lockTodos } from './rows.ts';
import { type RunRow, runColumns, runOf } from './run-rows.ts';
import type { RunStartInput, TodoRunAnswer } from './run-shapes.ts';
import type { TodoAnswer } from './shapes.ts';

export interface NewRun {
  todo: Pick<TodoAnswer, 'id' | 'title' | 'content'>;
  /** An agent of the workspace that is not archived. */
  agentId: string;
  trigger: Exclude<Trigger, 'chat'>;
  /** Instructions for the agent beside the todo. */
  message?: string | undefined;
  /** The run is `queued` until then; null: it starts at once. */
  notBefore?: string | null;
}

// The clock of the statement: the transaction may have waited for the previous run, which started after it began.
const insertOf = (recorded: string) => `with chat as (
    insert into chats (workspace_id, id, agent_id, todo_id, title, title_given, search, status, timezone)
    select w.id, $2, $3, $4, $5, true, $6, $7, w.timezone from workspaces w where w.id = $1
  ), latest as (
    update todos set latest_run_id = $8, updated_at = greatest(now(), updated_at) where workspace_id = $1 and id = $4
  ), r as (
    insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status_reason, started_at)
    values ($1, $8, $4, $2, $3, $9, $10, statement_timestamp()) returning *
  ), ${recorded} select ${runColumns} from r`;

/** The context of a run: of the request that starts it, or of the scheduler with the person who set the schedule. */
export interface RunContext extends ServiceContext {
  principal: Pick<Principal, 'workspaceId' | 'userId' | 'scopes' | 'agent'>;
}

/**
 * Starts an agent on a todo: inserts its chat with the first message, the run and the turn. Call it in a transaction
 * with the todo locked and no run of it running; the caller records how the todo changed. @throws Failure 402, 409 when
 * too many agents started each other.
 */
export async function startRun(ctx: RunContext, run: NewRun): Promise<TodoRunAnswer> {
  const { db, live, principal } = ctx;
  const { workspaceId, userId, agent } = principal;
  const { todo, agentId, trigger, notBefore = null } = run;
  const starter: Starter = starterOf(principal);
  await requireMinutes(db, workspaceId);
  const [chatId, runId] = [newId(), newId()];
  const name = nameOf(todo);
  const [status, reason] = notBefore === null ? ['running', null] : ['queued', 'queued'];
  const bindings = new Bindings();
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
  for (const value of values) bindings.bind(value);
  const started = { type: 'todo_run.started' as const, objectId: runId, parents: { todoId: todo.id, chatId, agentId } };
  const recorded = recordingPart(bindings, db.origin, { events: [started], changed: 'r', workspace: '$1' });
  const [row] = await db.rows<RunRow>(insertOf(recorded), bindings.values);
  if (!row) throw new Error('The workspace of the run does not exist');
  const text = run.message ?? (name === null ? 'Work on this todo.' : `Work on the todo “${name}”.`);
  const reference = { type: 'reference' as const, resource: 'todo' as const, resourceId: todo.id, title: todo.title };
  const author = agent ? { agentId: agent.agentId } : { userId };
  const blocks = [{ type: 'text' as const, text }, reference];
  const chat = { workspaceId, chatId, todoId: todo.id, agentId };
  const first = { turnId: null, role: 'user' as const, text, blocks, ...author };
  await append(db, live, chat, first, { type: 'chat.created' });
  await startTurn(ctx, { workspaceId, chatId, agentId, starter, trigger, runId, notBefore });
  return runOf(row);
}

const begin = `update todos set status = 'in_progress', updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and status = 'ready' and id = (select todo_id from todo_runs where workspace_id = $1 and id = $2)
  returning id`;

/**
 * Sets the todo of a run that begins to in progress, if it was ready; the run waits for nothing any more. It locks the
 * todo, so call it before the chat of the run is locked, or after `holdChat`.
 */
export async function beginRun(tx: Db, workspaceId: string, runId: string): Promise<void> {
  const changed = await changeRunReason(tx, workspaceId, runId, null);
  const [begun] = await tx.rows<{ id: string }>(begin, [workspaceId, runId]);
  const todoId = begun?.id ?? changed?.todoId;
  const fields = [...(begun ? ['status'] : []), ...(changed?.fields ?? [])];
  if (todoId) await recordTodoUpdate(tx, workspaceId, todoId, fields);
}

/** Whether the latest run of the todo waits for the working hours of its agent. */
const isQueued = ({ latestRun }: TodoAnswer) => latestRun?.statusReason === 'queued';

/**
 * Checks that a run of the todo can start now: in the place of one that waits for working hours. @throws Failure 409.
 */
function requireRunnable(todo: TodoAnswer): void {
  const { latestRun, status, isArchived } = todo;
  if (latestRun?.status === 'running' && !isQueued(todo)) {
    const message = 'An agent is already working on this todo. Wait until its run ends, or cancel its chat.';
    throw conflict(message, { reason: 'already_running' });
  }
  if (isArchived) throw conflict('This todo is archived. Restore it before an agent works on it.');
  if (status === 'done') throw conflict('This todo is done. Set its status to ready before an agent works on it.');
}

/** Whether the workspace has the agent. @throws Failure 400 when it is archived. */
async function agentExists(db: Db, workspaceId: string, agentId: string): Promise<boolean> {
  const [agent] = await db.orm
    .select({ archivedAt: agents.archivedAt })
    .from(agents)
    .where(and(eq(agents.workspaceId, workspaceId), eq(agents.id, agentId)));
  if (!agent?.archivedAt) return agent !== undefined;
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
  const [agent] = await db.orm
    .select({ id: agents.id })
    .from(agents)
    .where(and(eq(agents.workspaceId, workspaceId), agents.isDefault));
  if (!agent) throw new Error('The workspace has no default agent');
  return agent.id;
}

/**
 * Starts an agent on a todo at once, also outside its working hours. A run that waits for them is cancelled.
 * @throws Failure 400 archived agent, 404 todo or agent, 409 already running, done or archived, 402.
 */
export function runTodo(ctx: Context, { todoId, agentId, message }: RunStartInput): Promise<TodoRunAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const known = agentId === undefined || (await agentExists(db, workspaceId, agentId));
    await lockTodos(db, workspaceId, [todoId]);
    const todo = await findTodo(db, workspaceId, todoId);
    if (!known) throw notFound('agent', 'agentId');
    requireRunnable(todo);
    const chosen = agentId ?? (await agentFor(db, workspaceId, todo));
    const queuedIn = isQueued(todo) && todo.latestRun?.chatId;
    if (queuedIn) await closeChat({ ...ctx, db }, workspaceId, queuedIn);
    const run = await startRun({ ...ctx, db }, { todo, agentId: chosen, trigger: 'manual', message });
    const ofSchedule = todo.scheduleStatus === 'queued' ? ['scheduleStatus'] : [];
    await recordTodoUpdate(db, workspaceId, todo.id, ['lastRunAt', 'latestRun', ...ofSchedule]);
    return run;
  });
}

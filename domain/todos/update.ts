import { closeChats } from '../chats/cancel.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { recordErasure } from '../events/changes.ts';
import { addDigest } from '../jobs.ts';
import { startAssigned } from './assignment.ts';
import { narrowAuthority, narrows } from './authority.ts';
import { applyChange, applyPlain, type Change, changeOf, type Only, requireText } from './change.ts';
import { recordTodoChanges } from './events.ts';
import { requireParent } from './parents.ts';
import { findTodo, findTodos, lockTodos } from './rows.ts';
import { reschedule } from './scheduling.ts';
import { Todo, type TodoAnswer, type TodoPatch } from './shapes.ts';

/**
 * Stops the agents at work on todos that become done, except the calling agent, and queues the estimate of the minutes
 * that an agent saved, once per todo. `before`: the todos before the change, locked. @throws Failure 409 as
 * `closeChats`.
 */
async function stopWork(ctx: Context, before: readonly TodoAnswer[]): Promise<void> {
  const { workspaceId, agent } = ctx.principal;
  const todoIds = before.map((todo) => todo.id);
  await closeChats(ctx, { workspaceId, todoIds, exceptChatId: agent?.chatId });
  for (const { id, status, latestRun, minutesSaved } of before) {
    const byAgent = latestRun !== null || agent?.todoId === id;
    if (!byAgent || status === 'done' || minutesSaved !== null) continue;
    await addDigest(ctx.db, { kind: 'minutes_saved', workspaceId, id });
  }
}

interface LockedChange {
  /** The todos before the change, locked. */
  before: readonly TodoAnswer[];
  patch: TodoPatch;
  /** The patch with its references looked up. */
  change: Change;
  dryRun?: boolean;
  /** Path prefix of the patch in the request. */
  at?: string;
}

/**
 * Changes locked todos and what depends on them: agents at work on done todos are stopped, schedules are disabled or
 * resumed, and newly assigned agents start, unless it is a dry run. One event records all that changed of a todo. The
 * answers are in no order. Call it in a transaction. @throws Failure 400, 402, 409 when too many agents started each
 * other, or an agent would complete a todo whose own agent waits for a person.
 */
export async function changeLocked(ctx: Context, input: LockedChange): Promise<TodoAnswer[]> {
  const { before, patch, change, dryRun = false, at = '' } = input;
  const { workspaceId } = ctx.principal;
  const ids = before.map((todo) => todo.id);
  const parentId = patch.parentTodoId;
  if (parentId) await requireParent(ctx.db, workspaceId, { todos: before, parentId, param: `${at}parentTodoId` });
  const changed = await applyChange(ctx.db, workspaceId, before, change);
  await narrowAuthority(ctx, before, changed);
  const isDone = patch.status === 'done';
  if (isDone) await stopWork(ctx, before);
  const { rescheduled, erased } = await reschedule(ctx, before, change, at);
  const started = await startAssigned(ctx, { before, after: changed, assignees: change.assignees ?? [], dryRun });
  // A todo may be changed together with its sub-todos, which it counts.
  const isCounted = ids.length > 1 && (patch.status !== undefined || patch.parentTodoId !== undefined);
  const after = started || rescheduled || isDone || isCounted ? await findTodos(ctx.db, workspaceId, ids) : changed;
  // A dry run is rolled back with what it records: its answers are those of the change.
  const recorded = await recordTodoChanges(ctx.db, workspaceId, before, after);
  await recordErasure(ctx.db, workspaceId, erased);
  return recorded;
}

/** Which todos a patch of plain columns changes in one statement. */
function plainOnly(ctx: Context, { title, content, status }: TodoPatch): Only {
  if (status === 'done') return 'untouched';
  if ((title !== undefined || content !== undefined) && narrows(ctx)) return 'untouched';
  return status === undefined ? 'any' : 'unscheduled';
}

/**
 * Changes one todo. A patch of plain columns is one statement, also a change of status when the todo has no runs, chats
 * and schedule, as one of its text by a credential that lacks a scope for captures; agents, assignees, schedules and
 * preconditions need the row locked first.
 * @throws Failure 400, 404, 402, 409 as `changeLocked`, 412.
 */
export async function updateTodo(
  ctx: Context,
  { todoId, ...patch }: TodoPatch & { todoId: string },
): Promise<TodoAnswer> {
  const { workspaceId } = ctx.principal;
  await requireText(ctx.db, workspaceId, [todoId], patch);
  const change = await changeOf(ctx, patch);
  const { assignees, labels, schedule, schedulePaused } = change;
  const isPlain = [assignees, labels, schedule, schedulePaused, ctx.ifMatch].every((each) => each === undefined);
  const parentId = patch.parentTodoId;
  if (isPlain && !parentId) {
    const only = plainOnly(ctx, patch);
    const todo = await applyPlain(ctx.db, workspaceId, todoId, change, only);
    if (todo) return todo;
    if (only === 'any') throw notFound('todo', 'todoId');
  }
  return ctx.db.transaction(async (db) => {
    await lockTodos(db, workspaceId, [todoId, ...(parentId ? [parentId] : [])]);
    const before = await findTodo(db, workspaceId, todoId);
    requireMatch(ctx.ifMatch, Todo, before);
    const [todo] = await changeLocked({ ...ctx, db }, { before: [before], patch, change });
    if (!todo) throw new Error('A locked todo was not returned by its update');
    return todo;
  });
}

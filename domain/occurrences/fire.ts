import { openingOf } from '../agents/rows.ts';
import type { ServiceContext } from '../context.ts';
import { Failure } from '../errors.ts';
import { recordTodoUpdate } from '../events/changes.ts';
import { recordEvent } from '../events/record.ts';
import { lockSchedules, type Schedule } from '../schedules/rows.ts';
import type { Scope } from '../scopes.ts';
import { recordTodoChanges } from '../todos/events.ts';
import { findTodo } from '../todos/rows.ts';
import { startRun } from '../todos/runs.ts';
import type { TodoAnswer } from '../todos/shapes.ts';
import { dueTimes } from './due.ts';
import { failed, type Outcome, recordDue } from './record.ts';

/** A due todo, for the people assigned to it. */
export interface Due {
  workspaceId: string;
  todo: Pick<TodoAnswer, 'id' | 'title' | 'content'>;
  userIds: readonly string[];
  plannedAt: string;
  /** IANA; that of the schedule. */
  timezone: string;
}

/** Notifies people that a todo is due, in the transaction given, and stores the outcome in its schedule. */
export type NotifyDue = (ctx: ServiceContext, due: Due) => Promise<unknown>;

/** A todo whose schedule is due. Its row is locked. */
export interface DueTodo {
  workspaceId: string;
  todoId: string;
}

interface Firing {
  workspaceId: string;
  schedule: Schedule;
  todo: TodoAnswer;
}

const ownerGone = 'The person who set this schedule is no longer a member of the workspace. Set the schedule again.';

/** Starts the first assigned agent that is not archived. */
async function startAgent(ctx: ServiceContext, { workspaceId, schedule, todo }: Firing): Promise<Outcome> {
  const agent = todo.assignees.find(({ type, isArchived }) => type === 'agent' && !isArchived);
  if (!agent) return failed('agent_archived');
  if (todo.latestRun?.status === 'running') return failed('already_running', 'skipped');
  const { userId, scopes } = schedule;
  if (!schedule.hasOwner) return failed('internal_error', 'missed', ownerGone);
  const notBefore = await openingOf(ctx.db, workspaceId, agent.id, ctx.clock());
  const principal = { workspaceId, userId, scopes: new Set(scopes as Scope[]) };
  try {
    const run = await startRun({ ...ctx, principal }, { todo, agentId: agent.id, trigger: 'schedule', notBefore });
    return { status: 'fired', runId: run.id, notified: false, error: null };
  } catch (error) {
    // It is thrown before anything is written, so the notifications of people stay.
    if (error instanceof Failure && error.problem.status === 402) return failed('insufficient_minutes');
    throw error;
  }
}

/** Notifies the assigned people and starts the assigned agent. */
async function fire(
  ctx: ServiceContext,
  { workspaceId, schedule, todo, plannedAt }: Firing & { plannedAt: string },
  notifyDue: NotifyDue,
): Promise<Outcome> {
  const people = todo.assignees.filter(({ type, isArchived }) => type === 'user' && !isArchived);
  if (people.length > 0) {
    const userIds = people.map(({ id }) => id);
    await notifyDue(ctx, { workspaceId, todo, userIds, plannedAt, timezone: schedule.timezone });
  }
  const hasAgent = todo.assignees.some(({ type }) => type === 'agent');
  const notified = people.length > 0;
  if (hasAgent) return { ...(await startAgent(ctx, { workspaceId, schedule, todo })), notified };
  return notified ? { status: 'fired', runId: null, notified, error: null } : failed('no_assignee');
}

/** The due times of the schedule of a locked todo; null when nothing is due. */
async function findDue({ db, clock }: ServiceContext, { workspaceId, todoId }: DueTodo) {
  const now = clock();
  const [schedule] = await lockSchedules(db, workspaceId, [todoId], now);
  if (!schedule?.nextRunAt || Date.parse(schedule.nextRunAt) > now.getTime()) return null;
  return { schedule, due: dueTimes(schedule, now.getTime()), now: now.toISOString() };
}

/**
 * Fires the due time of the schedule of a locked todo once: its agent starts or people are notified, the outcome is
 * recorded, and the next time is set, in the transaction given. False when another process was first.
 */
export async function fireDue(ctx: ServiceContext, input: DueTodo, notifyDue: NotifyDue): Promise<boolean> {
  const { workspaceId, todoId } = input;
  const found = await findDue(ctx, input);
  if (!found) return false;
  const { schedule, due } = found;
  const plannedAt = due.fires;
  const todo = await findTodo(ctx.db, workspaceId, todoId);
  const outcome = plannedAt === null ? null : await fire(ctx, { workspaceId, schedule, todo, plannedAt }, notifyDue);
  await recordDue(ctx.db, workspaceId, { ...found, outcome });
  await recordTodoChanges(ctx.db, workspaceId, [todo], [await findTodo(ctx.db, workspaceId, todoId)]);
  return true;
}

/** Records the due times of the schedule of a locked todo as missed, after an unexpected error. */
export async function missDue(ctx: ServiceContext, input: DueTodo): Promise<void> {
  const { db } = ctx;
  const { workspaceId, todoId } = input;
  const found = await findDue(ctx, input);
  if (!found) return;
  const todo = await findTodo(db, workspaceId, todoId);
  await recordDue(db, workspaceId, { ...found, outcome: failed('internal_error') });
  await recordTodoChanges(db, workspaceId, [todo], [await findTodo(db, workspaceId, todoId)]);
}

const disable = `with touched as (
    update todos set updated_at = greatest(now(), updated_at) where workspace_id = $1 and id = $2
  ) update todo_schedules set status = 'disabled', next_run_at = null, consecutive_failures = consecutive_failures + 1,
    error_code = 'internal_error', error_message = $3, error_at = $4::timestamptz, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and todo_id = $2`;

/** The fields of a todo that show that its schedule was disabled. */
const disabledFields = ['scheduleError', 'nextRunAt', 'upcomingRuns', 'scheduleStatus'];

/** Disables the schedule of a locked todo whose due times cannot even be recorded as missed. */
export async function disableSchedule({ db, clock }: ServiceContext, { workspaceId, todoId }: DueTodo): Promise<void> {
  const message = 'This schedule is no longer valid. Set it again.';
  await db.rows(disable, [workspaceId, todoId, message, clock().toISOString()]);
  await recordEvent(db, workspaceId, { type: 'schedule.failed', objectId: todoId, parents: { todoId } });
  await recordTodoUpdate(db, workspaceId, todoId, disabledFields);
}

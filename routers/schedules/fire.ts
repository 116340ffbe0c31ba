import type { Db } from '../../db/client.ts';
import { openingOf } from '../agents/rows.ts';
import type { World } from '../chats/turns.ts';
import { Failure } from '../errors.ts';
import type { Scope } from '../scopes.ts';
import { findTodo } from '../todos/rows.ts';
import { startRun } from '../todos/runs.ts';
import type { TodoAnswer } from '../todos/shapes.ts';
import { occurrenceId } from './occurrence-ids.ts';
import { timesAfter } from './plan.ts';
import { lockSchedules, type Schedule } from './rows.ts';
import { mostFailures, nextOpenTime } from './states.ts';

/** A todo whose planned time has come, for the people assigned to it. */
export interface Due {
  workspaceId: string;
  todo: Pick<TodoAnswer, 'id' | 'title' | 'content'>;
  userIds: readonly string[];
  plannedAt: string;
  /** IANA; that of the schedule. */
  timezone: string;
}

/** Tells people that a todo is due, in the transaction given, and keeps on its schedule what became of it. */
export type TellDue = (world: World, due: Due) => Promise<unknown>;

type Code = NonNullable<TodoAnswer['scheduleError']>['code'];
type OccurrenceStatus = 'fired' | 'skipped' | 'missed';

/** What came of a planned time. */
interface Came {
  status: OccurrenceStatus;
  runId: string | null;
  error: { code: Code; message: string } | null;
}

const messages: Partial<Record<Code, string>> = {
  insufficient_minutes: 'The workspace has no agent minutes left, so no agent started.',
  agent_archived: 'The agent of this todo is archived. Restore it, or assign another.',
  no_assignee: 'Nobody is assigned to this todo. Assign an agent or a person.',
  already_running: 'An agent was still at work on this todo, so this time was skipped.',
  internal_error: 'Something went wrong on our side.',
};
const ownerGone = 'Whoever set this schedule is no member of the workspace any more. Set the schedule again.';

function failed(code: Code, status: OccurrenceStatus = 'missed', message = messages[code] ?? ''): Came {
  return { status, runId: null, error: { code, message } };
}

/** A time missed while nothing ran is made up for when it is less late than this. */
const catchUpMs = 60 * 60_000;
const mostMissed = 500;

interface DueTimes {
  missed: string[];
  fires: string | null;
}

/**
 * The planned times that have come since `nextRunAt`: the latest one fires unless it is too late, those before are
 * missed. After a very long silence only the first and the last of them are told.
 */
function dueTimes(schedule: Schedule, now: number): DueTimes {
  const { nextRunAt, settled } = schedule;
  if (nextRunAt === null) return { missed: [], fires: null };
  const come = (after: number, count: number) =>
    timesAfter(schedule, after, count).filter((time) => Date.parse(time) <= now);
  const all = [nextRunAt, ...come(Date.parse(nextRunAt), mostMissed)];
  if (all.length > mostMissed) all.push(...come(Math.max(Date.parse(all.at(-1) ?? ''), now - catchUpMs), mostMissed));
  const times = all.filter((time) => !settled.includes(time));
  const latest = times.at(-1) ?? nextRunAt;
  if (now - Date.parse(latest) >= catchUpMs) return { missed: times, fires: null };
  return { missed: times.slice(0, -1), fires: latest };
}

/** Starts the first agent assigned that can work. */
async function startAgent(world: World, workspaceId: string, schedule: Schedule, todo: TodoAnswer): Promise<Came> {
  const { db, clock } = world;
  const agent = todo.assignees.find(({ type, isArchived }) => type === 'agent' && !isArchived);
  if (!agent) return failed('agent_archived');
  if (todo.latestRun?.status === 'running') return failed('already_running', 'skipped');
  const { userId, scopes } = schedule;
  if (!schedule.hasOwner) return failed('internal_error', 'missed', ownerGone);
  const notBefore = await openingOf(db, workspaceId, agent.id, clock());
  const owner = { workspaceId, userId, scopes: new Set(scopes as Scope[]) };
  try {
    const run = await startRun(world, owner, { todo, agentId: agent.id, trigger: 'schedule', notBefore });
    return { status: 'fired', runId: run.id, error: null };
  } catch (error) {
    // It comes before anything is written, so what people were told stays.
    if (error instanceof Failure && error.problem.status === 402) return failed('insufficient_minutes');
    throw error;
  }
}

async function come(
  world: World,
  workspaceId: string,
  schedule: Schedule,
  tell: TellDue,
  plannedAt: string,
): Promise<Came> {
  const todo = await findTodo(world.db, workspaceId, schedule.todoId);
  const people = todo.assignees.filter(({ type, isArchived }) => type === 'user' && !isArchived);
  if (people.length > 0) {
    const userIds = people.map(({ id }) => id);
    await tell(world, { workspaceId, todo, userIds, plannedAt, timezone: schedule.timezone });
  }
  if (todo.assignees.some(({ type }) => type === 'agent')) return startAgent(world, workspaceId, schedule, todo);
  return people.length > 0 ? { status: 'fired', runId: null, error: null } : failed('no_assignee');
}

const conclusion = `with recorded as (
    insert into todo_occurrences (workspace_id, id, todo_id, planned_at, fired_at, status, run_id)
    select $1, o.id, $2, o.planned_at, o.fired_at, o.status, o.run_id
    from unnest($3::uuid[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::uuid[])
      o(id, planned_at, fired_at, status, run_id)
    on conflict (workspace_id, todo_id, planned_at) do nothing
  ), touched as (
    update todos set updated_at = greatest(now(), updated_at) where workspace_id = $1 and id = $2
  ) update todo_schedules set status = $8, next_run_at = $9::timestamptz, consecutive_failures = $10, error_code = $11,
    error_message = $12, error_at = $13::timestamptz, last_fired_at = coalesce($14::timestamptz, last_fired_at),
    updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and todo_id = $2`;

/** Keeps what came of the times that were due, and plans the next one. */
async function conclude(
  tx: Db,
  workspaceId: string,
  schedule: Schedule,
  { missed, fires }: DueTimes,
  came: Came | null,
  now: string,
): Promise<void> {
  const { todoId } = schedule;
  const times = fires === null ? missed : [...missed, fires];
  const ids = times.map((time) => occurrenceId(todoId, time));
  const firedAt = came?.status === 'fired' ? now : null;
  const column = <Value>(last: Value, other: Value) => times.map((time) => (time === fires ? last : other));
  const error = came?.error ?? null;
  // A run that started may still fail: only its end, or people told, ends the count.
  const kept = came === null || came.runId !== null ? schedule.consecutiveFailures : 0;
  const failures = error ? schedule.consecutiveFailures + 1 : kept;
  const disabled = failures >= mostFailures;
  const next = disabled ? null : nextOpenTime(schedule, Date.parse(now));
  const resumed = next === null ? 'completed' : 'pending';
  const status = disabled ? 'disabled' : error ? 'error' : resumed;
  await tx.rows(conclusion, [
    workspaceId,
    todoId,
    ids,
    times,
    column(firedAt, null),
    column<string>(came?.status ?? 'missed', 'missed'),
    column(came?.runId ?? null, null),
    status,
    next,
    failures,
    error?.code ?? null,
    error?.message ?? null,
    error && now,
    firedAt,
  ]);
}

/** What the schedule of a locked todo has due now; null when nothing. */
async function whatIsDue({ db, clock }: World, workspaceId: string, todoId: string) {
  const now = clock();
  const [schedule] = await lockSchedules(db, workspaceId, [todoId], now);
  if (!schedule?.nextRunAt || Date.parse(schedule.nextRunAt) > now.getTime()) return null;
  return { schedule, due: dueTimes(schedule, now.getTime()), now: now.toISOString() };
}

/**
 * Does what the schedule of a locked todo has due, once: its agent starts or people are told, the time is kept, and the
 * schedule goes on to its next one, all in the transaction given. Nothing is due any more when another process was first.
 */
export async function fireDue(world: World, workspaceId: string, todoId: string, tell: TellDue): Promise<boolean> {
  const found = await whatIsDue(world, workspaceId, todoId);
  if (!found) return false;
  const { schedule, due, now } = found;
  const came = due.fires === null ? null : await come(world, workspaceId, schedule, tell, due.fires);
  await conclude(world.db, workspaceId, schedule, due, came, now);
  return true;
}

/** Passes over what the schedule of a locked todo has due, because doing it failed as nobody expected. */
export async function passDue(world: World, workspaceId: string, todoId: string): Promise<void> {
  const found = await whatIsDue(world, workspaceId, todoId);
  if (found) await conclude(world.db, workspaceId, found.schedule, found.due, failed('internal_error'), found.now);
}

const disable = `with touched as (
    update todos set updated_at = greatest(now(), updated_at) where workspace_id = $1 and id = $2
  ) update todo_schedules set status = 'disabled', next_run_at = null, consecutive_failures = consecutive_failures + 1,
    error_code = 'internal_error', error_message = $3, error_at = $4::timestamptz, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and todo_id = $2`;

/** Ends what the schedule of a locked todo goes on failing at: it cannot even be passed over. */
export async function disableSchedule({ db, clock }: World, workspaceId: string, todoId: string): Promise<void> {
  const message = 'This schedule could not be understood any more. Set it again.';
  await db.rows(disable, [workspaceId, todoId, message, clock().toISOString()]);
}

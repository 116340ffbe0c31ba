import { openingOf } from '../agents/rows.ts';
import { closeChat } from '../chats/cancel.ts';
import type { Context, Principal } from '../context.ts';
import { requireMinutes } from '../usage/minutes.ts';
import type { Assigned } from './references.ts';
import { startRun } from './runs.ts';
import type { TodoAnswer } from './shapes.ts';

interface Assignment {
  /** The todos before the change, locked. */
  before: readonly TodoAnswer[];
  /** The same todos after the change. */
  after: readonly TodoAnswer[];
  /** Their assignees after the change. */
  assignees: readonly Assigned[];
  dryRun: boolean;
}

/**
 * The run, by a schedule or an assignment, that waits for the working hours of an agent that is not assigned any more.
 */
function outdatedRun({ latestRun }: TodoAnswer, assignees: readonly Assigned[]) {
  const waits = latestRun?.statusReason === 'queued';
  return waits && !assignees.some(({ agent }) => agent === latestRun.agentId) ? latestRun : null;
}

/** The first agent that was not assigned to the todo before; null when none may start on it. */
function newAgentOf(before: TodoAnswer, after: TodoAnswer, assignees: readonly Assigned[], { agent }: Principal) {
  if (after.isArchived || after.status === 'done') return null;
  if (after.latestRun?.status === 'running' && !outdatedRun(after, assignees)) return null;
  const known = new Set(before.assignees.map(({ id }) => id));
  const found = assignees.find((each) => each.agent !== null && !known.has(each.agent))?.agent ?? null;
  const isAtWork = agent?.todoId === after.id && agent.agentId === found;
  return isAtWork ? null : found;
}

/**
 * Starts the agents that an update assigns, the first of several new ones. Not on a todo that is done, archived or
 * being run; outside the agent's working hours the run is queued until they begin, unless another agent takes its place
 * before. Returns whether any started; a dry run
 * starts none. @throws Failure 402, 409 when too many agents started each other.
 */
export async function startAssigned(ctx: Context, assignment: Assignment): Promise<boolean> {
  const { before, after, assignees, dryRun } = assignment;
  if (!assignees.some((each) => each.agent !== null)) return false;
  const { db, principal } = ctx;
  const { workspaceId } = principal;
  const changed = new Map(after.map((todo) => [todo.id, todo]));
  const openings = new Map<string, string | null>();
  let started = false;
  for (const old of before) {
    const todo = changed.get(old.id);
    const agentId = todo && newAgentOf(old, todo, assignees, principal);
    if (!agentId) continue;
    if (dryRun) {
      await requireMinutes(db, workspaceId);
      return false;
    }
    const known = openings.get(agentId);
    const notBefore = known === undefined ? await openingOf(db, workspaceId, agentId, ctx.clock()) : known;
    openings.set(agentId, notBefore);
    const outdated = outdatedRun(todo, assignees);
    if (outdated?.chatId) await closeChat(ctx, workspaceId, outdated.chatId);
    await startRun(ctx, { todo, agentId, trigger: 'assignment', notBefore });
    started = true;
  }
  return started;
}

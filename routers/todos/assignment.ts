import { openingOf } from '../agents/rows.ts';
import type { Principal } from '../base.ts';
import type { World } from '../chats/turns.ts';
import { requireMinutes } from '../minutes.ts';
import type { Assigned } from './references.ts';
import { startRun } from './runs.ts';
import type { TodoAnswer } from './shapes.ts';

interface Assignment {
  /** The todos as they were, locked. */
  before: readonly TodoAnswer[];
  /** The same todos as they are. */
  after: readonly TodoAnswer[];
  /** Who they are assigned to now. */
  assignees: readonly Assigned[];
  dryRun: boolean;
}

/** The first agent that was not assigned to the todo before; null when none may start on it. */
function newcomer(before: TodoAnswer, after: TodoAnswer, assignees: readonly Assigned[], { agent }: Principal) {
  if (after.isArchived || after.status === 'done' || after.latestRun?.status === 'running') return null;
  const known = new Set(before.assignees.map(({ id }) => id));
  const found = assignees.find((each) => each.agent !== null && !known.has(each.agent))?.agent ?? null;
  const isAtWork = agent?.todoId === after.id && agent.agentId === found;
  return isAtWork ? null : found;
}

/**
 * Starts the agents that an update assigns: of several new ones the first works. Not on a todo that is done, archived
 * or being run; outside the agent's working hours the run waits for them. Returns whether any started; a dry run starts
 * none. @throws Failure 402, 409 when too many agents started each other.
 */
export async function startAssigned(world: World, principal: Principal, assignment: Assignment): Promise<boolean> {
  const { before, after, assignees, dryRun } = assignment;
  if (!assignees.some((each) => each.agent !== null)) return false;
  const { workspaceId } = principal;
  const now = new Map(after.map((todo) => [todo.id, todo]));
  const openings = new Map<string, string | null>();
  let started = false;
  for (const was of before) {
    const todo = now.get(was.id);
    const agentId = todo && newcomer(was, todo, assignees, principal);
    if (!agentId) continue;
    if (dryRun) {
      await requireMinutes(world.db, workspaceId);
      return false;
    }
    const known = openings.get(agentId);
    const notBefore = known === undefined ? await openingOf(world.db, workspaceId, agentId, world.clock()) : known;
    openings.set(agentId, notBefore);
    await startRun(world, principal, { todo, agentId, trigger: 'assignment', notBefore });
    started = true;
  }
  return started;
}

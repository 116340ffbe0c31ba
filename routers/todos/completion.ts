import type { Principal } from '../base.ts';
import { closeChats } from '../chats/close.ts';
import type { World } from '../chats/turns.ts';
import type { TodoAnswer } from './shapes.ts';

/**
 * What follows when todos become done, in the transaction that does it: agents at work on them stop, except the one that
 * does it, and the minutes that an agent saved are estimated, once in the life of a todo. `before`: the todos as they
 * were, locked.
 */
export async function finish(world: World, principal: Principal, before: readonly TodoAnswer[]): Promise<void> {
  const { workspaceId, agent } = principal;
  const ids = before.map((todo) => todo.id);
  await closeChats(world, workspaceId, ids, agent?.chatId);
  for (const { id, status, latestRun, minutesSaved } of before) {
    const byAgent = latestRun !== null || agent?.todoId === id;
    if (!byAgent || status === 'done' || minutesSaved !== null) continue;
    await world.jobs.digest(world.db, { kind: 'minutes_saved', workspaceId, id });
  }
}

import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';
import { countWorkspace, foldCounts, uncountedWorkspaces } from '../domain/todos/counts.ts';
import { type Poller, startPoller } from './runtime/poller.ts';

/** Changes that are added in one transaction, and workspaces that are counted in one call. */
const maxChanges = 5000;
const maxWorkspaces = 20;
/**
 * The pause in milliseconds after a call: reading the numbers of a workspace costs more with each change that waits.
 */
const idleMs = 5000;
const busyMs = 1000;
const many = 500;

/**
 * Adds the changes to the numbers of todos. Counts the todos of workspaces that have changes but no numbers yet: after
 * an upgrade, and new ones. Returns the pause until the next call in milliseconds.
 */
export async function keepCounts(db: Db, changes = maxChanges, workspaces = maxWorkspaces): Promise<number> {
  const folded = await foldCounts(db, changes);
  if (folded >= changes) return 0;
  const uncounted = await uncountedWorkspaces(db, workspaces);
  for (const id of uncounted) await countWorkspace(db, id);
  if (uncounted.length >= workspaces) return 0;
  return folded >= many ? busyMs : idleMs;
}

/** Keeps the numbers of todos, in every process: whichever comes first does what there is to do. */
export function startKeepingCounts(db: Db, log: Logger): Poller {
  return startPoller(() => keepCounts(db), 'numbers of todos not added, will retry', log);
}

import { v5 as idOf, v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { recordEvent } from '../events/record.ts';

/** Minutes that a workspace is granted. */
interface Grant {
  workspaceId: string;
  /** Above 0. */
  minutes: number;
  /** A second grant of the workspace with the same reference is not made. Null: this grant has none. */
  reference: string | null;
}

/** `made`: the balance after it. `repeated`: the reference was used; what was granted with it, and when. */
export type GrantOutcome =
  | { type: 'made'; name: string; remaining: number }
  | { type: 'repeated'; name: string; minutes: number; createdAt: string }
  | { type: 'no_workspace' };

// Before the entry is made, as a charge locks it.
const lock = 'select name from workspaces where id = $1 for no key update';
const enter = `insert into minute_entries (workspace_id, id, kind, minutes) values ($1, $2, 'grant', $3)
  on conflict (workspace_id, id) do nothing returning id`;
const add = `update workspaces set agent_minutes = agent_minutes + $2::numeric where id = $1
  returning agent_minutes::float8 as remaining`;
const before = `select minutes::float8 as minutes, created_at as "createdAt" from minute_entries
  where workspace_id = $1 and id = $2`;

/**
 * Adds agent minutes to a workspace: ledger, balance and event change together. The reference becomes the id of the
 * entry, so that a repeated grant finds the one before, however many are made at once.
 */
export function grantMinutes(db: Db, { workspaceId, minutes, reference }: Grant): Promise<GrantOutcome> {
  return db.transaction(async (tx): Promise<GrantOutcome> => {
    const [workspace] = await tx.rows<{ name: string }>(lock, [workspaceId]);
    if (!workspace) return { type: 'no_workspace' };
    const { name } = workspace;
    const id = reference === null ? newId() : idOf(`grant ${reference}`, workspaceId);
    const entered = await tx.rows(enter, [workspaceId, id, minutes]);
    if (entered.length === 0) {
      const [earlier] = await tx.rows<{ minutes: number; createdAt: string }>(before, [workspaceId, id]);
      if (!earlier) throw new Error('the entry of a repeated grant does not exist');
      return { type: 'repeated', name, ...earlier };
    }
    const [balance] = await tx.rows<{ remaining: number }>(add, [workspaceId, minutes]);
    if (!balance) throw new Error('the locked workspace does not exist');
    const changedFields = ['agentMinutesRemaining'];
    await recordEvent(tx, workspaceId, { type: 'workspace.updated', objectId: workspaceId, changedFields });
    return { type: 'made', name, remaining: balance.remaining };
  });
}

import type { Db } from '../../db/client.ts';
import { grantId } from '../../db/grants.ts';
import { type NewEvent, recordEvent, recordEvents } from '../events/record.ts';

const lockMemberships = `select workspace_id as "workspaceId" from members
  where user_id = $1 order by workspace_id for no key update`;
const revokeKeysOf = `update credentials set revoked_at = now()
  where workspace_id = $1 and user_id = $2 and kind = 'api_key' and revoked_at is null returning id`;
const appsOf = `select id from connected_apps
  where workspace_id = $1 and user_id = $2 and revoked_at is null order by id for no key update`;
// A consent whose code was never redeemed did not connect an app: nobody sees it, and it has no events.
const revokeApp = `update connected_apps a set revoked_at = coalesce(a.revoked_at, now())
  from (select revoked_at from connected_apps where workspace_id = $1 and id = $2 for no key update) old
  where a.workspace_id = $1 and a.id = $2
  returning a.revoked_at as "revokedAt", old.revoked_at is null and a.connected_at is not null as "isNew"`;
const revokeTokens = `update credentials set revoked_at = now()
  where workspace_id = $1 and connected_app_id = $2 and revoked_at is null`;
const deleteArtifacts = 'delete from oauth_artifacts where grant_id = $1';

/**
 * Ends a grant with its access token, refresh token and code. Returns when it was first revoked; null when there is
 * none. The row of the grant is written before its tokens are read, so that a token being issued now is either revoked
 * here or refused there.
 */
export function revokeGrant(db: Db, workspaceId: string, connectedAppId: string): Promise<string | null> {
  return db.transaction(async (tx) => {
    const [row] = await tx.rows<{ revokedAt: string; isNew: boolean }>(revokeApp, [workspaceId, connectedAppId]);
    if (!row) return null;
    await tx.rows(revokeTokens, [workspaceId, connectedAppId]);
    await tx.rows(deleteArtifacts, [grantId(workspaceId, connectedAppId)]);
    const change = { objectId: connectedAppId, changedFields: ['revokedAt'] };
    if (row.isNew) await recordEvent(tx, workspaceId, { ...change, type: 'connected_app.revoked' });
    return row.revokedAt;
  });
}

/** Ends every API key and every grant of a person in a workspace. In a transaction. */
export async function revokeKeysAndAppsIn(tx: Db, workspaceId: string, userId: string): Promise<void> {
  const keys = await tx.rows<{ id: string }>(revokeKeysOf, [workspaceId, userId]);
  await recordEvents(tx, workspaceId, keys.map(keyRevoked));
  const apps = await tx.rows<{ id: string }>(appsOf, [workspaceId, userId]);
  for (const { id } of apps) await revokeGrant(tx, workspaceId, id);
}

/** The event of an API key that is revoked now. */
export function keyRevoked({ id }: { id: string }): NewEvent {
  return { type: 'api_key.revoked', objectId: id, changedFields: ['revokedAt'] };
}

/**
 * Locks the memberships of a person until the transaction ends, and returns their workspaces. Code that creates a
 * session, a key or a grant locks the membership too (`holdMembership`). If it comes before, its result is found here
 * and revoked; if it comes after, it finds that the session that asked for it has ended.
 */
export async function lockAccess(tx: Db, userId: string): Promise<string[]> {
  const rows = await tx.rows<{ workspaceId: string }>(lockMemberships, [userId]);
  return rows.map(({ workspaceId }) => workspaceId);
}

/** Revokes the API keys and connected apps of a person in the workspaces that `lockAccess` returned. */
export async function revokeKeysAndApps(tx: Db, userId: string, workspaceIds: readonly string[]): Promise<void> {
  for (const workspaceId of workspaceIds) await revokeKeysAndAppsIn(tx, workspaceId, userId);
}

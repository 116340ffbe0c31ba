import { v7 as newId } from 'uuid';
import type { Db } from './client.ts';

export interface GrantSeed {
  workspaceId: string;
  userId: string;
  clientId: string;
  clientName: string;
  clientUri: string | null;
  logoUri: string | null;
  scopes: readonly string[];
}

const open = `insert into connected_apps (workspace_id, id, user_id, client_id, client_name, client_uri, logo_uri, scopes, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, now() + interval '10 minutes')`;
const revokeApp = `update connected_apps set revoked_at = coalesce(revoked_at, now())
  where workspace_id = $1 and id = $2 returning revoked_at as "revokedAt"`;
const revokeTokens = `update credentials set revoked_at = now()
  where workspace_id = $1 and connected_app_id = $2 and revoked_at is null`;
const forget = 'delete from oauth_artifacts where grant_id = $1';
const appsOf = `update connected_apps set revoked_at = now()
  where workspace_id = $1 and user_id = $2 and revoked_at is null returning id`;

/** The name of a grant inside the OAuth server: `<workspace>.<connected app>`. */
export function grantId(workspaceId: string, connectedAppId: string): string {
  return `${workspaceId}.${connectedAppId}`;
}

/** The workspace and the connected app of a grant; null for anything else. */
export function grantKey(id: string): [workspaceId: string, connectedAppId: string] | null {
  const [, workspaceId, connectedAppId] = /^([0-9a-f-]{36})\.([0-9a-f-]{36})$/.exec(id) ?? [];
  return workspaceId && connectedAppId ? [workspaceId, connectedAppId] : null;
}

/** Records what a person allowed a client; it lapses in ten minutes unless the client fetches a token. */
export async function openGrant(db: Db, seed: GrantSeed): Promise<string> {
  const id = newId();
  const { workspaceId, userId, clientId, clientName, clientUri, logoUri, scopes } = seed;
  await db.rows(open, [workspaceId, id, userId, clientId, clientName, clientUri, logoUri, scopes]);
  return grantId(workspaceId, id);
}

/**
 * Ends a grant with its access, refresh and code. Returns when it ended first; null when there is none. The grant's row
 * is written before its tokens are read, so that a token being issued now is either seen here or refused there.
 */
export function revokeGrant(db: Db, workspaceId: string, connectedAppId: string): Promise<string | null> {
  return db.transaction(async (tx) => {
    const [row] = await tx.rows<{ revokedAt: string }>(revokeApp, [workspaceId, connectedAppId]);
    if (!row) return null;
    await tx.rows(revokeTokens, [workspaceId, connectedAppId]);
    await tx.rows(forget, [grantId(workspaceId, connectedAppId)]);
    return row.revokedAt;
  });
}

/** Ends every grant of a person in a workspace. In a transaction. */
export async function revokeGrantsOf(tx: Db, workspaceId: string, userId: string): Promise<void> {
  const apps = await tx.rows<{ id: string }>(appsOf, [workspaceId, userId]);
  for (const { id } of apps) await revokeGrant(tx, workspaceId, id);
}

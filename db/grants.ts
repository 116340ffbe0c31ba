import { v7 as newId } from 'uuid';
import type { Db } from './client.ts';
import { shifted } from './engine/index.ts';

interface GrantSeed {
  workspaceId: string;
  userId: string;
  clientId: string;
  clientName: string;
  clientUri: string | null;
  logoUri: string | null;
  scopes: readonly string[];
}

/**
 * When a connection that is renewed for `$3` seconds ends: a year after its consent at the latest (OWASP ASVS 5,
 * 10.4.8). A part of an update of `connected_apps a`.
 */
export const renewedExpiry = `least(greatest(a.expires_at, now() + make_interval(secs => $3)),
    ${shifted('a.created_at', "+ interval '365 days'")})`;

const open = `insert into connected_apps (workspace_id, id, user_id, client_id, client_name, client_uri, logo_uri, scopes, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, now() + interval '10 minutes')`;
/** The name of a grant inside the OAuth server: `<workspace>.<connected app>`. */
export function grantId(workspaceId: string, connectedAppId: string): string {
  return `${workspaceId}.${connectedAppId}`;
}

/** The workspace and the connected app of a grant; null for anything else. */
export function grantKey(id: string): [workspaceId: string, connectedAppId: string] | null {
  const [, workspaceId, connectedAppId] = /^([0-9a-f-]{36})\.([0-9a-f-]{36})$/.exec(id) ?? [];
  return workspaceId && connectedAppId ? [workspaceId, connectedAppId] : null;
}

/**
 * Stores the consent of a person to a client. It expires in ten minutes unless the client fetches a token. Returns the
 * grant id.
 */
export async function openGrant(db: Db, seed: GrantSeed): Promise<string> {
  const id = newId();
  const { workspaceId, userId, clientId, clientName, clientUri, logoUri, scopes } = seed;
  await db.rows(open, [workspaceId, id, userId, clientId, clientName, clientUri, logoUri, scopes]);
  return grantId(workspaceId, id);
}

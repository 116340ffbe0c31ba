import { v7 as newId } from 'uuid';
import { hashSecret, mintSecret } from '../../db/secrets.ts';
import type { Scope } from '../../domain/scopes.ts';
import type { TestService, TestWorkspace } from './harness.ts';

const insertGrant = `insert into connected_apps
    (workspace_id, id, user_id, client_id, client_name, scopes, connected_at, expires_at)
  values ($1, $2, $3, 'test', 'Test app', $4, now(), now() + interval '60 days')`;
const insertToken = `insert into credentials (workspace_id, id, kind, secret_hash, user_id, connected_app_id, name, prefix,
    last4, scopes, rate_limit_per_minute, expires_at)
  values ($1, $2, 'oauth', $3, $4, $5, 'Test app', 'tandem_at_', '', $6, 1000000, now() + interval '1 hour')`;

/** What a person allowed an app; `token` gives it another access token. */
export async function newGrant(
  { db }: Pick<TestService, 'db'>,
  { workspaceId, userId }: Pick<TestWorkspace, 'workspaceId' | 'userId'>,
  scopes: readonly Scope[],
) {
  const grantId = newId();
  await db.rows(insertGrant, [workspaceId, grantId, userId, scopes]);
  const token = async () => {
    const secret = mintSecret('at');
    await db.rows(insertToken, [workspaceId, newId(), hashSecret(secret), userId, grantId, scopes]);
    return secret;
  };
  return { grantId, token };
}

import type { Db } from '../db/client.ts';
import type { Principal } from './context.ts';
import { Failure } from './errors.ts';
import type { OperationFacts } from './operations.ts';
import { readScopes } from './scopes.ts';

const challenge = { 'WWW-Authenticate': 'Bearer realm="tandem"' };

function needsSession({ access }: OperationFacts): boolean {
  return access === 'session' || access === 'key_management';
}

/** Whether a person who lacks a second factor that is required may call the operation. */
function isOpenWithout({ access, beforeSecondFactor = false }: OperationFacts): boolean {
  return access === 'public' || beforeSecondFactor;
}

/** Whether a credential with `scopes` of this kind may call the operation. */
export function mayCall(operation: OperationFacts, principal: Principal): boolean {
  if (principal.lacksSecondFactor && !isOpenWithout(operation)) return false;
  if (needsSession(operation)) return principal.kind === 'session';
  const { access } = operation;
  if (access === 'subscriber' && principal.kind === 'oauth') return false;
  if (access === 'reader' || access === 'subscriber') return readScopes.some((scope) => principal.scopes.has(scope));
  return operation.scope === null || principal.scopes.has(operation.scope);
}

/**
 * The id of a credential that people see and revoke: of an app that of its connection, whose access tokens last an
 * hour.
 */
export function lastingIdOf({ grantId, credentialId }: Pick<Principal, 'grantId' | 'credentialId'>): string {
  return grantId ?? credentialId;
}

/** 401: the credential that was sent is not valid, or no longer. */
export function badCredential(): Failure {
  const message = 'This credential is not valid: unknown, revoked or expired. Use a valid API key.';
  return new Failure({ status: 401, code: 'invalid_api_key', message, headers: challenge });
}

/** 403: the workspace requires a second factor, and the person has none. */
export function secondFactorRequired(): Failure {
  const message = 'This workspace requires a second factor. Set up an authenticator app or a passkey first.';
  return new Failure({ status: 403, code: 'workspace_access_denied', message, reason: 'second_factor_required' });
}

/**
 * Whether the caller may call the operation. `bad`: a bearer was sent that is no valid credential.
 * @throws Failure 401 without a valid credential, 403 when it does not reach the operation.
 */
export function authorize(operation: OperationFacts, principal: Principal | null, bad = false): void {
  if (operation.access === 'public') return;
  if (!principal && bad) throw badCredential();
  if (!principal) {
    const message = 'Send an API key as “Authorization: Bearer tandem_sk_…”.';
    throw new Failure({ status: 401, code: 'missing_credentials', message, headers: challenge });
  }
  if (mayCall(operation, principal)) return;
  if (principal.lacksSecondFactor && !isOpenWithout(operation)) {
    throw secondFactorRequired();
  }
  if (operation.access === 'key_management') {
    const message = 'API keys and connected apps are managed by a signed-in person, never with a key or token.';
    throw new Failure({ status: 403, code: 'api_key_auth_required', message });
  }
  if (operation.access === 'session') {
    const message = 'This needs a signed-in user session; API keys and OAuth tokens cannot do it.';
    throw new Failure({ status: 403, code: 'missing_scope', message, reason: 'session_required' });
  }
  if (operation.access === 'subscriber' && principal.kind === 'oauth') {
    const message = 'This needs a signed-in user session or an API key; OAuth tokens cannot do it.';
    throw new Failure({ status: 403, code: 'missing_scope', message, reason: 'session_required' });
  }
  if (operation.access === 'reader' || operation.access === 'subscriber') {
    const message = `This credential has no read scope. Use one that has one of ${readScopes.join(', ')}.`;
    throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: readScopes });
  }
  const requiredScopes = operation.scope ? [operation.scope] : [];
  const message = `This credential lacks the scope ${operation.scope}. Use one that has it.`;
  throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes });
}

/** Whether the person of a row `c` with a `user_id` has no second factor. */
export const hasNoSecondFactor = `(select t.confirmed_at from totp_secrets t where t.user_id = c.user_id) is null
          and (select p.id from passkeys p where p.user_id = c.user_id limit 1) is null`;

/**
 * Whether a row `c` shaped like `credentials` is a session in a workspace that requires a second factor, of a person
 * who has none. The subqueries are scalar: PostgreSQL may hash other ones, and would then read whole tables.
 */
export const lacksSecondFactor = `case when c.kind = 'session'
          and (select w.require_second_factor from workspaces w where w.id = c.workspace_id)
        then ${hasNoSecondFactor}
        else false end`;

/** Those of some workspaces that require a second factor. */
export const requiringFactor = 'select id from workspaces where id = any($1::uuid[]) and require_second_factor';

const requires = 'select 1 from workspaces where id = $1 and require_second_factor';
const factorless = `select 1 from (select $1::uuid as user_id) c where ${hasNoSecondFactor}`;

/**
 * Whether the workspace requires a second factor that the person lacks. Two statements, because Citus cannot join these
 * tables.
 */
export async function lacksRequiredFactor(db: Db, workspaceId: string, userId: string): Promise<boolean> {
  if ((await db.rows(requires, [workspaceId])).length === 0) return false;
  return (await db.rows(factorless, [userId])).length > 0;
}

/**
 * The condition under which a row `c` shaped like `credentials` opens its workspace now: neither revoked nor expired, a
 * session not idle for 12 hours, its person still a member.
 */
export const validCredential = `c.revoked_at is null and (c.expires_at is null or c.expires_at > now())
        and (c.kind <> 'session' or coalesce(c.last_used_at, c.created_at) > now() - interval '12 hours')
        and exists (select from members m
          where m.workspace_id = c.workspace_id and m.user_id = c.user_id and m.removed_at is null)`;

const stillValid = `select 1 from credentials c where c.workspace_id = $1 and c.id = $2 and ${validCredential}`;

/**
 * Checks that the credential of a request that waited is valid still. An agent at work has none: its steps check the
 * membership of its person. @throws Failure 401.
 */
export async function requireValid(db: Db, { kind, workspaceId, credentialId }: Principal): Promise<void> {
  if (kind === 'agent') return;
  if ((await db.rows(stillValid, [workspaceId, credentialId])).length === 0) throw badCredential();
}

/** Whether the principal is a session that its workspace has closed meanwhile, by requiring a second factor. */
export async function isClosed(db: Db, { kind, workspaceId, userId }: Principal): Promise<boolean> {
  return kind === 'session' && (await lacksRequiredFactor(db, workspaceId, userId));
}

/** As `requireValid`, and that the workspace has not closed the session. @throws Failure 401, 403. */
export async function requireAccess(db: Db, principal: Principal): Promise<void> {
  await requireValid(db, principal);
  if (await isClosed(db, principal)) throw secondFactorRequired();
}

const holdValid = `${stillValid} for share of c`;

/**
 * Locks the credential of a request until the transaction ends: a sign-out, or the removal of its person, then sees,
 * and removes, what the transaction adds to it. @throws Failure 401 when it has ended.
 */
export async function holdCredential(tx: Db, { workspaceId, credentialId }: Principal): Promise<void> {
  if ((await tx.rows(holdValid, [workspaceId, credentialId])).length === 0) throw badCredential();
}

import type { Db } from '../../db/client.ts';
import { badCredential, lacksRequiredFactor, secondFactorRequired, validCredential } from '../access.ts';
import type { Principal } from '../context.ts';
import { Failure } from '../errors.ts';

/** 403: the person is not a member of the workspace. */
export function noAccess(param = 'workspaceId'): Failure {
  const message = 'You are not a member of this workspace. Ask an owner to invite you, or choose another workspace.';
  const errors = [{ param, code: 'workspace_access_denied', message }];
  return new Failure({ status: 403, code: 'workspace_access_denied', message, errors });
}

const lockRow = 'select 1 from workspaces where id = $1 for no key update';

/**
 * Locks a workspace until the transaction ends, for changes that must be made one after another in it, such as counts
 * with a limit. Take it before the lock of a membership.
 */
export async function lockWorkspace(tx: Db, workspaceId: string): Promise<void> {
  await tx.rows(lockRow, [workspaceId]);
}

/** A row where a person ($2) is a member of a workspace ($1). */
export const membership = 'select 1 from members where workspace_id = $1 and user_id = $2 and removed_at is null';

/** Who names a workspace: a person, or with what they came. */
export type Visitor = Pick<Principal, 'userId'> & Partial<Pick<Principal, 'kind' | 'workspaceId'>>;

/**
 * Checks that a session of another workspace has the second factor that this workspace requires. Its own sessions are
 * checked at each request; keys and apps need none, because each is a secret of its own.
 * @throws Failure 403 `second_factor_required`.
 */
export async function requireFactorIn(db: Db, { kind, userId, workspaceId: from }: Visitor, workspaceId: string) {
  if (kind !== 'session' || from === workspaceId) return;
  if (await lacksRequiredFactor(db, workspaceId, userId)) throw secondFactorRequired();
}

/**
 * Checks that the caller is a member of the workspace, with the second factor that it requires.
 * @throws Failure 403 `workspace_access_denied`.
 */
export async function requireMembership(db: Db, workspaceId: string, visitor: Visitor): Promise<void> {
  const found = await db.rows(membership, [workspaceId, visitor.userId]);
  if (found.length === 0) throw noAccess();
  await requireFactorIn(db, visitor, workspaceId);
}

const stillValid = `select 1 from credentials c where c.workspace_id = $1 and c.id = $2 and ${validCredential}`;

/**
 * As `requireMembership`, and locks the membership until the transaction ends: a removal or a password reset that comes
 * later sees, and revokes, what the transaction creates. KEY SHARE would not be enough, since a removal changes no key.
 * If this waited for one of them, the credential of the request may have ended meanwhile.
 * @throws Failure 403 `workspace_access_denied`, 401.
 */
export async function holdMembership(
  tx: Db,
  workspaceId: string,
  principal: Pick<Principal, 'kind' | 'userId' | 'workspaceId' | 'credentialId'>,
): Promise<void> {
  const found = await tx.rows(`${membership} for share`, [workspaceId, principal.userId]);
  if (found.length === 0) throw noAccess();
  await requireFactorIn(tx, principal, workspaceId);
  await requireValidCredential(tx, principal);
}

/** Checks once more that the credential of the request is valid, where a lock was waited for. @throws Failure 401. */
export async function requireValidCredential(
  tx: Db,
  { workspaceId, credentialId }: Pick<Principal, 'workspaceId' | 'credentialId'>,
): Promise<void> {
  const valid = await tx.rows(stillValid, [workspaceId, credentialId]);
  if (valid.length === 0) throw badCredential();
}

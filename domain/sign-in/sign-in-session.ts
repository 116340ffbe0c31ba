import type { Db } from '../../db/client.ts';
import { openSession } from '../accounts/open-session.ts';
import type { OpenedSession } from '../accounts/shapes.ts';
import type { RequestContext } from '../context.ts';
import { noteAuthentication } from '../second-factors/recent-authentication.ts';
import { noticeNewProgram } from './new-program.ts';

type SignInContext = Pick<RequestContext, 'db' | 'clock' | 'mail' | 'client'>;

/** Of an account without a workspace: no membership matches it. */
const noWorkspace = '00000000-0000-0000-0000-000000000000';
const workspaceOf = `select m.workspace_id as id from members m
  left join credentials c on c.workspace_id = m.workspace_id and c.user_id = m.user_id and c.kind = 'session'
  where m.user_id = $1 and m.removed_at is null
  group by m.workspace_id, m.created_at order by max(c.last_used_at) desc nulls last, m.created_at limit 1`;
const currentHash = 'select 1 from users where id = $1 and password_hash = $2';

/**
 * Opens the session of a person who has just proved who they are, in the workspace named or the one used last. `tx` is
 * a transaction. @throws Failure 403 not a member of that workspace.
 */
export async function openSignedIn(
  tx: Db,
  ctx: SignInContext,
  userId: string,
  named: string | null | undefined,
): Promise<OpenedSession> {
  const [last] = await tx.rows<{ id: string }>(workspaceOf, [userId]);
  const workspaceId = named ?? last?.id ?? noWorkspace;
  const session = await openSession(tx, { workspaceId, userId, client: ctx.client.name });
  await noteAuthentication(tx, session.id);
  await noticeNewProgram({ ...ctx, db: tx }, session);
  return session;
}

interface SignedInPerson {
  userId: string;
  /** The workspace that the sign-in named. */
  workspaceId: string | undefined;
  /** The stored hash that the password was checked against. */
  passwordHash: string;
}

/**
 * Opens the session of a person whose password was checked. `refusal` is thrown if the password was changed meanwhile:
 * a session by the old password would outlive the change.
 * @throws Failure 403 when not a member of the workspace.
 */
export function openSignInSession(
  ctx: SignInContext,
  { workspaceId, userId, passwordHash }: SignedInPerson,
  refusal: () => Error,
): Promise<OpenedSession> {
  return ctx.db.transaction(async (db) => {
    // Locks the membership, as a change of the password does: so either this code sees the change, or the change sees
    // the session.
    const session = await openSignedIn(db, ctx, userId, workspaceId);
    const current = await db.rows(currentHash, [userId, passwordHash]);
    if (current.length === 0) throw refusal();
    return session;
  });
}

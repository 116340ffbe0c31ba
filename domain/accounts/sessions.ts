import type { Db } from '../../db/client.ts';
import type { credentials } from '../../db/schema/index.ts';
import { badCredential } from '../access.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { wholeList } from '../fields.ts';
import { movePushSubscriptions, removeEndedSubscriptions } from '../push/subscriptions.ts';
import { openSession } from './open-session.ts';
import { lockAccess } from './revoke-access.ts';
import type { OpenedSession } from './shapes.ts';

/** A session without requests for so long ends (CONTRACT §3). */
const maxIdle = `interval '12 hours'`;

const list = `select id, name as client, id = $2 as "isCurrent", workspace_id as "workspaceId", created_at as "createdAt",
    last_used_at as "lastUsedAt", least(expires_at, coalesce(last_used_at, created_at) + ${maxIdle}) as "expiresAt"
  from credentials where user_id = $1 and kind = 'session' and revoked_at is null
    and expires_at > now() and coalesce(last_used_at, created_at) > now() - ${maxIdle}
  order by created_at desc, id desc`;
const revoke = `update credentials set revoked_at = now()
  where user_id = $1 and id = $2 and kind = 'session' and revoked_at is null returning id`;
const workspacesOf = 'select workspace_id as id from members where user_id = $1 and removed_at is null order by id';
const moveRecording = `update recordings set credential_id = $4
  where workspace_id = $1 and user_id = $2 and credential_id = $3 and stopped_at is null`;
const revokeOthers = `update credentials set revoked_at = now()
  where user_id = $1 and kind = 'session' and revoked_at is null and id is distinct from $2`;

type SessionRow = Pick<typeof credentials.$inferSelect, 'id' | 'workspaceId' | 'createdAt' | 'lastUsedAt'> & {
  client: string;
  isCurrent: boolean;
  expiresAt: string;
};

function ended(id: string) {
  return { object: 'deleted' as const, id, deleted: true as const, recoverable: false as const };
}

/** The open sessions of the person, in all workspaces, newest first. */
export async function listSessions({ db, principal }: Context) {
  const rows = await db.rows<SessionRow>(list, [principal.userId, principal.credentialId]);
  return wholeList(rows.map((row) => ({ object: 'session' as const, ...row })));
}

/** Ends the session of the request, and clears its cookie. */
export async function signOut({ db, principal, reply }: Context) {
  const { userId, credentialId } = principal;
  await db.transaction(async (tx) => {
    await tx.rows(revoke, [userId, credentialId]);
    await removeEndedSubscriptions(tx, userId);
  });
  reply.session = null;
  return ended(credentialId);
}

/** Ends a session of the person. @throws Failure 404. */
export async function endSession({ db, principal }: Context, { sessionId }: { sessionId: string }) {
  await db.transaction(async (tx) => {
    const revoked = await tx.rows(revoke, [principal.userId, sessionId]);
    if (revoked.length === 0) throw notFound('session', 'sessionId');
    await removeEndedSubscriptions(tx, principal.userId);
  });
  return ended(sessionId);
}

/** Ends every session of a person, or all but `exceptId`, and what is sent to their browsers. `db` is a transaction. */
export async function revokeSessions(db: Db, userId: string, exceptId: string | null): Promise<void> {
  await db.rows(revokeOthers, [userId, exceptId]);
  await removeEndedSubscriptions(db, userId);
}

/** Ends all sessions of the person but that of the request, and returns what is left. */
export async function endOtherSessions(ctx: Context) {
  const { userId, credentialId } = ctx.principal;
  await ctx.db.transaction(async (tx) => {
    // A session that another one is being replaced by is seen once it is there.
    await lockAccess(tx, userId);
    await revokeSessions(tx, userId, credentialId);
  });
  return listSessions(ctx);
}

/** A session goes on as another one, and with it what it records, in whatever workspace. */
async function moveRecordings(tx: Db, userId: string, from: string, to: string): Promise<void> {
  const workspaces = await tx.rows<{ id: string }>(workspacesOf, [userId]);
  for (const { id } of workspaces) await tx.rows(moveRecording, [id, userId, from, to]);
}

/**
 * Replaces the session of the request by one in another workspace, which ends when the first one would have. @throws
 * Failure 403 when not a member of it, 401 when the session was ended meanwhile.
 */
export async function switchWorkspace(ctx: Context, { workspaceId }: { workspaceId: string }): Promise<OpenedSession> {
  const { userId, credentialId, expiresAt: endsAt } = ctx.principal;
  const session = await ctx.db.transaction(async (tx) => {
    const opened = await openSession(tx, { workspaceId, userId, client: ctx.client.name, endsAt });
    const ended = await tx.rows(revoke, [userId, credentialId]);
    if (ended.length === 0) throw badCredential();
    await movePushSubscriptions(tx, userId, credentialId, opened.id);
    await moveRecordings(tx, userId, credentialId, opened.id);
    return opened;
  });
  ctx.reply.session = session;
  return session;
}

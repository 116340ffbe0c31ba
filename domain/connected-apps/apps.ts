import { openGrant } from '../../db/grants.ts';
import type { connectedApps } from '../../db/schema/index.ts';
import { requireVerifiedEmail } from '../accounts/email-verification.ts';
import { holdMembership, lockWorkspace, requireFactorIn, requireMembership } from '../accounts/membership.ts';
import { revokeGrant } from '../accounts/revoke-access.ts';
import type { Context } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import { wholeList } from '../fields.ts';
import type { NotifyContext } from '../notifications/notify.ts';
import { queueSecurityNotice, quotedInNotice } from '../notifications/security-notice.ts';
import { type Scope, scopes } from '../scopes.ts';
import type { ConnectedAppQuery } from './shapes.ts';

type AppRow = Omit<typeof connectedApps.$inferSelect, 'connectedAt' | 'scopes'> & { scopes: Scope[] };

/** Only grants that ever had a token: a consent whose code was never redeemed did not connect an app. */
const visible = `from connected_apps a
  join members m on m.workspace_id = a.workspace_id and m.user_id = $1 and m.removed_at is null
  where a.connected_at is not null`;
const list = `select a.id, a.workspace_id as "workspaceId", a.user_id as "userId", a.client_id as "clientId",
    a.client_name as "clientName", a.client_uri as "clientUri", a.logo_uri as "logoUri", a.scopes,
    a.created_at as "createdAt", a.expires_at as "expiresAt", a.revoked_at as "revokedAt",
    greatest(a.last_used_at, (select max(c.last_used_at) from credentials c
      where c.workspace_id = a.workspace_id and c.connected_app_id = a.id)) as "lastUsedAt"
  ${visible} and a.workspace_id = $2 and ($3 or a.revoked_at is null) order by a.created_at desc, a.id desc`;
const one = `select a.workspace_id as "workspaceId" ${visible} and a.id = $2`;

/** Unrevoked apps of a workspace. */
const most = 200;
const count = `select count(*)::int as count from connected_apps
  where workspace_id = $1 and revoked_at is null and (connected_at is not null or expires_at > now())`;

/** A consent: what an app may do in a workspace. */
interface AppConsent {
  workspaceId: string;
  scopes: readonly Scope[];
  /** How the app describes itself. */
  client: { id: string; name: string; uri: string | null; logoUri: string | null };
}

/**
 * Opens the grant of an app to which a person consented, in a transaction, and returns its id. The membership is locked
 * until the end of the transaction: a removal that commits before it prevents the grant, a later one revokes it. The
 * person is notified by email.
 * @throws Failure 403 when not a member, or while the address of the person has to be verified, 409 when the workspace
 * has 200 apps.
 */
export async function connectApp(
  ctx: NotifyContext & Pick<Context, 'service' | 'principal'>,
  { workspaceId, scopes: consented, client }: AppConsent,
): Promise<string> {
  const { db, principal } = ctx;
  const { userId } = principal;
  const { id: clientId, name: clientName, uri: clientUri, logoUri } = client;
  const allowed = scopes.filter((scope) => consented.includes(scope));
  await lockWorkspace(db, workspaceId);
  await holdMembership(db, workspaceId, principal);
  await requireVerifiedEmail(db, ctx.service, userId);
  const [has] = await db.rows<{ count: number }>(count, [workspaceId]);
  if (has && has.count >= most) {
    throw conflict(`A workspace has at most ${most} connected apps, expired ones counted. Disconnect one first.`);
  }
  const grantId = await openGrant(db, {
    workspaceId,
    userId,
    clientId,
    clientName,
    clientUri,
    logoUri,
    scopes: allowed,
  });
  const text = `The app calls itself ${quotedInNotice(clientName)} and may use: ${allowed.join(', ')}.`;
  await queueSecurityNotice(ctx, { userId, workspaceId, title: 'You connected an app to your account', text });
  return grantId;
}

/** The apps connected to a workspace through OAuth, newest first. @throws Failure 403 when not a member. */
export async function listConnectedApps(
  { db, principal }: Context,
  { workspaceId, includeRevoked }: ConnectedAppQuery,
) {
  const { userId } = principal;
  await requireMembership(db, workspaceId, principal);
  const rows = await db.rows<AppRow>(list, [userId, workspaceId, includeRevoked]);
  return wholeList(rows.map((row) => ({ object: 'connected_app' as const, ...row })));
}

/** Disconnects an app for good; a second call returns the time of the first. @throws Failure 403, 404. */
export async function revokeConnectedApp(
  { db, principal }: Context,
  { connectedAppId: id }: { connectedAppId: string },
) {
  const [app] = await db.rows<{ workspaceId: string }>(one, [principal.userId, id]);
  if (app) await requireFactorIn(db, principal, app.workspaceId);
  const revokedAt = app && (await revokeGrant(db, app.workspaceId, id));
  if (!revokedAt) throw notFound('connected app', 'connectedAppId');
  return { object: 'connected_app_revoked' as const, id, revokedAt };
}

import type { Db } from '../../db/client.ts';
import { openWorkspace } from '../../db/seed.ts';
import { lockWorkspace } from '../accounts/membership.ts';
import { Membership, type MembershipAnswer } from '../accounts/shapes.ts';
import type { Context } from '../context.ts';
import { conflict } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { recordEvent } from '../events/record.ts';
import { wholeList } from '../fields.ts';
import { methodsOf } from '../second-factors/factors.ts';
import { requireRecentAuthentication } from '../second-factors/recent-authentication.ts';
import { recordOpened } from './events.ts';
import { membershipsOf, requireMember } from './membership.ts';
import type { NewWorkspace, WorkspaceChanges } from './shapes.ts';

/** The workspaces of the person, oldest first. */
export async function listWorkspaces({ db, principal }: Context) {
  return wholeList(await membershipsOf(db, principal.userId));
}

/** Workspaces that a person may own. */
const maxOwned = 100;

const lockPerson = 'select 1 from users where id = $1 for no key update';
const owned = `select count(*)::int as count from members where user_id = $1 and role = 'owner' and removed_at is null`;

/** Counts them one after the other: the person is locked until the transaction ends. @throws Failure 409. */
async function requireFewOwned(tx: Db, userId: string): Promise<void> {
  await tx.rows(lockPerson, [userId]);
  const [found] = await tx.rows<{ count: number }>(owned, [userId]);
  if ((found?.count ?? 0) < maxOwned) return;
  throw conflict(
    `A person owns at most ${maxOwned} workspaces. Leave one that has another owner, or use one that you have.`,
  );
}

/**
 * Creates another workspace of the person, with a default list and a default agent. Signing up made the first one,
 * which was granted the minutes of the person. @throws Failure 409 for an owner of 100.
 */
export function createWorkspace(ctx: Context, workspace: NewWorkspace): Promise<MembershipAnswer> {
  const { userId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    await requireFewOwned(tx, userId);
    const { agentMinutesPerWorkspace: agentMinutes } = ctx.service;
    const opened = await openWorkspace(tx, { userId, ...workspace, agentMinutes });
    await recordOpened(tx, opened);
    return requireMember(tx, { userId }, opened.workspaceId);
  });
}

const settings = ['name', 'timezone', 'requireSecondFactor'] as const;
const update = `update workspaces set name = coalesce($2, name), timezone = coalesce($3, timezone),
    require_second_factor = coalesce($4, require_second_factor) where id = $1`;

/** @throws Failure 409 for an owner who would lock themselves out. */
async function requireOwnFactor({ db, principal }: Context): Promise<void> {
  if ((await methodsOf(db, principal.userId)).length > 0) return;
  throw conflict('Set up a second factor for yourself first; otherwise you could no longer use this workspace.');
}

/**
 * Changes the name, the time zone and the rule for second factors of a workspace. @throws Failure 403 when not an
 * owner, or for a rule without a recent authentication, 409 for an owner without a second factor, 412.
 */
export async function updateWorkspace(
  ctx: Context,
  { workspaceId, name, timezone, requireSecondFactor }: WorkspaceChanges,
): Promise<MembershipAnswer> {
  const { db, principal } = ctx;
  await requireMember(db, principal, workspaceId, true);
  if (requireSecondFactor !== undefined) await requireRecentAuthentication(ctx);
  if (requireSecondFactor) await requireOwnFactor(ctx);
  return db.transaction(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    // The role may have ended while this waited.
    const before = await requireMember(tx, principal, workspaceId, true);
    requireMatch(ctx.ifMatch, Membership, before);
    await tx.rows(update, [workspaceId, name ?? null, timezone ?? null, requireSecondFactor ?? null]);
    const after = await requireMember(tx, principal, workspaceId);
    const changedFields = settings.filter((field) => before[field] !== after[field]);
    const event = { type: 'workspace.updated' as const, objectId: after.id, changedFields };
    if (changedFields.length > 0) await recordEvent(tx, after.id, event);
    return after;
  });
}

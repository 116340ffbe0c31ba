import type { Db } from '../../db/client.ts';
import type { members, workspaces } from '../../db/schema/index.ts';
import { noAccess, requireFactorIn, type Visitor } from '../accounts/membership.ts';
import type { MembershipAnswer } from '../accounts/shapes.ts';
import { Failure } from '../errors.ts';

/** `agentMinutes` is a numeric, which the driver returns as text. */
type MembershipRow = Pick<
  typeof workspaces.$inferSelect,
  'id' | 'name' | 'timezone' | 'createdAt' | 'requireSecondFactor'
> &
  Pick<typeof members.$inferSelect, 'role'> & { agentMinutes: string };

const memberships = `select w.id, w.name, w.timezone, w.agent_minutes as "agentMinutes", m.role, w.created_at as "createdAt",
    w.require_second_factor as "requireSecondFactor"
  from members m join workspaces w on w.id = m.workspace_id where m.user_id = $1 and m.removed_at is null`;

function membershipOf({ agentMinutes, ...row }: MembershipRow): MembershipAnswer {
  return { object: 'workspace', ...row, agentMinutesRemaining: Number(agentMinutes) };
}

/**
 * The workspace with the role of this member. @throws Failure 403 when not a member, not an owner where one is needed,
 * or for a session without the second factor that the workspace requires.
 */
export async function requireMember(
  db: Db,
  visitor: Visitor,
  workspaceId: string,
  owner = false,
): Promise<MembershipAnswer> {
  const [row] = await db.rows<MembershipRow>(`${memberships} and m.workspace_id = $2`, [visitor.userId, workspaceId]);
  if (!row) throw noAccess();
  await requireFactorIn(db, visitor, workspaceId);
  if (!owner || row.role === 'owner') return membershipOf(row);
  const message = 'Only an owner of the workspace may do this. Ask one of them.';
  throw new Failure({ status: 403, code: 'workspace_access_denied', message, reason: 'owner_required' });
}

/** The workspaces of a person, oldest first. */
export async function membershipsOf(db: Db, userId: string): Promise<MembershipAnswer[]> {
  const rows = await db.rows<MembershipRow>(`${memberships} order by w.created_at, w.id`, [userId]);
  return rows.map(membershipOf);
}

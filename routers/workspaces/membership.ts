import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { noAccess } from '../accounts/sessions.ts';
import type { Membership } from '../accounts/shapes.ts';
import { Failure } from '../errors.ts';

type MembershipAnswer = z.infer<typeof Membership>;
type MembershipRow = Omit<MembershipAnswer, 'object' | 'agentMinutesRemaining'> & { agentMinutes: string };

const memberships = `select w.id, w.name, w.timezone, w.agent_minutes as "agentMinutes", m.role, w.created_at as "createdAt"
  from members m join workspaces w on w.id = m.workspace_id where m.user_id = $1 and m.removed_at is null`;

function membership({ agentMinutes, ...row }: MembershipRow): MembershipAnswer {
  return { object: 'workspace', ...row, agentMinutesRemaining: Number(agentMinutes) };
}

/** The workspace as this member sees it. @throws Failure 403 for a stranger, or a member where an owner is needed. */
export async function requireMember(
  db: Db,
  userId: string,
  workspaceId: string,
  owner = false,
): Promise<MembershipAnswer> {
  const [row] = await db.rows<MembershipRow>(`${memberships} and m.workspace_id = $2`, [userId, workspaceId]);
  if (!row) throw noAccess();
  if (!owner || row.role === 'owner') return membership(row);
  const message = 'Only an owner of the workspace may do this. Ask one of them.';
  throw new Failure({ status: 403, code: 'workspace_access_denied', message, reason: 'owner_required' });
}

/** The workspaces of a person, oldest first. */
export async function membershipsOf(db: Db, userId: string): Promise<MembershipAnswer[]> {
  const rows = await db.rows<MembershipRow>(`${memberships} order by w.created_at, w.id`, [userId]);
  return rows.map(membership);
}

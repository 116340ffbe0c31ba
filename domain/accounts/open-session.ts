import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { members, users, workspaces } from '../../db/schema/index.ts';
import { hashSecret, mintSecret } from '../../db/secrets.ts';
import { scopes } from '../scopes.ts';
import { noAccess } from './membership.ts';
import type { OpenedSession } from './shapes.ts';

/** Requests per minute of one session (CONTRACT §3). */
const maxRequestsPerMinute = 600;
const maxLabelLength = 200;
const maxLifetime = `interval '30 days'`;

/** The member and the workspace of a session. `agentMinutes` is a numeric, which the driver returns as text. */
type Holder = Pick<typeof users.$inferSelect, 'name' | 'email'> &
  Pick<typeof members.$inferSelect, 'role'> &
  Pick<typeof workspaces.$inferSelect, 'timezone'> & {
    workspaceName: string;
    agentMinutes: string;
    expiresAt: string;
  };

const insert = `with holder as (
    select m.workspace_id, m.user_id from members m
    where m.workspace_id = $1 and m.user_id = $2 and m.removed_at is null for share of m
  ), made as (
    insert into credentials (workspace_id, id, kind, secret_hash, user_id, name, prefix, last4, scopes, rate_limit_per_minute, expires_at)
    select h.workspace_id, $3, 'session', $4, h.user_id, $5, 'tandem_st_', '', $6, $7, least(now() + ${maxLifetime}, $8::timestamptz) from holder h
    returning workspace_id, user_id, expires_at
  )
  select u.name, u.email, m.role, w.name as "workspaceName", w.timezone, w.agent_minutes as "agentMinutes", made.expires_at as "expiresAt"
  from made join members m on m.workspace_id = made.workspace_id and m.user_id = made.user_id
  join workspaces w on w.id = $1 join users u on u.id = made.user_id`;

interface Opening {
  workspaceId: string;
  userId: string;
  /** The name that the client gave itself. */
  client: string;
  /** When the session that this one replaces would end; this one does not last longer. */
  endsAt?: string | null;
}

/**
 * Opens a session of a member in a workspace. The membership is locked meanwhile: a removal either comes before, and
 * there is no session, or after, and ends it. @throws Failure 403 when the person is not a member.
 */
export async function openSession(db: Db, opening: Opening): Promise<OpenedSession> {
  const { workspaceId, userId, client, endsAt = null } = opening;
  const token = mintSecret('st');
  const id = newId();
  const label = client.replace(/[^\x20-\x7e]/g, '?').slice(0, maxLabelLength) || 'unknown client';
  const values = [workspaceId, userId, id, hashSecret(token), label, [...scopes], maxRequestsPerMinute, endsAt];
  const [row] = await db.rows<Holder>(insert, values);
  if (!row) throw noAccess();
  const { name, email, role, workspaceName, timezone, agentMinutes, expiresAt } = row;
  return {
    object: 'session',
    id,
    token,
    expiresAt,
    user: { object: 'user', id: userId, name, email, role },
    workspace: {
      object: 'workspace',
      id: workspaceId,
      name: workspaceName,
      timezone,
      agentMinutesRemaining: Number(agentMinutes),
    },
  };
}

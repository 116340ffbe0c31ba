import { v7 as newId } from 'uuid';
import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { hashSecret, mintSecret } from '../../db/secrets.ts';
import { Failure } from '../errors.ts';
import { scopes } from '../scopes.ts';
import type { NewSession } from './shapes.ts';

/** Requests a minute of one session (CONTRACT §3). */
const sessionRate = 600;

interface Holder {
  name: string;
  email: string;
  role: 'owner' | 'member';
  workspaceName: string;
  timezone: string;
  agentMinutes: string;
  expiresAt: string;
}

const insert = `with made as (
    insert into credentials (workspace_id, id, kind, secret_hash, user_id, name, prefix, last4, scopes, rate_limit_per_minute, expires_at)
    select m.workspace_id, $3, 'session', $4, m.user_id, $5, 'tandem_st_', '', $6, $7, coalesce($8::timestamptz, now() + interval '30 days')
    from members m where m.workspace_id = $1 and m.user_id = $2 and m.removed_at is null for share of m
    returning workspace_id, user_id, expires_at
  )
  select u.name, u.email, m.role, w.name as "workspaceName", w.timezone, w.agent_minutes as "agentMinutes", made.expires_at as "expiresAt"
  from made join members m on m.workspace_id = made.workspace_id and m.user_id = made.user_id
  join workspaces w on w.id = made.workspace_id join users u on u.id = made.user_id`;

interface Opening {
  workspaceId: string;
  userId: string;
  /** What the client said of itself. */
  client: string;
  /** Set when an open session moves to another workspace: it keeps its id and its end. */
  from?: { id: string; expiresAt: string };
}

/**
 * Opens a session of a member in a workspace. Its membership is locked meanwhile: a removal comes before, and there is
 * no session, or after, and ends it. @throws Failure 403 when the person is no member of it.
 */
export async function openSession(db: Db, opening: Opening): Promise<z.infer<typeof NewSession>> {
  const { workspaceId, userId, client, from } = opening;
  const token = mintSecret('st');
  const id = from?.id ?? newId();
  const label = client.replace(/[^\x20-\x7e]/g, '?').slice(0, 200) || 'unknown client';
  const values = [workspaceId, userId, id, hashSecret(token), label, [...scopes], sessionRate, from?.expiresAt ?? null];
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

/** 403: the person is no member of the workspace named. */
export function noAccess(param = 'workspaceId'): Failure {
  const message = 'You are not a member of this workspace. Ask an owner to invite you, or name another.';
  const errors = [{ param, code: 'workspace_access_denied', message }];
  return new Failure({ status: 403, code: 'workspace_access_denied', message, errors });
}

const isMember = 'select 1 from members where workspace_id = $1 and user_id = $2 and removed_at is null';

/** @throws Failure 403 `workspace_access_denied`. */
export async function requireMembership(db: Db, workspaceId: string, userId: string): Promise<void> {
  const found = await db.rows(isMember, [workspaceId, userId]);
  if (found.length === 0) throw noAccess();
}

/**
 * As `requireMembership`, and keeps the person a member until the transaction ends: a removal sees what it makes and
 * ends that too. A key share would not do, since a removal changes no key. @throws Failure 403 `workspace_access_denied`.
 */
export async function holdMembership(tx: Db, workspaceId: string, userId: string): Promise<void> {
  const found = await tx.rows(`${isMember} for share`, [workspaceId, userId]);
  if (found.length === 0) throw noAccess();
}

/** Ends every session of a person but one. */
export async function endOtherSessions(db: Db, userId: string, keptId: string | null): Promise<void> {
  const text = `update credentials set revoked_at = now()
    where user_id = $1 and kind = 'session' and revoked_at is null and id is distinct from $2`;
  await db.rows(text, [userId, keptId]);
}

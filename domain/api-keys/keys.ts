import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import type { credentials } from '../../db/schema/index.ts';
import { createApiKey as insertApiKey } from '../../db/seed.ts';
import { requireVerifiedEmail } from '../accounts/email-verification.ts';
import { holdMembership, lockWorkspace, requireFactorIn, requireMembership } from '../accounts/membership.ts';
import { keyRevoked } from '../accounts/revoke-access.ts';
import type { Context, Principal } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import { requireMatch, tagOf } from '../etag.ts';
import { recordEvent } from '../events/record.ts';
import { wholeList } from '../fields.ts';
import { queueSecurityNotice, quotedInNotice } from '../notifications/security-notice.ts';
import { type Scope, scopes } from '../scopes.ts';
import { ApiKey, type ApiKeyCreate, type ApiKeyQuery } from './shapes.ts';

const dayMs = 86_400_000;

/** Unrevoked keys of a workspace, and the revoked ones that are listed: all are in one page. */
const most = 200;
const mostRevoked = 1000;

type Columns =
  | 'id'
  | 'name'
  | 'prefix'
  | 'last4'
  | 'workspaceId'
  | 'rateLimitPerMinute'
  | 'lastUsedAt'
  | 'expiresAt'
  | 'revokedAt'
  | 'createdAt';
type KeyRow = Pick<typeof credentials.$inferSelect, Columns> & { scopes: Scope[] };

const columns = `c.id, c.name, c.prefix, c.last4, c.scopes, c.workspace_id as "workspaceId",
  c.rate_limit_per_minute as "rateLimitPerMinute", c.last_used_at as "lastUsedAt", c.expires_at as "expiresAt",
  c.revoked_at as "revokedAt", c.created_at as "createdAt"`;
const visible = `from credentials c join members m on m.workspace_id = c.workspace_id and m.user_id = $1 and m.removed_at is null
  where c.kind = 'api_key'`;
const list = `select ${columns} ${visible} and c.workspace_id = $2 and (c.revoked_at is null or ($3 and c.id in (
    select r.id from credentials r where r.workspace_id = $2 and r.kind = 'api_key' and r.revoked_at is not null
    order by r.revoked_at desc, r.id desc limit ${mostRevoked})))
  order by c.created_at desc, c.id desc`;
const one = `select ${columns} ${visible} and c.id = $2`;
const lockKey = 'select 1 from credentials where workspace_id = $1 and id = $2 for no key update';
const revoke = `update credentials c set revoked_at = coalesce(c.revoked_at, now())
  from (select revoked_at from credentials where workspace_id = $1 and id = $2 for no key update) old
  where c.workspace_id = $1 and c.id = $2
  returning c.id, c.revoked_at as "revokedAt", old.revoked_at is null as "isNew"`;
const nameTaken = `select 1 from credentials where workspace_id = $1 and kind = 'api_key' and name = $2 and revoked_at is null`;

const count = `select count(*)::int as count from credentials
  where workspace_id = $1 and kind = 'api_key' and revoked_at is null`;

/** @throws Failure 404 when no workspace of the person has such a key. */
async function findKey(db: Db, userId: string, apiKeyId: string): Promise<z.infer<typeof ApiKey>> {
  const [row] = await db.rows<KeyRow>(one, [userId, apiKeyId]);
  if (!row) throw notFound('API key', 'apiKeyId');
  return { object: 'api_key', ...row };
}

/**
 * As `findKey`. @throws Failure 403 for a session without the second factor that the workspace of the key requires,
 * 404.
 */
async function requireKey(db: Db, principal: Principal, apiKeyId: string): Promise<z.infer<typeof ApiKey>> {
  const key = await findKey(db, principal.userId, apiKeyId);
  await requireFactorIn(db, principal, key.workspaceId);
  return key;
}

/** The API keys of a workspace, newest first, without their secrets. @throws Failure 403 when not a member. */
export async function listApiKeys({ db, principal }: Context, { workspaceId, includeRevoked }: ApiKeyQuery) {
  await requireMembership(db, workspaceId, principal);
  const rows = await db.rows<KeyRow>(list, [principal.userId, workspaceId, includeRevoked]);
  return wholeList(rows.map((row) => ({ object: 'api_key' as const, ...row })));
}

/**
 * Creates an API key and notifies its person by email; its `secret` is returned only here. @throws Failure 403 when not
 * a member, or while the address of the person has to be verified, 409 on a taken name, or
 * when the workspace has 200.
 */
export async function createApiKey(ctx: Context, { workspaceId, name, expiresInDays, ...input }: ApiKeyCreate) {
  const { userId } = ctx.principal;
  await requireMembership(ctx.db, workspaceId, ctx.principal);
  const granted = scopes.filter((scope) => input.scopes.includes(scope));
  const expiresAt =
    expiresInDays === undefined ? null : new Date(ctx.clock().getTime() + expiresInDays * dayMs).toISOString();
  return ctx.db.transaction(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    await holdMembership(tx, workspaceId, ctx.principal);
    await requireVerifiedEmail(tx, ctx.service, userId);
    const taken = await tx.rows(nameTaken, [workspaceId, name]);
    if (taken.length > 0) {
      const message = 'An unrevoked key of this workspace has this name. Choose another, or revoke that one.';
      throw conflict(message, { errors: [{ param: 'name', code: 'taken', message }] });
    }
    const [has] = await tx.rows<{ count: number }>(count, [workspaceId]);
    if (has && has.count >= most) {
      throw conflict(`A workspace has at most ${most} unrevoked API keys, expired ones counted. Revoke one first.`);
    }
    const { rateLimitPerMinute } = ctx.service;
    const key = { workspaceId, userId, name, scopes: granted, rateLimitPerMinute, expiresAt };
    const { id, secret } = await insertApiKey(tx, key);
    await recordEvent(tx, workspaceId, { type: 'api_key.created', objectId: id });
    await queueSecurityNotice({ ...ctx, db: tx }, { userId, workspaceId, ...noticeOf(name, granted) });
    const made = await findKey(tx, userId, id);
    ctx.reply.etag = tagOf(ApiKey, made);
    return { ...made, secret };
  });
}

function noticeOf(name: string, granted: readonly Scope[]) {
  const text = `The key ${quotedInNotice(name)} may use: ${granted.join(', ')}.`;
  return { title: 'An API key was created in your name', text };
}

/** An API key of one of the person's workspaces, without its secret. @throws Failure 403, 404. */
export function getApiKey({ db, principal }: Context, { apiKeyId }: { apiKeyId: string }) {
  return requireKey(db, principal, apiKeyId);
}

/** Revokes an API key for good; a second call returns the time of the first. @throws Failure 403, 404, 412. */
export async function revokeApiKey({ db, principal, ifMatch }: Context, { apiKeyId }: { apiKeyId: string }) {
  const key = await requireKey(db, principal, apiKeyId);
  return db.transaction(async (tx) => {
    if (ifMatch) {
      await tx.rows(lockKey, [key.workspaceId, key.id]);
      requireMatch(ifMatch, ApiKey, await findKey(tx, principal.userId, apiKeyId));
    }
    const values = [key.workspaceId, key.id];
    const [row] = await tx.rows<{ id: string; revokedAt: string; isNew: boolean }>(revoke, values);
    if (!row) throw notFound('API key', 'apiKeyId');
    const { isNew, ...revoked } = row;
    if (isNew) await recordEvent(tx, key.workspaceId, keyRevoked(revoked));
    return { object: 'api_key_revoked' as const, ...revoked };
  });
}

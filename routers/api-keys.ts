import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { createApiKey } from '../db/seed.ts';
import { holdMembership, requireMembership } from './accounts/sessions.ts';
import { op, principalOf, procedure, router } from './base.ts';
import { conflict, notFound } from './errors.ts';
import { Id, Instant, listOf, saidText, wholeList } from './fields.ts';
import { scopeCatalog } from './scope-catalog.ts';
import { scopes } from './scopes.ts';

const ApiKey = z
  .object({
    object: z.literal('api_key'),
    id: Id,
    name: z.string().meta({ examples: ['Nightly import'] }),
    prefix: z.string().meta({ description: 'Start of the secret.', examples: ['tandem_sk_a1B2'] }),
    last4: z.string().meta({ description: 'Last four characters of the secret.', examples: ['y9Z0'] }),
    scopes: z.array(z.enum(scopes)),
    workspaceId: Id,
    rateLimitPerMinute: z.int(),
    lastUsedAt: Instant.nullable().describe('To the nearest minute.'),
    expiresAt: Instant.nullable().describe('Null: it never expires.'),
    revokedAt: Instant.nullable(),
    createdAt: Instant,
  })
  .meta({ id: 'ApiKey' });

const NewApiKey = ApiKey.extend({
  secret: z
    .string()
    .meta({ description: 'The key itself. Told only here, and never again.', examples: ['tandem_sk_…'] }),
}).meta({
  id: 'NewApiKey',
});

const ApiKeyRevoked = z
  .object({ object: z.literal('api_key_revoked'), id: Id, revokedAt: Instant })
  .meta({ id: 'ApiKeyRevoked' });

type KeyRow = Omit<z.infer<typeof ApiKey>, 'object'>;

const columns = `c.id, c.name, c.prefix, c.last4, c.scopes, c.workspace_id as "workspaceId",
  c.rate_limit_per_minute as "rateLimitPerMinute", c.last_used_at as "lastUsedAt", c.expires_at as "expiresAt",
  c.revoked_at as "revokedAt", c.created_at as "createdAt"`;
const visible = `from credentials c join members m on m.workspace_id = c.workspace_id and m.user_id = $1 and m.removed_at is null
  where c.kind = 'api_key'`;
const list = `select ${columns} ${visible} and c.workspace_id = $2 and ($3 or c.revoked_at is null)
  order by c.created_at desc, c.id desc`;
const one = `select ${columns} ${visible} and c.id = $2`;
const revoke = `update credentials set revoked_at = coalesce(revoked_at, now())
  where workspace_id = $1 and id = $2 returning id, revoked_at as "revokedAt"`;
const lockNames = 'select 1 from workspaces where id = $1 for no key update';
const nameTaken = `select 1 from credentials where workspace_id = $1 and kind = 'api_key' and name = $2 and revoked_at is null`;

/** @throws Failure 404 when no workspace of the person has such a key. */
async function findKey(db: Db, userId: string, apiKeyId: string) {
  const [row] = await db.rows<KeyRow>(one, [userId, apiKeyId]);
  if (!row) throw notFound('API key', 'apiKeyId');
  return { object: 'api_key' as const, ...row };
}

const ofWorkspace = z.strictObject({
  workspaceId: Id.describe('One of your workspaces.'),
  includeRevoked: z.boolean().default(false).describe('Also list revoked ones.'),
});

export const apiKeys = router({
  scopes: procedure
    .meta(
      op('GET /api-keys/scopes', {
        id: 'listScopes',
        access: 'key_management',
        summary: 'List the scopes and presets for keys',
      }),
    )
    .input(z.strictObject({}))
    .output(scopeCatalog.shape)
    .query(({ ctx }) => scopeCatalog.of(ctx.operations)),

  list: procedure
    .meta(
      op('GET /api-keys', { id: 'listApiKeys', access: 'key_management', summary: 'List the API keys of a workspace' }),
    )
    .input(ofWorkspace)
    .output(listOf(ApiKey, 'ApiKeyList'))
    .query(async ({ ctx, input }) => {
      const { userId } = principalOf(ctx);
      await requireMembership(ctx.db, input.workspaceId, userId);
      const rows = await ctx.db.rows<KeyRow>(list, [userId, input.workspaceId, input.includeRevoked]);
      return wholeList(rows.map((row) => ({ object: 'api_key' as const, ...row })));
    }),

  create: procedure
    .meta(
      op('POST /api-keys', {
        id: 'createApiKey',
        access: 'key_management',
        summary: 'Create an API key',
        description:
          'The answer holds the secret, this once. The name must differ from those of the other unrevoked keys.',
        status: 201,
        statuses: [409],
      }),
    )
    .input(
      z
        .strictObject({
          workspaceId: Id,
          name: saidText(100).meta({ description: 'To recognise the key by.', examples: ['Nightly import'] }),
          scopes: z.array(z.enum(scopes)).min(1).max(100).describe('Give it the least that it needs.'),
          expiresInDays: z.int().min(1).max(3650).optional().describe('Omitted: it never expires.'),
        })
        .meta({ id: 'ApiKeyCreateParams' }),
    )
    .output(NewApiKey)
    .mutation(async ({ ctx, input: { workspaceId, name, expiresInDays, ...input } }) => {
      const { userId } = principalOf(ctx);
      await requireMembership(ctx.db, workspaceId, userId);
      const granted = scopes.filter((scope) => input.scopes.includes(scope));
      const expiresAt =
        expiresInDays === undefined ? null : new Date(ctx.clock().getTime() + expiresInDays * 86_400_000).toISOString();
      return ctx.db.transaction(async (tx) => {
        await tx.rows(lockNames, [workspaceId]);
        await holdMembership(tx, workspaceId, userId);
        const taken = await tx.rows(nameTaken, [workspaceId, name]);
        if (taken.length > 0) {
          const message = 'An unrevoked key of this workspace has this name. Choose another, or revoke that one.';
          throw conflict(message, { errors: [{ param: 'name', code: 'taken', message }] });
        }
        const { rateLimitPerMinute } = ctx.service;
        const key = { workspaceId, userId, name, scopes: granted, rateLimitPerMinute, expiresAt };
        const { id, secret } = await createApiKey(tx, key);
        return { ...(await findKey(tx, userId, id)), secret };
      });
    }),

  get: procedure
    .meta(
      op('GET /api-keys/{apiKeyId}', {
        id: 'getApiKey',
        access: 'key_management',
        summary: 'Get an API key',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ apiKeyId: Id }))
    .output(ApiKey)
    .query(({ ctx, input }) => findKey(ctx.db, principalOf(ctx).userId, input.apiKeyId)),

  revoke: procedure
    .meta(
      op('DELETE /api-keys/{apiKeyId}', {
        id: 'revokeApiKey',
        access: 'key_management',
        summary: 'Revoke an API key, for good',
        description: 'Holds on the next request that uses the key. Revoking again answers the first time.',
        statuses: [404],
      }),
    )
    .input(z.strictObject({ apiKeyId: Id }))
    .output(ApiKeyRevoked)
    .mutation(async ({ ctx, input }) => {
      const key = await findKey(ctx.db, principalOf(ctx).userId, input.apiKeyId);
      const [row] = await ctx.db.rows<{ id: string; revokedAt: string }>(revoke, [key.workspaceId, key.id]);
      if (!row) throw notFound('API key', 'apiKeyId');
      return { object: 'api_key_revoked' as const, ...row };
    }),
});

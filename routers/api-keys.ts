import { z } from 'zod';
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from '../domain/api-keys/keys.ts';
import {
  ApiKey,
  ApiKeyCreateParams,
  ApiKeyList,
  ApiKeyListing,
  ApiKeyRevoked,
  NewApiKey,
} from '../domain/api-keys/shapes.ts';
import { Id } from '../domain/fields.ts';
import { ScopeCatalog, scopeCatalogOf } from '../domain/scope-catalog.ts';
import { op, procedure, router } from './base.ts';

export const apiKeys = router({
  scopes: procedure
    .meta(
      op('GET /api-keys/scopes', {
        id: 'listScopes',
        access: 'key_management',
        summary: 'List the scopes and presets for keys',
        description:
          'Returns every scope with what it grants and which operations it opens, and presets for common uses, such as `read_only`. Use it to show a choice before createApiKey.',
      }),
    )
    .input(z.strictObject({}))
    .output(ScopeCatalog)
    .query(({ ctx }) => scopeCatalogOf(ctx.operations)),

  list: procedure
    .meta(
      op('GET /api-keys', {
        id: 'listApiKeys',
        access: 'key_management',
        summary: 'List the API keys of a workspace',
        description:
          'Lists the keys of one of your workspaces, newest first, with name, scopes and last use, but without their secrets. Revoked keys are left out unless `includeRevoked` is true.',
      }),
    )
    .input(ApiKeyListing)
    .output(ApiKeyList)
    .query(({ ctx, input }) => listApiKeys(ctx, input)),

  create: procedure
    .meta(
      op('POST /api-keys', {
        id: 'createApiKey',
        access: 'key_management',
        summary: 'Create an API key',
        description:
          'Creates a key for a program, bound to one workspace and to scopes that never change. The `secret` is returned only here. The name must differ from those of the other unrevoked keys, of which a workspace has at most 200 (409). For an assistant that can sign in by OAuth, no key is needed.',
        sample: {
          workspaceId: '019ca8a0-3e80-721a-8323-0e03772a58af',
          name: 'Nightly import',
          scopes: ['todos:read', 'todos:write'],
          expiresInDays: 90,
        },
        status: 201,
        etag: true,
        statuses: [403, 409],
        events: ['api_key.created'],
      }),
    )
    .input(ApiKeyCreateParams)
    .output(NewApiKey)
    .mutation(({ ctx, input }) => createApiKey(ctx, input)),

  get: procedure
    .meta(
      op('GET /api-keys/{apiKeyId}', {
        id: 'getApiKey',
        access: 'key_management',
        summary: 'Get an API key',
        description:
          'Returns the name, scopes, limit and last use of a key, without its secret, also after it was revoked. A program asks getIdentity about its own key instead.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ apiKeyId: Id }))
    .output(ApiKey)
    .query(({ ctx, input }) => getApiKey(ctx, input)),

  revoke: procedure
    .meta(
      op('DELETE /api-keys/{apiKeyId}', {
        id: 'revokeApiKey',
        access: 'key_management',
        summary: 'Revoke an API key, for good',
        description: 'Takes effect on the next request with the key. Revoking again returns the time of the first.',
        etag: true,
        statuses: [404],
        events: ['api_key.revoked'],
      }),
    )
    .input(z.strictObject({ apiKeyId: Id }))
    .output(ApiKeyRevoked)
    .mutation(({ ctx, input }) => revokeApiKey(ctx, input)),
});

import { z } from 'zod';
import { Id, Instant, listOf, nonBlankText } from '../fields.ts';
import { scopes } from '../scopes.ts';

export const ApiKey = z
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

export const NewApiKey = ApiKey.extend({
  secret: z.string().meta({ description: 'The key itself. Returned only here.', examples: ['tandem_sk_…'] }),
}).meta({
  id: 'NewApiKey',
});

export const ApiKeyRevoked = z
  .object({ object: z.literal('api_key_revoked'), id: Id, revokedAt: Instant })
  .meta({ id: 'ApiKeyRevoked' });

export const ApiKeyList = listOf(ApiKey, 'ApiKeyList');

export const ApiKeyListing = z.strictObject({
  workspaceId: Id.describe('One of your workspaces.'),
  includeRevoked: z.boolean().default(false).describe('Also list revoked ones, at most the 1,000 revoked last.'),
});

export type ApiKeyQuery = z.infer<typeof ApiKeyListing>;

export const ApiKeyCreateParams = z
  .strictObject({
    workspaceId: Id,
    name: nonBlankText(100).meta({ description: 'A name to recognise the key.', examples: ['Nightly import'] }),
    scopes: z.array(z.enum(scopes)).min(1).max(100).describe('Choose only the scopes that it needs.'),
    expiresInDays: z.int().min(1).max(3650).optional().describe('Omitted: it never expires.'),
  })
  .meta({ id: 'ApiKeyCreateParams' });

export type ApiKeyCreate = z.infer<typeof ApiKeyCreateParams>;

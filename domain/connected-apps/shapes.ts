import { z } from 'zod';
import { Id, Instant, listOf } from '../fields.ts';
import { scopes } from '../scopes.ts';

export const ConnectedApp = z
  .object({
    object: z.literal('connected_app'),
    id: Id,
    workspaceId: Id.describe('The one workspace that it opens.'),
    userId: Id.describe('The person who connected it.'),
    clientId: z.string().meta({ examples: ['https://app.example.com/client.json'] }),
    clientName: z
      .string()
      .meta({ description: 'The name that the app gives itself.', examples: ['Example assistant'] }),
    clientUri: z.string().nullable(),
    logoUri: z.string().nullable(),
    scopes: z.array(z.enum(scopes)),
    createdAt: Instant,
    lastUsedAt: Instant.nullable().describe('To the nearest minute.'),
    expiresAt: Instant.describe('Extended while the app is used: 60 days after it last renewed its access.'),
    revokedAt: Instant.nullable(),
  })
  .meta({ id: 'ConnectedApp' });

export const ConnectedAppRevoked = z
  .object({ object: z.literal('connected_app_revoked'), id: Id, revokedAt: Instant })
  .meta({ id: 'ConnectedAppRevoked' });

export const ConnectedAppList = listOf(ConnectedApp, 'ConnectedAppList');

export const ConnectedAppListing = z.strictObject({
  workspaceId: Id.describe('One of your workspaces.'),
  includeRevoked: z.boolean().default(false).describe('Also list revoked ones.'),
});

export type ConnectedAppQuery = z.infer<typeof ConnectedAppListing>;

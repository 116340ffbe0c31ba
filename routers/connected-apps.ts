import { z } from 'zod';
import { revokeGrant } from '../db/grants.ts';
import { requireMembership } from './accounts/sessions.ts';
import { op, principalOf, procedure, router } from './base.ts';
import { notFound } from './errors.ts';
import { Id, Instant, listOf, wholeList } from './fields.ts';
import { scopes } from './scopes.ts';

const ConnectedApp = z
  .object({
    object: z.literal('connected_app'),
    id: Id,
    workspaceId: Id.describe('The one workspace that it opens.'),
    userId: Id.describe('The person who connected it.'),
    clientId: z.string().meta({ examples: ['https://app.example.com/client.json'] }),
    clientName: z.string().meta({ description: 'What the app calls itself.', examples: ['Example assistant'] }),
    clientUri: z.string().nullable(),
    logoUri: z.string().nullable(),
    scopes: z.array(z.enum(scopes)),
    createdAt: Instant,
    lastUsedAt: Instant.nullable().describe('To the nearest minute.'),
    expiresAt: Instant.describe('Moves on while the app is used: 60 days after it last renewed its access.'),
    revokedAt: Instant.nullable(),
  })
  .meta({ id: 'ConnectedApp' });

const ConnectedAppRevoked = z
  .object({ object: z.literal('connected_app_revoked'), id: Id, revokedAt: Instant })
  .meta({ id: 'ConnectedAppRevoked' });

type AppRow = Omit<z.infer<typeof ConnectedApp>, 'object'>;

/** Only grants that ever had a token: a consent whose code was never redeemed connected nothing. */
const visible = `from connected_apps a
  join members m on m.workspace_id = a.workspace_id and m.user_id = $1 and m.removed_at is null
  where a.connected_at is not null`;
const list = `select a.id, a.workspace_id as "workspaceId", a.user_id as "userId", a.client_id as "clientId",
    a.client_name as "clientName", a.client_uri as "clientUri", a.logo_uri as "logoUri", a.scopes,
    a.created_at as "createdAt", a.expires_at as "expiresAt", a.revoked_at as "revokedAt",
    greatest(a.last_used_at, (select max(c.last_used_at) from credentials c
      where c.workspace_id = a.workspace_id and c.connected_app_id = a.id)) as "lastUsedAt"
  ${visible} and a.workspace_id = $2 and ($3 or a.revoked_at is null) order by a.created_at desc, a.id desc`;
const one = `select a.workspace_id as "workspaceId" ${visible} and a.id = $2`;

export const connectedApps = router({
  list: procedure
    .meta(
      op('GET /connected-apps', {
        id: 'listConnectedApps',
        access: 'key_management',
        summary: 'List the apps connected to a workspace',
        description: 'The apps that people let in through OAuth, newest first.',
      }),
    )
    .input(
      z.strictObject({
        workspaceId: Id.describe('One of your workspaces.'),
        includeRevoked: z.boolean().default(false).describe('Also list revoked ones.'),
      }),
    )
    .output(listOf(ConnectedApp, 'ConnectedAppList'))
    .query(async ({ ctx, input }) => {
      const { userId } = principalOf(ctx);
      await requireMembership(ctx.db, input.workspaceId, userId);
      const rows = await ctx.db.rows<AppRow>(list, [userId, input.workspaceId, input.includeRevoked]);
      return wholeList(rows.map((row) => ({ object: 'connected_app' as const, ...row })));
    }),

  revoke: procedure
    .meta(
      op('DELETE /connected-apps/{connectedAppId}', {
        id: 'revokeConnectedApp',
        access: 'key_management',
        summary: 'Disconnect an app, for good',
        description:
          'Ends its access token and its refresh grant; both fail on their next use. Revoking again answers the first time.',
        statuses: [404],
      }),
    )
    .input(z.strictObject({ connectedAppId: Id }))
    .output(ConnectedAppRevoked)
    .mutation(async ({ ctx, input: { connectedAppId } }) => {
      const [app] = await ctx.db.rows<{ workspaceId: string }>(one, [principalOf(ctx).userId, connectedAppId]);
      const revokedAt = app && (await revokeGrant(ctx.db, app.workspaceId, connectedAppId));
      if (!revokedAt) throw notFound('connected app', 'connectedAppId');
      return { object: 'connected_app_revoked' as const, id: connectedAppId, revokedAt };
    }),
});

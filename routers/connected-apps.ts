import { z } from 'zod';
import { listConnectedApps, revokeConnectedApp } from '../domain/connected-apps/apps.ts';
import { ConnectedAppList, ConnectedAppListing, ConnectedAppRevoked } from '../domain/connected-apps/shapes.ts';
import { Id } from '../domain/fields.ts';
import { op, procedure, router } from './base.ts';

export const connectedApps = router({
  list: procedure
    .meta(
      op('GET /connected-apps', {
        id: 'listConnectedApps',
        access: 'key_management',
        summary: 'List the apps connected to a workspace',
        description:
          'Lists the apps that people connected to one of your workspaces through OAuth, newest first, with the scopes of each. API keys are not among them: see listApiKeys. Disconnect an app with revokeConnectedApp.',
      }),
    )
    .input(ConnectedAppListing)
    .output(ConnectedAppList)
    .query(({ ctx, input }) => listConnectedApps(ctx, input)),

  revoke: procedure
    .meta(
      op('DELETE /connected-apps/{connectedAppId}', {
        id: 'revokeConnectedApp',
        access: 'key_management',
        summary: 'Disconnect an app, for good',
        description:
          'Ends its access token and its refresh grant; both fail on their next use. Revoking again returns the time of the first.',
        statuses: [404],
        events: ['connected_app.revoked'],
      }),
    )
    .input(z.strictObject({ connectedAppId: Id }))
    .output(ConnectedAppRevoked)
    .mutation(({ ctx, input }) => revokeConnectedApp(ctx, input)),
});

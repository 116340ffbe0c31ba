import { z } from 'zod';
import { mayCall, op, principalOf, procedure, router } from './base.ts';
import { Id, Instant } from './fields.ts';
import { scopes } from './scopes.ts';

const ServiceInfo = z
  .object({
    object: z.literal('service_info'),
    name: z.literal('Tandem'),
    version: z.string(),
    documentationUrl: z.string(),
    openapiUrl: z.string(),
    mcpUrl: z.string(),
    cliInstallUrl: z.string(),
  })
  .meta({ id: 'ServiceInfo' });

const Identity = z
  .object({
    object: z.literal('identity'),
    workspace: z
      .object({
        object: z.literal('workspace'),
        id: Id,
        name: z.string(),
        timezone: z.string(),
        agentMinutesRemaining: z.number().nullable(),
      })
      .describe('The one workspace that the credential opens.'),
    organizationId: Id.nullable(),
    user: z
      .object({
        object: z.literal('user'),
        id: Id,
        name: z.string(),
        email: z.string(),
        role: z.enum(['owner', 'member']),
      })
      .describe('The owner of the key, or the person signed in.'),
    credential: z
      .object({
        object: z.literal('credential'),
        type: z.enum(['api_key', 'session', 'oauth']),
        id: Id,
        name: z.string(),
        scopes: z.array(z.enum(scopes)),
        rateLimitPerMinute: z.int(),
        expiresAt: Instant.nullable(),
      })
      .describe('The credential of this request.'),
    allowedOperations: z.array(z.string()).describe('operationIds that the credential may call, sorted.'),
  })
  .meta({ id: 'Identity' });

interface IdentityRow {
  name: string;
  timezone: string;
  agentMinutes: string;
  userName: string;
  email: string;
  role: 'owner' | 'member';
}

const identityRow = `select w.name, w.timezone, w.agent_minutes as "agentMinutes", u.name as "userName", u.email, m.role
  from members m join workspaces w on w.id = m.workspace_id join users u on u.id = m.user_id
  where m.workspace_id = $1 and m.user_id = $2`;

export const meta = router({
  serviceInfo: procedure
    .meta(op('GET /', { id: 'getServiceInfo', access: 'public', summary: 'Describe the service' }))
    .input(z.strictObject({}))
    .output(ServiceInfo)
    .query(({ ctx: { service } }) => ({
      object: 'service_info' as const,
      name: 'Tandem' as const,
      version: service.version,
      documentationUrl: `${service.publicUrl}/docs`,
      openapiUrl: `${service.publicUrl}/api/v1/openapi.json`,
      mcpUrl: `${service.publicUrl}/mcp`,
      cliInstallUrl: service.cliInstallUrl,
    })),

  identity: procedure
    .meta(op('GET /me', { id: 'getIdentity', summary: 'Who am I, and what may I call', etag: true }))
    .input(z.strictObject({}))
    .output(Identity)
    .query(async ({ ctx }) => {
      const principal = principalOf(ctx);
      const [row] = await ctx.db.rows<IdentityRow>(identityRow, [principal.workspaceId, principal.userId]);
      if (!row) throw new Error('A credential without its membership');
      return {
        object: 'identity' as const,
        workspace: {
          object: 'workspace' as const,
          id: principal.workspaceId,
          name: row.name,
          timezone: row.timezone,
          agentMinutesRemaining: Number(row.agentMinutes),
        },
        organizationId: null,
        user: { object: 'user' as const, id: principal.userId, name: row.userName, email: row.email, role: row.role },
        credential: {
          object: 'credential' as const,
          type: principal.kind,
          id: principal.credentialId,
          name: principal.credentialName,
          scopes: scopes.filter((scope) => principal.scopes.has(scope)),
          rateLimitPerMinute: principal.rateLimitPerMinute,
          expiresAt: principal.expiresAt,
        },
        allowedOperations: ctx.operations
          .filter((each) => mayCall(each, principal))
          .map((each) => each.id)
          .sort(),
      };
    }),
});

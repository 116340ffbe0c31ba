import { z } from 'zod';
import { mayCall, op, principalOf, procedure, router } from './base.ts';
import { Id, Instant } from './fields.ts';
import { scopes } from './scopes.ts';

function address(path: string) {
  return z.string().meta({ format: 'uri', examples: [`https://tandem.test${path}`] });
}

const ServiceInfo = z
  .object({
    object: z.literal('service_info'),
    name: z.literal('Tandem'),
    version: z.string().meta({ description: 'Version of the API surface.', examples: ['1.0.0'] }),
    documentationUrl: address('/docs').describe('The reference, for people.'),
    openapiUrl: address('/api/v1/openapi.json').describe('The OpenAPI document.'),
    mcpUrl: address('/mcp').describe('The MCP endpoint.'),
    cliInstallUrl: address('/install.sh').describe('The installer of the command-line client.'),
  })
  .meta({ id: 'ServiceInfo' });

const OpenApiDocument = z
  .looseObject({ openapi: z.string().meta({ description: 'Version of OpenAPI.', examples: ['3.1.0'] }) })
  .meta({ id: 'OpenApiDocument', description: 'An OpenAPI 3.1 document.' });

const Identity = z
  .object({
    object: z.literal('identity'),
    workspace: z
      .object({
        object: z.literal('workspace'),
        id: Id,
        name: z.string().meta({ examples: ['Acme'] }),
        timezone: z.string().meta({ description: 'IANA time zone.', examples: ['Europe/Berlin'] }),
        agentMinutesRemaining: z
          .number()
          .nullable()
          .meta({ description: 'What agents may still work.', examples: [598.4] }),
      })
      .describe('The one workspace that the credential opens.'),
    organizationId: Id.nullable(),
    user: z
      .object({
        object: z.literal('user'),
        id: Id,
        name: z.string().meta({ examples: ['Ada Lovelace'] }),
        email: z.string().meta({ format: 'email', examples: ['ada@example.com'] }),
        role: z.enum(['owner', 'member']),
      })
      .describe('The owner of the key, or the person signed in.'),
    credential: z
      .object({
        object: z.literal('credential'),
        type: z.enum(['api_key', 'session', 'oauth']),
        id: Id,
        name: z.string().meta({ examples: ['Nightly import'] }),
        scopes: z.array(z.enum(scopes)).meta({ examples: [['todos:read', 'todos:write']] }),
        rateLimitPerMinute: z.int().meta({ examples: [300] }),
        expiresAt: Instant.nullable(),
      })
      .describe('The credential of this request.'),
    allowedOperations: z.array(z.string()).meta({
      description: 'operationIds that the credential may call, sorted.',
      examples: [['createTodo', 'getIdentity', 'getTodo', 'listTodos']],
    }),
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

  openApi: procedure
    .meta(
      op('GET /openapi.json', {
        id: 'getOpenApiSpecification',
        access: 'public',
        summary: 'This document, as OpenAPI 3.1',
        description: 'Generated from the operations that this service runs.',
        etag: true,
      }),
    )
    .input(z.strictObject({}))
    .output(OpenApiDocument)
    .query(({ ctx: { service } }) => {
      if (!service.document) throw new Error('A service without its document');
      return service.document() as z.infer<typeof OpenApiDocument>;
    }),

  identity: procedure
    .meta(op('GET /me', { id: 'getIdentity', summary: 'Who am I, and what may I call', etag: true }))
    .input(z.strictObject({}))
    .output(Identity)
    .query(async ({ ctx }) => {
      const principal = principalOf(ctx);
      if (principal.kind === 'agent') throw new Error('An agent at work has no identity of its own');
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

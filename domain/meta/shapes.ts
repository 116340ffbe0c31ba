import { z } from 'zod';
import { ShownEmail } from '../accounts/shapes.ts';
import { Id, Instant } from '../fields.ts';
import { scopes } from '../scopes.ts';

function address(path: string) {
  return z.string().meta({ format: 'uri', examples: [`https://tandem.test${path}`] });
}

export const ServiceInfo = z
  .object({
    object: z.literal('service_info'),
    name: z.literal('Tandem'),
    version: z.string().meta({ description: 'Version of the API surface.', examples: ['1.0.0'] }),
    documentationUrl: address('/docs').describe('The reference, for people.'),
    openapiUrl: address('/api/v1/openapi.json').describe('The OpenAPI document.'),
    mcpUrl: address('/mcp').describe('The MCP endpoint.'),
    cliInstallUrl: address('/install.sh').describe('The installer of the command-line client.'),
    sendsEmail: z
      .boolean()
      .describe('Whether the service has a mail server. Without one, inviteMember returns the link to hand over.'),
    hasModel: z
      .boolean()
      .describe(
        'Whether a language model answers for agents. Without one, the built-in engine follows plain requests.',
      ),
    signUp: z
      .enum(['open', 'invited'])
      .describe('Who can create an account with signUp: anybody, or people with the token of an invitation.'),
  })
  .meta({ id: 'ServiceInfo' });

export const OpenApiDocument = z
  .looseObject({ openapi: z.string().meta({ description: 'Version of OpenAPI.', examples: ['3.1.0'] }) })
  .meta({ id: 'OpenApiDocument', description: 'An OpenAPI 3.1 document.' });

export const Identity = z
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
          .meta({ description: 'Agent minutes that are left.', examples: [598.4] }),
      })
      .describe('The one workspace that the credential opens.'),
    organizationId: Id.nullable(),
    user: z
      .object({
        object: z.literal('user'),
        id: Id,
        name: z.string().meta({ examples: ['Ada Lovelace'] }),
        email: ShownEmail.describe('Empty for the first owner until somebody takes the workspace.'),
        role: z.enum(['owner', 'member']),
      })
      .describe('The owner of the key, or the signed-in person.'),
    credential: z
      .object({
        object: z.literal('credential'),
        type: z.enum(['api_key', 'session', 'oauth']),
        id: Id.describe('Of the key, the session or the connected app. Events have it as `actor.credentialId`.'),
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

export type IdentityAnswer = z.infer<typeof Identity>;

import type { z } from 'zod';
import type { members, users, workspaces } from '../../db/schema/index.ts';
import { lastingIdOf, mayCall } from '../access.ts';
import type { Context, Principal, RequestContext } from '../context.ts';
import type { ListedOperation } from '../operations.ts';
import { scopes } from '../scopes.ts';
import type { IdentityAnswer, OpenApiDocument, ServiceInfo } from './shapes.ts';

/** Name, version and addresses of the service. */
export function getServiceInfo({ service, mail }: RequestContext): z.infer<typeof ServiceInfo> {
  return {
    object: 'service_info',
    name: 'Tandem',
    version: service.version,
    documentationUrl: `${service.publicUrl}/docs`,
    openapiUrl: `${service.publicUrl}/api/v1/openapi.json`,
    mcpUrl: `${service.publicUrl}/mcp`,
    cliInstallUrl: service.cliInstallUrl,
    sendsEmail: mail.sends,
    hasModel: service.hasModel,
    signUp: service.signUp,
  };
}

/** The OpenAPI document of the operations that the service runs. */
export function getOpenApiSpecification({ service }: RequestContext): z.infer<typeof OpenApiDocument> {
  if (!service.document) throw new Error('the service has no OpenAPI document');
  return service.document() as z.infer<typeof OpenApiDocument>;
}

/** `agentMinutes` is a numeric, which the driver returns as text. */
type IdentityRow = Pick<typeof workspaces.$inferSelect, 'name' | 'timezone'> &
  Pick<typeof users.$inferSelect, 'email'> &
  Pick<typeof members.$inferSelect, 'role'> & { agentMinutes: string; userName: string };

const identityRow = `select w.name, w.timezone, w.agent_minutes as "agentMinutes", u.name as "userName", u.email, m.role
  from members m join workspaces w on w.id = m.workspace_id join users u on u.id = m.user_id
  where m.workspace_id = $1 and m.user_id = $2`;

/** Whether it is listed for the credential: signing up, signing in and resetting a password are for people only. */
function isListed(operation: ListedOperation, principal: Principal): boolean {
  const { access, tag } = operation;
  const isForAnyCredential = access !== 'public' || tag === 'meta';
  return mayCall(operation, principal) && (isForAnyCredential || principal.kind === 'session');
}

/** Workspace, person and credential of the request, and the operations that it may call. */
export async function getIdentity({ db, principal, operations }: Context): Promise<IdentityAnswer> {
  const { workspaceId, userId } = principal;
  if (principal.kind === 'agent') throw new Error('an agent at work has no identity of its own');
  const [row] = await db.rows<IdentityRow>(identityRow, [workspaceId, userId]);
  if (!row) throw new Error('the credential has no membership');
  return {
    object: 'identity',
    workspace: {
      object: 'workspace',
      id: workspaceId,
      name: row.name,
      timezone: row.timezone,
      agentMinutesRemaining: Number(row.agentMinutes),
    },
    organizationId: null,
    user: { object: 'user', id: userId, name: row.userName, email: row.email, role: row.role },
    credential: {
      object: 'credential',
      type: principal.kind,
      id: lastingIdOf(principal),
      name: principal.credentialName,
      scopes: scopes.filter((scope) => principal.scopes.has(scope)),
      rateLimitPerMinute: principal.rateLimitPerMinute,
      expiresAt: principal.expiresAt,
    },
    allowedOperations: operations
      .filter((each) => isListed(each, principal))
      .map((each) => each.id)
      .sort(),
  };
}

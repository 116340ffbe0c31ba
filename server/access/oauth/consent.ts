import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { InteractionResults, default as Provider } from 'oidc-provider';
import { z } from 'zod';
import { isSameOrigin } from '../../../adapters/session-cookie.ts';
import { grantKey } from '../../../db/grants.ts';
import { authorize } from '../../../domain/access.ts';
import { connectApp } from '../../../domain/connected-apps/apps.ts';
import type { Principal, ServiceContext, ServiceSettings } from '../../../domain/context.ts';
import { Failure, invalid, invalidInput, notFound } from '../../../domain/errors.ts';
import { Id } from '../../../domain/fields.ts';
import { scopeDescriptions } from '../../../domain/scope-catalog.ts';
import { type Scope, scopes } from '../../../domain/scopes.ts';
import { recordEvent } from '../security-log.ts';
import { isSameBrowser } from './browser.ts';
import type { describeClient } from './clients.ts';
import { decideOnce } from './decision.ts';

const Decision = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('deny') }),
  z.strictObject({
    decision: z.literal('approve'),
    workspaceId: Id,
    scopes: z.array(z.enum(scopes)).min(1, 'must name at least one scope').max(scopes.length),
  }),
]);

const workspacesOf = `select w.id, w.name, m.role from members m join workspaces w on w.id = m.workspace_id
  where m.user_id = $1 and m.removed_at is null order by w.created_at, w.id`;

/** What a decision needs beside the OAuth server. */
export interface ConsentParts extends Pick<ServiceContext, 'db' | 'mail' | 'clock'> {
  settings: ServiceSettings;
}

/** The OAuth server, and how a client is shown to a person. */
interface OpenServer {
  provider: Provider;
  describeClient: typeof describeClient;
}

type Interaction = InstanceType<Provider['Interaction']>;

/** The signed-in person. @throws Failure 401, 403 for a key or token, 403 when another site sent a write. */
function personOf(request: FastifyRequest, { publicUrl }: ServiceSettings): Principal {
  const { principal, badCredential } = request;
  authorize({ id: 'decideConsent', access: 'session', scope: null }, principal, badCredential);
  if (!principal) throw new Error('unreachable');
  const byBrowser = request.headers.authorization === undefined || request.headers.origin !== undefined;
  if (request.method === 'GET' || !byBrowser || isSameOrigin(request, publicUrl)) return principal;
  const message = 'This request came from another site. Decide on the page of this service.';
  throw new Failure({ status: 403, code: 'missing_scope', message, reason: 'session_required' });
}

function requestedScopes({ params }: Interaction): Scope[] {
  const asked = String(params.scope).split(' ');
  return scopes.filter((scope) => asked.includes(scope));
}

/**
 * Connects the app that a person approved, in a transaction.
 * @throws Failure 400 for scopes nobody asked for, and what `connectApp` throws.
 */
async function approve(
  { settings, ...parts }: ConsentParts,
  principal: Principal,
  granted: { workspaceId: string; scopes: Scope[] },
  interaction: Interaction,
  client: ReturnType<typeof describeClient>,
): Promise<{ grantId: string }> {
  const requested = requestedScopes(interaction);
  const beyond = granted.scopes.filter((scope) => !requested.includes(scope));
  if (beyond.length > 0) throw invalid('scopes', `The app did not ask for ${beyond.join(', ')}.`);
  return { grantId: await connectApp({ ...parts, service: settings, principal }, { ...granted, client }) };
}

/** What a security event says of a grant. */
export function connectionOf(grantId: string): { workspaceId?: string; connectedAppId?: string } {
  const [workspaceId, connectedAppId] = grantKey(grantId) ?? [];
  return workspaceId && connectedAppId ? { workspaceId, connectedAppId } : {};
}

/** Records the decision of a person; `grantId` when the app was connected. */
function recordDecision(request: FastifyRequest, { userId }: Principal, grantId: string | undefined): void {
  const operation = grantId === undefined ? 'denyApp' : 'approveApp';
  recordEvent(request, { operation, outcome: 'done', userId, ...connectionOf(grantId ?? '') });
}

/**
 * The API of the consent page: the app, its scopes, the person's workspaces, and the decision. Only for the browser
 * that brought the authorization request.
 */
export function mountConsent(app: FastifyInstance, open: () => Promise<OpenServer>, parts: ConsentParts): void {
  const { db, settings } = parts;
  const find = async (request: FastifyRequest, reply: FastifyReply) => {
    const { uid } = request.params as { uid: string };
    const { provider, describeClient } = await open();
    const here = isSameBrowser(provider, uid, request.raw, reply.raw);
    const interaction = here ? await provider.Interaction.find(uid) : undefined;
    const client = interaction && (await provider.Client.find(String(interaction.params.client_id)));
    if (interaction && client)
      return { interaction, described: (redirectUri: string) => describeClient(client, redirectUri) };
    throw notFound('request to connect an app', 'uid');
  };

  app.get('/oauth/interactions/:uid', async (request, reply) => {
    const { userId } = personOf(request, settings);
    const { interaction, described } = await find(request, reply);
    const requested = requestedScopes(interaction);
    return reply.header('Cache-Control', 'no-store').send({
      object: 'authorization_request',
      id: interaction.uid,
      expiresAt: new Date(interaction.exp * 1000).toISOString(),
      client: described(String(interaction.params.redirect_uri)),
      scopes: scopes.map((name) => ({
        name,
        description: scopeDescriptions[name],
        sensitive: name === 'captures:read',
        requested: requested.includes(name),
      })),
      workspaces: await db.rows(workspacesOf, [userId]),
    });
  });

  /** The first decision is final; sent again, it is answered again. */
  app.post('/oauth/interactions/:uid', async (request, reply) => {
    const principal = personOf(request, settings);
    const { interaction, described } = await find(request, reply);
    const { success, data: decided, error } = Decision.safeParse(request.body ?? {});
    if (!success) throw invalidInput(error);
    const result = await db.transaction((tx) =>
      decideOnce(tx, interaction.uid, async (): Promise<InteractionResults> => {
        if (decided.decision === 'deny') {
          return { error: 'access_denied', error_description: 'The person did not allow it.' };
        }
        const consent = await approve({ ...parts, db: tx }, principal, decided, interaction, described(''));
        return { login: { accountId: principal.userId }, select_account: {}, consent };
      }),
    );
    if (result) recordDecision(request, principal, result.consent?.grantId);
    return reply.header('Cache-Control', 'no-store').send({ redirectTo: interaction.returnTo });
  });
}

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceSettings } from '../../../domain/context.ts';
import { atFirstUse } from '../../../domain/first-use.ts';
import { recordEvent } from '../security-log.ts';
import { pinAddress } from './browser.ts';
import { type ConsentParts, connectionOf, mountConsent } from './consent.ts';
import { discoveryMetadata, paths, resourceMetadata, serverMetadata } from './metadata.ts';
import type { ProviderParts } from './provider.ts';

type Parts = Omit<ProviderParts, 'publicUrl' | 'rateLimitPerMinute'> & ConsentParts;

/**
 * The content security policy of answers to authorization requests. The library adds the hash of the script that
 * submits the form of `response_mode=form_post` to the app; therefore there is no `form-action`.
 */
const authorizationPolicy =
  "default-src 'none'; script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Clients that run in a page of another site may read these answers; none depends on a cookie. */
function allowEveryOrigin(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version',
    'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
    'Access-Control-Max-Age': 3600,
  });
}

function mountMetadata(app: FastifyInstance, settings: ServiceSettings): void {
  const documents: [path: string, of: (publicUrl: string) => object][] = [
    ['/.well-known/oauth-protected-resource', resourceMetadata],
    ['/.well-known/oauth-protected-resource/mcp', resourceMetadata],
    ['/.well-known/oauth-authorization-server', serverMetadata],
    ['/.well-known/oauth-authorization-server/mcp', serverMetadata],
    ['/.well-known/openid-configuration', discoveryMetadata],
    ['/.well-known/openid-configuration/mcp', discoveryMetadata],
    ['/mcp/.well-known/openid-configuration', discoveryMetadata],
  ];
  for (const [path, of] of documents) {
    app.get(path, async (_, reply) =>
      allowEveryOrigin(reply).header('Cache-Control', 'public, max-age=300').send(of(settings.publicUrl)),
    );
    app.options(path, async (_, reply) => allowEveryOrigin(reply).code(204).send());
  }
}

/** The OAuth 2.1 authorization server of the MCP endpoint (CONTRACT §3): metadata, endpoints, consent. */
export function mountOAuth(app: FastifyInstance, { settings, mail, clock, ...parts }: Parts): void {
  /** The requests that the OAuth server answers, by what it knows of them. */
  const requests = new WeakMap<IncomingMessage, FastifyRequest>();
  /** The address of the service is known once it listens. */
  const use = atFirstUse(async () => {
    const [{ createProvider }, { describeClient }] = await Promise.all([
      import('./provider.ts'),
      import('./clients.ts'),
    ]);
    const { publicUrl, rateLimitPerMinute } = settings;
    const provider = createProvider({ ...parts, publicUrl, rateLimitPerMinute });
    provider.on('grant.revoked', ({ req, oidc }, id) => {
      const { RefreshToken, AccessToken, AuthorizationCode } = oidc.entities;
      const { accountId = null } = RefreshToken ?? AccessToken ?? AuthorizationCode ?? {};
      const request = requests.get(req);
      if (request)
        recordEvent(request, { operation: 'revokeApp', outcome: 'done', userId: accountId, ...connectionOf(id) });
    });
    return { provider, describeClient, answer: provider.callback() };
  });
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const { answer } = await use();
    requests.set(request.raw, request);
    pinAddress(request.raw, settings.publicUrl);
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    await answer(request.raw, reply.raw);
  };
  const serveAuthorization = (request: FastifyRequest, reply: FastifyReply) =>
    serve(request, reply.header('Content-Security-Policy', authorizationPolicy));
  const serveAnyOrigin = (request: FastifyRequest, reply: FastifyReply) => serve(request, allowEveryOrigin(reply));
  mountMetadata(app, settings);
  mountConsent(app, use, { db: parts.db, settings, mail, clock });
  void app.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', (_, __, done) => done(null));
    raw.get(paths.authorization, serveAuthorization);
    raw.get(`${paths.authorization}/:uid`, serveAuthorization);
    raw.get(paths.jwks, serveAnyOrigin);
    for (const path of [paths.token, paths.registration, paths.revocation]) {
      raw.post(path, serveAnyOrigin);
      raw.options(path, async (_, reply) => allowEveryOrigin(reply).code(204).send());
    }
  });
}

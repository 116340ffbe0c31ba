import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Principal, ServiceSettings } from '../../routers/base.ts';
import { Failure, invalid } from '../../routers/errors.ts';
import { type Scope, scopes } from '../../routers/scopes.ts';
import { lackingScopes } from '../../routers/tool.ts';
import { type RouterLike, type Tool, toolsOf } from '../operations.ts';
import type { ContextFor } from '../request.ts';
import { type Addresses, allowPage, requireOwnAddress, shareWithPage } from './origin.ts';
import { createFace } from './server.ts';

const path = '/mcp';
const others: HTTPMethods[] = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Messages of one POST. Only old clients send more than one; a request counts once, however many it carries. */
const mostMessages = 10;

/** Both, whatever the client sent: the SDK refuses a POST that does not name the two. */
const accept = 'application/json, text/event-stream';

/** The challenge of RFC 9728 §5.1, from which a client finds out where to sign in. */
function challenge(publicUrl: string, wanted: Iterable<string>, more = ''): Record<string, string> {
  const metadata = `${publicUrl}/.well-known/oauth-protected-resource${path}`;
  const scope = [...wanted].join(' ');
  return { 'WWW-Authenticate': `Bearer resource_metadata="${metadata}", scope="${scope}"${more}` };
}

/** @throws Failure 401. */
function requireBearer({ principal, badCredential }: FastifyRequest, publicUrl: string): void {
  if (principal) return;
  const more = badCredential ? ', error="invalid_token"' : '';
  const code = badCredential ? 'invalid_api_key' : 'missing_credentials';
  const message = badCredential
    ? 'This credential is not valid: unknown, revoked or expired. Use a valid API key, or sign in again.'
    : 'Send an API key as “Authorization: Bearer tandem_sk_…”, or sign in with OAuth.';
  throw new Failure({ status: 401, code, message, headers: challenge(publicUrl, scopes, more) });
}

/** The names of the tools that the messages of a body call. */
function calledTools(body: unknown): unknown[] {
  return (Array.isArray(body) ? body : [body])
    .filter((message) => typeof message === 'object' && message?.method === 'tools/call')
    .map((message) => message.params?.name);
}

/**
 * 403 for an OAuth client that lacks a scope: back for more consent. The challenge names what it holds too, for a client
 * asks for exactly what it reads there.
 */
function consentNeeded(required: readonly Scope[], principal: Principal, publicUrl: string): Failure {
  const lacking = required.filter((scope) => !principal.scopes.has(scope));
  const wanted = scopes.filter((scope) => principal.scopes.has(scope) || required.includes(scope));
  const headers = challenge(publicUrl, wanted, ', error="insufficient_scope"');
  const message = `This needs consent to ${lacking.join(' and ')}.`;
  return new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: [...required], headers });
}

/** @throws Failure 403 when an app calls a tool that its scopes do not reach. */
function requireConsent(tools: readonly Tool[], principal: Principal | null, body: unknown, publicUrl: string): void {
  if (principal?.kind !== 'oauth') return;
  const called = calledTools(body);
  for (const tool of tools.filter(({ name }) => called.includes(name))) {
    if (lackingScopes(tool, principal).length > 0) throw consentNeeded(tool.scopes, principal, publicUrl);
  }
}

/** What the SDK reads of the headers. */
const read = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id', 'last-event-id'];

/**
 * The request as the SDK takes it; the body is parsed already and goes beside it. Only a stream without an end needs the
 * signal, which is dear: a tool learns by its context that the client is gone.
 */
function webRequest({ headers, body }: FastifyRequest, publicUrl: string, signal: AbortSignal): Request {
  const copied: Record<string, string> = { accept };
  for (const name of read) {
    const value = headers[name];
    if (typeof value === 'string') copied[name] = value;
  }
  const isEndless = (body as { method?: unknown } | null)?.method === 'subscriptions/listen';
  return new Request(`${publicUrl}${path}`, { method: 'POST', headers: copied, ...(isEndless && { signal }) });
}

/** Sends the SDK's answer: a stream as it comes, anything else in one piece, which costs a third of it. */
async function sendAnswer(reply: FastifyReply, answer: Response) {
  if (answer.headers.get('content-type')?.includes('text/event-stream')) return reply.send(answer);
  reply.code(answer.status).headers(Object.fromEntries(answer.headers));
  return reply.send(answer.body ? await answer.text() : undefined);
}

/**
 * The MCP endpoint: Streamable HTTP without sessions. The gate has counted the request; then come Host and Origin
 * (403), the method (405), the credential (401), the body (400, 413, 415), consent (403), and the protocol.
 */
export function mountMcp(
  app: FastifyInstance,
  toolRouter: RouterLike,
  contextFor: ContextFor,
  service: ServiceSettings,
  addresses: Addresses,
): void {
  const tools = toolsOf(toolRouter);
  const face = createFace(tools);
  app.addHook('preClose', () => face.close());
  const ownAddress = async (request: FastifyRequest, reply: FastifyReply) => {
    requireOwnAddress(request, addresses, service.publicUrl);
    shareWithPage(request, reply);
  };
  app.options(path, { onRequest: ownAddress }, async (request, reply) => allowPage(request, reply));
  app.route({
    method: others,
    url: path,
    onRequest: [
      ownAddress,
      async () => {
        const message = `This path answers POST. There are no sessions and no stream to open.`;
        throw new Failure({ status: 405, code: 'validation_failed', message, headers: { Allow: 'POST' } });
      },
    ],
    handler: () => {},
  });
  app.post(path, {
    bodyLimit: 1024 * 1024,
    onRequest: [ownAddress, async (request) => requireBearer(request, service.publicUrl)],
    handler: async (request, reply) => {
      const { body } = request;
      if (Array.isArray(body) && body.length > mostMessages) {
        throw invalid(null, `A batch may hold ${mostMessages} messages. Send them in several requests.`);
      }
      requireConsent(tools, request.principal, body, service.publicUrl);
      const ctx = { ...contextFor(request, reply), ifMatch: undefined, idempotencyKey: undefined };
      const report = (failure: Failure) => request.log.error({ err: failure.cause ?? failure }, 'request failed');
      let lacking: readonly Scope[] = [];
      const lacks = ({ problem }: Failure) => {
        lacking = problem.requiredScopes ?? [];
      };
      const asked = webRequest(request, service.publicUrl, ctx.signal);
      const answer = await face.answer(asked, body, { ctx, report, lacks });
      // Not for a batch: other calls of it may have done their work.
      if (ctx.principal?.kind === 'oauth' && lacking.length > 0 && !Array.isArray(body)) {
        throw consentNeeded(lacking, ctx.principal, service.publicUrl);
      }
      return sendAnswer(reply, answer);
    },
  });
}

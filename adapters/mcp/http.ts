import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, onRequestHookHandler } from 'fastify';
import type { Principal, ServiceSettings } from '../../domain/context.ts';
import { Failure, invalid } from '../../domain/errors.ts';
import { atFirstUse } from '../../domain/first-use.ts';
import { type Scope, scopes } from '../../domain/scopes.ts';
import { authenticated } from '../../routers/base.ts';
import { defaultMaxBody } from '../../routers/metadata.ts';
import { lackingScopes } from '../../routers/tools/tool.ts';
import {
  type ContextFor,
  describeFailure,
  failureOf,
  largeBodyBytes,
  sendFailure,
  tooLarge,
  UnreadableBody,
} from '../http.ts';
import { type RouterLike, type Tool, toolsOf } from '../operations.ts';
import { unsentAnswers } from '../unsent-answers.ts';
import { type Addresses, allowPage, requireOwnAddress, shareWithPage } from './origin.ts';
import type { McpEndpoint } from './server.ts';

const path = '/mcp';
const others: HTTPMethods[] = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Codes of JSON-RPC 2.0, §5.1. */
const parseErrorCode = -32700;
const internalErrorCode = -32603;

/** Messages of one POST. Only old clients send more than one; a request counts once, however many it carries. */
const maxMessages = 10;

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

interface Message {
  method?: unknown;
  params?: { name?: unknown };
}

/** The messages of a body, of which nothing is known yet but that they are objects. */
function messagesOf(body: unknown): Message[] {
  return (Array.isArray(body) ? body : [body]).map((message) => (typeof message === 'object' && message) || {});
}

/** The names of the tools that the messages of a body call. */
function calledTools(body: unknown): unknown[] {
  return messagesOf(body)
    .filter(({ method }) => method === 'tools/call')
    .map(({ params }) => params?.name);
}

/** Bytes that a body may have: what each of its messages may have alone. */
function bodyLimitOf(body: unknown, tools: readonly Tool[]): number {
  const called = calledTools(body);
  const limits = called.map((name) => tools.find((tool) => tool.name === name)?.maxBody ?? defaultMaxBody);
  const messages = Array.isArray(body) ? body.length : 1;
  return Math.min(...limits, ...(called.length < messages ? [defaultMaxBody] : []));
}

/** @throws Failure 413. */
function requireSize(request: FastifyRequest, tools: readonly Tool[]): void {
  const bytes = largeBodyBytes(request);
  if (bytes === 0) return;
  const limit = bodyLimitOf(request.body, tools);
  if (bytes > limit) throw tooLarge(limit);
}

/**
 * 403 for an OAuth client that lacks a scope, so that it asks the person again. The challenge also names the scopes
 * that it has, because a client asks for exactly those that it reads there.
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

/** A failure of ours as JSON-RPC has it; the error object of the service is its data. */
function internalError({ body }: FastifyRequest, problem: ReturnType<typeof describeFailure>) {
  const { id } = (body ?? {}) as { id?: unknown };
  const error = { code: internalErrorCode, message: problem.message, data: problem };
  return { jsonrpc: '2.0', id: typeof id === 'string' || typeof id === 'number' ? id : null, error };
}

/** What the SDK reads of the headers. */
const read = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id', 'last-event-id'];

/**
 * The request in the form that the SDK takes; the parsed body is passed beside it. Only a stream without an end needs
 * the signal, which is expensive: a tool learns from its context that the client has disconnected.
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

/** Whether a body does nothing but call tools that read, or list the tools. */
function onlyReads(body: unknown, tools: readonly Tool[]): boolean {
  return messagesOf(body).every(
    ({ method, params }) =>
      method === 'tools/list' ||
      (method === 'tools/call' && tools.some(({ name, readOnly }) => readOnly && name === params?.name)),
  );
}

function sendText(reply: FastifyReply, text: string, isRead: boolean) {
  unsentAnswers.count(reply, text, isRead);
  return reply.send(text);
}

/** Sends the SDK's response: a stream as it comes, anything else in one piece, which takes a third of the time. */
async function sendAnswer(reply: FastifyReply, answer: Response | object, isRead: boolean) {
  if (!(answer instanceof Response)) {
    reply.header('content-type', 'application/json');
    return sendText(reply, JSON.stringify(answer), isRead);
  }
  if (answer.headers.get('content-type')?.includes('text/event-stream')) return reply.send(answer);
  reply.code(answer.status).headers(Object.fromEntries(answer.headers));
  return answer.body ? sendText(reply, await answer.text(), isRead) : reply.send();
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
  let opened: McpEndpoint | undefined;
  const endpoint = atFirstUse(async () => {
    const { createEndpoint } = await import('./server.ts');
    opened = createEndpoint(tools);
    return opened;
  });
  app.addHook('preClose', async () => opened?.close());
  const ownAddress: onRequestHookHandler = (request, reply, done) => {
    requireOwnAddress(request, addresses, service.publicUrl);
    shareWithPage(request, reply);
    done();
  };
  const bearer: onRequestHookHandler = (request, _, done) => {
    requireBearer(request, service.publicUrl);
    done();
  };
  app.options(path, { onRequest: ownAddress }, async (request, reply) => allowPage(request, reply));
  app.route({
    method: others,
    url: path,
    onRequest: [
      ownAddress,
      async () => {
        const message = `This path supports only POST. There are no sessions and no stream to open.`;
        throw new Failure({ status: 405, code: 'validation_failed', message, headers: { Allow: 'POST' } });
      },
    ],
    handler: () => {},
  });
  app.post(path, {
    bodyLimit: Math.max(...tools.map(({ maxBody }) => maxBody)),
    onRequest: [ownAddress, bearer],
    errorHandler: (error, request, reply) => {
      if (!(error instanceof UnreadableBody)) {
        const failure = failureOf(error, request);
        if (failure.problem.status < 500) return sendFailure(request, reply, failure, service.publicUrl);
        return reply.send(internalError(request, describeFailure(request, reply, failure, service.publicUrl)));
      }
      const parseError = { code: parseErrorCode, message: `Parse error: ${error.message}` };
      return reply.code(400).send({ jsonrpc: '2.0', id: null, error: parseError });
    },
    handler: async (request, reply) => {
      const { body } = request;
      if (body === undefined) throw new UnreadableBody('The body is empty. Send one JSON-RPC message.');
      requireSize(request, tools);
      if (Array.isArray(body) && body.length > maxMessages) {
        throw invalid(null, `A batch may contain ${maxMessages} messages. Send them in several requests.`);
      }
      requireConsent(tools, request.principal, body, service.publicUrl);
      const anonymous = contextFor(request, reply);
      const ctx = { ...anonymous, principal: authenticated(anonymous), ifMatch: undefined, idempotencyKey: undefined };
      let away: Failure | undefined;
      const report = (failure: Failure) => {
        if (failure.problem.status === 503 && !Array.isArray(body)) away = failure;
        else request.log.error({ err: failure.cause ?? failure }, 'request failed');
      };
      let lacking: readonly Scope[] = [];
      const lacks = ({ problem }: Failure) => {
        lacking = problem.requiredScopes ?? [];
      };
      const exchange = { ctx, report, lacks };
      const mcp = await endpoint();
      const answer = await (mcp.answerDirectly(request.headers, body, exchange) ??
        mcp.answer(webRequest(request, service.publicUrl, ctx.signal), body, exchange));
      // Not for a batch: other calls of it may have done their work.
      if (ctx.principal.kind === 'oauth' && lacking.length > 0 && !Array.isArray(body)) {
        throw consentNeeded(lacking, ctx.principal, service.publicUrl);
      }
      if (away) {
        if (answer instanceof Response) await answer.body?.cancel();
        throw away;
      }
      return sendAnswer(reply, answer, onlyReads(body, tools));
    },
  });
}

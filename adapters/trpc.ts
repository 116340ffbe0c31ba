import { TRPCError } from '@trpc/server';
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reply, ServiceSettings } from '../domain/context.ts';
import { Failure, invalid, translate } from '../domain/errors.ts';
import type { AppRouter } from '../routers/index.ts';
import { defaultMaxBody } from '../routers/metadata.ts';
import type { ContextFor } from './http.ts';
import { describeFailure, failureOf, jsonTextOf, readBodies, tooLarge, unsupportedMediaType } from './http.ts';
import type { Operation } from './operations.ts';
import { positionBefore, positionHeaders } from './positions.ts';
import { createPageOriginCheck, setSessionCookie } from './session-cookie.ts';
import { unsentAnswers } from './unsent-answers.ts';

/** Calls in one HTTP request, which counts once. */
const maxCalls = 10;

const json = 'application/json';

/** Limits in bytes by the name of the procedure. */
type BodyLimits = ReadonlyMap<string, number>;

/** Bytes that the body of these calls may have: what each of them takes alone. */
function bodyLimitOf(calls: readonly string[], limits: BodyLimits): number {
  return Math.min(...calls.map((call) => limits.get(call) ?? defaultMaxBody));
}

const pathOf = ({ params }: FastifyRequest) => (params as { path: string }).path;
const callsOf = (request: FastifyRequest) => pathOf(request).split(',');

/**
 * Refuses what tRPC would refuse before it has a context: wrong methods, forms (no procedure takes them), and too many
 * calls.
 * @throws Failure 400, 404, 405, 413, 415.
 */
function requireCalls(request: FastifyRequest, limits: BodyLimits, streams: ReadonlySet<string>): void {
  const { method, headers } = request;
  if (!['GET', 'HEAD', 'POST'].includes(method)) {
    const message = 'Call queries with GET and mutations with POST.';
    throw new Failure({ status: 405, code: 'validation_failed', message, headers: { Allow: 'GET, HEAD, POST' } });
  }
  if (method === 'POST' && !/^application\/json\b/i.test(headers['content-type'] ?? '')) throw unsupportedMediaType();
  // tRPC decodes the path once more: calls that it would find then are not counted here.
  if (pathOf(request).includes('%')) throw translate(new TRPCError({ code: 'NOT_FOUND' }));
  const calls = callsOf(request);
  const limit = bodyLimitOf(calls, limits);
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  if (calls.length > 1 && calls.some((call) => streams.has(call))) {
    throw invalid(null, 'Call a stream in a request of its own. Set maxItems: 1 on httpBatchStreamLink.');
  }
  if (calls.length <= maxCalls) return;
  throw invalid(null, `A batch may contain ${maxCalls} calls. Set maxItems: ${maxCalls} on httpBatchLink.`);
}

/** Checks the size of a body whose length the client did not send in advance. @throws Failure 413. */
function requireSize(request: FastifyRequest, limits: BodyLimits): void {
  const { body, headers } = request;
  if (typeof body !== 'string' || headers['content-length'] !== undefined) return;
  const limit = bodyLimitOf(callsOf(request), limits);
  if (Buffer.byteLength(body) > limit) throw tooLarge(limit);
}

/** The failure for a request that tRPC could not take apart. */
function unreadable(error: TRPCError): Failure {
  const isOfRequest = error.code === 'BAD_REQUEST' || error.code === 'PARSE_ERROR';
  return isOfRequest ? invalid(null, `The request could not be read: ${error.message}.`) : translate(error);
}

/**
 * Sends the response of tRPC in one piece, which takes less time than a stream and is counted among the unsent answers.
 * Streams of events are sent as they come.
 */
async function inOnePiece(reply: FastifyReply, answer: Response, isRead: boolean): Promise<string | null> {
  for (const [name, value] of answer.headers) if (name !== 'transfer-encoding') reply.header(name, value);
  reply.code(answer.status);
  if (!answer.body) return null;
  const text = await answer.text();
  unsentAnswers.count(reply, text, isRead);
  return text;
}

/** Sends a refusal from before any procedure in the form of tRPC: one error for all calls of a batch. */
function answerRefusal(error: FastifyError, request: FastifyRequest, reply: FastifyReply, service: ServiceSettings) {
  const failure = failureOf(error, request);
  const problem = describeFailure(request, reply, failure, service.publicUrl);
  const data = { code: failure.code, httpStatus: problem.status, problem };
  return reply.send({ error: { message: problem.message, code: TRPC_ERROR_CODES_BY_KEY[failure.code], data } });
}

/**
 * The typed API at `/trpc`, for first-party front ends. The gate has counted the request and resolved its
 * credential; the procedures check scope and shape themselves. An error carries the service's error object as
 * `data.problem`.
 */
export function mountTrpc(
  app: FastifyInstance,
  router: AppRouter,
  operations: readonly Operation[],
  contextFor: ContextFor,
  service: ServiceSettings,
): void {
  const limits: BodyLimits = new Map(operations.map(({ name, maxBody }) => [name, maxBody]));
  const streams = new Set(operations.filter(({ stream }) => stream).map(({ name }) => name));
  const shares = new Set(operations.filter(({ heavy }) => heavy === 'share').map(({ name }) => name));
  const requirePageOrigin = createPageOriginCheck(service);
  const exchanges = new WeakMap<Reply, [FastifyRequest, FastifyReply]>();
  const positions = new WeakMap<Reply, number>();
  const options: FastifyTRPCPluginOptions<AppRouter> = {
    trpcOptions: {
      router,
      createContext: async ({ req, res }) => {
        const ctx = contextFor(req, res);
        const sequence = req.method === 'GET' ? await positionBefore(ctx) : undefined;
        if (sequence !== undefined) positions.set(ctx.reply, sequence);
        exchanges.set(ctx.reply, [req, res]);
        const pages = callsOf(req).filter((call) => shares.has(call)).length;
        if (pages > 1) ctx.reply.pages = pages;
        return ctx;
      },
      onError: ({ error, ctx, path, req }) => {
        // Before it has a context, tRPC cannot name the request in its answer: ours does.
        if (!ctx && path === undefined) throw unreadable(error);
        const failure = translate(error);
        if (failure.problem.status >= 500) req.log.error({ err: failure.cause ?? failure }, 'request failed');
      },
      responseMeta: ({ ctx, errors, paths }) => {
        const exchange = ctx && exchanges.get(ctx.reply);
        if (ctx && exchange) setSessionCookie(...exchange, ctx.reply, ctx.service.publicUrl);
        const waits = errors.map((error) => translate(error).problem.retryAfterSeconds ?? 0);
        const wait = Math.max(0, ...waits);
        return {
          headers: new Headers({
            ...(ctx && positionHeaders(ctx, positions.get(ctx.reply), paths?.length)),
            ...(ctx?.reply.replayed && { 'Idempotency-Replayed': 'true' }),
            ...(wait > 0 && { 'Retry-After': String(wait) }),
          }),
        };
      },
    },
  };
  const mount = async (calls: FastifyInstance) => {
    calls.addHook('onRoute', (route) => {
      route.bodyLimit = Math.max(defaultMaxBody, ...limits.values());
    });
    calls.addHook('onRequest', async (request) => {
      requireCalls(request, limits, streams);
      requirePageOrigin(request);
    });
    calls.addHook('preHandler', async (request) => requireSize(request, limits));
    calls.addHook('onSend', async (request, reply, answer) => {
      if (!(answer instanceof Response) || callsOf(request).some((call) => streams.has(call))) return answer;
      return inOnePiece(reply, answer, request.method === 'GET');
    });
    calls.setErrorHandler((error: FastifyError, request, reply) => answerRefusal(error, request, reply, service));
    fastifyTRPCPlugin(calls, options, () => {});
    // tRPC parses the text itself; its own parser lets invalid UTF-8 and any number of values through.
    calls.removeContentTypeParser(json);
    readBodies(calls, json, jsonTextOf);
  };
  void app.register(mount, { prefix: '/trpc' });
}

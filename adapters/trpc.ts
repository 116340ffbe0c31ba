import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reply, ServiceSettings } from '../routers/base.ts';
import { Failure, invalid, translate } from '../routers/errors.ts';
import type { AppRouter } from '../routers/index.ts';
import type { ContextFor } from './request.ts';
import { describeFailure, failureOf, tooLarge, unsupportedMediaType } from './rest/reply.ts';
import { keepSession } from './session-cookie.ts';

/** Calls in one HTTP request, which counts once. */
const mostCalls = 10;

const mebibyte = 2 ** 20;
/** The same limits as over REST: captures have long texts. */
const longestBody = 4 * mebibyte;

/** Bytes that the body of these calls may have. */
function bodyLimitOf(calls: readonly string[]): number {
  return calls.every((each) => each.startsWith('captures.')) ? longestBody : mebibyte;
}

/**
 * What tRPC would refuse before it has a context, and forms, which no procedure takes.
 * @throws Failure 400, 405, 413, 415.
 */
async function requireCalls({ method, params, headers }: FastifyRequest): Promise<void> {
  if (!['GET', 'HEAD', 'POST'].includes(method)) {
    const message = 'Call queries with GET and mutations with POST.';
    throw new Failure({ status: 405, code: 'validation_failed', message, headers: { Allow: 'GET, HEAD, POST' } });
  }
  if (method === 'POST' && !/^application\/json\b/i.test(headers['content-type'] ?? '')) throw unsupportedMediaType();
  const calls = (params as { path: string }).path.split(',');
  const limit = bodyLimitOf(calls);
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  if (calls.length <= mostCalls) return;
  throw invalid(null, `A batch may hold ${mostCalls} calls. Set maxItems: ${mostCalls} on httpBatchLink.`);
}

/** Answers what was refused before a procedure was reached as tRPC's clients read it: once for all calls of a batch. */
function answerRefusal(error: FastifyError, request: FastifyRequest, reply: FastifyReply, service: ServiceSettings) {
  const failure = failureOf(error, request);
  const problem = describeFailure(request, reply, failure, service.publicUrl);
  const data = { code: failure.code, httpStatus: problem.status, problem };
  return reply.send({ error: { message: problem.message, code: TRPC_ERROR_CODES_BY_KEY[failure.code], data } });
}

/**
 * The typed API at `/trpc`, for first-party front ends. The gate has counted the request and knows who asks; the
 * procedures check scope and shape themselves. An error carries the service's error object as `data.problem`.
 */
export function mountTrpc(
  app: FastifyInstance,
  router: AppRouter,
  contextFor: ContextFor,
  service: ServiceSettings,
): void {
  const exchanges = new WeakMap<Reply, [FastifyRequest, FastifyReply]>();
  const options: FastifyTRPCPluginOptions<AppRouter> = {
    prefix: '/trpc',
    trpcOptions: {
      router,
      createContext: ({ req, res }) => {
        const ctx = contextFor(req, res);
        exchanges.set(ctx.reply, [req, res]);
        return ctx;
      },
      onError: ({ error, req }) => {
        const failure = translate(error);
        if (failure.problem.status >= 500) req.log.error({ err: failure.cause ?? failure }, 'request failed');
      },
      responseMeta: ({ ctx }) => {
        const exchange = ctx && exchanges.get(ctx.reply);
        if (ctx && exchange) keepSession(...exchange, ctx.reply, ctx.service.publicUrl);
        return ctx?.reply.replayed ? { headers: new Headers({ 'Idempotency-Replayed': 'true' }) } : {};
      },
    },
  };
  void app.register(async (calls) => {
    calls.addHook('onRoute', (route) => {
      route.bodyLimit = longestBody;
    });
    calls.addHook('onRequest', requireCalls);
    calls.setErrorHandler((error: FastifyError, request, reply) => answerRefusal(error, request, reply, service));
    await calls.register(fastifyTRPCPlugin, options);
  });
}

import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from '../routers/base.ts';
import { translate } from '../routers/errors.ts';
import type { AppRouter } from '../routers/index.ts';
import type { ContextFor } from './request.ts';
import { keepSession } from './session-cookie.ts';

/**
 * The typed API at `/trpc`, for first-party front ends. The gate has counted the request and knows who asks; the
 * procedures check scope and shape themselves. An error carries the service's error object as `data.problem`.
 */
export function mountTrpc(app: FastifyInstance, router: AppRouter, contextFor: ContextFor): void {
  const exchanges = new WeakMap<Reply, [FastifyRequest, FastifyReply]>();
  const options: FastifyTRPCPluginOptions<AppRouter> = {
    prefix: '/trpc',
    trpcOptions: {
      maxBatchSize: 10,
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
  void app.register(fastifyTRPCPlugin, options);
}

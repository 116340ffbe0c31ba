import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { v7 as newId } from 'uuid';
import { operationsOf } from '../adapters/operations.ts';
import { mountPages } from '../adapters/pages/mount.ts';
import type { ContextFor } from '../adapters/request.ts';
import { handleFailures, parseJson } from '../adapters/rest/reply.ts';
import { mountOperations } from '../adapters/rest/routes.ts';
import { mountTrpc } from '../adapters/trpc.ts';
import type { Database } from '../db/client.ts';
import type { ServiceSettings } from '../routers/base.ts';
import { entityTags } from '../routers/etag.ts';
import { appRouter } from '../routers/index.ts';
import type { Mailer } from '../routers/mail.ts';
import { addressHash, guard } from './access/gate.ts';
import { Limiter } from './access/limiter.ts';
import { mountOAuth } from './access/oauth/mount.ts';
import type { ProviderParts } from './access/oauth/provider.ts';
import type { Config } from './config.ts';
import { mountMetrics } from './metrics.ts';

export interface ServiceParts {
  config: Config;
  db: Database;
  log: Logger;
  settings: ServiceSettings;
  mail: Mailer;
  /** Secret of the OAuth server, shared by all processes. */
  oauthKey: Buffer;
  /** Fetches metadata documents of OAuth clients; another one only in tests, which serve them on loopback. */
  oauthFetch?: ProviderParts['fetch'];
  clock?: () => Date;
  /** The router to serve; another one only in tests of the frame. */
  router?: Parameters<typeof operationsOf>[0];
}

/** Liveness (the process answers) and readiness (the database does, and the process is not shutting down). */
function mountHealth(app: FastifyInstance, db: Database): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.get('/healthz', { config: { ungated: true }, logLevel: 'silent' }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config: { ungated: true }, logLevel: 'silent' }, async (_, reply) => {
    if (closing) return reply.code(503).send({ status: 'closing' });
    try {
      await db.rows('select 1', []);
      return { status: 'ok' };
    } catch {
      return reply.code(503).send({ status: 'database unreachable' });
    }
  });
}

/** The whole service as a Fastify app: every transport on one port. Not listening yet. */
export function createService({
  config,
  db,
  log,
  settings,
  mail,
  oauthKey,
  oauthFetch,
  clock = () => new Date(),
  router = appRouter,
}: ServiceParts): FastifyInstance {
  const app: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId(),
    trustProxy: config.TRUST_PROXY,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: 500 },
  });
  const operations = operationsOf(router);
  const facts = operations.map(({ id, access, scope }) => ({ id, access, scope }));
  const contextFor: ContextFor = (request, reply) => {
    const gone = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    const ifMatch = request.headers['if-match'];
    return {
      principal: request.principal,
      badCredential: request.badCredential,
      db,
      clock,
      signal: gone.signal,
      requestId: request.id,
      service: settings,
      operations: facts,
      idempotencyKey: request.headers['idempotency-key']?.toString(),
      ifMatch: ifMatch === undefined ? undefined : entityTags(ifMatch),
      client: { addressHash: addressHash(request.ip), name: request.headers['user-agent'] ?? '' },
      mail,
      reply: { replayed: false },
    };
  };
  mountMetrics(app, config.METRICS_TOKEN);
  guard(app, new Limiter(db, config.RATE_LIMIT_PER_ADDRESS), config.RATE_LIMIT_PER_ADDRESS, settings);
  parseJson(app);
  handleFailures(app, settings);
  app.addHook('onResponse', async (request, reply) => {
    const { method, id, ip } = request;
    const path = request.url.split('?')[0];
    request.log.debug(
      { requestId: id, method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime), ip },
      'answered',
    );
  });
  mountHealth(app, db);
  mountPages(app);
  mountOAuth(app, { db, log, settings, key: oauthKey, ...(oauthFetch && { fetch: oauthFetch }) });
  if (router === appRouter) mountTrpc(app, appRouter, contextFor);
  void app.register(async (api) => mountOperations(api, operations, contextFor, settings.deprecationUrl), {
    prefix: '/api/v1',
  });
  return app;
}

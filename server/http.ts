import { setMaxListeners } from 'node:events';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { mountCli } from '../adapters/cli/mount.ts';
import { mountDocs } from '../adapters/docs/mount.ts';
import { answerError, handleFailures, parseJson, routeOf } from '../adapters/http.ts';
import { mountMcp } from '../adapters/mcp/http.ts';
import { operationsOf, toolsOf } from '../adapters/operations.ts';
import { mountPages, unknownPage } from '../adapters/pages/mount.ts';
import { servedDocument } from '../adapters/rest/openapi.ts';
import { findOtherMethods } from '../adapters/rest/other-methods.ts';
import { mountOperations } from '../adapters/rest/routes.ts';
import { mountTrpc } from '../adapters/trpc.ts';
import { newId } from '../db/ids.ts';
import { appRouter } from '../routers/index.ts';
import { toolRouter } from '../routers/tools/index.ts';
import { requireHost, requireUtf8, unreadablePath } from './access/address.ts';
import { createGate, guard } from './access/gate.ts';
import { Limiter } from './access/limiter.ts';
import { mountOAuth } from './access/oauth/mount.ts';
import { logRefusals } from './access/security-log.ts';
import { answerUnreadable } from './access/unreadable.ts';
import { mountMedia } from './downloads/mount.ts';
import { mountRecordings, wantsSocket } from './recordings/handshake.ts';
import { contextOfRequests } from './request-context.ts';
import { createCallMetrics } from './runtime/call-metrics.ts';
import { endConnectionsOnClose } from './runtime/connections.ts';
import { closingSeconds, createDraining, mountDraining } from './runtime/draining.ts';
import { mountHealth } from './runtime/health.ts';
import { mountMetrics } from './runtime/metrics.ts';
import { endStalledConnections } from './runtime/stalled-connections.ts';
import { readRefusedBodies } from './runtime/unread-bodies.ts';
import type { ServiceParts } from './service-parts.ts';
import { traceIncoming } from './tracing/requests.ts';

/** Below which the operations are mounted. */
const apiPrefix = '/api/v1';

/** Of a route of Fastify. @throws Error because none has a schema of Fastify's. */
function noSchemas(): never {
  throw new Error('A route must not have a schema of Fastify');
}

/** The whole service as a Fastify app: every transport on one port. Not listening yet. */
export function createService({
  config,
  db,
  standby,
  log,
  settings,
  mail,
  live,
  logs,
  onEvent = () => {},
  media,
  intake,
  audio,
  audioSpace,
  mediaKey,
  oauthKey,
  oauthFetch,
  clock = () => new Date(),
  measures = [],
  calls = createCallMetrics(),
  draining = createDraining(),
  router = appRouter,
}: ServiceParts): FastifyInstance {
  const operations = operationsOf(router);
  const refusedPath = unreadablePath(operations, apiPrefix);
  const gate = createGate(
    new Limiter(db.for('admission'), config.RATE_LIMIT_PER_ADDRESS),
    config.RATE_LIMIT_PER_ADDRESS,
    settings,
  );
  const app: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: newId,
    // Node's own 400 without Host would lack every header of ours: `requireHost` answers it.
    http: { requireHostHeader: false, shouldUpgradeCallback: wantsSocket },
    // A number of hops: `true` would trust the leftmost address of X-Forwarded-For, which the client may invent.
    trustProxy: config.TRUST_PROXY > 0 && ((_: string, hop: number) => hop < config.TRUST_PROXY),
    forceCloseConnections: 'idle',
    // Operations have their own schemas: without these, the compilers of JSON Schema would be loaded.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    return503OnClosing: false,
    requestTimeout: 60_000,
    // An address too long for Node is 431; any other is for the schema of the route to judge.
    routerOptions: { maxParamLength: 65_536 },
    // What Fastify refuses before a route is found has passed no hook: it is counted and answered like the rest.
    frameworkErrors: async (error, request, reply) => {
      const refused = await gate(request, reply).then(
        () => (error.code === 'FST_ERR_BAD_URL' ? refusedPath(request.url) : error),
        (failure: Error) => failure,
      );
      return answerError(refused, request, reply, settings);
    },
    clientErrorHandler: answerUnreadable(config.RATE_LIMIT_PER_ADDRESS, settings),
  });
  // RFC 9110 §10.1.1 lets a server pass over an expectation; Node's own 417 would lack every header of ours.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  settings.document = servedDocument(operations, settings);
  settings.tools = new Map(toolsOf(toolRouter).map((tool) => [tool.name, tool]));
  const facts = operations.map(({ id, access, scope, tag, beforeSecondFactor = false }) => ({
    ...{ id, access, scope, tag, beforeSecondFactor },
  }));
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  app.addHook('preClose', async () => closing.abort());
  endConnectionsOnClose(app);
  endStalledConnections(app);
  const contextFor = contextOfRequests(
    {
      db,
      live,
      logs,
      media,
      mail,
      clock,
      closing: closing.signal,
      service: settings,
      operations: facts,
      observe: calls.observe,
    },
    onEvent,
  );
  const refuseOtherMethods = findOtherMethods(app, operations, apiPrefix);
  traceIncoming(app);
  mountDraining(app, draining);
  readRefusedBodies(app, draining.signal);
  mountMetrics(app, config.METRICS_TOKEN, measures, calls.registry);
  guard(app, gate);
  app.addHook('onRequest', requireHost);
  app.addHook('onRequest', requireUtf8);
  parseJson(app);
  handleFailures(app, settings, unknownPage());
  logRefusals(app);
  app.addHook('onResponse', (request, reply, done) => {
    if (!log.isLevelEnabled('debug')) return done();
    const { method, ip } = request;
    const route = routeOf(request);
    request.log.debug(
      { method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime), ip },
      'request answered',
    );
    done();
  });
  mountHealth(app, { db: db.for('health'), standby, databaseSpace: db.space, audioSpace }, draining.signal);
  mountDocs(app, operations, settings);
  mountPages(app);
  mountCli(app, settings);
  mountOAuth(app, { db, log, settings, mail, clock, key: oauthKey, fetchDocument: oauthFetch });
  if (router === appRouter) mountTrpc(app, appRouter, operations, contextFor, settings);
  const addresses = { host: config.HOST, allowedOrigins: config.ALLOWED_ORIGINS };
  mountMcp(app, toolRouter, contextFor, settings, addresses);
  const maxPerWorkspace = Math.ceil(settings.streamsPerWorkspace / 100);
  mountMedia(app, { db, store: audio, key: mediaKey, maxPerWorkspace, clock });
  mountRecordings(app, intake, settings, addresses, closingSeconds(config));
  refuseOtherMethods();
  void app.register(async (api) => mountOperations(api, operations, contextFor, settings, standby), {
    prefix: apiPrefix,
  });
  return app;
}

import type { KeyObject } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { mountCli } from '../adapters/cli/mount.ts';
import { mountDocs } from '../adapters/docs/mount.ts';
import { mountMcp } from '../adapters/mcp/http.ts';
import { operationsOf, toolsOf } from '../adapters/operations.ts';
import { mountPages } from '../adapters/pages/mount.ts';
import type { ContextFor } from '../adapters/request.ts';
import { servedDocument } from '../adapters/rest/openapi.ts';
import { answerError, handleFailures, parseJson } from '../adapters/rest/reply.ts';
import { mountOperations } from '../adapters/rest/routes.ts';
import { mountTrpc } from '../adapters/trpc.ts';
import type { Database } from '../db/client.ts';
import type { Client, ServiceSettings } from '../routers/base.ts';
import type { Media } from '../routers/captures/media.ts';
import { invalid } from '../routers/errors.ts';
import { entityTags } from '../routers/etag.ts';
import { appRouter, toolRouter } from '../routers/index.ts';
import type { Jobs } from '../routers/jobs.ts';
import type { Live } from '../routers/live.ts';
import type { Mailer } from '../routers/mail.ts';
import { addressHash, createGate, guard } from './access/gate.ts';
import { Limiter } from './access/limiter.ts';
import { mountOAuth } from './access/oauth/mount.ts';
import type { ProviderParts } from './access/oauth/provider.ts';
import { answerUnreadable } from './access/unreadable.ts';
import type { Engine } from './agents/engine.ts';
import type { TurnLimits } from './agents/parts.ts';
import { mountRecordings, wantsSocket } from './captures/intake/handshake.ts';
import type { Intake } from './captures/intake/intake.ts';
import type { IntakeTimes } from './captures/intake/times.ts';
import { mountMedia } from './captures/media/mount.ts';
import type { AudioStore } from './captures/storage/store.ts';
import type { Config } from './config.ts';
import { endConnectionsOnClose } from './connections.ts';
import { mountHealth } from './health.ts';
import type { Handlers } from './jobs/work.ts';
import { type Measure, mountMetrics } from './metrics.ts';
import { requestId } from './request-id.ts';

export interface ServiceParts {
  config: Config;
  db: Database;
  log: Logger;
  settings: ServiceSettings;
  mail: Mailer;
  jobs: Jobs;
  live: Live;
  media: Media;
  /** Takes the audio of recordings. */
  intake: Intake;
  /** Where audio lies. */
  audio: AudioStore;
  /** Secret of the links to audio, shared by all processes. */
  mediaKey: KeyObject;
  /** How long the intake waits; other times only in tests. */
  intakeTimes?: Partial<IntakeTimes>;
  /** Pauses before a step of a capture is tried again, in milliseconds; others only in tests. */
  capturePauses?: readonly number[];
  /** Secret of the OAuth server, shared by all processes. */
  oauthKey: Buffer;
  /** Fetches metadata documents of OAuth clients; another one only in tests, which serve them on loopback. */
  oauthFetch?: ProviderParts['fetch'];
  clock?: () => Date;
  /** What the workers of this process do. */
  handlers?: Partial<Handlers>;
  /** What /metrics tells besides the requests. */
  measures?: readonly Measure[];
  /** Answers for the agents; another one only in tests. */
  engine?: Engine;
  /** What a turn may take; other limits only in tests, which cannot wait for minutes. */
  turnLimits?: Partial<TurnLimits>;
  /** The router to serve; another one only in tests of the frame. */
  router?: Parameters<typeof operationsOf>[0];
}

/** @throws Failure 400 (RFC 9112 §3.2). */
function requireHost({ raw, headers }: FastifyRequest, _: FastifyReply, done: () => void): void {
  if (raw.httpVersion === '1.1' && headers.host === undefined) throw invalid('Host', 'HTTP/1.1 needs a Host header.');
  done();
}

/** The client of a request. Few ask for its address. */
function clientOf(request: FastifyRequest): Client {
  return {
    get addressHash() {
      return addressHash(request.ip);
    },
    name: request.headers['user-agent'] ?? '',
  };
}

/** The whole service as a Fastify app: every transport on one port. Not listening yet. */
export function createService({
  config,
  db,
  log,
  settings,
  mail,
  jobs,
  live,
  media,
  intake,
  audio,
  mediaKey,
  oauthKey,
  oauthFetch,
  clock = () => new Date(),
  measures = [],
  router = appRouter,
}: ServiceParts): FastifyInstance {
  const gate = createGate(new Limiter(db, config.RATE_LIMIT_PER_ADDRESS), config.RATE_LIMIT_PER_ADDRESS, settings);
  const app: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    // Node's own 400 without Host would lack every header of ours: `requireHost` answers it.
    http: { requireHostHeader: false, shouldUpgradeCallback: wantsSocket },
    // A number of hops: `true` would believe the leftmost address of X-Forwarded-For, which the client may invent.
    trustProxy: config.TRUST_PROXY > 0 && ((_: string, hop: number) => hop < config.TRUST_PROXY),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: 60_000,
    // An address too long for Node is 431; any other is for the schema of the route to judge.
    routerOptions: { maxParamLength: 65_536 },
    // What Fastify refuses before a route is found has passed no hook: it is counted and answered like the rest.
    frameworkErrors: async (error, request, reply) => {
      const refused = await gate(request, reply).then(
        () => error,
        (failure: Error) => failure,
      );
      return answerError(refused, request, reply, settings);
    },
    clientErrorHandler: answerUnreadable(config.RATE_LIMIT_PER_ADDRESS, settings),
  });
  // RFC 9110 §10.1.1 lets a server pass over an expectation; Node's own 417 would lack every header of ours.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const operations = operationsOf(router);
  settings.document = servedDocument(operations, settings);
  settings.tools = new Map(toolsOf(toolRouter).map((tool) => [tool.name, tool]));
  const facts = operations.map(({ id, access, scope }) => ({ id, access, scope }));
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  app.addHook('preClose', async () => closing.abort());
  endConnectionsOnClose(app);
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
      jobs,
      live,
      media,
      clock,
      signal: gone.signal,
      closing: closing.signal,
      requestId: request.id,
      service: settings,
      operations: facts,
      idempotencyKey: request.headers['idempotency-key']?.toString(),
      ifMatch: ifMatch === undefined ? undefined : entityTags(ifMatch),
      client: clientOf(request),
      mail,
      reply: { replayed: false },
    };
  };
  mountMetrics(app, config.METRICS_TOKEN, measures);
  guard(app, gate);
  app.addHook('onRequest', requireHost);
  parseJson(app);
  handleFailures(app, settings);
  app.addHook('onResponse', (request, reply, done) => {
    const { method, ip } = request;
    const path = request.url.split('?')[0];
    request.log.debug({ method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime), ip }, 'answered');
    done();
  });
  mountHealth(app, db);
  mountDocs(app);
  mountPages(app);
  mountCli(app, settings);
  mountOAuth(app, { db, log, settings, key: oauthKey, ...(oauthFetch && { fetch: oauthFetch }) });
  if (router === appRouter) mountTrpc(app, appRouter, contextFor, settings);
  const addresses = { host: config.HOST, allowedOrigins: config.ALLOWED_ORIGINS };
  mountMcp(app, toolRouter, contextFor, settings, addresses);
  mountMedia(app, { db, store: audio, key: mediaKey, clock });
  mountRecordings(app, intake, settings, addresses, config.SHUTDOWN_SECONDS);
  void app.register(async (api) => mountOperations(api, operations, contextFor, settings), {
    prefix: '/api/v1',
  });
  return app;
}

import { createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { connect, type Database } from '../db/client.ts';
import { openEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { sharedSecret } from '../db/seed.ts';
import { expireApprovals } from '../routers/approvals/expiry.ts';
import type { ServiceSettings } from '../routers/base.ts';
import { tellDue } from '../routers/notifications/events.ts';
import { createEngines } from './agents/models/engines.ts';
import { agentsAtWork, contextOfAgents } from './agents/start.ts';
import { voicesOf } from './agents/voices.ts';
import { type Backstage, openBackstage } from './backstage.ts';
import { openCaptures } from './captures/start.ts';
import { createClockwork } from './clockwork/index.ts';
import type { Config } from './config.ts';
import { createService, type ServiceParts } from './http.ts';
import { createMailer } from './mail.ts';
import { letterMeasures, letterWorker } from './notifications/worker.ts';
import { startSweeps } from './sweeps.ts';

/** Version of the API surface (SPEC "Versioning"). */
const apiVersion = '1.0.0';

export interface OpenDatabase {
  db: Database;
  /** True when PostgreSQL runs in the data directory of this service. */
  embedded: boolean;
  close(): Promise<void>;
}

/**
 * The database of the configuration, migrated: `DATABASE_URL`, or an embedded one in `DATA_DIR`. `exclusive: false`
 * joins an embedded database that another process of ours runs.
 */
export async function openDatabase(config: Config, log: Logger, exclusive = true): Promise<OpenDatabase> {
  const embedded = config.DATABASE_URL
    ? undefined
    : await openEmbedded({
        dataDir: config.DATA_DIR,
        exclusive,
        ...(config.EMBEDDED_PORT > 0 && { port: config.EMBEDDED_PORT }),
        log: (line, level = 'debug') => log[level](line),
      });
  const db = connect(embedded?.url ?? config.DATABASE_URL ?? '', { poolSize: config.DATABASE_POOL_SIZE });
  const close = async () => {
    await db.close();
    await embedded?.stop();
  };
  try {
    const applied = await migrate(db.driver);
    if (applied.length > 0) log.info({ applied }, 'migrated the database');
    return { db, embedded: embedded !== undefined, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function publicAddress(config: Config, port: number): string {
  const everywhere = ['0.0.0.0', '::', ''].includes(config.HOST);
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return config.PUBLIC_URL ?? `http://${everywhere ? 'localhost' : host}:${port}`;
}

/** What the service says of where it is; complete once the port is known (`PORT=0` lets the system choose). */
function addresses(config: Config, port: number) {
  const publicUrl = publicAddress(config, port);
  return {
    publicUrl,
    cliInstallUrl: config.CLI_INSTALL_URL ?? `${publicUrl}/install.sh`,
    deprecationUrl: config.DEPRECATION_URL ?? `${publicUrl}/docs/deprecation`,
  };
}

export interface RunningService {
  app: FastifyInstance;
  url: string;
  port: number;
  /** Makes jobs, and tells news of chats. */
  backstage: Pick<Backstage, 'queue' | 'live'>;
  /** Finishes the requests in flight and gives up the work in hand, then closes the listener. The database stays open. */
  close(): Promise<void>;
}

/** Listens, with all that runs beside the requests. @throws Error (`EADDRINUSE` …) when it cannot listen. */
export async function startService(
  config: Config,
  db: Database,
  log: Logger,
  overrides: Partial<ServiceParts> = {},
): Promise<RunningService> {
  const settings: ServiceSettings = {
    version: apiVersion,
    ...addresses(config, config.PORT),
    cursorKey: createSecretKey(await sharedSecret(db, 'cursor')),
    agentMinutes: config.AGENT_MINUTES,
    rateLimitPerMinute: config.RATE_LIMIT_PER_KEY,
    recordings: { maxSeconds: config.RECORDING_MAX_MINUTES * 60 },
  };
  const mail = createMailer(config, log);
  const oauthKey = await sharedSecret(db, 'oauth');
  const backstage = await openBackstage(config, db, log);
  const { queue: jobs, live } = backstage;
  const letters = letterWorker({ db, post: mail, log, service: settings });
  const captures = await openCaptures(config, { db, settings, ...backstage }, log, overrides);
  const { media } = captures;
  const measures = [...backstage.measures, ...letterMeasures(letters), ...captures.intake.measures];
  const app = createService({
    config,
    db,
    log,
    settings,
    mail,
    jobs,
    live,
    ...captures,
    measures,
    oauthKey,
    ...overrides,
  });
  try {
    await app.listen({ host: config.HOST, port: config.PORT });
  } catch (error) {
    await backstage.close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  Object.assign(settings, addresses(config, port));
  const world = { db, jobs, live, clock: overrides.clock ?? (() => new Date()), service: settings, mail, media };
  const voices = {
    ...voicesOf(createEngines(config, log), log),
    ...(overrides.engine && { engine: overrides.engine }),
  };
  const { turnLimits } = overrides;
  const agents = agentsAtWork({ config, log, live, voices, context: contextOfAgents(world), turnLimits });
  const onCapture = captures.handler(world, voices.writer);
  const periodic = backstage.startWork({ ...agents, onCapture, ...overrides.handlers });
  if (periodic) captures.lookAfter(periodic);
  periodic?.every(60, 'approvals that nobody decided', () => expireApprovals(world, world.clock()));
  if (mail.sends) periodic?.every(2, 'letters', letters.run);
  const clockwork = periodic && createClockwork({ world, log, tell: tellDue });
  clockwork?.start();
  const stopSweeps = startSweeps(db, log);
  const close = async () => {
    stopSweeps();
    letters.stop();
    await Promise.all([app.close(), backstage.stopWork(), clockwork?.stop(config.SHUTDOWN_SECONDS)]);
    await mail.idle();
    await backstage.close();
  };
  return { app, url: settings.publicUrl, port, backstage, close };
}

import { createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import { sharedSecrets } from '../db/seed.ts';
import { expireApprovals } from '../domain/approvals/expiry.ts';
import { notifyDue } from '../domain/notifications/events.ts';
import { configuredEngines } from '../engine/models/configured.ts';
import { publicClient } from '../outbound/public.ts';
import { agentsAtWork, contextOfAgents } from './agents.ts';
import { type Background, openBackground } from './background.ts';
import { openCaptures } from './captures.ts';
import { openOfflineWork } from './compute/work.ts';
import type { Config } from './config.ts';
import { selectEngines, tracedEngine } from './engine-selection.ts';
import { createService } from './http.ts';
import { createCallMetrics } from './runtime/call-metrics.ts';
import { closingSeconds, createDraining } from './runtime/draining.ts';
import { createScheduler } from './scheduler/index.ts';
import { createReminders } from './scheduler/reminders.ts';
import type { ServiceParts } from './service-parts.ts';
import { publicAddresses, secretNames, settingsOf } from './service-settings.ts';
import { openStandbyReads } from './standby.ts';
import { keptDaysOf, startSweeps } from './sweeps.ts';
import { startKeepingCounts } from './todo-counts.ts';
import { openWebhooks } from './webhooks.ts';
import { createMailer } from './workers/emails/mailer.ts';
import { emailWorker } from './workers/emails/worker.ts';
import { pushWorker } from './workers/push/worker.ts';
import type { FanOut } from './workers/webhooks/fan-out.ts';

export interface RunningService {
  app: FastifyInstance;
  url: string;
  port: number;
  /** The events of chats. */
  live: Background['live'];
  /** The events of workspaces. */
  logs: Background['logs'];
  /** `/readyz` answers 503 from now on, and every answer ends its connection. All is still served. */
  drain(): void;
  /** Makes in advance what the first request for it would wait for: the OpenAPI document. */
  prepare(): void;
  /**
   * Finishes the requests in flight and gives up the work in hand, then closes the listener. The database stays open.
   */
  close(): Promise<void>;
}

/** Starts the HTTP server and everything beside the requests. @throws Error (`EADDRINUSE` …) when it cannot listen. */
export async function startService(
  config: Config,
  db: Database,
  log: Logger,
  overrides: Partial<ServiceParts> = {},
): Promise<RunningService> {
  const standby = await openStandbyReads(config, db, log);
  const secrets = await sharedSecrets(db, secretNames);
  const settings = settingsOf(config, secrets, overrides);
  const mail = createMailer(config, log);
  const workers = db.for('workers');
  const background = openBackground(config, db, log, overrides.onSession);
  const { live, logs, sequencer, pgListener } = background;
  const emails = emailWorker({ db: workers, sender: mail, log, service: settings });
  const offline = openOfflineWork(overrides.taskLimits);
  const { readTranscript } = offline;
  const captures = await openCaptures(
    config,
    { db, workers, settings, pgListener, readTranscript, mediaKey: createSecretKey(secrets.media) },
    log,
    overrides,
  ).catch(async (error: unknown) => {
    await background.close();
    throw error;
  });
  const { media } = captures;
  const clock = overrides.clock ?? (() => new Date());
  const webhooks = openWebhooks(
    { db: workers, clock, mail },
    { config, key: settings.webhooks.key, log, pgListener, outbound: overrides.webhookOutbound },
  );
  const send = publicClient(config.OUTBOUND_ALLOW);
  const pushes = pushWorker({ db: workers, send, log, service: settings });
  const measures = [
    ...background.measures,
    ...emails.measures,
    ...captures.intake.measures,
    ...offline.measures,
    ...webhooks.measures,
    ...pushes.measures,
    ...standby.measures,
  ];
  const draining = createDraining();
  const calls = createCallMetrics();
  const app = createService({
    config,
    draining,
    db,
    standby,
    log,
    settings,
    mail,
    live,
    logs,
    onEvent: sequencer.wake,
    ...captures,
    measures,
    calls,
    oauthKey: secrets.oauth,
    oauthFetch: publicClient(config.OUTBOUND_ALLOW),
    ...overrides,
  });
  try {
    await app.listen({ host: config.HOST, port: config.PORT });
  } catch (error) {
    await background.close();
    throw error;
  }
  standby.start();
  const { port } = app.server.address() as AddressInfo;
  Object.assign(settings, publicAddresses(config, port));
  const ctx = { db: workers, live, logs, clock, service: settings, mail, media, observe: calls.observe };
  const selection = {
    ...selectEngines(configuredEngines(config, log), log, offline),
    ...(overrides.engine && { engine: tracedEngine(overrides.engine) }),
  };
  const { turnLimits } = overrides;
  const agents = agentsAtWork({ config, log, live, selection, context: contextOfAgents(ctx), turnLimits });
  const onEmail = mail.sends ? emails.handle : undefined;
  const handlers = {
    ...agents,
    ...captures.handlersOf(ctx, selection.writer),
    onEmail,
    onWebhook: webhooks.handle,
    onPush: pushes.handle,
    ...overrides.handlers,
  };
  const started = background.startWork(handlers);
  const scheduler = started && createScheduler({ ctx, log, notifyDue });
  const reminders = started && createReminders({ ctx, log });
  let fanOut: FanOut | undefined;
  if (started && scheduler && reminders) {
    captures.addPeriodic(started.periodic);
    started.periodic.every(60, 'expire approvals', () => expireApprovals(ctx));
    // One after another: at once, each would open a connection.
    fanOut = webhooks.startFanOut(reminders.start(scheduler.start(started.first)));
  }
  const counting = startKeepingCounts(db.for('maintenance'), log);
  const stopSweeps = startSweeps(db.for('maintenance'), log, keptDaysOf(config));
  const close = async () => {
    stopSweeps();
    const seconds = closingSeconds(config);
    const timed = [scheduler?.stop(seconds), reminders?.stop(seconds), counting.stop()];
    await Promise.all([app.close(), background.stopWork(), ...timed, fanOut?.stop()]);
    await mail.idle();
    await offline.close();
    await standby.close(seconds);
    await background.close();
  };
  const prepare = () => void settings.document?.();
  return { app, url: settings.publicUrl, port, live, logs, drain: draining.begin, prepare, close };
}

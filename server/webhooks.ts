import type { Logger } from 'pino';
import { FairQueue, QueueFull } from '../db/fair-queue.ts';
import type { ServiceSettings } from '../domain/context.ts';
import { unavailable } from '../domain/errors.ts';
import type { NotifyContext } from '../domain/notifications/notify.ts';
import { isBusy } from '../outbound/errors.ts';
import type { PublicOptions } from '../outbound/public.ts';
import type { Config } from './config.ts';
import type { PgListener } from './pubsub/listener.ts';
import { type FanOut, startFanOut } from './workers/webhooks/fan-out.ts';
import { attemptOf, webhookClient } from './workers/webhooks/request.ts';
import { maxRequests, type WebhookParts, type WebhookWorker, webhookWorker } from './workers/webhooks/worker.ts';

interface WebhookSettings {
  config: Pick<Config, 'OUTBOUND_ALLOW'>;
  key: WebhookParts['key'];
  log: Logger;
  pgListener: Pick<PgListener, 'listen'>;
  /** Of the requests; others only in tests. */
  outbound?: PublicOptions | undefined;
}

/** Requests that ask addresses whether they want events: each takes up to 15 s, and workspaces take turns. */
const verifications = { maxRunning: 16, maxWaiting: 128, maxWaitingPerKey: 8 };

/** Sends single requests to addresses of webhooks, beside the workers. */
export function webhookSender(
  allowed: Config['OUTBOUND_ALLOW'],
  outbound?: PublicOptions,
): ServiceSettings['webhooks']['send'] {
  // The connection of an answer that was read may end a little later than its turn.
  const send = webhookClient(allowed, 2 * verifications.maxRunning, outbound);
  const queue = new FairQueue(verifications);
  return (workspaceId, request) =>
    queue
      .run(workspaceId, () => attemptOf(send, request, new AbortController().signal))
      .catch((error: unknown) => {
        throw error instanceof QueueFull || isBusy(error) ? unavailable(error, 15) : error;
      });
}

/** What sends webhooks. */
export interface Webhooks extends WebhookWorker {
  /** Starts making the deliveries of new events, once the workers run and `after` has resolved. */
  startFanOut(after: Promise<void>): FanOut;
}

/** What sends webhooks in this process. */
export function openWebhooks(ctx: NotifyContext, settings: WebhookSettings): Webhooks {
  const { config, key, log, pgListener, outbound } = settings;
  const send = webhookClient(config.OUTBOUND_ALLOW, maxRequests, outbound);
  return {
    ...webhookWorker({ ...ctx, send, log, key }),
    startFanOut: (after) => startFanOut({ db: ctx.db, pgListener, log, after }),
  };
}

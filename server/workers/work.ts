import type { Logger } from 'pino';
import type { Db } from '../../db/client.ts';
import type { CaptureClaim } from '../../domain/captures/processing/claims.ts';
import { jobsChannel } from '../../domain/jobs.ts';
import type { Claim } from '../../domain/turns/steps.ts';
import type { EndpointClaim } from '../../domain/webhooks/sending.ts';
import type { PgListener } from '../pubsub/listener.ts';
import { captureLeases, type Removal, removalLeases } from './captures/leases.ts';
import { type DigestClaim, digestLeases, pauseOf } from './digests/leases.ts';
import { type ClaimedEmail, emailLeases } from './emails/claims.ts';
import { type PushClaim, pushLeases } from './push/claims.ts';
import type { LeasedRow } from './queue/leases.ts';
import { doubling, type Handler, type Loop, type LoopParts, startLoop } from './queue/loop.ts';
import { turnLeases } from './turns/leases.ts';
import { webhookLeases } from './webhooks/leases.ts';
import { endpointsAtATime, endpointsPerWorkspace } from './webhooks/worker.ts';

/** What is done for each kind of work. */
export interface Handlers {
  onTurn: Handler<Claim>;
  onDigest: Handler<DigestClaim>;
  onCapture: Handler<CaptureClaim>;
  onRemoval: Handler<Removal>;
  /** Missing where no mail server is configured. */
  onEmail?: Handler<ClaimedEmail> | undefined;
  onWebhook: Handler<EndpointClaim>;
  onPush: Handler<PushClaim>;
}

export interface WorkParts {
  db: Db;
  pgListener: Pick<PgListener, 'listen'>;
  log: Logger;
  /** Turns worked on at a time. */
  turnConcurrency: number;
  handlers: Handlers;
}

type Counts = Pick<Loop, 'running' | 'done' | 'failed'>;

export interface Work {
  turns: Counts;
  /** Resolves when each kind of work was looked for once. */
  readonly first: Promise<void>;
  /** By the names of `queues`. */
  readonly done: Record<string, number>;
  readonly failed: Record<string, number>;
  /** Gives up the work in progress within `seconds`; other processes continue with it. */
  stop(seconds: number): Promise<void>;
}

/** The kinds of work, by name. */
export const queues = {
  turns: turnLeases,
  digests: digestLeases,
  captures: captureLeases,
  webhooks: webhookLeases,
  pushes: pushLeases,
  removals: removalLeases,
  emails: emailLeases,
};

/** Until an endpoint is looked at again whose work failed here: the number of its claims says nothing of failures. */
const webhookRetrySeconds = 5;

/** Messages that a process sends to browsers at a time. */
const pushesAtATime = 16;

/** Claims of each kind but turns that a process works on at a time. */
const concurrency = 4;

/** Starts a worker loop for each kind of work, one after another: at once, each would open a connection. */
export function startWork({ db, pgListener, log, turnConcurrency, handlers }: WorkParts): Work {
  let after: Promise<void> | undefined;
  const loop = <Row extends LeasedRow>(
    parts: Omit<LoopParts<Row>, 'db' | 'log' | 'concurrency' | 'after'>,
    limit = concurrency,
  ) => {
    const started = startLoop({ db, log, concurrency: limit, after, ...parts });
    after = started.first;
    return started;
  };
  const { onTurn, onDigest, onCapture, onRemoval, onEmail, onWebhook, onPush } = handlers;
  const notified: Record<string, Loop> = {
    turns: loop(
      { leases: turnLeases, handle: onTurn, retrySeconds: ({ claims }) => doubling(claims) },
      turnConcurrency,
    ),
    digests: loop({ leases: digestLeases, handle: onDigest, removes: true, retrySeconds: pauseOf }),
    captures: loop({ leases: captureLeases, handle: onCapture }),
  };
  const retrySeconds = () => webhookRetrySeconds;
  notified.webhooks = loop(
    { leases: webhookLeases, handle: onWebhook, perWorkspace: endpointsPerWorkspace, retrySeconds },
    endpointsAtATime,
  );
  notified.pushes = loop({ leases: pushLeases, handle: onPush }, pushesAtATime);
  const polled: Record<string, Loop> = { removals: loop({ leases: removalLeases, handle: onRemoval }) };
  if (onEmail) polled.emails = loop({ leases: emailLeases, handle: onEmail, keepsLease: true });
  const named = Object.entries({ ...notified, ...polled });
  const loops = named.map(([, each]) => each);
  const unsubscribe = pgListener.listen(jobsChannel, {
    onNotification: (kind) => notified[kind]?.wake(),
    onReconnect: () => {
      for (const each of loops) each.wake();
    },
  });
  const numbers = (of: (each: Loop) => number) => Object.fromEntries(named.map(([name, each]) => [name, of(each)]));
  return {
    turns: notified.turns as Loop,
    first: Promise.all(loops.map((each) => each.first)).then(() => {}),
    get done() {
      return numbers((each) => each.done);
    },
    get failed() {
      return numbers((each) => each.failed);
    },
    stop: async (seconds) => {
      unsubscribe();
      await Promise.all(loops.map((each) => each.stop(seconds)));
    },
  };
}

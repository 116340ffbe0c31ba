import type { Logger } from 'pino';
import type { Db } from '../../../db/client.ts';
import { eventsChannel } from '../../../domain/events/number.ts';
import { makeDeliveries, workspacesBehind } from '../../../domain/webhooks/fan-out.ts';
import { webhooksChannel } from '../../../domain/webhooks/wake.ts';
import type { PgListener } from '../../pubsub/listener.ts';
import { startPoller } from '../../runtime/poller.ts';

/** How long a notification may be missed: then the positions of all endpoints are compared with the logs. */
const pollMs = 30_000;
/**
 * Until endpoints are looked at again whose rows were locked: a worker saves what came of a request, or gives one back.
 */
const contendedMs = 100;
/** Workspaces that one transaction looks at. */
const maxWorkspaces = 500;

export interface FanOut {
  /** Looks no more, and waits for what is in progress. */
  stop(): Promise<void>;
}

interface FanOutParts {
  db: Db;
  pgListener: Pick<PgListener, 'listen'>;
  log: Logger;
  /** The first look waits for this. */
  after?: Promise<void> | undefined;
}

/** The workspaces that a notification of new events names: pairs of a workspace and its latest sequence. Null: any. */
function workspacesOf(payload: string): string[] | null {
  const positions: unknown = JSON.parse(payload);
  return Array.isArray(positions) ? positions.map(([workspaceId]) => String(workspaceId)) : null;
}

/**
 * Makes the deliveries of new events, for some of the endpoints of each workspace in turn. Notifications name the
 * workspaces, so that an endpoint costs nothing while nothing happens in its workspace; the look at all of them is a
 * safety net.
 */
export function startFanOut({ db, pgListener, log, after }: FanOutParts): FanOut {
  // In the order in which they are looked at: who was served comes after all others.
  const named = new Set<string>();
  let isAll = true;
  let nextAll = 0;

  const poll = async () => {
    if (isAll || performance.now() >= nextAll) {
      isAll = false;
      nextAll = 0;
      for (const each of await workspacesBehind(db)) named.add(each);
      nextAll = performance.now() + pollMs;
    }
    const batch = [...named.values().take(maxWorkspaces)];
    if (batch.length === 0) return pollMs;
    for (const each of batch) named.delete(each);
    // A failed try looks at them again.
    let again = batch;
    try {
      const { served, left } = await makeDeliveries(db, batch);
      again = [...left, ...served];
      if (served.length === 0 && left.length > 0) return contendedMs;
    } finally {
      for (const each of again) named.add(each);
    }
    return named.size > 0 ? 0 : pollMs;
  };
  const poller = startPoller(poll, 'webhook deliveries not made, will retry', log, after);
  const look = (workspaceIds: readonly string[] | null) => {
    if (workspaceIds === null) isAll = true;
    else for (const each of workspaceIds) named.add(each);
    poller.wake();
  };
  const unsubscribe = [
    pgListener.listen(webhooksChannel, { onNotification: (id) => look([id]), onReconnect: () => look(null) }),
    pgListener.listen(eventsChannel, { onNotification: (payload) => look(workspacesOf(payload)) }),
  ];
  return {
    stop: async () => {
      for (const each of unsubscribe) each();
      await poller.stop();
    },
  };
}

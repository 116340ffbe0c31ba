import type { Logger } from 'pino';
import type { Db } from '../../../db/client.ts';
import { eventsChannel } from '../../../domain/events/number.ts';
import { type Made, makeDeliveries } from '../../../domain/webhooks/fan-out.ts';
import { webhooksChannel } from '../../../domain/webhooks/wake.ts';
import type { PgListener } from '../../pubsub/listener.ts';
import { startPoller } from '../../runtime/poller.ts';

/** How long a notification may be missed: then the positions of all endpoints are compared with the logs. */
const pollMs = 30_000;
/** Until endpoints are looked at again whose rows were locked: a worker saves what came of a request, or gives one back. */
const contendedMs = 100;

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
 * Makes the deliveries of new events. Notifications name the workspaces, so that an endpoint costs nothing while nothing
 * happens in its workspace; the look at all of them is a safety net.
 */
export function startFanOut({ db, pgListener, log, after }: FanOutParts): FanOut {
  let named = new Set<string>();
  let isAll = true;
  let nextAll = 0;

  const poll = async () => {
    if (performance.now() >= nextAll) isAll = true;
    const workspaceIds = isAll ? null : [...named];
    if (workspaceIds?.length === 0) return pollMs;
    const before = { named, isAll };
    [named, isAll] = [new Set(), false];
    let made: Made;
    try {
      do made = await makeDeliveries(db, workspaceIds);
      while (made.hasMore);
    } catch (error) {
      // Another try looks at them again.
      isAll ||= before.isAll;
      for (const each of before.named) named.add(each);
      throw error;
    }
    if (workspaceIds === null) nextAll = performance.now() + pollMs;
    for (const each of made.locked) named.add(each);
    if (made.locked.length > 0) return contendedMs;
    return isAll || named.size > 0 ? 0 : pollMs;
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

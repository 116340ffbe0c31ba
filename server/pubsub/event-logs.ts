import type { Logger } from 'pino';
import type { Db } from '../../db/client.ts';
import { hasNoSecondFactor, requiringFactor, validCredential } from '../../domain/access.ts';
import type { EventLogs, LogNotice } from '../../domain/event-logs.ts';
import { eventsChannel } from '../../domain/events/number.ts';
import { logEnds } from '../../domain/events/read.ts';
import { type AccessChange, type Accessor, accessChannel, concerns } from '../../domain/live.ts';
import type { PgListener } from './listener.ts';
import { Follower } from './log-follower.ts';
import { LogTail } from './log-tail.ts';

/** The logs of the workspaces, for the process that owns them. */
export interface OpenEventLogs extends EventLogs {
  /** Those who follow a log now. */
  readonly followers: number;
  close(): void;
}

/** Workspaces whose positions are remembered. */
const maxPositions = 50_000;
const tickMs = 1000;
/**
 * After this many ticks the log is read for events whose notifications were lost, and credentials are checked again.
 */
const ticksPerCheck = 5;

const positionsOf = `select workspace_id as id, latest from event_positions where workspace_id = any($1::uuid[])`;

// In two statements: Citus joins no table of the coordinator with one that is divided by workspace.
const stillValid = `select c.id, c.workspace_id as "workspaceId", c.kind = 'session' and ${hasNoSecondFactor} as "lacksSecondFactor"
  from unnest($1::uuid[], $2::uuid[]) r(workspace_id, id) join credentials c on c.workspace_id = r.workspace_id and c.id = r.id
  where ${validCredential}`;

/** Which of these credentials are valid now, of the workspaces beside them. */
async function validOf(db: Db, workspaceIds: readonly string[], ids: readonly string[]): Promise<Set<string>> {
  const valid = await db.rows<{ id: string; workspaceId: string; lacksSecondFactor: boolean }>(stillValid, [
    workspaceIds,
    ids,
  ]);
  const lacking = new Set(valid.filter((each) => each.lacksSecondFactor).map(({ workspaceId }) => workspaceId));
  const required = lacking.size > 0 ? await db.rows<{ id: string }>(requiringFactor, [[...lacking]]) : [];
  const closed = new Set(required.map(({ id }) => id));
  return new Set(valid.filter((each) => !(each.lacksSecondFactor && closed.has(each.workspaceId))).map(({ id }) => id));
}

interface Listener {
  listener: (notice: LogNotice) => void;
  accessor: Accessor;
}

/** What is followed of one workspace. */
interface Followed {
  tail: LogTail;
  followers: Set<Follower>;
}

/** Distributes the events of the workspaces among those who follow them on this process, over `pgListener`. */
export function openEventLogs(pgListener: PgListener, db: Db, log: Logger): OpenEventLogs {
  const positions = new Map<string, number>();
  const followed = new Map<string, Followed>();
  const listeners = new Map<string, Set<Listener>>();
  let isChecking = false;
  let ticks = 0;

  const remember = (workspaceId: string, sequence: number) => {
    const known = positions.get(workspaceId) ?? 0;
    if (positions.size >= maxPositions && !positions.has(workspaceId)) {
      const [oldest] = positions.keys();
      if (oldest !== undefined) positions.delete(oldest);
    }
    positions.set(workspaceId, Math.max(known, sequence));
    return Math.max(known, sequence);
  };
  const notify = ({ listener }: Listener, notice: LogNotice) => {
    try {
      listener(notice);
    } catch (error) {
      log.error({ err: error }, 'event listener failed');
    }
  };
  const advance = (workspaceId: string, sequence: number) => {
    remember(workspaceId, sequence);
    followed.get(workspaceId)?.tail.advance(sequence);
  };
  const everybody = () => [...followed.values()].flatMap(({ followers }) => [...followers]);

  const endInvalid = async (followers: readonly Follower[]) => {
    if (followers.length === 0) return;
    const workspaces = new Map(
      followers.map(({ accessor: { credentialId, workspaceId } }) => [credentialId, workspaceId]),
    );
    const valid = await validOf(db, [...workspaces.values()], [...workspaces.keys()]);
    for (const follower of followers) if (!valid.has(follower.accessor.credentialId)) follower.close();
  };
  // The next numbers were given before to other events: a client that resumes gets 400 `position_unknown`.
  const endFollowers = (workspaceId: string, { followers }: Followed) => {
    positions.delete(workspaceId);
    for (const follower of [...followers]) follower.close();
  };
  /**
   * Finds events whose notifications were lost, and logs that end earlier than before because the database was restored
   * or replaced.
   */
  const readAgain = async () => {
    const ids = [...followed.keys()];
    if (ids.length === 0) return;
    const before = new Map([...followed].map(([id, { tail }]) => [id, { tail, end: tail.end }]));
    const rows = await db.rows<{ id: string; latest: string }>(positionsOf, [ids]);
    const latestOf = new Map(rows.map(({ id, latest }) => [id, Number(latest)]));
    for (const [id, { tail, end }] of before) {
      const latest = latestOf.get(id) ?? 0;
      const now = followed.get(id);
      if (latest >= end) advance(id, latest);
      else if (now?.tail === tail) endFollowers(id, now);
    }
  };
  const check = async (work: () => Promise<void>) => {
    await work().catch((error: unknown) => log.debug({ err: error }, 'followers not checked, will retry'));
  };

  const onEvents = (payload: string) => {
    let notice: [string, number][];
    try {
      notice = JSON.parse(payload);
    } catch {
      return log.debug('ignored a notification with an unknown payload');
    }
    for (const [workspaceId, sequence] of notice) {
      advance(workspaceId, sequence);
      for (const each of [...(listeners.get(workspaceId) ?? [])]) notify(each, { kind: 'events' });
    }
  };
  const onAccess = (payload: string) => {
    let change: AccessChange;
    try {
      change = JSON.parse(payload);
    } catch {
      return log.debug('ignored a notification with an unknown payload');
    }
    for (const each of [...(listeners.get(change.workspaceId) ?? [])]) {
      if (concerns(change, each.accessor)) notify(each, { kind: 'access', ...change });
    }
    const concerned = [...(followed.get(change.workspaceId)?.followers ?? [])].filter((each) => each.concerns(change));
    void check(() => endInvalid(concerned));
  };
  const onReconnect = () => {
    // A database that was restored from a backup may have shorter logs than before.
    positions.clear();
    for (const each of [...listeners.values()].flatMap((all) => [...all])) notify(each, { kind: 'resync' });
    void check(readAgain);
    void check(() => endInvalid(everybody()));
  };
  const unsubscribes = [
    pgListener.listen(eventsChannel, { onNotification: onEvents, onReconnect }),
    pgListener.listen(accessChannel, { onNotification: onAccess }),
  ];
  const ticking = setInterval(() => {
    const [now, time] = [performance.now(), Date.now()];
    for (const { followers } of followed.values()) for (const each of followers) each.tick(now, time);
    if (++ticks % ticksPerCheck !== 0 || isChecking) return;
    isChecking = true;
    void check(async () => {
      await readAgain();
      await endInvalid(everybody());
    }).finally(() => {
      isChecking = false;
    });
  }, tickMs);
  ticking.unref();

  const leave = (follower: Follower) => {
    const { workspaceId } = follower.accessor;
    const left = followed.get(workspaceId);
    if (!left?.followers.delete(follower) || left.followers.size > 0) return;
    left.tail.close();
    followed.delete(workspaceId);
  };

  return {
    positionOf: (workspaceId) => positions.get(workspaceId),
    learnPosition: async (workspaceId) =>
      positions.get(workspaceId) ?? remember(workspaceId, (await logEnds(db, workspaceId)).latest),
    subscribe: (workspaceId, listener, accessor) => {
      const each: Listener = { listener, accessor };
      const subscribed = listeners.get(workspaceId) ?? new Set();
      listeners.set(workspaceId, subscribed.add(each));
      return () => {
        subscribed.delete(each);
        if (subscribed.size === 0 && listeners.get(workspaceId) === subscribed) listeners.delete(workspaceId);
      };
    },
    follow: async (accessor) => {
      const { workspaceId } = accessor;
      const opened = followed.get(workspaceId) ?? {
        tail: new LogTail(db, workspaceId, log),
        followers: new Set<Follower>(),
      };
      followed.set(workspaceId, opened);
      const follower = new Follower(opened.tail, accessor, leave);
      opened.followers.add(follower);
      try {
        await opened.tail.opened;
      } catch (error) {
        follower.close();
        throw error;
      }
      return follower;
    },
    followersOf: (workspaceId) => followed.get(workspaceId)?.followers.size ?? 0,
    get followers() {
      return [...followed.values()].reduce((sum, { followers }) => sum + followers.size, 0);
    },
    close: () => {
      for (const unsubscribe of unsubscribes) unsubscribe();
      clearInterval(ticking);
      for (const follower of everybody()) follower.close();
    },
  };
}

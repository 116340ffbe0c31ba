import type { actorTypes, EventParents, vias } from '../db/schema/events.ts';
import type { Accessor, LiveEvent } from './live.ts';

/** An event of the log, as its answer has it (`domain/events/shapes.ts`). */
export interface LoggedEvent {
  object: 'event';
  id: string;
  type: string;
  sequence: number;
  occurredAt: string;
  workspaceId: string;
  actor: {
    type: (typeof actorTypes)[number];
    id: string | null;
    name: string | null;
    credentialId: string | null;
    via: (typeof vias)[number];
  };
  requestId: string | null;
  data: { object: string; id: string; parents: EventParents; changedFields: string[]; version: number | null };
}

/** On whose behalf a log is followed, and until when. */
export interface LogAccessor extends Accessor {
  credentialId: string;
  expiresAt: string | null;
}

/** An event as all its readers get it: one object, so that it is checked and serialized once for all of them. */
export interface SharedEvent {
  event: 'change';
  id: number;
  data: LoggedEvent;
}

/** An event in memory, and the only person who may read it; null for everybody who may read its resource. */
export interface AddressedEvent {
  shared: SharedEvent;
  readerId: string | null;
}

/** One who follows the log of a workspace, from `follow` until `close`. */
export interface LogFollower {
  /** The last events of the log, oldest first, without a gap; those after `sequence`, at most `limit` of them. */
  recent(sequence: number, limit: number): readonly AddressedEvent[];
  /** Events after this sequence are in memory; earlier ones are read from the database. */
  readonly start: number;
  /** The end of the log as far as this process has read it. */
  readonly end: number;
  /** True once the credential is no longer valid, or the connection to the workspace was closed by `close`. */
  readonly isOver: boolean;
  /** Resolves at the next event, at once when one came since the last sleep, and when it is over. False after `ms`. */
  sleep(ms: number): Promise<boolean>;
  close(): void;
}

/** The logs of the workspaces, as this process follows them: one listening connection, each event read once. */
export interface EventLogs {
  /**
   * A position in the log of a workspace which everything that is read from now on contains; undefined while this
   * process knows none.
   */
  positionOf(workspaceId: string): number | undefined;
  /** As `positionOf`; reads it from the database while it is not known. */
  learnPosition(workspaceId: string): Promise<number>;
  /** Calls `listener` at every new event of the workspace, and when some may have been missed. */
  subscribe(workspaceId: string, listener: (event: LogNotice) => void, accessor: Accessor): () => void;
  /** Follows the log of a workspace on behalf of a principal; resolves once its end is known. */
  follow(accessor: LogAccessor): Promise<LogFollower>;
  /** How many follow the log of a workspace now. */
  followersOf(workspaceId: string): number;
}

/** What listeners are called with; `access` when the principal's access may have changed. */
export type LogNotice = { kind: 'events' } | Extract<LiveEvent, { kind: 'access' | 'resync' }>;

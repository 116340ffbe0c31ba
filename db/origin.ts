import type { actorTypes, vias } from './schema/events.ts';

/** Who changes something through a `Db`, and what for. It is stored with every event (CONTRACT 9.2). */
export interface Origin {
  actorType: (typeof actorTypes)[number];
  /** The person or the agent; null for the service. */
  actorId: string | null;
  /** The API key, session or connection of an app; null for agents and the service. */
  credentialId: string | null;
  via: (typeof vias)[number];
  /** The request that asked for the change; null where none did. */
  requestId: string | null;
  /** Whether who asked may read such an event in the log of a workspace; without it they may read all. */
  mayRead?: ((workspaceId: string, event: { type: string; readerId: string | null }) => boolean) | undefined;
  /**
   * The last event that was recorded on its behalf and that the caller may read. It may be of a transaction that has
   * not committed yet, and is never one that was rolled back.
   */
  eventId?: string | undefined;
  /** Whether an event was recorded at all, or was to be. */
  hasRecorded?: boolean | undefined;
  /** The person whom the request itself identifies, as by the link of an email, whatever credential is beside it. */
  personId?: string | undefined;
}

/** The origin of what nobody asked for at that moment: schedules, expiry, the work behind captures. */
export const serviceOrigin = (): Origin => ({
  actorType: 'service',
  actorId: null,
  credentialId: null,
  via: 'schedule',
  requestId: null,
});

/** The origin of what an agent does in its turn; `requestId` is that of a tool call. */
export const originOfAgent = (agentId: string, requestId: string | null = null): Origin => ({
  actorType: 'agent',
  actorId: agentId,
  credentialId: null,
  via: 'agent',
  requestId,
});

/** Runs a transaction for an origin; what it recorded is forgotten when it is rolled back. */
export async function recording<Result>(origin: Origin, run: () => Promise<Result>): Promise<Result> {
  const { eventId } = origin;
  try {
    return await run();
  } catch (error) {
    origin.eventId = eventId;
    throw error;
  }
}

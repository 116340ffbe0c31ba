import type { Answer } from 'tandem/client';

/*
 * What answers of the service show about the log of the workspace (docs/events.md): where the log was when this window
 * read its data, and which events are of its own writes.
 */

let order = 0;

/** A number for what happens in this window now: reads and writes are compared by it. */
export function nextInOrder(): number {
  return ++order;
}

/** Writes whose events have not come yet, by the id of the last event of each. */
const writes = new Map<string, number>();
const maxWrites = 200;

/** Notes the event of a write (`Tandem-Event`) when its answer arrives. */
export function noteWrite(eventId: string | null): void {
  if (eventId === null) return;
  const [oldest] = writes.keys();
  if (writes.size >= maxWrites && oldest !== undefined) writes.delete(oldest);
  writes.set(eventId, nextInOrder());
}

/** When the answer of the write arrived whose event this is; undefined for an event of others. */
export function writeOf(eventId: string): number | undefined {
  return writes.get(eventId);
}

const positions = new Map<string, number>();
let ofIdentity: number | undefined;

/** Notes what an answer shows, for `onAnswer` of the typed client. */
export function noteAnswer({ path, sequence, eventId }: Answer): void {
  if (path === 'meta.identity') ofIdentity = sequence;
  if (eventId !== undefined) noteWrite(eventId);
}

/**
 * Notes the position of the identity that was just read. It is read together with the first data of its workspace, so
 * that all data of this workspace contains everything up to there.
 */
export function noteIdentity(workspaceId: string): void {
  if (ofIdentity !== undefined && !positions.has(workspaceId)) positions.set(workspaceId, ofIdentity);
}

/** The position from which the log of a workspace has to be followed; undefined when it is not known. */
export function positionOf(workspaceId: string): number | undefined {
  return positions.get(workspaceId);
}

/** Notes that everything up to `sequence` was followed. */
export function setPosition(workspaceId: string, sequence: number): void {
  positions.set(workspaceId, sequence);
}

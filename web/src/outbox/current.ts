import { useSyncExternalStore } from 'react';
import type { Identity } from '../api/queries.ts';
import type { Outbox } from './draft.ts';
import type { Outcome, ShownWrite } from './write.ts';

/*
 * What is on its way to the service, for the pages. The code that stores and sends it is loaded with the first change.
 */

let view: readonly ShownWrite[] = [];
const listeners = new Set<() => void>();

/** Shows these writes. */
function showWrites(writes: readonly ShownWrite[]): void {
  view = writes;
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What is on its way, in its order. */
export function useWrites(): readonly ShownWrite[] {
  return useSyncExternalStore(subscribe, () => view);
}

/** A person in a workspace, as a text. */
export const scopeOf = ({ user, workspace }: Identity) => `${user.id} ${workspace.id}`;

interface Opened {
  scope: string;
  outbox: Promise<Outbox>;
}

let opened: Opened | null = null;

/** The outbox of a person in a workspace; there is one in a window. @throws where its code cannot be loaded. */
export function openOutbox(identity: Identity): Promise<Outbox> {
  const scope = scopeOf(identity);
  if (opened?.scope === scope) return opened.outbox;
  closeOutbox();
  const outbox = import('./outbox.ts').then(({ startOutbox }) => startOutbox(identity, showWrites));
  const opening = { scope, outbox };
  opened = opening;
  outbox.catch(() => {
    if (opened === opening) opened = null;
  });
  return outbox;
}

/** Ends the outbox of this window: what waits stays stored. */
export function closeOutbox(): void {
  opened?.outbox.then(
    (outbox) => outbox.close(),
    () => {},
  );
  opened = null;
  showWrites([]);
}

/** What is said of a change that the service has not stored yet; empty of one that it has. */
export function waitingWords({ state }: Outcome): string {
  return state === 'waits' ? ' It is sent once the service can be reached.' : '';
}

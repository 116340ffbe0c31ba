import type { Identity } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { startLive } from '../live/live.ts';
import { storeFiles } from '../offline/files.ts';
import { keepPush } from '../offline/push.ts';
import { startSaving } from '../offline/saved-reads.ts';
import { openOutbox } from '../outbox/current.ts';
import { openNamedPages } from '../session/named-page.ts';
import type { useNotice } from '../ui/notice.tsx';

export { SignOutQuestion, UnsentPill } from './unsent.tsx';

/*
 * What a window does beside its pages: it follows the log, stores what was read and the files of the pages, and sends
 * what waits. Loaded after the first page is shown.
 */

/** How what happens beside the pages is shown. */
export interface Shown {
  notify: ReturnType<typeof useNotice>;
  go: (page: string) => void;
}

/** Removes what other people than this one have typed in this window: it is never shown, and they may not come back. */
function dropDrafts(userId: string): void {
  try {
    const others = Object.keys(sessionStorage).filter(
      (key) => key.startsWith('tandem.') && !key.startsWith(`tandem.draft.${userId}.`),
    );
    for (const key of others) sessionStorage.removeItem(key);
  } catch {
    // Storage is disabled: nothing was stored.
  }
}

/** Loads what a sign-out asks although its pages were not opened (session/session.ts). */
export const loadGuards = () => Promise.all([import('../captures/current-recording.ts'), import('../outbox/guard.ts')]);

/**
 * Starts all of it for a person in a workspace, and returns how to end it. What became of changes that no page waits
 * for any more is shown.
 */
export function startBackground(identity: Identity, { notify, go }: Shown): () => void {
  const stops = [startLive(identity), startSaving(queryClient, identity), storeFiles(), openNamedPages(go)];
  dropDrafts(identity.user.id);
  // Before a newer release replaces the files.
  loadGuards().catch(() => {});
  // It is stored so, too, before the connection is lost: on a phone nothing else changes selected todos.
  import('../todos/bulk-bar.tsx').catch(() => {});
  void keepPush(identity);
  import('../chats/use-outbox.ts').then(
    ({ resumeOutboxes }) => resumeOutboxes(),
    () => {},
  );
  const showChanges = { label: 'Show changes', onPress: () => go('/changes') };
  // Without its code, changes say that the service cannot be reached.
  openOutbox(identity).then(
    (outbox) => outbox.onOutcome((message) => notify(message, showChanges)),
    () => {},
  );
  return () => {
    for (const stop of stops) stop();
  };
}

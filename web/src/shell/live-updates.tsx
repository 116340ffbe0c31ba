import { Suspense, useEffect } from 'react';
import { useNavigate } from 'react-router';
import { noteStarted, useLiveState } from '../api/live-state.ts';
import type { Identity } from '../api/queries.ts';
import { whenIdle } from '../navigation/start.ts';
import { closeOutbox, useWrites } from '../outbox/current.ts';
import { Icon } from '../ui/icons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { useNotice } from '../ui/notice.tsx';
import type { Shown } from './background.ts';
import { useOnline } from './offline.tsx';

const load = () => import('./background.ts');
// Without it there is no count.
const UnsentPill = lazyPart(
  () => load().then(({ UnsentPill }) => UnsentPill),
  () => null,
);

/** After the first page is shown, loads the code that runs beside the pages. Returns a function that ends it. */
function startWhenIdle(identity: Identity, shown: Shown): () => void {
  let stop = () => {};
  let isOver = false;
  const cancel = whenIdle(() => {
    noteStarted();
    load().then(
      ({ startBackground }) => {
        if (!isOver) stop = startBackground(identity, shown);
      },
      // Without this code the pages poll, and are not readable offline.
      () => {},
    );
  });
  return () => {
    isOver = true;
    cancel();
    closeOutbox();
    stop();
  };
}

/** Keeps the data of the workspace up to date while it is mounted, and shows when what others change comes late. */
export function LiveUpdates({ identity }: { identity: Identity }) {
  const state = useLiveState();
  const isOnline = useOnline();
  const { user, workspace, allowedOperations } = identity;
  // Not before the person has a second factor, where the workspace requires one.
  const mayFollow = allowedOperations.includes('streamEvents');
  const navigate = useNavigate();
  const notify = useNotice();
  const shown: Shown = { notify, go: (page) => void navigate(page) };
  const writes = useWrites();
  // Another identity of the same person and workspace is no reason to begin again: the frame has a key for the rest.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => (mayFollow ? startWhenIdle(identity, shown) : undefined), [user.id, workspace.id, mayFollow]);
  return (
    <div role="status" className="live-updates" data-state={state}>
      {state === 'paused' && isOnline && (
        <p className="live-pill">
          <Icon name="warning" />
          <span>
            Live updates paused.<span className="wide-only"> What others change appears later.</span>
          </span>
        </p>
      )}
      {writes.length > 0 && (
        <Suspense>
          <UnsentPill writes={writes} isOnline={isOnline} />
        </Suspense>
      )}
    </div>
  );
}

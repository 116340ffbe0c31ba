import { positionOf, setPosition } from '../api/answers.ts';
import { type LiveState, setLiveState } from '../api/live-state.ts';
import { type Identity, identityQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { forgetGone } from '../offline/saved-reads.ts';
import { Refresher } from './refresh.ts';
import { SharedLog } from './shared-log.ts';

/* What other people, programs and agents change is read again as it happens. Loaded after the first page is shown. */

/** Sets the state, and lets every query that is shown compute its `refetchInterval` for it. */
function applyState(state: LiveState): void {
  if (!setLiveState(state)) return;
  for (const { observers } of queryClient.getQueryCache().getAll()) {
    for (const observer of observers) observer.setOptions(observer.options);
  }
}

/** Follows the log of the workspace until the returned function is called. */
export function startLive(identity: Identity): () => void {
  const { user, workspace } = identity;
  const refresher = new Refresher(queryClient);
  const isSameSession = () =>
    queryClient.fetchQuery({ ...identityQuery, staleTime: 0 }).then(
      (now) => now?.workspace.id === workspace.id && now.user.id === user.id,
      // What cannot be checked is checked at the next connection.
      () => true,
    );
  const log = new SharedLog(`tandem.live.${user.id}.${workspace.id}`, workspace.id, positionOf(workspace.id), {
    take: (changes) => {
      refresher.take(changes);
      for (const { type, data } of changes)
        if (type === 'chat.deleted') void forgetGone(queryClient, identity, 'chats', data.id);
    },
    takeAll: () => refresher.takeAll(),
    onState: applyState,
    isSameSession,
  });
  return () => {
    const position = log.close();
    if (position !== undefined) setPosition(workspace.id, position);
    refresher.close();
  };
}

import type { QueryKey } from '@tanstack/react-query';
import { identityQuery, notificationsQuery, readIdentity } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { pendingApprovalsQuery } from '../approvals/queries.ts';
import { captureQuery } from '../captures/queries.ts';
import { chatFilterIn, chatQuery, chatsQuery } from '../chats/queries.ts';
import { snoozesQuery, suggestionsQuery } from '../inbox/queries.ts';
import type { FoundPage, PageName } from '../navigation/pages.ts';
import { runFilterIn, runListingOf } from '../runs/filter.ts';
import { failedRunsQuery, runningQuery, runsQuery } from '../runs/queries.ts';
import { agentsQuery } from '../todo-common/queries.ts';
import { filterIn, isByParts } from '../todos/filter.ts';
import { summaryQuery, todosQuery } from '../todos/queries.ts';
import { isBoard, listingAt } from '../todos/use-filter.ts';
import { type Read, sidebarReads, startVerification } from './sidebar-queries.ts';

/*
 * What pages read first, started before they are rendered. On the first page of a window its workspace is not known
 * yet, but the session is: identity and data are asked for in one batch, and the answer is filed under its workspace
 * then.
 */

const notificationsRead: Read = {
  key: (workspaceId) => notificationsQuery(workspaceId, false).queryKey,
  fetch: (workspaceId) => queryClient.fetchInfiniteQuery(notificationsQuery(workspaceId, false)),
};

const reads: Partial<Record<PageName, (params: FoundPage['params']) => Read | readonly Read[]>> = {
  'todos/todos-page': () => {
    const listing = listingAt(location);
    const rows: Read = {
      key: (workspaceId) => todosQuery(workspaceId, listing).queryKey,
      fetch: (workspaceId) => queryClient.fetchInfiniteQuery(todosQuery(workspaceId, listing)),
    };
    const summary: Read = {
      key: (workspaceId) => summaryQuery(workspaceId, listing).queryKey,
      fetch: (workspaceId) => queryClient.fetchQuery(summaryQuery(workspaceId, listing)),
    };
    const filter = filterIn(location.search);
    // The columns of a board, and groups that are read one after the other, are read by their own queries.
    return isBoard({ filter, listing }) || isByParts(filter.group) ? summary : [rows, summary];
  },
  'chats/chats-page': () => {
    const filter = chatFilterIn(location.search);
    return [
      {
        key: (workspaceId) => chatsQuery(workspaceId, filter).queryKey,
        fetch: (workspaceId) => queryClient.fetchInfiniteQuery(chatsQuery(workspaceId, filter)),
      },
      // The form above the list has fields for them, and would move it.
      {
        key: (workspaceId) => agentsQuery(workspaceId).queryKey,
        fetch: (workspaceId) => queryClient.fetchQuery(agentsQuery(workspaceId)),
      },
    ];
  },
  'chats/chat-page': ({ chatId = '' }) => ({
    key: (workspaceId) => chatQuery(workspaceId, chatId).queryKey,
    fetch: (workspaceId) => queryClient.fetchQuery(chatQuery(workspaceId, chatId)),
  }),
  'captures/capture-page': ({ captureId = '' }) => ({
    key: (workspaceId) => captureQuery(workspaceId, captureId).queryKey,
    fetch: (workspaceId) => queryClient.fetchQuery(captureQuery(workspaceId, captureId)),
  }),
  'notifications/notifications-page': () => notificationsRead,
  'inbox/inbox-page': () => [
    {
      key: (workspaceId) => pendingApprovalsQuery(workspaceId).queryKey,
      fetch: (workspaceId) => queryClient.fetchInfiniteQuery(pendingApprovalsQuery(workspaceId)),
    },
    {
      key: (workspaceId) => failedRunsQuery(workspaceId).queryKey,
      fetch: (workspaceId) => queryClient.fetchQuery(failedRunsQuery(workspaceId)),
    },
    {
      key: (workspaceId) => suggestionsQuery(workspaceId).queryKey,
      fetch: (workspaceId) => queryClient.fetchInfiniteQuery(suggestionsQuery(workspaceId)),
    },
    {
      key: (workspaceId) => snoozesQuery(workspaceId).queryKey,
      fetch: (workspaceId) => queryClient.fetchQuery(snoozesQuery(workspaceId)),
    },
    notificationsRead,
  ],
  'runs/runs-page': () => {
    const listing = runListingOf(runFilterIn(location.search));
    return [
      {
        key: (workspaceId) => runningQuery(workspaceId).queryKey,
        fetch: (workspaceId) => queryClient.fetchQuery(runningQuery(workspaceId)),
      },
      {
        key: (workspaceId) => runsQuery(workspaceId, listing).queryKey,
        fetch: (workspaceId) => queryClient.fetchInfiniteQuery(runsQuery(workspaceId, listing)),
      },
    ];
  },
};

/** Stands for the workspace of the session until that is known. */
const unknown = '';

/**
 * Stores what is being read under its workspace, so that those who need it wait for it. If it fails, the component that
 * shows it reads again.
 */
function file(queryKey: QueryKey, answer: Promise<unknown>): void {
  queryClient
    .fetchQuery({ queryKey, queryFn: () => answer, retry: false })
    .catch(() => queryClient.resetQueries({ queryKey, exact: true }));
}

/** Starts `reads` together with the identity, and files them under the workspace of the latter. */
function readWithIdentity(started: readonly Read[]): void {
  startVerification();
  const answers: { read: Read; answer: Promise<unknown> }[] = [];
  const identity = queryClient.fetchQuery({
    ...identityQuery,
    queryFn: async (context) => {
      const found = await readIdentity(context);
      // Before the pages know their workspace: they would read all of it again.
      if (found) for (const { read, answer } of answers) file(read.key(found.workspace.id), answer);
      return found;
    },
  });
  for (const read of started) answers.push({ read, answer: read.fetch(unknown) });
  const over = Promise.allSettled([identity, ...answers.map(({ answer }) => answer)]);
  void over.then(() => {
    for (const { read } of answers) queryClient.removeQueries({ queryKey: read.key(unknown), exact: true });
  });
}

/** Starts what a page reads first. What fails is read again, and its error shown, by the page. */
export function startReads({ name, params, layout }: FoundPage): void {
  const own = [reads[name]?.(params) ?? []].flat();
  const identity = queryClient.getQueryData(identityQuery.queryKey);
  if (identity) {
    // What is there is shown, and read again by the page if it is old.
    const isThere = (read: Read) => queryClient.getQueryData(read.key(identity.workspace.id)) !== undefined;
    for (const read of own) if (!isThere(read)) void read.fetch(identity.workspace.id).catch(() => {});
  } else if (identity === undefined && layout !== 'bare' && layout !== 'app') {
    readWithIdentity([...own, ...sidebarReads]);
  }
}

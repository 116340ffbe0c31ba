import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { Board } from '../board/board.tsx';
import type { BoardColumn } from '../board/column.tsx';
import { useIdentity } from '../session/session.ts';
import { Failed, Pending } from '../ui/card.tsx';
import { dateHere, dueInWords } from '../work/days.ts';
import type { Todo } from '../work/queries.ts';
import type { Listing } from './filter.ts';
import { summaryQuery, todosQuery } from './queries.ts';
import type { FilterOfPage } from './use-filter.ts';
import { usePending } from './use-pending.ts';

/** The column of one status: the same listing with that status, read page by page. */
function useColumn(listing: Listing, status: Todo['status'], isShown: boolean): BoardColumn & { isShown: boolean } {
  const { workspace } = useIdentity();
  const own = useMemo(() => ({ ...listing, status: [status] }), [listing, status]);
  const options = todosQuery(workspace.id, own);
  const query = useInfiniteQuery({ ...options, placeholderData: keepPreviousData, enabled: isShown });
  const summary = useQuery(summaryQuery(workspace.id, listing));
  const { todos, leaving } = usePending(query.data, own);
  const { fetchNextPage, isFetchingNextPage } = query;
  const readMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);
  const failed = query.error && <Failed error={query.error} retry={() => void query.refetch()} />;
  return {
    status,
    isShown,
    todos: todos.filter(({ id }) => !leaving.has(id)),
    count: summary.data?.byStatus[status],
    hasMore: query.hasNextPage && !query.isFetchNextPageError,
    readMore,
    instead: query.data ? null : (failed ?? <Pending what="the todos" isPaused={query.fetchStatus === 'paused'} />),
  };
}

/** The todos of the page as a board, with a column for each status that the filter has; without one, for all of them. */
export function BoardList({ at: { filter, listing, change } }: { at: FilterOfPage }) {
  const { peek, status: named } = filter;
  const shows = (status: Todo['status']) =>
    named === undefined || named.includes(status) || (status !== 'done' && named.includes('active'));
  const columns = [
    useColumn(listing, 'ready', shows('ready')),
    useColumn(listing, 'in_progress', shows('in_progress')),
    useColumn(listing, 'done', shows('done')),
  ];
  const today = dateHere();
  return (
    <Board
      columns={columns.filter(({ isShown }) => isShown)}
      dueOf={({ dueDate, status }) =>
        dueDate === null ? null : { text: dueInWords(dueDate, today), isOver: dueDate < today && status !== 'done' }
      }
      peek={(todoId) => change({ peek: peek === todoId ? undefined : todoId }, { replace: peek !== undefined })}
    />
  );
}

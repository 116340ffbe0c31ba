import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { OnBoard } from '../board/board.tsx';
import { Column } from '../board/column.tsx';
import { useIdentity } from '../session/session.ts';
import { Failed, Pending } from '../ui/card.tsx';
import { countOf } from './page-head.tsx';
import type { Part } from './parts.ts';
import { summaryQuery, todosQuery } from './queries.ts';
import { usePending } from './use-pending.ts';

/**
 * How far beside the visible part of the board a column is read. Browsers that know no margins of scrollers wait until
 * it is visible.
 */
const nearMargins = { rootMargin: '0px 600px', scrollMargin: '0px 600px' };

/** Whether an element is, or was, near the visible part of the page. */
function useNear() {
  const element = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (isNear || !element.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      nearMargins,
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isNear]);
  return { element, isNear };
}

interface BoardColumnProps {
  part: Part;
  board: OnBoard;
  /** What is said where it has no todos. */
  empty: string;
}

/** A column of a board: a listing of its own, read page by page once the column is near. */
export function BoardColumn({ part, board, empty }: BoardColumnProps) {
  const { workspace } = useIdentity();
  const { element, isNear } = useNear();
  const { listing, isOpen } = part;
  const query = useInfiniteQuery({
    ...todosQuery(workspace.id, listing),
    placeholderData: keepPreviousData,
    enabled: isNear,
  });
  const summary = useQuery({ ...summaryQuery(workspace.id, listing), enabled: isNear });
  const { todos, leaving } = usePending(query.data, listing);
  const shown = useMemo(() => todos.filter(({ id }) => !leaving.has(id)), [todos, leaving]);
  const { fetchNextPage, isFetchingNextPage } = query;
  const readMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);
  // Archived ones are shown while they have todos.
  if (!isOpen && query.data && shown.length === 0) return null;
  const failed = query.error && <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <div ref={element} className="board-place">
      <Column
        column={part}
        board={board}
        read={{
          todos: shown,
          count: summary.data && countOf(summary.data, listing),
          hasMore: query.hasNextPage && !query.isFetchNextPageError,
          readMore,
          instead: query.data
            ? null
            : (failed ?? <Pending what="the todos" isPaused={query.fetchStatus === 'paused'} />),
          empty,
        }}
      />
    </div>
  );
}

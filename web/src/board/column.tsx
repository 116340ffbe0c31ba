import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react';
import type { Todo } from '../work/queries.ts';
import { Card, type CardActions } from './card.tsx';
import { columnNames, type Status } from './steps.ts';

/** A column of a board, page by page. */
export interface BoardColumn {
  status: Status;
  todos: readonly Todo[];
  /** How many it has; undefined until that is known. */
  count: number | undefined;
  hasMore: boolean;
  readMore: () => void;
  /** Stands for the cards while they are read, or where that failed. */
  instead: ReactNode;
}

interface ColumnProps {
  column: BoardColumn;
  actions: CardActions;
  activeId: string | undefined;
  /** The card that a pointer holds. */
  dragged: Todo | undefined;
}

/** With the gap below it, in pixels; all cards have this height, so none is measured. */
const cardHeight = 92;
const overscan = 4;
const aheadCards = 10;

/** A column with its heading, of whose cards only the visible ones are in the document. */
export function Column({ column, actions, activeId, dragged }: ColumnProps) {
  const { status, todos, count, hasMore, readMore, instead } = column;
  const id = useId();
  const [isOver, setOver] = useState(false);
  const takes = dragged !== undefined && dragged.status !== status;
  return (
    <section
      className={`board-column${isOver && takes ? ' over' : ''}`}
      aria-labelledby={id}
      data-status={status}
      onDragOver={(event) => {
        if (!takes) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (takes) actions.drop(dragged, status);
      }}
    >
      <h2 id={id}>
        {columnNames[status]} {count !== undefined && <span className="count">{count.toLocaleString('en')}</span>}
      </h2>
      {instead ??
        (todos.length === 0 ? (
          <p className="muted small">No todos</p>
        ) : (
          <Cards {...{ todos, actions, activeId, hasMore, readMore }} size={count ?? -1} />
        ))}
    </section>
  );
}

interface CardsProps extends Pick<ColumnProps, 'actions' | 'activeId'> {
  todos: readonly Todo[];
  hasMore: boolean;
  readMore: () => void;
  size: number;
}

function Cards({ todos, actions, activeId, hasMore, readMore, size }: CardsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  // One card of each column can be reached by Tab: that in focus, else the first. It stays in the document.
  const stop = Math.max(
    0,
    todos.findIndex((todo) => todo.id === activeId),
  );
  const rangeExtractor = useCallback(
    (range: Range) => [...new Set([...defaultRangeExtractor(range), stop])].sort((a, b) => a - b),
    [stop],
  );
  const virtualizer = useVirtualizer({
    count: todos.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => cardHeight,
    getItemKey: (place) => todos[place]?.id ?? place,
    overscan,
    rangeExtractor,
  });
  const visible = virtualizer.getVirtualItems();
  const isNearEnd = (virtualizer.range?.endIndex ?? 0) >= todos.length - aheadCards;
  useEffect(() => {
    if (isNearEnd && hasMore) readMore();
  }, [isNearEnd, hasMore, readMore]);
  return (
    <div className="board-cards" ref={scroller}>
      <ul style={{ height: virtualizer.getTotalSize() }}>
        {visible.map(({ index, key, start }) => {
          const todo = todos[index];
          if (!todo) return null;
          return (
            <Card
              key={key}
              todo={todo}
              actions={actions}
              place={index + 1}
              size={size}
              style={{ transform: `translateY(${start}px)` }}
              isTabStop={index === stop}
            />
          );
        })}
      </ul>
    </div>
  );
}

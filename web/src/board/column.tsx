import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react';
import type { Todo } from '../todo-common/queries.ts';
import type { OnBoard } from './board.tsx';
import { Card } from './card.tsx';
import type { BoardColumn } from './moves.ts';
import { keyOf } from './steps.ts';

/** The cards of a column, page by page. */
export interface ColumnTodos {
  todos: readonly Todo[];
  /** How many it has; undefined until that is known. */
  count: number | undefined;
  hasMore: boolean;
  readMore: () => void;
  /** Stands for the cards while they are read, or where that failed. */
  instead: ReactNode;
  /** What is said where there are none. */
  empty: string;
}

interface ColumnProps {
  column: BoardColumn;
  read: ColumnTodos;
  board: OnBoard;
}

/** With the gap below it, in pixels; all cards have this height, so none is measured. */
const cardHeight = 92;
const overscan = 4;
const aheadCards = 10;

/** A column with its heading, of whose cards only the visible ones are in the document. */
export function Column({ column, read, board }: ColumnProps) {
  const { id: columnId, name } = column;
  const { todos, count, hasMore, readMore, instead, empty } = read;
  const { report } = board;
  const id = useId();
  const [isOver, setOver] = useState(false);
  const takes = board.takes(columnId);
  useEffect(() => report(columnId, todos), [report, columnId, todos]);
  useEffect(() => () => report(columnId, []), [report, columnId]);
  return (
    <section
      className={`board-column${isOver && takes ? ' over' : ''}`}
      aria-labelledby={id}
      data-column={columnId}
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
        if (takes) board.actions.drop(columnId);
      }}
    >
      <h2 id={id}>
        {name} {count !== undefined && <span className="count">{count.toLocaleString('en')}</span>}
      </h2>
      {instead ??
        (todos.length === 0 ? (
          <p className="muted small">{empty}</p>
        ) : (
          <Cards {...{ columnId, todos, board, hasMore, readMore }} size={count ?? -1} />
        ))}
    </section>
  );
}

interface CardsProps extends Pick<ColumnProps, 'board'> {
  columnId: string;
  todos: readonly Todo[];
  hasMore: boolean;
  readMore: () => void;
  size: number;
}

function Cards({ columnId, todos, board, hasMore, readMore, size }: CardsProps) {
  const { actions, activeKey, selected } = board;
  const scroller = useRef<HTMLDivElement>(null);
  // One card of each column can be reached by Tab: that in focus, else the first. It stays in the document.
  const stop = Math.max(
    0,
    todos.findIndex((todo) => keyOf(columnId, todo.id) === activeKey),
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
              columnId={columnId}
              isSelected={selected.has(keyOf(columnId, todo.id))}
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

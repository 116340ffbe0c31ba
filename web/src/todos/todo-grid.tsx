// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out the rows that are not visible.
// biome-ignore-all lint/a11y/useFocusableInteractive: in this grid rows have the focus, not cells (ARIA APG, treegrid).
import { type InfiniteData, type UseInfiniteQueryResult, useQuery } from '@tanstack/react-query';
import { type CSSProperties, type MouseEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import type { TandemOutputs } from 'tandem/client';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { todoListsQuery } from '../work/queries.ts';
import { BulkBar } from './bulk-bar.tsx';
import { groupOf } from './due.ts';
import { useHeldRows } from './held-rows.ts';
import { type Step, showList } from './list-actions.ts';
import { countOf } from './page-head.tsx';
import { summaryQuery } from './queries.ts';
import { TodoRow } from './todo-row.tsx';
import { useChanges } from './use-changes.ts';
import { dateHere, type FilterOfPage } from './use-filter.ts';
import { useGrid } from './use-grid.ts';
import { useSelection } from './use-selection.ts';

type TodoPages = InfiniteData<TandemOutputs['todos']['list']>;

interface TodoGridProps {
  at: FilterOfPage;
  todos: UseInfiniteQueryResult<TodoPages>;
  pages: TodoPages;
}

/** Rows before the end of what is loaded at which more is read: about two screens. */
const aheadRows = 50;

/** The todos as a grid, of which only the visible rows are in the document. Its keys are commands (shell/commands.ts). */
export function TodoGrid({ at, todos, pages }: TodoGridProps) {
  const { place, filter, listing } = at;
  const { workspace } = useIdentity();
  const navigate = useNavigate();
  const grid = useRef<HTMLDivElement>(null);
  const [isHeld, setHeld] = useState(false);
  const [activeId, setActiveId] = useState<string>();
  const loaded = useMemo(() => pages.pages.flatMap(({ data }) => data), [pages]);
  const { rows, waiting } = useHeldRows(loaded, isHeld);
  const today = dateHere();
  const group = filter.group;
  const { ids, items } = useMemo(() => {
    const ids = rows.map(({ todo }) => todo.id);
    if (group === undefined) return { ids, items: ids };
    const headed = rows.map(({ todo }) => groupOf(todo, group, today));
    const items = ids.flatMap((id, row) => (headed[row] === headed[row - 1] ? [id] : [`#${headed[row]}`, id]));
    return { ids, items };
  }, [rows, group, today]);
  const byId = useMemo(() => new Map(rows.map((row) => [row.todo.id, row])), [rows]);
  const active = activeId !== undefined && byId.has(activeId) ? activeId : ids[0];
  const { virtualizer, margin, isCoarse, focus } = useGrid(grid, items, active);
  const selection = useSelection(ids);
  const [isSelecting, setSelecting] = useState(false);
  const endSelection = () => {
    setSelecting(false);
    selection.set([]);
  };
  const changes = useChanges();
  const lists = useQuery({ ...todoListsQuery(workspace.id), enabled: place.name !== 'list' });
  const summary = useQuery(summaryQuery(workspace.id, listing));
  const chosen = () => {
    const wanted = selection.selected.size > 0 ? [...selection.selected] : active === undefined ? [] : [active];
    return wanted.flatMap((id) => byId.get(id)?.todo ?? []);
  };

  const { hasNextPage, isFetchingNextPage, fetchNextPage } = todos;
  const visible = virtualizer.getVirtualItems();
  const lastVisible = visible.at(-1)?.index ?? 0;
  const [isGoingToEnd, setGoingToEnd] = useState(false);
  const isNearEnd = isGoingToEnd || lastVisible >= items.length - aheadRows;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const goTo = (id: string | undefined) => {
    if (id === undefined) return;
    setActiveId(id);
    focus(id);
  };
  const lastId = ids.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once all is loaded.
  useEffect(() => {
    if (!isGoingToEnd || hasNextPage) return;
    setGoingToEnd(false);
    goTo(lastId);
  }, [isGoingToEnd, hasNextPage, lastId]);

  const move = (step: Step, extend = false) => {
    if (step === 'last' && hasNextPage) return setGoingToEnd(true);
    const now = active === undefined ? 0 : ids.indexOf(active);
    const isInside = grid.current?.contains(document.activeElement) ?? false;
    const next = step === 'first' ? 0 : step === 'last' ? ids.length - 1 : isInside ? now + step : now;
    const id = ids[Math.max(0, Math.min(ids.length - 1, next))];
    if (extend && id !== undefined && active !== undefined) selection.extend(active, id);
    goTo(id);
  };
  const latest = useRef({ move, chosen, active, selection, changes, ids });
  useEffect(() => {
    latest.current = { move, chosen, active, selection, changes, ids };
  });
  useEffect(
    () =>
      showList({
        isFocused: () =>
          grid.current !== null &&
          document.activeElement?.closest('[role="row"]') === document.activeElement &&
          grid.current.contains(document.activeElement),
        hasSelection: () => latest.current.selection.selected.size > 0,
        move: (step, extend) => latest.current.move(step, extend),
        open: () => void (latest.current.active && navigate(`/todos/${latest.current.active}`)),
        select: () => latest.current.active && latest.current.selection.toggle(latest.current.active),
        selectAll: () => latest.current.selection.set(latest.current.ids),
        clearSelection: () => latest.current.selection.set([]),
        complete: () => latest.current.changes.complete(latest.current.chosen()),
        undo: () => latest.current.changes.undo(),
        archive: () => latest.current.changes.archive(latest.current.chosen()),
      }),
    [navigate],
  );
  const press = (id: string) => (event: MouseEvent) => {
    const isControl = (event.target as Element).closest('a, button') !== null;
    if (!event.shiftKey && !event.ctrlKey && !event.metaKey) return isControl ? setActiveId(id) : goTo(id);
    event.preventDefault();
    if (event.shiftKey && active !== undefined) selection.extend(active, id);
    else selection.toggle(id);
    goTo(id);
  };
  /** A finger has no modifier keys: while it selects, each tap on a row does, wherever it is. */
  const tap = (event: MouseEvent) => {
    const id = (event.target as Element).closest<HTMLElement>('[data-id]')?.dataset.id;
    if (!isSelecting || id === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    selection.toggle(id);
    goTo(id);
  };
  /** Ids, not the filter, are sent then: what is undone is known, and what is added meanwhile is left alone. */
  const selectMatches = async () => {
    let result = todos;
    while (result.hasNextPage) result = (await fetchNextPage()) as typeof todos;
    selection.set(result.data?.pages.flatMap(({ data }) => data.map(({ id }) => id)) ?? ids);
  };
  const total = summary.data ? countOf(summary.data, listing) : ids.length;
  const nameOfList = (id: string) => lists.data?.find((list) => list.id === id)?.name;
  return (
    <>
      {isCoarse && (
        <div className="todo-select">
          <Button kind="quiet" onPress={() => (isSelecting ? endSelection() : setSelecting(true))}>
            {isSelecting ? 'End selection' : 'Select'}
          </Button>
        </div>
      )}
      <div className="todo-news">
        {waiting > 0 && (
          <Button onPress={() => setHeld(false)}>
            {waiting === 1 ? '1 todo is new: show it' : `${waiting} todos are new: show them`}
          </Button>
        )}
      </div>
      <div
        ref={grid}
        role="grid"
        className="todo-grid"
        aria-label="Todos"
        aria-multiselectable="true"
        aria-rowcount={hasNextPage ? Math.max(total, items.length + 1) : items.length}
        aria-busy={todos.isPlaceholderData}
        onClickCapture={tap}
        onFocus={() => setHeld(true)}
        onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || setHeld(false)}
      >
        <div role="rowgroup" className="todo-rows" style={{ height: virtualizer.getTotalSize() }}>
          {visible.map(({ index, key, size, start }) => {
            const style = { height: size, transform: `translateY(${start - margin}px)` };
            const row = byId.get(String(key));
            if (!row) return <Heading key={key} name={String(key).slice(1)} place={index + 1} style={style} />;
            const { id, todoListId } = row.todo;
            return (
              <TodoRow
                key={key}
                row={row}
                list={place.name === 'list' ? undefined : nameOfList(todoListId)}
                today={today}
                place={index + 1}
                style={style}
                isActive={id === active}
                isSelected={selection.selected.has(id)}
                onToggle={() => changes.complete([row.todo])}
                onPress={press(id)}
              />
            );
          })}
        </div>
      </div>
      {selection.selected.size > 0 && (
        <BulkBar
          todos={chosen}
          count={selection.selected.size}
          total={total}
          selectMatches={() => void selectMatches()}
          changes={changes}
          clear={endSelection}
        />
      )}
    </>
  );
}

function Heading({ name, place, style }: { name: string; place: number; style: CSSProperties }) {
  return (
    <div role="row" className="todo-heading" aria-rowindex={place} style={style}>
      <span role="gridcell">{name}</span>
    </div>
  );
}

// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out the rows that are not visible.
// biome-ignore-all lint/a11y/useFocusableInteractive: in this grid rows have the focus, not cells (ARIA APG, treegrid).
import { type UseInfiniteQueryResult, useQuery } from '@tanstack/react-query';
import { type MouseEvent, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { useLift } from '../board/use-lift.ts';
import { type Step, useOnPage } from '../edits/list-actions.ts';
import { useChanges } from '../edits/use-changes.ts';
import { useTodoCommands } from '../edits/use-todo-commands.tsx';
import { useIdentity } from '../session/session.ts';
import { dateHere } from '../todo-common/days.ts';
import { useParentNames } from '../todo-common/parents.ts';
import { todoListsQuery } from '../todo-common/queries.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { GridHead } from './grid-head.tsx';
import { GroupHeading } from './group-heading.tsx';
import { useHeldRows } from './held-rows.ts';
import { countOf } from './page-head.tsx';
import type { Pending } from './pending.ts';
import { summaryQuery } from './queries.ts';
import { TodoRow } from './todo-row.tsx';
import { useEnd } from './use-end.ts';
import type { FilterOfPage } from './use-filter.ts';
import { isOnRow, rowIdOf, useActiveRow, useGrid } from './use-grid.ts';
import { type GroupOf, useGroups } from './use-groups.ts';
import { useManual } from './use-manual.ts';
import type { TodoPages } from './use-pending.ts';
import { useSelection } from './use-selection.ts';
import { useSwipe } from './use-swipe.ts';

interface TodoGridProps {
  at: FilterOfPage;
  /** The group that a todo belongs to, where the list has groups. */
  groupOf: GroupOf | undefined;
  todos: UseInfiniteQueryResult<TodoPages>;
  pending: Pending;
  /** Rows keep their places: while one of them has the focus. */
  isHeld: boolean;
  setHeld(isHeld: boolean): void;
}

const BulkBar = lazyPart(() => import('./bulk-bar.tsx').then(({ BulkBar }) => BulkBar));
/** Rows before the end of what is loaded at which more is read: about two screens. */
const aheadRows = 50;

/**
 * The todos as a grid, of which only the visible rows are in the document. Its keys are commands (shell/commands.ts).
 */
export function TodoGrid({ at, groupOf, todos, pending, isHeld, setHeld }: TodoGridProps) {
  const { place, filter, listing, change } = at;
  const { workspace } = useIdentity();
  const navigate = useNavigate();
  const grid = useRef<HTMLDivElement>(null);
  const [activeId, setActiveId] = useActiveRow();
  const { leaving } = pending;
  // A list that goes away with the focus gets no event for it.
  useEffect(() => () => setHeld(false), [setHeld]);
  const { rows, waiting } = useHeldRows(pending.todos, isHeld);
  const today = dateHere();
  const { all, ids, items, groups, headings, toggle } = useGroups(rows, place, filter.group, groupOf);
  const byId = useMemo(() => new Map(rows.map((row) => [row.todo.id, row])), [rows]);
  const { peek } = filter;
  // What keys change; a row that nobody has gone to is only where they begin to move.
  const reached = [activeId, peek].find((id) => id !== undefined && ids.includes(id));
  const active = reached ?? ids[0];
  const { virtualizer, margin, stuck, isCoarse, focus } = useGrid(grid, items, active, headings);
  const selection = useSelection(ids, all);
  const [isSelecting, setSelecting] = useState(false);
  const endSelection = () => {
    setSelecting(false);
    selection.set([]);
  };
  const changes = useChanges();
  const parentOf = useParentNames(pending.todos);
  const lists = useQuery({ ...todoListsQuery(workspace.id), enabled: place.name !== 'list' });
  const summary = useQuery(summaryQuery(workspace.id, listing));
  const lift = useLift(changes);
  const todosOf = (wanted: Iterable<string>) => [...wanted].flatMap((id) => byId.get(id)?.todo ?? []);
  const swiped = useRef<string>(undefined);
  const chosen = () => {
    const one = swiped.current ?? reached;
    const hasMany = swiped.current === undefined && selection.selected.size > 0;
    return todosOf(hasMany ? selection.selected : one === undefined ? [] : [one]);
  };
  const { commands, dialogs, decide } = useTodoCommands(chosen, changes);

  const visible = virtualizer.getVirtualItems();
  const lastVisible = visible.at(-1)?.index ?? 0;
  const goTo = (id: string | undefined) => {
    end.leave();
    if (id === undefined) return;
    setActiveId(id);
    focus(id);
    // The todo beside the list goes along.
    if (peek !== undefined && peek !== id) change({ peek: id }, { replace: true });
  };
  const end = useEnd(todos, lastVisible >= items.length - aheadRows, () => goTo(ids.at(-1)));
  const move = (step: Step, extend = false) => {
    if (step === 'last' && !end.isRead) return end.approach();
    const now = active === undefined ? 0 : ids.indexOf(active);
    const isInside = reached && (peek !== undefined || grid.current?.contains(document.activeElement));
    const next = step === 'first' ? 0 : step === 'last' ? ids.length - 1 : isInside ? now + step : now;
    const id = ids[Math.max(0, Math.min(ids.length - 1, next))];
    if (extend && id !== undefined && active !== undefined) selection.extend(active, id);
    goTo(id);
  };
  const manual = useManual(at, {
    ids,
    reached,
    todoOf: (id) => byId.get(id)?.todo,
    // The rows follow at once, where the focus holds them in their places too.
    onMove: (id) => {
      setHeld(false);
      setActiveId(id);
      focus(id);
    },
    // A finger scrolls, and has the bar of the selection.
    lift: isCoarse ? undefined : (id) => lift(selection.selected.has(id) ? chosen() : todosOf([id])),
  });
  useOnPage('list', {
    isManual: () => manual.isManual,
    step: manual.step,
    isFocused: () => isOnRow(grid.current),
    hasSelection: () => selection.selected.size > 0,
    move,
    open: () => void (reached && navigate(`/todos/${reached}`)),
    peek: () => change({ peek: peek === reached ? undefined : reached }, { replace: peek !== undefined }),
    select: () => reached && selection.toggle(reached),
    selectAll: () => selection.set(ids),
    clearSelection: () => selection.set([]),
    ...commands,
  });
  const press = (id: string) => (event: MouseEvent) => {
    const isControl = (event.target as Element).closest('a, button') !== null;
    if (!event.shiftKey && !event.ctrlKey && !event.metaKey) return isControl ? setActiveId(id) : goTo(id);
    event.preventDefault();
    if (event.shiftKey && active !== undefined) selection.extend(active, id);
    else selection.toggle(id);
    goTo(id);
  };
  const swipe = useSwipe(
    isSelecting
      ? undefined
      : (id, side) => {
          setActiveId(id);
          swiped.current = id;
          if (side === 'right') commands.complete();
          else commands.choose('due');
          swiped.current = undefined;
        },
  );
  /** A finger has no modifier keys: while it selects, each tap on a row does, wherever it is. */
  const tap = (event: MouseEvent) => {
    const id = rowIdOf(event.target);
    if (!isSelecting || id === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    selection.toggle(id);
    goTo(id);
  };
  const total = summary.data ? countOf(summary.data, listing) : ids.length;
  const nameOfList = (id: string) => lists.data?.find((list) => list.id === id)?.name;
  return (
    <>
      <GridHead
        toggleSelection={isCoarse ? () => (isSelecting ? endSelection() : setSelecting(true)) : undefined}
        isSelecting={isSelecting}
        waiting={waiting}
        showWaiting={() => setHeld(false)}
      />
      <div
        ref={grid}
        role="grid"
        className="todo-grid"
        aria-label="Todos"
        aria-multiselectable="true"
        aria-rowcount={todos.hasNextPage ? Math.max(total, items.length + 1) : items.length}
        aria-busy={todos.isPlaceholderData}
        onClickCapture={tap}
        {...swipe}
        onFocus={({ target }) => {
          setActiveId((before) => rowIdOf(target) ?? before);
          setHeld(true);
          end.leave();
        }}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (currentTarget.contains(relatedTarget)) return;
          setHeld(false);
          end.leave();
        }}
      >
        <div role="rowgroup" className="todo-rows" style={{ height: virtualizer.getTotalSize() }}>
          {visible.map(({ index, key, size, start }) => {
            const style = { height: size, transform: `translateY(${start - margin}px)` };
            const row = byId.get(String(key));
            const group = groups.get(String(key));
            if (group) {
              return (
                <GroupHeading
                  key={key}
                  group={group}
                  isOpenEnded={todos.hasNextPage && index === headings.at(-1)}
                  place={index + 1}
                  style={style}
                  isStuck={index === stuck.current}
                  onToggle={() => toggle(group.id)}
                />
              );
            }
            if (!row) return null;
            const { id, todoListId } = row.todo;
            return (
              <TodoRow
                key={key}
                row={leaving.has(id) ? { ...row, isGone: true } : row}
                parent={parentOf(row.todo)}
                drag={manual.dragOf(id, nameOf(row.todo))}
                list={place.name === 'list' ? undefined : nameOfList(todoListId)}
                today={today}
                place={index + 1}
                style={style}
                isActive={id === active}
                isSelected={selection.selected.has(id)}
                onToggle={() => changes.complete([row.todo])}
                onDecide={() => {
                  goTo(id);
                  decide(row.todo);
                }}
                onPress={press(id)}
              />
            );
          })}
        </div>
      </div>
      {selection.selected.size > 0 && (
        <Suspense>
          <section className="bulk-bar" aria-label="Selected todos">
            <BulkBar {...{ selection, total, changes, commands }} todos={chosen} pages={todos} close={endSelection} />
          </section>
        </Suspense>
      )}
      {dialogs}
    </>
  );
}

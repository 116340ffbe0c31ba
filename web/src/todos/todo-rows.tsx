import { keepPreviousData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { isIn } from '../board/moves.ts';
import { useIdentity } from '../session/session.ts';
import { dateHere } from '../todo-common/days.ts';
import type { Todo } from '../todo-common/queries.ts';
import { Failed, Loaded, NextPageFailed, Pending } from '../ui/card.tsx';
import { groupOf as groupNameOf } from './due.ts';
import { NoTodos } from './empty.tsx';
import { isByParts } from './filter.ts';
import { partFieldOf } from './group-options.ts';
import type { Part, PartField } from './parts.ts';
import { partsQuery } from './parts-query.ts';
import type { Pending as PendingTodos } from './pending.ts';
import { todosQuery } from './queries.ts';
import { TodoGrid } from './todo-grid.tsx';
import type { FilterOfPage } from './use-filter.ts';
import { type GroupOf, heldGroups } from './use-groups.ts';
import { useParts } from './use-parts.ts';
import { type TodoPages, usePending } from './use-pending.ts';

/** The group of a todo that is in none of those that are read. */
const elsewhere = { id: 'elsewhere', name: 'Other' };

/** The list of the todos of a page, in groups where the address asks for them. */
export function TodoRows({ at }: { at: FilterOfPage }) {
  const field = partFieldOf(at);
  return field === undefined ? <SortedList at={at} /> : <ListOfParts at={at} field={field} />;
}

/** A list in one order, with groups where that has them one after the other. */
function SortedList({ at }: { at: FilterOfPage }) {
  const { workspace } = useIdentity();
  const todos = useInfiniteQuery({ ...todosQuery(workspace.id, at.listing), placeholderData: keepPreviousData });
  const pending = usePending(todos.data, at.listing);
  const { group } = at.filter;
  const today = dateHere();
  const groupOf = useMemo(() => {
    if (group === undefined || isByParts(group)) return undefined;
    return (todo: Todo) => {
      const name = groupNameOf(todo, group, today);
      return { id: name, name };
    };
  }, [group, today]);
  return <Rows at={at} groupOf={groupOf} todos={todos} pending={pending} />;
}

/** A list of groups that are read one after the other. */
function ListOfParts({ at, field }: { at: FilterOfPage; field: Exclude<PartField, 'priority'> }) {
  const { parts, error, retry } = useParts(field, at.listing);
  if (parts) return <PartRows at={at} field={field} parts={parts} />;
  return error ? <Failed error={error} retry={retry} /> : <Pending what="the groups" isPaused={false} />;
}

function PartRows({ at, field, parts }: { at: FilterOfPage; field: PartField; parts: readonly Part[] }) {
  const { workspace } = useIdentity();
  const todos = useInfiniteQuery({ ...partsQuery(workspace.id, at.listing, parts), placeholderData: keepPreviousData });
  const placeOf = useCallback((todo: Todo) => parts.findIndex(({ id }) => isIn(field, todo, id)), [field, parts]);
  const groupOf = useMemo(() => {
    // What leaves the list is in the group where it was.
    const before = new Map<string, Pick<Part, 'id' | 'name'>>();
    return (todo: Todo) => {
      const group = parts[placeOf(todo)] ?? before.get(todo.id) ?? elsewhere;
      before.set(todo.id, group);
      return group;
    };
  }, [parts, placeOf]);
  const pending = usePending(todos.data, at.listing, placeOf);
  return <Rows at={at} groupOf={groupOf} todos={todos} pending={pending} />;
}

interface RowsProps {
  at: FilterOfPage;
  groupOf: GroupOf | undefined;
  todos: UseInfiniteQueryResult<TodoPages>;
  pending: PendingTodos;
}

function Rows({ at, groupOf, todos, pending }: RowsProps) {
  const key = JSON.stringify([at.listing, at.filter.group]);
  const [heldIn, setHeldIn] = useState<string>();
  const isHeld = heldIn === key;
  const groups = useMemo(() => groupOf && heldGroups(groupOf), [groupOf]);
  const shownIn = useMemo(() => groups?.(isHeld), [groups, isHeld]);
  const setHeld = useCallback((held: boolean) => setHeldIn(held ? key : undefined), [key]);
  if (!todos.data) {
    return (
      <Loaded query={todos} what="the todos">
        {() => null}
      </Loaded>
    );
  }
  // The row that has the focus keeps its place, also when it was the last that belonged to the list.
  if (pending.todos.length === 0 && !isHeld) return <NoTodos at={at} />;
  return (
    <>
      <TodoGrid key={key} at={at} groupOf={shownIn} todos={todos} pending={pending} isHeld={isHeld} setHeld={setHeld} />
      <NextPageFailed query={todos} />
    </>
  );
}

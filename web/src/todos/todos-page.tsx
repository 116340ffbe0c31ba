import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import { QuickAdd } from '../quick-add/quick-add.tsx';
import { useIdentity } from '../session/session.ts';
import { NewTodo } from '../todo-common/new-todo.tsx';
import { allTodoListsQuery, type TodoList, todoListsQuery, type View } from '../todo-common/queries.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Pending } from '../ui/card.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Page, useFocusOnNew } from '../ui/page.tsx';
import { FilterBar } from './filter-bar.tsx';
import { ArchivedList } from './list-menu.tsx';
import { useFilter } from './page-filter.ts';
import { Counts, Tabs } from './page-head.tsx';
import { PeekPanel } from './peek-panel.tsx';
import { shows } from './pending.ts';
import { TodoRows } from './todo-rows.tsx';
import { type FilterOfPage, isBoard } from './use-filter.ts';
import { PageMenu, SaveView } from './view-head.tsx';

const BoardList = lazyPart(() => import('./board-list.tsx').then(({ BoardList }) => BoardList));

const titles = { todos: 'Todos', mine: 'My todos', today: 'Today', archive: 'Archive' };

/**
 * Pages `/todos`, `/today`, `/mine`, `/archive` and `/lists/:todoListId`: the todos that the filter in the address
 * finds.
 */
export function TodosPage() {
  const { workspace } = useIdentity();
  const lists = useQuery(todoListsQuery(workspace.id));
  const at = useFilter();
  const { place } = at;
  const todoListId = place.name === 'list' ? place.todoListId : undefined;
  const active = lists.data?.find(({ id }) => id === todoListId);
  // Archived, or there is none.
  const isClosed = todoListId !== undefined && lists.data !== undefined && !active;
  const all = useQuery({ ...allTodoListsQuery(workspace.id), enabled: isClosed });
  const list = active ?? all.data?.find(({ id }) => id === todoListId);
  const isElsewhere = useIsElsewhere(todoListId === undefined || active !== undefined, isClosed);
  if (isElsewhere) return toAllTodos;
  if (isClosed && all.data && !list) {
    return (
      <NoTodos title="List not found" intro="It may be deleted, or it belongs to another workspace.">
        <ButtonLink to="/lists">All lists</ButtonLink>
      </NoTodos>
    );
  }
  const title = place.name === 'list' ? (list?.name ?? 'List') : place.name === 'view' ? 'View' : titles[place.name];
  return (
    <TodosAt key={todoListId ?? place.name} at={at} title={title} list={list} isClosed={isClosed}>
      {list?.isArchived && <ArchivedList list={list} />}
    </TodosAt>
  );
}

interface TodosAtProps {
  at: FilterOfPage;
  title: string;
  /** The view whose page it is. */
  view?: View;
  /** The list whose page it is. */
  list?: TodoList | undefined;
  /** No todo can be filed here. */
  isClosed?: boolean;
  /** Above the controls of the filter. */
  children?: ReactNode;
}

/** Where no todo can be filed, a new one is added to all todos. */
export const toAllTodos = <Navigate to="/todos#new" replace />;

/**
 * Whether a new todo is asked for where none can be filed. What is closed while its page is open stays: the form was
 * there.
 */
export function useIsElsewhere(isOpen: boolean, isClosed: boolean): boolean {
  const { hash, key } = useLocation();
  const [shownAt, setShownAt] = useState<string>();
  if (isOpen && shownAt !== key) setShownAt(key);
  return isClosed && hash === '#new' && shownAt !== key;
}

/** A page of todos: its head, the form for a new todo, the controls of the filter, and the list or board. */
export function TodosAt({ at, title, view, list, isClosed = false, children }: TodosAtProps) {
  const { place, listing } = at;
  const { user } = useIdentity();
  useFocusOnNew('title');
  // On a phone the list comes first: the bar at the bottom opens the form.
  const { hash } = useLocation();
  const hasComposer = place.name !== 'archive' && !isClosed;
  return (
    <>
      <Page
        title={title}
        intro={<Counts listing={listing} />}
        actions={<ButtonLink to="/chats">Ask the Assistant</ButtonLink>}
      >
        {hasComposer && (
          <div className={hash === '#new' ? undefined : 'wide-only'}>
            <NewTodo
              form={QuickAdd}
              {...(place.name === 'list' && { todoListId: place.todoListId })}
              {...(place.name === 'today' && { dueDate: place.today })}
              isShown={(todo) => shows(todo, listing, user.id)}
            />
          </div>
        )}
        <section className="todo-list" aria-label="Todos">
          <div className="todo-list-head">
            {place.name !== 'archive' && <Tabs at={at} />}
            <SaveView at={at} view={view} />
            <PageMenu listing={listing} view={view} list={list} />
          </div>
          {children}
          <FilterBar at={at} />
          {isBoard(at) ? (
            <Suspense fallback={<Pending what="the board" isPaused={false} />}>
              <BoardList at={at} />
            </Suspense>
          ) : (
            <TodoRows at={at} />
          )}
        </section>
      </Page>
      <PeekPanel at={at} />
    </>
  );
}

/** Instead of a page of todos, where there is none. `children`: where to go on. */
export function NoTodos({ title, intro, children }: { title: string; intro: string; children: ReactNode }) {
  return (
    <Page title={title} intro={intro} actions={children}>
      {null}
    </Page>
  );
}

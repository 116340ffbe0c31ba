import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { QuickAdd } from '../quick-add/quick-add.tsx';
import { useIdentity } from '../session/session.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Card, Loaded } from '../ui/card.tsx';
import { Page } from '../ui/page.tsx';
import { NewTodo } from '../work/new-todo.tsx';
import { todoListsQuery } from '../work/queries.ts';
import { NoTodos } from './empty.tsx';
import { FilterBar } from './filter-bar.tsx';
import { Counts, PageMenu, Tabs } from './page-head.tsx';
import { todosQuery } from './queries.ts';
import { TodoGrid } from './todo-grid.tsx';
import { type FilterOfPage, useFilter } from './use-filter.ts';

const titles = { todos: 'Todos', mine: 'My todos', today: 'Today', archive: 'Archive' };

/** Pages `/todos`, `/today`, `/mine`, `/archive` and `/lists/:todoListId`: the todos that the filter in the address finds. */
export function TodosPage() {
  const { workspace } = useIdentity();
  const lists = useQuery(todoListsQuery(workspace.id));
  const at = useFilter();
  const { place, listing } = at;
  useFocusOnNewTodo();
  const list = place.name === 'list' ? lists.data?.find(({ id }) => id === place.todoListId) : undefined;
  if (place.name === 'list' && lists.data && !list) return <NoList />;
  const hasComposer = place.name !== 'archive' && place.name !== 'today';
  return (
    <Page
      title={place.name === 'list' ? (list?.name ?? 'List') : titles[place.name]}
      intro={<Counts listing={listing} />}
      actions={<ButtonLink to="/chats">Ask the Assistant</ButtonLink>}
    >
      {hasComposer && (
        <Card title="New todo">
          <NewTodo form={QuickAdd} {...(place.name === 'list' && { todoListId: place.todoListId })} isOnList />
        </Card>
      )}
      <section className="todo-list" aria-label="Todos">
        <div className="todo-list-head">
          {place.name !== 'archive' && <Tabs at={at} />}
          <PageMenu listing={listing} />
        </div>
        <FilterBar at={at} />
        <List key={place.name === 'list' ? place.todoListId : place.name} at={at} />
      </section>
    </Page>
  );
}

function List({ at }: { at: FilterOfPage }) {
  const { workspace } = useIdentity();
  const todos = useInfiniteQuery({ ...todosQuery(workspace.id, at.listing), placeholderData: keepPreviousData });
  if (!todos.data) {
    return (
      <Loaded query={todos} what="the todos">
        {() => null}
      </Loaded>
    );
  }
  if (todos.data.pages.every(({ data }) => data.length === 0)) return <NoTodos at={at} />;
  return <TodoGrid key={JSON.stringify(at.listing)} at={at} todos={todos} pages={todos.data} />;
}

function NoList() {
  return (
    <Page
      title="List not found"
      intro="It may be archived or erased, or it belongs to another workspace."
      actions={<ButtonLink to="/todos">All todos</ButtonLink>}
    >
      {null}
    </Page>
  );
}

/** The command “New todo” leads to `/todos#new`: the focus goes to the title, after that of the page. */
function useFocusOnNewTodo(): void {
  const { hash, key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each navigation focuses again.
  useEffect(() => {
    if (hash === '#new') document.querySelector<HTMLInputElement>('input[name="title"]')?.focus();
  }, [hash, key]);
}

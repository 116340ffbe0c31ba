import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useLocation } from 'react-router';
import { useIdentity } from '../session/session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card, Loaded } from '../ui/card.tsx';
import { Page } from '../ui/page.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Ago, Day } from '../ui/time.tsx';
import { NewTodo } from '../work/new-todo.tsx';
import { type Todo, todoListsQuery } from '../work/queries.ts';
import { nameOf, TodoBadges, useSetStatus } from '../work/todo-parts.tsx';
import { NoTodos } from './empty.tsx';
import { FilterBar } from './filter-bar.tsx';
import { Counts, PageMenu, Tabs } from './page-head.tsx';
import { todosQuery } from './queries.ts';
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
          <NewTodo {...(place.name === 'list' && { todoListId: place.todoListId })} isOnList />
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
  const rows = todos.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="card" aria-busy={todos.isPlaceholderData}>
      <Loaded query={todos} what="the todos">
        {() =>
          rows.length === 0 ? (
            <NoTodos at={at} />
          ) : (
            <Rows label="Todos">
              {rows.map((todo) => (
                <TodoRow key={todo.id} todo={todo} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {todos.hasNextPage && (
        <Button isBusy={todos.isFetchingNextPage} onPress={() => void todos.fetchNextPage()}>
          {todos.isFetchingNextPage ? 'Loading…' : 'Show more'}
        </Button>
      )}
    </div>
  );
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

function TodoRow({ todo }: { todo: Todo }) {
  const { id, dueDate, createdAt, assignees } = todo;
  const name = nameOf(todo);
  const setting = useSetStatus(todo);
  return (
    <Row
      title={<Link to={`/todos/${id}`}>{name}</Link>}
      badges={<TodoBadges todo={todo} />}
      facts={[
        <span key="made">
          Created <Ago at={createdAt} />
        </span>,
        ...(dueDate === null
          ? []
          : [
              <span key="due">
                Due <Day at={`${dueDate}T12:00:00`} />
              </span>,
            ]),
        ...(assignees.length === 0 ? [] : [assignees.map((assignee) => assignee.name).join(', ')]),
      ]}
      actions={
        <Button
          kind="quiet"
          aria-label={`Mark as done: ${name}`}
          isBusy={setting.isPending}
          onPress={() => setting.mutate('done')}
        >
          Done
        </Button>
      }
    />
  );
}

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { useIdentity } from '../session/session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { Page } from '../ui/page.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Ago, Day } from '../ui/time.tsx';
import { NewTodo } from './new-todo.tsx';
import { openTodosQuery, type Todo, todoListsQuery } from './queries.ts';
import { nameOf, TodoBadges, useSetStatus } from './todo-parts.tsx';

/** Page `/todos`: the open todos, newest first; at `/lists/:todoListId` those of one list. */
export function TodosPage() {
  const { workspace } = useIdentity();
  const { todoListId } = useParams();
  const lists = useQuery(todoListsQuery(workspace.id));
  const todos = useInfiniteQuery(openTodosQuery(workspace.id, todoListId));
  const rows = todos.data?.pages.flatMap(({ data }) => data) ?? [];
  const list = lists.data?.find(({ id }) => id === todoListId);
  useFocusOnNewTodo();
  if (todoListId !== undefined && lists.data && !list) return <NoList />;
  return (
    <Page
      title={todoListId === undefined ? 'Todos' : (list?.name ?? 'List')}
      intro={
        todoListId === undefined
          ? `The open todos of ${workspace.name}, newest first.`
          : 'The open todos of this list, newest first.'
      }
      actions={<ButtonLink to="/chats">Ask the Assistant</ButtonLink>}
    >
      <Card title="New todo">
        <NewTodo {...(todoListId !== undefined && { todoListId })} isOnList />
      </Card>
      <section className="card">
        <Loaded query={todos} what="the todos">
          {() =>
            rows.length === 0 ? (
              <Empty title="No open todos">Write one above, create one over the API, or ask the Assistant.</Empty>
            ) : (
              <Rows label="Open todos">
                {rows.map((todo) => (
                  <TodoRow key={todo.id} todo={todo} />
                ))}
              </Rows>
            )
          }
        </Loaded>
        {todos.hasNextPage && (
          <Button isBusy={todos.isFetchingNextPage} onPress={() => void todos.fetchNextPage()}>
            {todos.isFetchingNextPage ? 'Loading…' : 'Show older ones'}
          </Button>
        )}
      </section>
      <p className="muted">
        This page lists todos. Filters, schedules and agents are in the <a href="/docs">API</a>, the command-line client
        and the assistants that you connect.
      </p>
    </Page>
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

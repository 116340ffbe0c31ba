import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card, Failed, Pending } from '../ui/card.tsx';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitleIfLost } from '../ui/page.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';
import { DueDay } from '../ui/time.tsx';
import { type Capture, type CaptureTodo, captureTodosQuery } from './queries.ts';

/** Todos from a capture: suggestions to accept or dismiss, and accepted ones. */
export function CaptureTodos({ capture }: { capture: Capture }) {
  const { workspace } = useIdentity();
  const todos = useQuery(captureTodosQuery(workspace.id, capture));
  if (todos.error && !todos.data) {
    return (
      <Card title="Todos">
        <Failed error={todos.error} retry={() => void todos.refetch()} />
      </Card>
    );
  }
  if (todos.isLoading) return <Pending what="the todos" isPaused={false} />;
  const suggested = todos.data?.filter(({ isSuggested }) => isSuggested) ?? [];
  const accepted = todos.data?.filter(({ isSuggested }) => !isSuggested) ?? [];
  return (
    <>
      {suggested.length > 0 && (
        <Card title="Suggested todos" intro="Accepted suggestions become todos.">
          <Rows label="Suggested todos">
            {suggested.map((todo) => (
              <SuggestedTodo key={todo.id} todo={todo} />
            ))}
          </Rows>
        </Card>
      )}
      {accepted.length > 0 && (
        <Card title="Todos">
          <Rows label="Todos">
            {accepted.map((todo) => (
              <Row
                key={todo.id}
                title={<NameLink todo={todo} />}
                badges={<TodoBadge todo={todo} />}
                facts={todo.dueDate === null ? [] : [<Due key="due" on={todo.dueDate} />]}
              />
            ))}
          </Rows>
        </Card>
      )}
    </>
  );
}

function nameOf({ title, content }: CaptureTodo): string {
  return title ?? content ?? 'Untitled todo';
}

function NameLink({ todo }: { todo: CaptureTodo }) {
  return <Link to={`/todos/${todo.id}`}>{nameOf(todo)}</Link>;
}

function Due({ on }: { on: string }) {
  return (
    <>
      Due <DueDay on={on} />
    </>
  );
}

function TodoBadge({ todo: { status } }: { todo: CaptureTodo }) {
  if (status === 'done') return <Badge tone="good">Done</Badge>;
  return status === 'in_progress' ? <Badge tone="warn">In progress</Badge> : null;
}

function SuggestedTodo({ todo }: { todo: CaptureTodo }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const name = nameOf(todo);
  const decide = (act: () => Promise<unknown>, notice: string) => ({
    mutationFn: async () => {
      await act();
      await readAgain(queryClient, 'capture');
    },
    onSuccess: () => {
      notify(notice);
      // The row with the focused button was removed.
      focusPageTitleIfLost();
    },
    onError: (error: Error) => notify(problemOf(error).message),
  });
  const todoId = todo.id;
  const accepting = useMutation(
    decide(() => api.todos.update.mutate({ todoId, isSuggested: false }), 'The todo is accepted.'),
  );
  const dismissing = useMutation(decide(() => api.todos.delete.mutate({ todoId }), 'The suggestion is dismissed.'));
  const isBusy = accepting.isPending || dismissing.isPending;
  return (
    <Row
      title={<NameLink todo={todo} />}
      detail={todo.title !== null && todo.content !== null && <p className="text">{todo.content}</p>}
      facts={[
        ...(todo.assignees.length > 0 ? [`For ${todo.assignees.map((each) => each.name).join(', ')}`] : []),
        ...(todo.dueDate === null ? [] : [<Due key="due" on={todo.dueDate} />]),
      ]}
      actions={
        <>
          <Button kind="quiet" aria-label={`Dismiss: ${name}`} isBusy={isBusy} onPress={() => dismissing.mutate()}>
            Dismiss
          </Button>
          <Button aria-label={`Accept: ${name}`} isBusy={isBusy} onPress={() => accepting.mutate()}>
            Accept
          </Button>
        </>
      }
    />
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import type { Change, Todo } from './merge.ts';

/** Accepts, archives, restores and erases a todo, and copies its address. */
export function TodoActions({ todo, save }: { todo: Todo; save: (change: Change) => Promise<boolean> }) {
  const { id: todoId, isArchived, isSuggested } = todo;
  const queryClient = useQueryClient();
  const notify = useNotice();
  const navigate = useNavigate();
  const moving = useMutation({
    mutationFn: async () => {
      if (isArchived) await api.todos.restore.mutate({ todoId });
      else await api.todos.delete.mutate({ todoId });
    },
    onSuccess: async () => {
      await readAgain(queryClient, 'todos');
      notify(isArchived ? 'The todo is restored.' : 'The todo is archived.');
    },
    onError: (error) => notify(problemOf(error).message),
  });
  const address = `${location.origin}/todos/${todoId}`;
  const curl = `curl -H "Authorization: Bearer $TANDEM_KEY" ${location.origin}/api/v1/todos/${todoId}`;
  return (
    <div className="form-actions">
      {isSuggested && (
        <Button kind="primary" onPress={() => void save({ isSuggested: false })}>
          Accept
        </Button>
      )}
      <Button isBusy={moving.isPending} onPress={() => moving.mutate()}>
        {isArchived ? 'Restore' : isSuggested ? 'Dismiss' : 'Archive'}
      </Button>
      <CopyButton text={address} label="Copy link" what="Link" />
      <CopyButton text={curl} label="Copy as curl" what="Command" />
      {isArchived && (
        <ConfirmButton
          label="Erase"
          title="Erase this todo?"
          confirm="Erase"
          busy="Erasing…"
          onConfirm={async () => {
            await api.todos.delete.mutate({ todoId, permanent: true });
            await navigate('/todos');
            await readAgain(queryClient, 'todos');
          }}
        >
          <p>It cannot be brought back. A todo that an agent has run cannot be erased.</p>
        </ConfirmButton>
      )}
    </div>
  );
}

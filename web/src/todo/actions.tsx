import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { ProblemError, problemOf } from '../api/problem.ts';
import { readAgain } from '../api/queries.ts';
import { actTagged } from '../api/tagged.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import type { Todo } from './merge.ts';
import type { Save } from './opened.ts';

const changedMeanwhile = new ProblemError({
  status: 412,
  code: 'resource_conflict',
  message: 'Somebody else changed this todo meanwhile. Look at it and try again.',
  retryable: false,
  errors: [],
});

interface ActionsProps {
  todo: Todo;
  /** Of the version that is shown. */
  tag: string;
  save: Save;
}

/** Accepts, archives, restores and erases a todo as it is shown, and copies its address. */
export function TodoActions({ todo, tag, save }: ActionsProps) {
  const { id: todoId, isArchived, isSuggested } = todo;
  const queryClient = useQueryClient();
  const notify = useNotice();
  const navigate = useNavigate();
  const act = (request: Parameters<typeof actTagged>[0]) =>
    actTagged(request, tag).catch(async (error: unknown) => {
      if (problemOf(error).status !== 412) throw error;
      await readAgain(queryClient, 'todos');
      throw changedMeanwhile;
    });
  const moving = useMutation({
    mutationFn: () => act(isArchived ? `POST /todos/${todoId}/restore` : `DELETE /todos/${todoId}`),
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
            await act(`DELETE /todos/${todoId}?permanent=true`);
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

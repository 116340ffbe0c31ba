import { useQueryClient } from '@tanstack/react-query';
import { ProblemError, problemOf } from '../api/problem.ts';
import { readAgain } from '../api/queries.ts';
import { actTagged, type Tagged } from '../api/tagged.ts';
import { openOutbox, waitingWords } from '../outbox/current.ts';
import type { Todo } from '../outbox/merge.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useNotice } from '../ui/notice.tsx';
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
  /** The version that is shown, apart from what is on its way; undefined of a todo that the service does not have yet. */
  known: Tagged<Todo> | undefined;
  save: Save;
  onErased: () => unknown;
}

/** Accepts, archives, restores and erases a todo as it is shown, and copies its address. */
export function TodoActions({ todo, known, save, onErased }: ActionsProps) {
  const { id: todoId, isArchived, isSuggested } = todo;
  const identity = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const move = async () => {
    const outbox = await openOutbox(identity);
    const operation = isArchived ? 'restore' : 'archive';
    const outcome = await (await outbox.add({ action: { operation }, todos: [todo], known })).outcome;
    if (outcome.state === 'refused') {
      if (outcome.problem.status !== 412) return notify(outcome.problem.message);
      await readAgain(queryClient, 'todos');
      notify(changedMeanwhile.problem.message);
    } else notify(`The todo is ${isArchived ? 'restored' : 'archived'}.${waitingWords(outcome)}`);
  };
  const erase = () =>
    actTagged(`DELETE /todos/${todoId}?permanent=true`, known?.tag ?? '*').catch(async (error: unknown) => {
      if (problemOf(error).status !== 412) throw error;
      await readAgain(queryClient, 'todos');
      throw changedMeanwhile;
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
      <Button onPress={() => void move().catch((error: unknown) => notify(problemOf(error).message))}>
        {isArchived ? 'Restore' : isSuggested ? 'Dismiss' : 'Archive'}
      </Button>
      <CopyButton text={address} label="Copy link" what="Link" />
      <CopyButton text={curl} label="Copy as curl" what="Command" />
      {/* Not before the service has archived it. */}
      {isArchived && known?.resource.isArchived && (
        <ConfirmButton
          label="Erase"
          title="Erase this todo?"
          confirm="Erase"
          busy="Erasing…"
          onConfirm={async () => {
            await erase();
            await onErased();
            await readAgain(queryClient, 'todos');
          }}
        >
          <p>It cannot be brought back. A todo that an agent has run cannot be erased.</p>
        </ConfirmButton>
      )}
    </div>
  );
}

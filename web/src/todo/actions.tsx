import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ProblemError, problemOf } from '../api/problem.ts';
import { readAgain } from '../api/queries.ts';
import { actTagged, sendTagged, type Tagged } from '../api/tagged.ts';
import { waitingWords } from '../outbox/current.ts';
import type { Todo } from '../outbox/merge.ts';
import { useIdentity } from '../session/session.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useGoOn } from '../ui/here.ts';
import { useNotice } from '../ui/notice.tsx';
import type { Save } from './opened.ts';
import { addNoted } from './use-todo.ts';

const changedMeanwhile = new ProblemError({
  status: 412,
  code: 'resource_conflict',
  message: 'Somebody else changed this todo meanwhile. Look at it and try again.',
  retryable: false,
  errors: [],
});

interface ActionsProps {
  todo: Todo;
  /**
   * The version that is shown, apart from what is on its way; undefined of a todo that the service does not have yet.
   */
  known: Tagged<Todo> | undefined;
  save: Save;
  /** Asks for the agent that works on it. */
  run: () => void;
  onErased: () => unknown;
}

/** A button that creates a copy of a todo and opens it. */
function Duplicate({ todoId }: { todoId: string }) {
  const goOn = useGoOn();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const [isBusy, setBusy] = useState(false);
  // Until it is answered: a press after a lost answer makes no second copy.
  const key = useRef<string>(undefined);
  const duplicate = async () => {
    setBusy(true);
    try {
      key.current ??= crypto.randomUUID();
      const { resource } = await sendTagged<Todo>(`POST /todos/${todoId}/duplicate`, { key: key.current });
      key.current = undefined;
      await readAgain(queryClient, 'todos');
      const isCopy = await goOn(`/todos/${resource.id}`);
      notify(isCopy ? 'This is the copy.' : `“${nameOf(resource)}” is duplicated.`);
    } catch (error) {
      notify(problemOf(error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button isBusy={isBusy} onPress={() => void duplicate()}>
      {isBusy ? 'Duplicating…' : 'Duplicate'}
    </Button>
  );
}

/** Accepts, archives, restores, erases and duplicates a todo as it is shown, and copies its address. */
export function TodoActions({ todo, known, save, run, onErased }: ActionsProps) {
  const { id: todoId, isArchived, isSuggested, status, latestRun } = todo;
  const mayRun = known !== undefined && !isArchived && status !== 'done' && latestRun?.status !== 'running';
  const identity = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const move = async () => {
    const operation = isArchived ? 'restore' : 'archive';
    const outcome = await addNoted(identity, { action: { operation }, todos: [todo], known });
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
  // What an assistant outside finds it by, with the tools of this service.
  const forAgent = `Todo “${nameOf(todo)}” (todoId: ${todoId})\n${address}${todo.content === null ? '' : `\n\n${todo.content}`}`;
  return (
    <div className="form-actions">
      {isSuggested && (
        <Button kind="primary" onPress={() => void save({ isSuggested: false })}>
          Accept
        </Button>
      )}
      {mayRun && (
        <Button aria-haspopup="dialog" onPress={run}>
          Run
        </Button>
      )}
      <Button onPress={() => void move().catch((error: unknown) => notify(problemOf(error).message))}>
        {isArchived ? 'Restore' : isSuggested ? 'Dismiss' : 'Archive'}
      </Button>
      {known && <Duplicate todoId={todoId} />}
      <CopyButton text={address} label="Copy link" what="Link" />
      <CopyButton text={curl} label="Copy as curl" what="Command" />
      <CopyButton text={forAgent} label="Copy for an agent" what="Text" />
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

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, problemOf } from '../api/client.ts';
import { ProblemError } from '../api/problem.ts';
import { readAgain } from '../api/queries.ts';
import type { Todo } from '../todo-common/queries.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { Button } from '../ui/button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitleIfLost } from '../ui/page.tsx';

/** Runs a change of a schedule, and reads the agenda again whether it was made or not. */
function useChange<Given>(change: (given: Given) => Promise<string>) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  return useMutation({
    mutationFn: change,
    onSuccess: async (message) => {
      await readAgain(queryClient, 'todos');
      notify(message);
      // The row with the button may be gone: check where the focus is after it was rendered.
      focusPageTitleIfLost();
    },
    onError: (error) => {
      notify(problemOf(error).message);
      void readAgain(queryClient, 'todos');
    },
  });
}

/** Pauses the schedule of a todo, or resumes it. */
export function PauseButton({ todo, isPaused }: { todo: Todo; isPaused: boolean }) {
  const name = nameOf(todo);
  const pausing = useChange(async () => {
    await api.todos.update.mutate({ todoId: todo.id, schedulePaused: !isPaused });
    return isPaused ? `The schedule of “${name}” continues.` : `The schedule of “${name}” is paused.`;
  });
  const verb = isPaused ? 'Resume' : 'Pause';
  return (
    <Button
      kind="quiet"
      aria-label={`${verb} the schedule of ${name}`}
      isBusy={pausing.isPending}
      onPress={() => pausing.mutate(undefined)}
    >
      {verb}
    </Button>
  );
}

const passed = new ProblemError({
  status: 409,
  code: 'conflict',
  message: 'This time has passed or was settled already. The agenda shows what is planned now.',
  retryable: false,
  errors: [],
});

/** Settles the planned time `at`, if it is still the next one of the todo. @throws ProblemError when it is not. */
async function settle({ id: todoId }: Todo, at: string, status: 'done' | 'skipped'): Promise<void> {
  const { data } = await api.todos.listOccurrences.query({ todoId, limit: 1 });
  const next = data.find(({ plannedAt, status: now }) => plannedAt === at && now === 'upcoming');
  if (!next) throw passed;
  await api.todos.updateOccurrence.mutate({ todoId, occurrenceId: next.id, status });
}

/** Marks the next time of a todo as done, or skips it. The schedule continues with the one after. */
export function OccurrenceButtons({ todo, at }: { todo: Todo; at: string }) {
  const name = nameOf(todo);
  const settling = useChange(async (status: 'done' | 'skipped') => {
    await settle(todo, at, status);
    return status === 'done' ? `This time of “${name}” is done.` : `This time of “${name}” is skipped.`;
  });
  return (
    <>
      <Button
        kind="quiet"
        aria-label={`Done: the next time of ${name}`}
        isBusy={settling.isPending}
        onPress={() => settling.mutate('done')}
      >
        Done
      </Button>
      <Button
        kind="quiet"
        aria-label={`Skip the next time of ${name}`}
        isBusy={settling.isPending}
        onPress={() => settling.mutate('skipped')}
      >
        Skip
      </Button>
    </>
  );
}

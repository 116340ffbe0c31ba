import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import type { TodoList } from '../todo-common/queries.ts';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitleIfLost } from '../ui/page.tsx';

/** Archives a list with `true`, restores it with `false`. Archiving can be undone from its notice. */
export function useArchiveList({ id: todoListId, name }: Pick<TodoList, 'id' | 'name'>) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const onError = (error: unknown) => notify(problemOf(error).message);
  const set = async (archived: boolean) => {
    await api.todoLists.update.mutate({ todoListId, archived });
    await readAgain(queryClient, 'todos');
  };
  return useMutation({
    mutationFn: set,
    onSuccess: (_, isArchived) => {
      const undo = { label: 'Undo', onPress: () => void set(false).catch(onError) };
      if (isArchived) notify(`The list “${name}” is archived. Its todos stay as they are.`, undo);
      else notify(`The list “${name}” is restored.`);
      // The button is gone, or its row is.
      focusPageTitleIfLost();
    },
    onError,
  });
}

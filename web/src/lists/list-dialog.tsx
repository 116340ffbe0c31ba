import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import type { TodoList } from '../todo-common/queries.ts';
import type { Filled } from '../ui/form.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useChanged } from '../ui/use-changed.ts';
import { ListFields, type ListValues, listFields, listValues } from './list-fields.tsx';

/** The dialog that renames a list. */
export function ListDialog({ list, close }: { list: TodoList; close: () => void }) {
  const queryClient = useQueryClient();
  const send = useChanged<ListValues>(list);
  const save = async (filled: Filled) => {
    await send(listValues(filled), (changes) => api.todoLists.update.mutate({ todoListId: list.id, ...changes }));
    await readAgain(queryClient, 'todos');
  };
  return (
    <FormDialog title="Rename the list" fields={listFields} onSave={save} close={close}>
      <ListFields list={list} />
    </FormDialog>
  );
}

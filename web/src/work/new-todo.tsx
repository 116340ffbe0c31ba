import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import { useNotice } from '../ui/notice.tsx';

/** The form of a new todo; `todoListId` files it in that list. On a page without the list it leads there. */
export function NewTodo({ todoListId, isOnList = false }: { todoListId?: string; isOnList?: boolean }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const notify = useNotice();
  const create = async (filled: Filled) => {
    const title = filled.text('title').trim();
    await api.todos.create.mutate({ title, ...(todoListId !== undefined && { todoListId }) });
    await readAgain(queryClient, 'todos');
    notify(`“${title}” is on the list.`);
    if (!isOnList) await navigate('/todos');
  };
  return (
    <Form
      fields={{ title: { label: 'Title', required: 'Enter a title' } }}
      submit="Add todo"
      busy="Adding…"
      label="New todo"
      clears
      onSubmit={create}
    >
      <TextField name="title" label="Title" maxLength={500} />
    </Form>
  );
}

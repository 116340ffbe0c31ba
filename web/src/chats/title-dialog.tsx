import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { TextField } from '../ui/fields.tsx';
import type { Filled } from '../ui/form.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import type { Chat } from './queries.ts';

const fields = { title: { label: 'Title', required: 'Enter a title' } };
const maxTitle = 200;

/** The dialog that renames a chat. */
export function TitleDialog({ chat: { id, title }, close }: { chat: Chat; close: () => void }) {
  const queryClient = useQueryClient();
  const save = async (filled: Filled) => {
    await api.chats.update.mutate({ chatId: id, title: filled.text('title').trim() });
    await readAgain(queryClient, 'chats');
  };
  return (
    <FormDialog title="Rename the chat" fields={fields} onSave={save} close={close}>
      <TextField name="title" label="Title" defaultValue={title ?? ''} autoComplete="off" maxLength={maxTitle} />
    </FormDialog>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { type Filled, Form } from '../ui/form.tsx';
import { ownTimeZone } from '../ui/time.tsx';
import { MessageField, messageFields } from './chat-parts.tsx';

/** Starts a chat with the Assistant, and goes to it. */
export function AskAssistant() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const ask = async (filled: Filled) => {
    const { id } = await api.chats.create.mutate({ message: filled.text('message'), timezone: ownTimeZone });
    void readAgain(queryClient, 'chats');
    await navigate(`/chats/${id}`);
  };
  return (
    <Form fields={messageFields} submit="Ask" busy="Asking…" label="Ask the Assistant" onSubmit={ask}>
      <MessageField label="Message" />
    </Form>
  );
}

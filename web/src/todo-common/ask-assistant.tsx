import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { once } from '../api/once.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { useStoredText } from '../session/stored-drafts.ts';
import { Form } from '../ui/form.tsx';
import { useGoOn } from '../ui/here.ts';
import { MessageArea } from '../ui/message-area.tsx';
import { ownTimeZone } from '../ui/own-time-zone.ts';

const fields = { message: { label: 'Message', required: 'Write a message' } };

/** Starts a chat with the Assistant, and goes to it. */
export function AskAssistant() {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const goOn = useGoOn();
  const [text, write] = useStoredText(`chats.${workspace.id}.new`);
  const ask = async () => {
    const { id } = await once(api.chats.create.mutate, { message: text, timezone: ownTimeZone });
    write('', text);
    void readAgain(queryClient, 'chats');
    await goOn(`/chats/${id}`);
  };
  return (
    <Form fields={fields} submit="Ask" busy="Asking…" label="Ask the Assistant" onSubmit={ask}>
      <MessageArea label="Message" value={text} onChange={write} />
    </Form>
  );
}

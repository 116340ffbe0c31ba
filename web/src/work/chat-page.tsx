import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { Markdown } from '../captures/markdown.tsx';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card, Failed, Pending } from '../ui/card.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { MessageField, messageFields, StatusBadge } from './chat-parts.tsx';
import { type Chat, chatQuery, isWorking, type Message } from './queries.ts';

/** Page `/chats/:chatId`: what was said, what the agent asks to be allowed, and the next message. */
export function ChatPage() {
  const { chatId = '' } = useParams();
  const { workspace } = useIdentity();
  const query = useQuery(chatQuery(workspace.id, chatId));
  if (query.data === undefined) {
    return (
      <Page title="Chat">
        {query.error ? (
          <Failed error={query.error} retry={() => void query.refetch()} />
        ) : (
          <Pending what="the chat" isPaused={query.fetchStatus === 'paused'} />
        )}
      </Page>
    );
  }
  const { chat, messages, approvals } = query.data;
  return (
    <Page title={chat.title ?? 'New chat'} actions={<Link to="/chats">All chats</Link>}>
      <ol className="messages" aria-label="Messages">
        {messages.map((message) => (
          <MessageRow key={message.id} message={message} />
        ))}
      </ol>
      {query.error && <Failed error={query.error} retry={() => void query.refetch()} />}
      {approvals.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
      <ChatState chat={chat} />
      {!isWorking(chat) && (
        <Card title={chat.status === 'awaiting_input' ? 'Or answer in words' : 'Next message'}>
          <Send chatId={chat.id} />
        </Card>
      )}
    </Page>
  );
}

const decisions = {
  approve: 'Approved',
  deny: 'Denied',
  expired: 'Denied: not decided in time',
  superseded: 'Replaced by a message',
};

/** What a message shows beside its text: the calls of an agent, and the decisions of people. */
function factsOf({ blocks }: Message): string[] {
  return blocks.flatMap((block) => {
    if (block.type === 'tool_call') return [block.requiresApproval ? `Asks: ${block.title}` : block.title];
    if (block.type === 'approval_decision') return [decisions[block.decision]];
    if (block.type === 'tool_result') return [block.isError ? 'This failed' : 'Carried out'];
    return [];
  });
}

const writers = { user: 'You', agent: 'Agent', system: 'Tandem' };

function MessageRow({ message }: { message: Message }) {
  const { role, text, createdAt, userId } = message;
  const { user } = useIdentity();
  const facts = factsOf(message);
  const texts = message.blocks.filter(({ type }) => type === 'text').length > 0 && text !== '';
  return (
    <li className={`message ${role}`}>
      <p className="message-head">
        <strong>{role === 'user' && userId !== user.id ? 'A member' : writers[role]}</strong> <Ago at={createdAt} />
      </p>
      {texts && (role === 'agent' ? <Markdown text={text} /> : <p className="text">{text}</p>)}
      {facts.length > 0 && <p className="muted">{facts.join(' · ')}</p>}
    </li>
  );
}

/** The status of the chat, announced when it changes, and the way to stop its agent. */
function ChatState({ chat }: { chat: Chat }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const stopping = useMutation({
    mutationFn: () => api.chats.cancel.mutate({ chatId: chat.id }),
    onSuccess: () => readAgain(queryClient, 'chats'),
    onError: (error) => notify(problemOf(error).message),
  });
  return (
    <div className="chat-state">
      <div role="status">
        <StatusBadge status={chat.status} />
        {chat.errorMessage !== null && <p className="muted">{chat.errorMessage}</p>}
      </div>
      {isWorking(chat) && (
        <Button isBusy={stopping.isPending} onPress={() => stopping.mutate()}>
          Stop
        </Button>
      )}
    </div>
  );
}

function Send({ chatId }: { chatId: string }) {
  const queryClient = useQueryClient();
  const send = async (filled: Filled) => {
    await api.chats.sendMessage.mutate({ chatId, message: filled.text('message') });
    await readAgain(queryClient, 'chats');
  };
  return (
    <Form fields={messageFields} submit="Send" busy="Sending…" label="Next message" clears onSubmit={send}>
      <MessageField label="Message" />
    </Form>
  );
}

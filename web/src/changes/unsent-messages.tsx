import { Link } from 'react-router';
import type { UnsentMessage } from '../chats/use-outbox.ts';
import { Badge, Row, Rows } from '../ui/rows.tsx';

/** The chat messages of this window that are not sent, each with the way to its chat, where it can be withdrawn. */
export function UnsentMessages({ messages }: { messages: readonly UnsentMessage[] }) {
  if (messages.length === 0) return null;
  return (
    <section className="card" aria-label="Messages">
      <Rows label="Unsent messages">
        {messages.map(({ key, chatId, text, state }) => (
          <Row
            key={key}
            title={<Link to={`/chats/${chatId}`}>Message to a chat</Link>}
            badges={state === 'refused' ? <Badge tone="bad">Refused</Badge> : <Badge>Waits</Badge>}
            detail={<p className="conflict-value">{text}</p>}
          />
        ))}
      </Rows>
    </section>
  );
}

import { useQuery } from '@tanstack/react-query';
import { createContext, memo, useContext } from 'react';
import { Link } from 'react-router';
import { EditList } from '../approvals/card-parts.tsx';
import { directoryQuery } from '../approvals/subject-queries.ts';
import { Markdown } from '../captures/markdown.tsx';
import { useIdentity } from '../session/session.ts';
import { Ago } from '../ui/time.tsx';
import type { Message } from './queries.ts';
import { type ChatRow, type Decided, referencesOf, textOf } from './rows.ts';
import { Steps } from './steps.tsx';

/** Who writes in a chat, by id. */
export interface Names {
  userId: string;
  /** The agent that answers. */
  agent: string;
  agents: ReadonlyMap<string, string>;
  members: ReadonlyMap<string, string>;
}

export const NamesContext = createContext<Names>({
  userId: '',
  agent: 'Agent',
  agents: new Map(),
  members: new Map(),
});

/** The author of a message in words. */
export function authorOf({ role, agentId, userId }: Message, names: Names): string {
  if (agentId !== null) return names.agents.get(agentId) ?? 'An agent';
  if (role === 'agent') return names.agent;
  if (role === 'system') return 'Tandem';
  if (userId === names.userId) return 'You';
  return (userId !== null && names.members.get(userId)) || 'A member';
}

const places = { todo: '/todos', chat: '/chats', capture: '/captures' } as const;
const untitled = { todo: 'A todo', chat: 'A chat', agent: 'An agent', capture: 'A capture' };

function References({ message }: { message: Message }) {
  const references = referencesOf(message);
  if (references.length === 0) return null;
  return (
    <ul className="references" aria-label="Refers to">
      {references.map(({ resource, resourceId, title }) => (
        <li key={resourceId}>
          {resource === 'agent' ? (
            (title ?? untitled.agent)
          ) : (
            <Link to={`${places[resource]}/${resourceId}`}>{title ?? untitled[resource]}</Link>
          )}
        </li>
      ))}
    </ul>
  );
}

function TextMessage({ message }: { message: Message }) {
  const names = useContext(NamesContext);
  const text = textOf(message);
  return (
    <div className={`message ${message.role}`}>
      <p className="message-head">
        <strong>{authorOf(message, names)}</strong> <Ago at={message.createdAt} />
      </p>
      {message.role === 'user' ? <p className="text">{text}</p> : <Markdown text={text} source={message} />}
      <References message={message} />
    </div>
  );
}

const verdicts = {
  approve: 'Approved',
  deny: 'Denied',
  expired: 'Denied: not decided in time',
  superseded: 'Replaced by a message',
};

/** What a person changed in a call before they approved it. */
function Edits({ asked, approved }: { asked: unknown; approved: unknown }) {
  const { workspace } = useIdentity();
  const { data = [], isLoading } = useQuery(directoryQuery(workspace.id));
  if (isLoading) return null;
  return <EditList asked={asked} approved={approved} nameOf={(id) => data.find((named) => named.id === id)?.name} />;
}

function Decision({ decided }: { decided: readonly Decided[] }) {
  const { userId, members } = useContext(NamesContext);
  return (
    <ul className="decisions">
      {decided.map(({ decision: { approvalId, decision, decidedBy, note, input }, call }) => (
        <li key={approvalId}>
          <strong>
            {verdicts[decision]}
            {input !== undefined && ' with changes'}
          </strong>
          {decidedBy !== null && decidedBy !== userId && <> by {members.get(decidedBy) ?? 'a member'}</>}
          {note !== null && note !== '' && <>: {note}</>}
          {input !== undefined && call && <Edits asked={call.input} approved={input} />}
        </li>
      ))}
    </ul>
  );
}

/** One settled row, rendered once. `isOpen`: it is the last one and the agent works. */
export const MessageRow = memo(function MessageRow({ row, isOpen }: { row: ChatRow; isOpen: boolean }) {
  if (row.type === 'steps') return <Steps steps={row.steps} isOpen={isOpen} />;
  return row.type === 'decision' ? <Decision decided={row.decided} /> : <TextMessage message={row.message} />;
});

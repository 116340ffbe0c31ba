import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api } from '../api/client.ts';
import { once } from '../api/once.ts';
import { readAgain } from '../api/queries.ts';
import { nameOf as nameOfCapture } from '../captures/capture-badges.tsx';
import { useIdentity } from '../session/session.ts';
import { useStoredText } from '../session/stored-drafts.ts';
import { agentsQuery } from '../todo-common/queries.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import { useGoOn } from '../ui/here.ts';
import { MessageArea } from '../ui/message-area.tsx';
import { ownTimeZone } from '../ui/own-time-zone.ts';

const fields = { message: { label: 'Message', required: 'Write a message' } };

/** Captures that a chat can be given. */
const maxCaptures = 20;

/** What a chat can be about: the newest open todos and captures. */
const subjectsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'subjects-of-chats'],
    queryFn: async ({ signal }) => {
      const [todos, captures] = await Promise.all([
        api.todos.list.query({ status: 'active', limit: 100 }, { signal }),
        api.captures.list.query({ limit: maxCaptures }, { signal }),
      ]);
      return { todos: todos.data, captures: captures.data };
    },
  });

/** Starts a chat with a chosen agent, about a todo and captures if chosen, and goes to it. */
export function NewChat() {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const goOn = useGoOn();
  const [text, write] = useStoredText(`chats.${workspace.id}.new`);
  const start = async (filled: Filled) => {
    const [agentId, todoId, captureIds] = [filled.text('agentId'), filled.text('todoId'), filled.all('captureIds')];
    const input = {
      message: filled.text('message').trim(),
      timezone: ownTimeZone,
      ...(agentId !== '' && { agentId }),
      ...(todoId !== '' && { todoId }),
      ...(captureIds.length > 0 && { captureIds }),
    };
    const { id } = await once(api.chats.create.mutate, input);
    write('', text);
    void readAgain(queryClient, 'chats');
    await goOn(`/chats/${id}`);
  };
  return (
    <Form fields={fields} submit="Ask" busy="Asking…" label="New chat" onSubmit={start}>
      <MessageArea label="Message" value={text} onChange={write} />
      <AgentField />
      <Subjects />
    </Form>
  );
}

function AgentField() {
  const { workspace } = useIdentity();
  const id = useId();
  const agents = useQuery(agentsQuery(workspace.id)).data?.filter(({ isArchived }) => !isArchived) ?? [];
  if (agents.length < 2) return null;
  return (
    <div className="field">
      <label htmlFor={id}>Agent</label>
      <select id={id} name="agentId" className="input" defaultValue="">
        {/* The default agent is not named, so that the chat goes on with the one that is the default then. */}
        {agents.map((agent) => (
          <option key={agent.id} value={agent.isDefault ? '' : agent.id}>
            {agent.name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** What the chat is about; read when the part is opened. */
function Subjects() {
  const { workspace } = useIdentity();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const subjects = useQuery({ ...subjectsQuery(workspace.id), enabled: isOpen });
  const { todos = [], captures = [] } = subjects.data ?? {};
  return (
    <details className="subjects" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>About a todo or captures</summary>
      <div className="form">
        <div className="field">
          <label htmlFor={id}>
            Todo <span className="optional">(optional)</span>
          </label>
          <select id={id} name="todoId" className="input">
            <option value="">None</option>
            {todos.map((todo) => (
              <option key={todo.id} value={todo.id}>
                {nameOf(todo)}
              </option>
            ))}
          </select>
        </div>
        {captures.length > 0 && (
          <fieldset className="subject-captures">
            <legend>Captures</legend>
            <p className="hint">The agent reads what you choose, and everybody who reads the chat sees its answers.</p>
            {captures.map((capture) => (
              <label key={capture.id} className="subject-capture">
                <input type="checkbox" name="captureIds" value={capture.id} />
                {nameOfCapture(capture)}
              </label>
            ))}
          </fieldset>
        )}
      </div>
    </details>
  );
}

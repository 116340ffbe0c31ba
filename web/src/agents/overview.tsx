import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Checkbox } from 'react-aria-components';
import { Link } from 'react-router';
import { api } from '../api/client.ts';
import { once } from '../api/once.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { Card } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { TextField } from '../ui/fields.tsx';
import type { Filled } from '../ui/form.tsx';
import { useGoOn } from '../ui/here.ts';
import { Tick } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { ownTimeZone } from '../ui/own-time-zone.ts';
import { AgentText, type PartProps } from './agent-text.tsx';
import { agentsKey, waitingQuery } from './queries.ts';
import { StoredForm, TextArea } from './stored-form.tsx';

/** Part of the page of an agent: who it is, how to give it work, and how it is archived. */
export function Overview({ agent, save }: PartProps) {
  return (
    <>
      {!agent.isArchived && (
        <div className="two-cards">
          <AssignTodo agent={agent} />
          <StartChat agent={agent} />
        </div>
      )}
      <Card title="Name and role">
        <AgentText
          agent={agent}
          save={save}
          field="name"
          hint="Unique among the active agents, ignoring case."
          maxLength={80}
          isLine
        />
        <AgentText
          agent={agent}
          save={save}
          field="description"
          hint="What it is for, and what it leaves to others."
          maxLength={2000}
          rows={3}
        />
      </Card>
      {!agent.isDefault && !agent.isArchived && <Archive agent={agent} />}
    </>
  );
}

type Part = Pick<PartProps, 'agent'>;

/** What refuses to start work is shown by the form; this says it before. */
function OutOfMinutes() {
  const { workspace } = useIdentity();
  if (workspace.agentMinutesRemaining === null || workspace.agentMinutesRemaining > 0) return null;
  return (
    <p className="callout warn">
      <span>
        No agent minutes are left, so no agent can start. <Link to="/usage">See what they were used for</Link>
      </span>
    </p>
  );
}

function AssignTodo({ agent: { id, name } }: Part) {
  const queryClient = useQueryClient();
  const goOn = useGoOn();
  const notify = useNotice();
  const assign = async (filled: Filled) => {
    const run = filled.all('run').length > 0;
    const title = filled.text('title').trim();
    const todo = await once(api.todos.create.mutate, { title, assignees: [{ id }], run });
    await readAgain(queryClient, 'todos');
    await goOn(`/todos/${todo.id}`);
    notify(run ? `${name} has started.` : `“${title}” is assigned to ${name}.`);
  };
  return (
    <Card title="Assign a todo">
      <StoredForm
        draftName={`agent.${id}.todo`}
        fields={{ title: { label: 'Todo', required: 'Write what is to be done' }, run: { label: 'Start now' } }}
        submit="Assign"
        busy="Assigning…"
        label="Assign a todo"
        onSubmit={assign}
      >
        {(initial) => (
          <>
            <TextField name="title" label="Todo" maxLength={500} defaultValue={initial.title ?? ''} />
            <Checkbox className="choice inline" name="run" value="true" defaultSelected={initial.run === 'true'}>
              <Tick />
              Start now
            </Checkbox>
          </>
        )}
      </StoredForm>
      <OutOfMinutes />
    </Card>
  );
}

function StartChat({ agent: { id: agentId, name } }: Part) {
  const queryClient = useQueryClient();
  const goOn = useGoOn();
  const start = async (filled: Filled) => {
    const { id } = await once(api.chats.create.mutate, {
      message: filled.text('message'),
      agentId,
      timezone: ownTimeZone,
    });
    await readAgain(queryClient, 'chats');
    await goOn(`/chats/${id}`);
  };
  return (
    <Card title="Start a chat">
      <StoredForm
        draftName={`agent.${agentId}.message`}
        fields={{ message: { label: 'Message', required: 'Write a message' } }}
        submit="Start the chat"
        busy="Starting…"
        label="Start a chat"
        onSubmit={start}
      >
        {(initial) => (
          <TextArea
            name="message"
            label={`Message to ${name}`}
            isRequired
            rows={3}
            maxLength={32_000}
            defaultValue={initial.message ?? ''}
          />
        )}
      </StoredForm>
    </Card>
  );
}

const plural = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

function Archive({ agent: { id: agentId, name } }: Part) {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const { todos = 0, schedules = 0 } = useQuery(waitingQuery(workspace.id, agentId)).data ?? {};
  const archive = async () => {
    await api.agents.delete.mutate({ agentId });
    await readAgain(queryClient, agentsKey);
    notify(`${name} is archived.`);
  };
  return (
    <Card
      title="Archive"
      intro="It accepts no new work then. What it works on now continues, nothing is erased, and it can be restored."
      actions={
        <ConfirmButton
          label="Archive"
          about={name}
          title={`Archive ${name}?`}
          confirm="Archive"
          busy="Archiving…"
          onConfirm={archive}
        >
          <p>It accepts no new work until it is restored. What it works on now continues.</p>
          {todos > 0 && <p>{plural(todos, 'open todo waits for it', 'open todos wait for it')}.</p>}
          {schedules > 0 && (
            <p>
              {plural(schedules, 'schedule of them fails', 'schedules of them fail')} at the next time, unless another
              agent is assigned.
            </p>
          )}
        </ConfirmButton>
      }
    >
      {todos === 0 ? (
        <p className="muted">No open todo waits for it.</p>
      ) : (
        <p>
          <Link to={`/todos?assigneeId=${agentId}`}>
            {plural(todos, 'open todo waits for it', 'open todos wait for it')}
          </Link>
          {schedules > 0 && (
            <>
              , <Link to="/schedules">{plural(schedules, 'of them has a schedule', 'of them have a schedule')}</Link>
            </>
          )}
          .
        </p>
      )}
    </Card>
  );
}

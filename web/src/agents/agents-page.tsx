import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { agentsQuery } from '../todo-common/queries.ts';
import { asFilter } from '../todos/use-filter.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Empty, Loaded } from '../ui/card.tsx';
import { useNow } from '../ui/clock.ts';
import { useIsHere } from '../ui/here.ts';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitle, Page } from '../ui/page.tsx';
import { Badge, Initial } from '../ui/rows.tsx';
import { hoursInWords } from './hours.ts';
import type { Agent } from './merge.ts';
import { agentsKey, openChatsQuery, openTodosQuery } from './queries.ts';
import { firstLineOf, stateOf } from './state.ts';

/** Without live updates. */
const pollMs = 10_000;

/** Page `/agents`: who works here, and what each does now. */
export function AgentsPage() {
  const { workspace } = useIdentity();
  const [search] = useSearchParams();
  const isArchive = search.get('archived') === 'true';
  const agents = useQuery({
    ...agentsQuery(workspace.id),
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });
  const all = agents.data ?? [];
  const shown = all.filter(({ isArchived }) => isArchived === isArchive);
  const count = (isArchived: boolean) => all.filter((agent) => agent.isArchived === isArchived).length;
  return (
    <Page
      title="Agents"
      intro={`They work on the todos of ${workspace.name} and answer in chats.`}
      actions={
        <ButtonLink to="/agents/new" kind="primary">
          <Icon name="plus" />
          New agent
        </ButtonLink>
      }
    >
      <nav aria-label="Agents" className="tabs">
        <Tab to="/agents" name="Active" count={count(false)} isShown={!isArchive} />
        <Tab to="/agents?archived=true" name="Archived" count={count(true)} isShown={isArchive} />
      </nav>
      <Loaded query={agents} what="the agents">
        {() => (
          <>
            {shown.length > 0 && <AgentCards agents={shown} />}
            {shown.length === 0 && (
              <Empty title="No archived agents">Agents that you archive are kept here and can be restored.</Empty>
            )}
            {!isArchive && shown.length === 1 && (
              <Empty title="An agent for each kind of work">
                Give one its own instructions, skills and working hours, such as a researcher or an accountant.
              </Empty>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Tab({ to, name, count, isShown }: { to: string; name: string; count: number; isShown: boolean }) {
  return (
    <Link to={to} state={asFilter} className="tab" aria-current={isShown ? 'page' : undefined}>
      {name}
      <span className="count">{count}</span>
    </Link>
  );
}

function AgentCards({ agents }: { agents: readonly Agent[] }) {
  const { workspace } = useIdentity();
  const now = useNow();
  const active = agents.filter(({ isArchived }) => !isArchived).map(({ id }) => id);
  const chats = useQuery({ ...openChatsQuery(workspace.id), enabled: active.length > 0 });
  const todos = useQuery({ ...openTodosQuery(workspace.id, active), enabled: active.length > 0 });
  return (
    <ul className="agent-cards" aria-label="Agents">
      {agents.map((agent) => {
        const state = stateOf(agent, chats.data ?? [], now);
        const open = todos.data?.[agent.id];
        return (
          <li className="agent-card" key={agent.id}>
            <div className="agent-card-head">
              <Initial name={agent.name} />
              <h2>
                <Link to={`/agents/${agent.id}`}>{agent.name}</Link>
              </h2>
              {state.chatId === null ? (
                <Badge tone={state.tone}>{state.text}</Badge>
              ) : (
                <Link to={`/chats/${state.chatId}`} className={`badge ${state.tone}`}>
                  {state.text}
                </Link>
              )}
            </div>
            <p className="agent-line">
              {firstLineOf(agent.instructions) ?? firstLineOf(agent.description) ?? 'No instructions yet.'}
            </p>
            <ul className="facts">
              {agent.isDefault && <Fact>Answers where no agent is named</Fact>}
              <Fact>
                {agent.requiresApproval ? 'Asks before it changes anything' : 'Changes things without asking'}
              </Fact>
              <Fact>
                {agent.workingHoursEnabled && agent.workingHours ? hoursInWords(agent.workingHours) : 'At any time'}
              </Fact>
              {todos.isLoading && <Fact>… open todos</Fact>}
              {open !== undefined && (
                <Fact>
                  <Link to={`/todos?assigneeId=${agent.id}`}>{open === 1 ? '1 open todo' : `${open} open todos`}</Link>
                </Fact>
              )}
            </ul>
            {agent.isArchived && <Restore agent={agent} />}
          </li>
        );
      })}
    </ul>
  );
}

function Fact({ children }: { children: ReactNode }) {
  return (
    <li>
      <span>{children}</span>
    </li>
  );
}

/** Restores an archived agent. The only reason why that can fail is that another agent has the name now. */
export function Restore({ agent: { id: agentId, name } }: { agent: Pick<Agent, 'id' | 'name'> }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const isHere = useIsHere();
  const restoring = useMutation({
    mutationFn: () => api.agents.restore.mutate({ agentId }),
    onSuccess: async () => {
      // Before the button is gone, with what has it.
      if (isHere()) focusPageTitle();
      await readAgain(queryClient, agentsKey);
      notify(`${name} is restored and accepts new work.`);
    },
  });
  return (
    <div className="restore">
      <Button aria-label={`Restore ${name}`} isBusy={restoring.isPending} onPress={() => restoring.mutate()}>
        {restoring.isPending ? 'Restoring…' : 'Restore'}
      </Button>
      <div role="alert">
        {restoring.error && (
          <p className="field-error">
            {problemOf(restoring.error).message}{' '}
            {problemOf(restoring.error).status === 409 && 'Give it another name on its page, and restore it then.'}
          </p>
        )}
      </div>
    </div>
  );
}

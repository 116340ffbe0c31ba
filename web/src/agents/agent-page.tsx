import { useQuery } from '@tanstack/react-query';
import { type ComponentType, useEffect, useRef } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { problemOf } from '../api/client.ts';
import { useIdentity } from '../session/session.ts';
import { asFilter } from '../todos/use-filter.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Loaded } from '../ui/card.tsx';
import { useNow } from '../ui/clock.ts';
import { Icon } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/rows.tsx';
import { Activity } from './activity.tsx';
import type { PartProps } from './agent-text.tsx';
import { Restore } from './agents-page.tsx';
import { Approval } from './approval.tsx';
import { WorkingHours } from './hours-editor.tsx';
import { Instructions } from './instructions.tsx';
import type { AgentDetail } from './merge.ts';
import { Overview } from './overview.tsx';
import { openChatsQuery } from './queries.ts';
import { Skills } from './skills.tsx';
import { stateOf } from './state.ts';
import { useAgent } from './use-agent.ts';

const parts: readonly { name: string; label: string; Part: ComponentType<PartProps> }[] = [
  { name: 'overview', label: 'Overview', Part: Overview },
  { name: 'instructions', label: 'Instructions', Part: Instructions },
  { name: 'skills', label: 'Skills', Part: Skills },
  { name: 'approval', label: 'Approval', Part: Approval },
  { name: 'hours', label: 'Hours', Part: WorkingHours },
  { name: 'activity', label: 'Activity', Part: Activity },
];

/** Page `/agents/:agentId` with its parts: what an agent is, what it may do, when it works, and what it did. */
export function AgentPage() {
  const { agentId = '' } = useParams();
  // What is typed about one agent must not reach another one.
  return <OneAgent key={agentId} agentId={agentId} />;
}

function OneAgent({ agentId }: { agentId: string }) {
  const { pathname } = useLocation();
  const { query, save } = useAgent(agentId);
  const shown = parts.find(({ name }) => pathname.split('/')[3] === name) ?? parts[0];
  const tabs = useRef<HTMLElement>(null);
  const isRead = query.data !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a narrow row of tabs scrolls to the one shown
  useEffect(() => {
    const [strip, tab] = [tabs.current, tabs.current?.querySelector<HTMLElement>('[aria-current]')];
    if (strip && tab) strip.scrollLeft = tab.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
  }, [shown, isRead]);
  const isMissing = query.error !== null && [400, 404].includes(problemOf(query.error).status);
  if (isMissing) {
    return (
      <Page title="Agent not found" intro="It may belong to another workspace.">
        <div>
          <ButtonLink to="/agents">All agents</ButtonLink>
        </div>
      </Page>
    );
  }
  return (
    <>
      <Link to="/agents" className="back">
        <Icon name="back" />
        Agents
      </Link>
      <Page title={query.data?.name ?? 'Agent'} intro={query.data && <Facts agent={query.data} />}>
        <Loaded query={query} what="the agent">
          {(agent) => (
            <>
              <nav aria-label="Parts of this agent" className="tabs" ref={tabs}>
                {parts.map(({ name, label }) => (
                  <Link
                    key={name}
                    to={`/agents/${agentId}/${name}`}
                    state={asFilter}
                    className="tab"
                    aria-current={name === shown?.name ? 'page' : undefined}
                  >
                    {label}
                  </Link>
                ))}
              </nav>
              {agent.isArchived && (
                <div className="callout warn">
                  <div>
                    <p className="callout-title">This agent is archived and accepts no new work.</p>
                    <Restore agent={agent} />
                  </div>
                </div>
              )}
              {shown && <shown.Part agent={agent} save={save} />}
            </>
          )}
        </Loaded>
      </Page>
    </>
  );
}

function Facts({ agent }: { agent: AgentDetail }) {
  const { workspace } = useIdentity();
  const chats = useQuery(openChatsQuery(workspace.id)).data ?? [];
  const { text, tone, chatId } = stateOf(agent, chats, useNow());
  return (
    <span className="todo-facts">
      <Badge tone={tone}>{text}</Badge>
      {chatId !== null && <Link to={`/chats/${chatId}`}>Open the chat</Link>}
      {agent.isDefault && <span>Answers where no agent is named</span>}
    </span>
  );
}

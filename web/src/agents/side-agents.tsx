import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Link, NavLink } from 'react-router';
import { pollUnlessLive } from '../api/live-state.ts';
import { useKeptSteps } from '../todo-common/first-steps.ts';
import { agentsQuery } from '../todo-common/queries.ts';
import { useNow } from '../ui/clock.ts';
import { Icon } from '../ui/icons.tsx';
import { openChatsQuery } from './queries.ts';
import { type AgentState, stateOf } from './state.ts';

const pollMs = 30_000;
/** More are on their page. */
const maxShown = 8;

/** The marks of priorities (styles/todos.css), which differ by their shapes too. */
const marks: Readonly<Record<AgentState['kind'], string>> = {
  'needs-you': 'high',
  working: 'working',
  queued: 'medium',
  'off-hours': 'low',
  idle: 'medium',
  archived: 'low',
};

/**
 * The last of the links in the sidebar, loaded after the first page: the first steps while they are kept, and the
 * agents, each with what it does now.
 */
export function SideAgents({ workspaceId }: { workspaceId: string }) {
  const steps = useKeptSteps(workspaceId);
  return (
    <>
      {steps && (
        <Link to="/#steps" className="side-link" title="First steps">
          <Icon name="note" />
          <span className="side-label">
            First steps{' '}
            <span className="small">
              {steps.filter(Boolean).length} of {steps.length}
            </span>
          </span>
        </Link>
      )}
      <Agents workspaceId={workspaceId} />
    </>
  );
}

/** The agents of a workspace, each with what it does now. */
function Agents({ workspaceId }: { workspaceId: string }) {
  const id = useId();
  const now = useNow();
  const agents = useQuery({
    ...agentsQuery(workspaceId),
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });
  const chats = useQuery({
    ...openChatsQuery(workspaceId),
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });
  const all = agents.data?.filter(({ isArchived }) => !isArchived) ?? [];
  // Not at first as idle, and then as they are.
  if (all.length === 0 || !chats.data) return null;
  const open = chats.data;
  return (
    <>
      <p className="side-heading" id={id}>
        Agents
      </p>
      <ul aria-labelledby={id}>
        {all.slice(0, maxShown).map((agent) => {
          const { kind, text } = stateOf(agent, open, now);
          return (
            <li key={agent.id}>
              <NavLink to={`/agents/${agent.id}`} className="side-link" title={`${agent.name}: ${text}`}>
                <span className="side-emoji">
                  <i className={`priority ${marks[kind]}`} />
                </span>
                <span className="side-label">
                  {agent.name} <span className={kind === 'idle' ? 'visually-hidden' : 'small'}>{text}</span>
                </span>
              </NavLink>
            </li>
          );
        })}
        {all.length > maxShown && (
          <li>
            <Link to="/agents" className="side-link">
              <Icon name="more" />
              <span className="side-label">All {all.length} agents</span>
            </Link>
          </li>
        )}
      </ul>
    </>
  );
}

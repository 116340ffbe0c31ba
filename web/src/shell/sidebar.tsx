import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useId, useState } from 'react';
import { Link, NavLink } from 'react-router';
import { type Identity, unreadCountQuery } from '../api/queries.ts';
import type { DropPlace } from '../edits/changes.ts';
import type { Counts } from '../inbox/needs-count.tsx';
import { mayUseMicrophone } from '../navigation/history.ts';
import { whenIdle } from '../navigation/start.ts';
import { todoListsQuery, viewsQuery } from '../todo-common/queries.ts';
import { Icon, type IconName, Mark } from '../ui/icons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { tipOf, useCommandContext } from './command-context.ts';
import { commandOf } from './commands.ts';
import { AccountMenu, WorkspaceMenu } from './menus.tsx';
import { RecordLink } from './record-link.tsx';
import { useDrop } from './use-drop.ts';

/** The number of unread notifications. */
export function useUnread(workspaceId: string): number {
  return useQuery(unreadCountQuery(workspaceId)).data ?? 0;
}

// Without it there is no count.
const NeedsCount = lazyPart(
  () => import('../inbox/needs-count.tsx').then(({ NeedsCount }) => NeedsCount),
  () => null,
);

// Without them the page of agents says what each does.
const SideAgents = lazyPart(
  () => import('../agents/side-agents.tsx').then(({ SideAgents }) => SideAgents),
  () => null,
);

/** Which counts the sidebar shows, and what counts them once the first page is shown: to be rendered. */
export function useCountsOnceIdle(workspaceId: string) {
  const [isIdle, setIdle] = useState(false);
  const [counts, setCounts] = useState<Counts>({ needs: 0, unsent: { count: 0, words: '' } });
  useEffect(() => whenIdle(() => setIdle(true)), []);
  const counter = isIdle && (
    <Suspense>
      <NeedsCount workspaceId={workspaceId} onCount={setCounts} />
    </Suspense>
  );
  return { ...counts, isIdle, counter };
}

/** A count at the end of a link; empty for zero. */
export function Count({ of }: { of: number }) {
  if (of === 0) return null;
  return (
    <span className="count" aria-hidden="true">
      {of > 99 ? '99+' : of}
    </span>
  );
}

/** Says how many messages to chats are not sent; where it is narrow, the words are hidden. */
export function Unsent({ count, words }: Counts['unsent']) {
  if (count === 0) return null;
  return (
    <span className="count">
      {count} <span className="side-label">{words}</span>
    </span>
  );
}

interface PageLinkProps {
  command: string;
  to: string;
  icon: IconName;
  /** What todos that are dropped on it become. */
  drop?: DropPlace;
  children?: ReactNode;
}

function PageLink({ command, to, icon, drop, children }: PageLinkProps) {
  return (
    <li {...useDrop(drop)}>
      <NavLink to={to} className="side-link" {...tipOf(command)}>
        <Icon name={icon} />
        <span className="side-label">{commandOf(command).title}</span>
        {children}
      </NavLink>
    </li>
  );
}

/** All places of the application: at the side of a wide window, in a drawer of a narrow one. */
export function Sidebar({ identity }: { identity: Identity }) {
  const { openPalette, openShortcuts } = useCommandContext();
  const unread = useUnread(identity.workspace.id);
  const { needs, unsent, isIdle, counter } = useCountsOnceIdle(identity.workspace.id);
  return (
    <>
      {counter}
      <div className="side-head">
        <Link to="/" className="home" aria-label="Tandem, your work">
          <Mark />
        </Link>
        <WorkspaceMenu identity={identity} />
      </div>
      <button type="button" className="side-link side-find" onClick={openPalette} {...tipOf('palette')}>
        <Icon name="search" />
        <span className="side-label">{commandOf('palette').title}</span>
      </button>
      <nav aria-label="Work" className="side-nav">
        <ul>
          <PageLink command="go-inbox" to="/inbox" icon="inbox">
            <span className="visually-hidden">{needs || 'none'} need you</span>
            <Count of={needs} />
          </PageLink>
          <PageLink command="go-today" to="/today" icon="today" />
          <PageLink command="go-mine" to="/mine" icon="person" drop={{ type: 'mine' }} />
          <PageLink command="go-todos" to="/todos" icon="check" />
          <PageLink command="go-chats" to="/chats" icon="chat">
            <Unsent {...unsent} />
          </PageLink>
          <PageLink command="go-runs" to="/runs" icon="play" />
          <PageLink command="go-agents" to="/agents" icon="agent" />
          <PageLink command="go-schedules" to="/schedules" icon="repeat" />
          <PageLink command="go-captures" to="/captures" icon="captures" />
          <li>
            {mayUseMicrophone ? (
              <RecordLink className="side-link" />
            ) : (
              <NavLink to="/record" reloadDocument className="side-link" {...tipOf('go-record')}>
                <Icon name="microphone" />
                <span className="side-label">Record</span>
              </NavLink>
            )}
          </li>
          <PageLink command="go-notifications" to="/notifications" icon="bell">
            <span className="visually-hidden">{unread || 'none'} unread</span>
            <Count of={unread} />
          </PageLink>
          <PageLink command="go-settings" to="/settings" icon="settings" />
        </ul>
        <Views workspaceId={identity.workspace.id} />
        <Lists workspaceId={identity.workspace.id} />
        {isIdle && (
          <Suspense>
            <SideAgents workspaceId={identity.workspace.id} />
          </Suspense>
        )}
      </nav>
      <div className="side-foot">
        <Minutes left={identity.workspace.agentMinutesRemaining} />
        <div className="side-foot-row">
          <AccountMenu identity={identity} />
          <button
            type="button"
            className="side-icon"
            aria-label={commandOf('shortcuts').title}
            onClick={openShortcuts}
            {...tipOf('shortcuts')}
          >
            <Icon name="keyboard" />
          </button>
        </div>
      </div>
    </>
  );
}

interface SideLink {
  id: string;
  to: string;
  name: string;
  emoji: string | null;
  count?: number;
  /** Whether todos can be dropped on it. */
  isList?: boolean;
}

interface LinksProps {
  heading: string;
  links: readonly SideLink[] | undefined;
  /** The last entry. */
  children?: ReactNode;
}

function ListedLink({ id, to, name, emoji, count = 0, isList = false }: SideLink) {
  return (
    <li {...useDrop(isList ? { type: 'list', id, name } : undefined)}>
      <NavLink to={to} className="side-link" title={name}>
        <span className="side-emoji" aria-hidden="true">
          {emoji ?? '•'}
        </span>
        <span className="side-label">{name}</span>
        <Count of={count} />
      </NavLink>
    </li>
  );
}

/** Links of one kind under their heading; nothing where there are none. */
function Links({ heading, links, children }: LinksProps) {
  const id = useId();
  if (!links?.length) return null;
  return (
    <>
      <p className="side-heading" id={id}>
        {heading}
      </p>
      <ul aria-labelledby={id}>
        {links.map((link) => (
          <ListedLink key={link.id} {...link} />
        ))}
        {children}
      </ul>
    </>
  );
}

/** The saved views: private ones, then those that are shared. */
function Views({ workspaceId }: { workspaceId: string }) {
  const { data } = useQuery(viewsQuery(workspaceId));
  return (
    <Links heading="Views" links={data?.map(({ id, name, icon }) => ({ id, to: `/views/${id}`, name, emoji: icon }))} />
  );
}

function Lists({ workspaceId }: { workspaceId: string }) {
  const { data } = useQuery(todoListsQuery(workspaceId));
  return (
    <Links
      heading="Lists"
      links={data?.map((list) => ({ ...list, to: `/lists/${list.id}`, count: list.activeTodoCount, isList: true }))}
    >
      <li>
        <Link to="/lists#new" className="side-link" {...tipOf('new-list')}>
          <Icon name="plus" />
          <span className="side-label">{commandOf('new-list').title}</span>
        </Link>
      </li>
    </Links>
  );
}

function Minutes({ left }: { left: number | null }) {
  if (left === null) return null;
  const minutes = Math.max(0, Math.floor(left));
  return (
    <Link to="/usage" className={minutes === 0 ? 'side-minutes none' : 'side-minutes'}>
      <Icon name="clock" />
      <span className="side-label">{minutes.toLocaleString('en')} agent minutes left</span>
    </Link>
  );
}

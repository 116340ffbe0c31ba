import { type ReactNode, useCallback, useState } from 'react';
import { Link, NavLink, useLocation } from 'react-router';
import type { Identity } from '../api/queries.ts';
import { mayUseMicrophone } from '../navigation/history.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { lazyOverlay } from '../ui/lazy-overlay.tsx';
import { newTodoPath } from './commands.ts';
import { WorkspaceMenu } from './menus.tsx';
import { RecordLink } from './record-link.tsx';
import { Count, Unsent, useCountsOnceIdle, useUnread } from './sidebar.tsx';

const Drawer = lazyOverlay(() => import('./drawer.tsx').then(({ Drawer }) => Drawer));

interface SlotProps {
  to: string;
  label: string;
  icon: IconName;
  children?: ReactNode;
}

/** A link of the bar at the bottom of a phone. */
function Slot({ to, label, icon, children }: SlotProps) {
  return (
    <NavLink to={to} className="bottom-link">
      <Icon name={icon} />
      <span>{label}</span>
      {children}
    </NavLink>
  );
}

/** Opens the form for a new todo. */
function AddLink() {
  return (
    <Link to={newTodoPath(useLocation())} className="bottom-link" aria-label="Add a todo">
      <Icon name="plus" />
      <span>Add</span>
    </Link>
  );
}

/** The bars of a narrow window: one above the page, one below it on a phone, and the sidebar as a drawer. */
export function NarrowBars({ identity }: { identity: Identity }) {
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const unread = useUnread(identity.workspace.id);
  const { needs, unsent, counter } = useCountsOnceIdle(identity.workspace.id);
  const open = () => setOpen(true);
  return (
    <>
      {counter}
      <header className="narrow-bar">
        <button
          type="button"
          className="side-icon"
          aria-label="Open the navigation"
          aria-haspopup="dialog"
          onClick={open}
        >
          <Icon name="sidebar" />
        </button>
        <WorkspaceMenu identity={identity} />
        <Link to="/notifications" className="side-icon bell" aria-label={`Notifications ${unread || 'none'} unread`}>
          <Icon name="bell" />
          <Count of={unread} />
        </Link>
      </header>
      {isOpen && <Drawer identity={identity} close={close} />}
      <nav className="bottom-bar" aria-label="Main pages">
        <NavLink to="/inbox" className="bottom-link">
          <Icon name="inbox" />
          <span>Inbox</span>
          <span className="visually-hidden">{needs || 'none'} need you</span>
          <Count of={needs} />
        </NavLink>
        <Slot to="/todos" label="Todos" icon="check" />
        <AddLink />
        <Slot to="/chats" label="Chats" icon="chat">
          <Unsent {...unsent} />
        </Slot>
        {mayUseMicrophone ? (
          <RecordLink className="bottom-link" />
        ) : (
          <NavLink to="/record" className="bottom-link" reloadDocument>
            <Icon name="microphone" />
            <span>Record</span>
          </NavLink>
        )}
        <button type="button" className="bottom-link" aria-haspopup="dialog" onClick={open}>
          <Icon name="more" />
          <span>More</span>
        </button>
      </nav>
    </>
  );
}

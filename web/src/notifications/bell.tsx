import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { unreadCountQuery } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';

const mostShown = 99;

/** Leads to the notifications, and shows how many are unread. */
export function Bell({ workspaceId }: { workspaceId: string }) {
  const { data: unread = 0 } = useQuery(unreadCountQuery(workspaceId));
  return (
    <Link to="/notifications" className="menu-button bell" aria-label={`Notifications: ${unread || 'none'} unread`}>
      <Icon name="bell" />
      {unread > 0 && (
        <span className="bell-count" aria-hidden="true">
          {unread > mostShown ? `${mostShown}+` : unread}
        </span>
      )}
    </Link>
  );
}

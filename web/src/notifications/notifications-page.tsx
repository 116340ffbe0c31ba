import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from 'react-aria-components';
import { Link } from 'react-router';
import { notificationsQuery } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { Empty, Loaded } from '../ui/card.tsx';
import { Tick } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { OlderRows, Rows } from '../ui/rows.tsx';
import { NotificationRow } from './notification-row.tsx';
import { ReadAll } from './read-all.tsx';

/** Notifications of the signed-in user in this workspace. */
export function NotificationsPage() {
  const { workspace } = useIdentity();
  const [unreadOnly, setUnreadOnly] = useState(false);
  const notifications = useInfiniteQuery(notificationsQuery(workspace.id, unreadOnly));
  const pages = notifications.data?.pages;
  const rows = pages?.flatMap(({ data }) => data) ?? [];
  return (
    <Page
      title="Notifications"
      intro={`Your notifications in ${workspace.name}.`}
      actions={<ReadAll newest={rows[0]?.id} unread={pages?.[0]?.unreadCount ?? 0} />}
    >
      <Checkbox className="choice inline" isSelected={unreadOnly} onChange={setUnreadOnly}>
        <Tick />
        Show unread ones only
      </Checkbox>
      <section className="card">
        <Loaded query={notifications} what="your notifications">
          {() =>
            rows.length === 0 ? (
              <Empty title={unreadOnly ? 'No unread notifications' : 'No notifications yet'}>
                You are notified when a todo is due and when an agent needs you.
              </Empty>
            ) : (
              <Rows label="Notifications">
                {rows.map((notification) => (
                  <NotificationRow key={notification.id} notification={notification} />
                ))}
              </Rows>
            )
          }
        </Loaded>
        <OlderRows query={notifications} />
      </section>
      <p>
        <Link to="/settings/notifications">Notification settings</Link>
      </p>
    </Page>
  );
}

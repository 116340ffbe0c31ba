import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from 'react-aria-components';
import { Link, useSearchParams } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { type Notification, notificationsQuery, readAgain, workspacesQuery } from '../api/queries.ts';
import { useSwitchWorkspace } from '../api/sessions.ts';
import { useIdentity } from '../frame.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { Button } from '../ui/button.tsx';
import { Empty, Loaded } from '../ui/card.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';
import { Tick } from '../ui/tick.tsx';
import { Ago } from '../ui/time.tsx';

/** What happened in the workspace that concerns who is signed in. */
export function NotificationsPage() {
  const { workspace } = useIdentity();
  const [unreadOnly, setUnreadOnly] = useState(false);
  const notifications = useInfiniteQuery(notificationsQuery(workspace.id, unreadOnly));
  const pages = notifications.data?.pages;
  const rows = pages?.flatMap(({ data }) => data) ?? [];
  return (
    <SettingsPage
      title="Notifications"
      intro={`What concerns you in ${workspace.name}.`}
      actions={<ReadAll newest={rows[0]?.id} unread={pages?.[0]?.unreadCount ?? 0} />}
    >
      <OtherWorkspace />
      <section className="card">
        <Loaded query={notifications} what="your notifications">
          {() =>
            rows.length === 0 ? (
              <Empty title={unreadOnly ? 'Nothing is unread' : 'Nothing happened yet'}>
                You are told when a todo is due, and when an agent needs you.
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
        {notifications.hasNextPage && (
          <Button isBusy={notifications.isFetchingNextPage} onPress={() => void notifications.fetchNextPage()}>
            {notifications.isFetchingNextPage ? 'Loading…' : 'Show older ones'}
          </Button>
        )}
      </section>
      <Checkbox className="choice inline" isSelected={unreadOnly} onChange={setUnreadOnly}>
        <Tick />
        Show unread ones only
      </Checkbox>
      <p>
        <Link to="/settings/notifications">Choose what you are told of</Link>
      </p>
    </SettingsPage>
  );
}

/** A letter may lead here while the browser works in another workspace. */
function OtherWorkspace() {
  const { workspace } = useIdentity();
  const [search] = useSearchParams();
  const workspaces = useQuery(workspacesQuery);
  const switchWorkspace = useSwitchWorkspace();
  const tell = useNotice();
  const switching = useMutation({
    mutationFn: switchWorkspace,
    onSuccess: (name) => tell(`You are in ${name} now.`),
    onError: (error) => tell(problemOf(error).message),
  });
  const wanted = workspaces.data?.data.find(({ id }) => id === search.get('workspace') && id !== workspace.id);
  if (!wanted) return null;
  return (
    <div className="callout good">
      <div>
        <p className="callout-title">The letter was about {wanted.name}.</p>
        <Button isBusy={switching.isPending} onPress={() => switching.mutate(wanted.id)}>
          Switch to {wanted.name}
        </Button>
      </div>
    </div>
  );
}

/** Marks what is shown as read; what came since stays unread. */
function ReadAll({ newest, unread }: { newest: string | undefined; unread: number }) {
  const queryClient = useQueryClient();
  const tell = useNotice();
  const reading = useMutation({
    mutationFn: (upTo: string) => api.notifications.readAll.mutate({ upTo }),
    onSuccess: async () => {
      await readAgain(queryClient, 'notifications');
      tell('All are marked as read.');
    },
    onError: (error) => tell(problemOf(error).message),
  });
  if (newest === undefined || unread === 0) return null;
  return (
    <Button isBusy={reading.isPending} onPress={() => reading.mutate(newest)}>
      Mark all as read
    </Button>
  );
}

function NotificationRow({ notification }: { notification: Notification }) {
  const { id, title, text, isRead, createdAt, letterStatus } = notification;
  const queryClient = useQueryClient();
  const tell = useNotice();
  const marking = useMutation({
    mutationFn: (read: boolean) => api.notifications.update.mutate({ notificationId: id, read }),
    onSuccess: () => readAgain(queryClient, 'notifications'),
    onError: (error) => tell(problemOf(error).message),
  });
  const mark = isRead ? 'Mark as unread' : 'Mark as read';
  return (
    <Row
      title={title}
      badges={!isRead && <Badge tone="good">New</Badge>}
      detail={<p className="told">{text}</p>}
      facts={[<Ago key="at" at={createdAt} />, ...(letterStatus === 'failed' ? ['Its letter could not be sent'] : [])]}
      actions={
        <Button
          kind="quiet"
          aria-label={`${mark}: ${title}`}
          isBusy={marking.isPending}
          onPress={() => marking.mutate(!isRead)}
        >
          {mark}
        </Button>
      }
    />
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { type Notification, readAgain } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Badge, Row } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';

/** The path of the page of what a notification is about; null where there is none. */
export function pathOf({ url }: Notification): string | null {
  return url === null ? null : new URL(url).pathname;
}

/** What else a notification refers to, beside the page that it is about. */
function othersOf({ todoId, chatId }: Notification, shown: string | null) {
  const others = [
    { to: `/todos/${todoId}`, label: 'Todo', id: todoId },
    { to: `/chats/${chatId}`, label: 'Chat', id: chatId },
  ];
  return others.filter(({ to, id }) => id !== null && to !== shown);
}

/** Marks a notification as read or unread. */
export function useMarking({ id: notificationId }: Notification) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const marking = useMutation({
    mutationFn: (read: boolean) => api.notifications.update.mutate({ notificationId, read }),
    onSuccess: () => readAgain(queryClient, 'notifications'),
    onError: (error) => notify(problemOf(error).message),
  });
  return { mark: (read: boolean) => marking.mutate(read), isPending: marking.isPending };
}

interface NotificationRowProps {
  notification: Notification;
  rowId?: string;
  /** What else can be done with it. */
  more?: ReactNode;
}

/** A notification: its title leads to what it is about, and marks it as read. */
export function NotificationRow({ notification, rowId, more }: NotificationRowProps) {
  const { title, text, isRead, createdAt, letterStatus } = notification;
  const marking = useMarking(notification);
  const mark = isRead ? 'Mark as unread' : 'Mark as read';
  const path = pathOf(notification);
  const open = () => {
    if (!isRead) marking.mark(true);
  };
  return (
    <Row
      {...(rowId !== undefined && { rowId })}
      title={
        path === null ? (
          title
        ) : (
          <Link to={path} onClick={open}>
            {title}
          </Link>
        )
      }
      badges={!isRead && <Badge tone="good">New</Badge>}
      detail={<p className="text">{text}</p>}
      facts={[
        <Ago key="at" at={createdAt} />,
        ...othersOf(notification, path).map(({ to, label }) => (
          <Link key={to} to={to} aria-label={`${label}: ${title}`} onClick={open}>
            {label}
          </Link>
        )),
        ...(letterStatus === 'failed' ? ['Its email could not be sent'] : []),
      ]}
      actions={
        <>
          {more}
          <Button
            kind="quiet"
            aria-label={`${mark}: ${title}`}
            isBusy={marking.isPending}
            onPress={() => marking.mark(!isRead)}
          >
            {mark}
          </Button>
        </>
      }
    />
  );
}

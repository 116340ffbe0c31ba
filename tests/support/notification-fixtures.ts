import type { Database } from '../../db/client.ts';
import { type NotificationEvent, type NotifyContext, notify, type Outcome } from '../../domain/notifications/notify.ts';

export interface Receiver {
  workspaceId: string;
  userId: string;
}

/** Notifies of an event, in a transaction of its own, as the service does when it `sends` emails. */
export function notifyPeople(
  db: Database,
  workspaceId: string,
  userIds: readonly string[],
  more: Partial<NotificationEvent> & { sends?: boolean; clock?: NotifyContext['clock'] } = {},
): Promise<Outcome> {
  const { sends = false, clock = () => new Date(), ...event } = more;
  const given = { kind: 'todo_due', title: '“Water the plants” is due', text: 'It was planned for today.' } as const;
  return db.transaction((tx) =>
    notify(
      { db: tx, clock, mail: { sends } },
      { workspaceId, userIds, ...given, dedupe: crypto.randomUUID(), ...event },
    ),
  );
}

const newest = `select id from notifications where workspace_id = $1 and user_id = $2 order by created_at desc, id desc limit 1`;

/** The id of a new notification of a person. */
export async function newNotification(db: Database, { workspaceId, userId }: Receiver): Promise<string> {
  await notifyPeople(db, workspaceId, [userId]);
  const [row] = await db.rows<{ id: string }>(newest, [workspaceId, userId]);
  return row?.id ?? '';
}

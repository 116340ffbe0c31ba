import type { Db } from '../../../db/client.ts';
import type { NotificationKind } from '../../../domain/notifications/shapes.ts';
import { type LeasedRow, leasesOf } from '../queue/leases.ts';

/** A notification that a worker tries to send to a browser. */
export interface PushClaim extends LeasedRow {
  notificationId: string;
  subscriptionId: string;
  destination: Buffer;
  kind: NotificationKind;
  title: string;
  text: string;
  todoId: string | null;
  chatId: string | null;
  approvalId: string | null;
  /** The person is a member, has neither read it meanwhile nor switched such messages off, and it is of this day. */
  isWanted: boolean;
}

/**
 * What is to be sent to browsers. When a process dies between the answer of a push service and the end of its row,
 * another one sends the message again: it has the same tag, so the browser replaces the first one.
 */
export const pushLeases = leasesOf<PushClaim>({
  name: 'push_deliveries',
  key: [
    { column: 'notification_id', type: 'uuid', property: 'notificationId' },
    { column: 'subscription_id', type: 'uuid', property: 'subscriptionId' },
  ],
  due: 'due_at',
  attempt: 'attempt',
  open: 'true',
  onHandBack: 'attempt = greatest(0, t.attempt - 1)',
  columns: `t.notification_id as "notificationId", t.subscription_id as "subscriptionId", p.destination, n.kind, n.title,
    n.text, n.todo_id as "todoId", n.chat_id as "chatId", n.approval_id as "approvalId",
    m.removed_at is null and n.read_at is null and coalesce(s.push, true)
      and t.created_at > now() - interval '1 day' as "isWanted"`,
  joins: `join notifications n on n.workspace_id = t.workspace_id and n.id = t.notification_id
    join push_subscriptions p on p.workspace_id = t.workspace_id and p.id = t.subscription_id
    join members m on m.workspace_id = t.workspace_id and m.user_id = n.user_id
    left join notification_settings s on s.workspace_id = t.workspace_id and s.user_id = n.user_id and s.kind = n.kind`,
  notifies: 'pushes',
  leaseSeconds: 60,
});

const gone = 'delete from push_subscriptions where workspace_id = $1 and id = $2';

/** Removes a browser that its push service does not know any more, with all that waits for it. */
export async function removeBrowser(db: Db, { workspaceId, subscriptionId }: PushClaim): Promise<void> {
  await db.rows(gone, [workspaceId, subscriptionId]);
}

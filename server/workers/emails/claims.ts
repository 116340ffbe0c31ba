import type { Db } from '../../../db/client.ts';
import { recordEvents } from '../../../domain/events/record.ts';
import { type ChangedNotification, changedColumns, notificationEvents } from '../../../domain/notifications/changes.ts';
import { recordEmailOnSchedule } from '../../../domain/notifications/notify.ts';
import { type LeasedRow, leasesOf } from '../queue/leases.ts';
import type { EmailFacts } from './email.ts';

/** How often an email is tried, and the pauses after each try but the last, in seconds. */
export const maxTries = 5;
const pauses = [60, 300, 1800, 7200];

/**
 * An email that a worker tries to send. `attempt` is the number of the try, from 1; above `maxTries` the last one died.
 */
export interface ClaimedEmail extends LeasedRow, EmailFacts {
  workspaceId: string;
  dedupe: string;
  /**
   * The person has confirmed the address, is still a member, and has not switched such emails off meanwhile. Others
   * write what these emails hold, and whose address it is nobody knows before. Security notices are always wanted.
   */
  isWanted: boolean;
  /** It was not sent for three days, so it is no longer of use. */
  isStale: boolean;
}

// A row that is handed back was claimed by a process that stopped and did not begin: it is no try, and nobody else has
// this number.
const onHandBack = 'email_attempts = greatest(0, t.email_attempts - 1)';

/**
 * The emails of notifications. Their lease is longer than sending takes: what a worker that stopped answering has sent
 * is not sent again before its time.
 */
export const emailLeases = leasesOf<ClaimedEmail>({
  name: 'notifications',
  key: [{ column: 'id', type: 'uuid', property: 'id' }],
  due: 'email_due_at',
  attempt: 'email_attempts',
  open: `t.email = 'pending'`,
  onHandBack,
  columns: `t.id, t.kind, t.title, t.text, t.todo_id as "todoId", t.chat_id as "chatId", t.dedupe, u.email as "to", w.name as workspace,
    coalesce(u.email, '') <> '' and (t.kind = 'security'
      or (u.email_verified_at is not null and m.removed_at is null and coalesce(s.email, true))) as "isWanted",
    t.created_at as "createdAt",
    t.created_at < now() - interval '3 days' as "isStale"`,
  joins: `join members m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
    left join users u on u.id = t.user_id join workspaces w on w.id = t.workspace_id
    left join notification_settings s on s.workspace_id = t.workspace_id and s.user_id = t.user_id and s.kind = t.kind`,
  leaseSeconds: 120,
});

/** What is known of an email whose status is saved. */
export type UnsentEmail = Pick<ClaimedEmail, 'workspaceId' | 'id' | 'kind' | 'todoId' | 'dedupe' | 'attempt'>;

const end = `update notifications n set email = $4, email_due_at = null
  where workspace_id = $1 and id = $2 and email_attempts = $3 and email = 'pending' returning ${changedColumns}`;

/**
 * Saves the final status of an email, and with it that of the notification on the schedule of its todo. Does nothing
 * when another worker has claimed the email meanwhile.
 */
export async function endEmail(
  db: Db,
  { workspaceId, id, kind, todoId, dedupe, attempt }: UnsentEmail,
  status: 'sent' | 'failed' | 'suppressed',
): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await tx.rows<ChangedNotification>(end, [workspaceId, id, attempt, status]);
    const change = { type: 'notification.updated', changedFields: ['letterStatus'] } as const;
    await recordEvents(tx, workspaceId, notificationEvents(ended, change));
    if (ended.length === 0 || kind !== 'todo_due' || todoId === null) return;
    await recordEmailOnSchedule(tx, { workspaceId, todoId, dedupe });
  });
}

/** Gives an email back until its next try. */
export function retryEmail(db: Db, email: ClaimedEmail): Promise<void> {
  return emailLeases.retry(db, email, pauses[email.attempt - 1] ?? 0);
}

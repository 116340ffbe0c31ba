import { v7 as newId } from 'uuid';
import { cutTo } from '../text.ts';
import type { NotifyContext } from './notify.ts';

const maxTitleLength = 200;
const maxTextLength = 2000;
const maxNameLength = 120;

/**
 * A change of how a person signs in, or of what they may do. They must know of it, because somebody else may have made
 * it.
 */
export interface SecurityNotice {
  userId: string;
  /** The workspace that it is about, if any. The person may no longer be a member. */
  workspaceId?: string | undefined;
  /** One line that says what happened, the subject of the email: “Your password was changed”. Cut at 200 characters. */
  title: string;
  /** Facts by which people recognise what they did themselves. No secrets. Cut at 2,000 characters. */
  text: string;
}

// The row of a notification needs a membership: of the workspace that it is about, else of one that the person owns,
// else of any, also of one that they left.
const insert = `insert into notifications (workspace_id, id, user_id, kind, title, text, dedupe, created_at, in_app, email, email_due_at)
  select m.workspace_id, $1::uuid, m.user_id, 'security', $4, $5, 'security:' || $1::uuid, $6::timestamptz, false, 'pending', now()
  from members m where m.user_id = $2
  order by m.removed_at is not null, m.workspace_id is distinct from $3, m.role <> 'owner', m.created_at, m.workspace_id limit 1`;

/** The name of something in a notice: quoted, on one line and cut. */
export function quotedInNotice(name: string): string {
  return `“${cutTo(name.replace(/\s+/g, ' '), maxNameLength)}”`;
}

/**
 * Queues the email that notifies a person of a security change (ASVS 5.0, 6.3.7). Call it in the transaction of the
 * change: the email is sent exactly when the change is committed, by any worker, and tried again like other emails. It
 * cannot be switched off and is not in the list of notifications. Does nothing where the service sends no emails.
 */
export async function queueSecurityNotice({ db, clock, mail }: NotifyContext, notice: SecurityNotice): Promise<void> {
  if (!mail.sends) return;
  const { userId, workspaceId = null } = notice;
  const title = cutTo(notice.title.replace(/\s+/g, ' '), maxTitleLength);
  const text = cutTo(notice.text, maxTextLength);
  await db.rows(insert, [newId(), userId, workspaceId, title, text, clock().toISOString()]);
}

import type { QueuedEmail } from '../../../domain/mail.ts';
import { pageOfSubject } from '../../../domain/notifications/pages.ts';
import type { NotificationKind } from '../../../domain/notifications/shapes.ts';

/** What an email shows of its notification. */
export interface EmailFacts {
  id: string;
  kind: NotificationKind | 'security';
  title: string;
  text: string;
  todoId: string | null;
  chatId: string | null;
  to: string;
  workspaceId: string;
  /** Its name. */
  workspace: string;
  createdAt: string;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

const utc = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' });

/** The email of a security notice: what happened and when, and what to do if it was somebody else. */
function securityEmailOf({ id, title, text, to, createdAt }: EmailFacts, publicUrl: string): QueuedEmail {
  return {
    id,
    to,
    subject: oneLine(title),
    text: `${oneLine(title)}

${text}

When: ${utc.format(new Date(createdAt))} (UTC)

If it was you, there is nothing to do. If it was not, reset your password at once, which also ends all sessions, API keys
and connected apps of your account:
${publicUrl}/reset-password

This email is sent after every change of the security of your account; it cannot be switched off.
`,
  };
}

/** The email of a notification: what happened, the page of what it is about, and how to switch such emails off. */
export function emailOf(facts: EmailFacts, publicUrl: string): QueuedEmail {
  const { id, kind, title, text, todoId, chatId, to, workspaceId, workspace } = facts;
  if (kind === 'security') return securityEmailOf(facts, publicUrl);
  const page = pageOfSubject(publicUrl, { kind, todoId, chatId }) ?? `${publicUrl}/notifications`;
  const switches = `${publicUrl}/settings/notifications`;
  return {
    id,
    to,
    subject: oneLine(title),
    text: `${oneLine(title)}

${text}

See it in Tandem:
${page}?workspace=${workspaceId}

This email was sent because you are a member of “${oneLine(workspace)}”.
To get none of this kind any more, switch them off:
${switches}
`,
    unsubscribeUrl: switches,
  };
}

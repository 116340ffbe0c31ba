import type { KeptLetter } from '../../routers/mail.ts';
import type { NotificationKind } from '../../routers/notifications/kinds.ts';

/** A notification as its letter tells it. */
export interface Told {
  id: string;
  kind: NotificationKind;
  title: string;
  text: string;
  to: string;
  workspaceId: string;
  /** Its name. */
  workspace: string;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The letter of a notification: what happened, where to see it, and how to switch such letters off. */
export function letterOf({ id, title, text, to, workspaceId, workspace }: Told, publicUrl: string): KeptLetter {
  const switches = `${publicUrl}/settings/notifications`;
  return {
    id,
    to,
    subject: oneLine(title),
    text: `${oneLine(title)}

${text}

See it in Tandem:
${publicUrl}/notifications?workspace=${workspaceId}

This letter came because you are a member of “${oneLine(workspace)}”.
To get none of this kind any more, switch them off:
${switches}
`,
    unsubscribeUrl: switches,
  };
}

import type { OpenedSession } from '../accounts/shapes.ts';
import type { NotifyContext } from '../notifications/notify.ts';
import { queueSecurityNotice } from '../notifications/security-notice.ts';

// Versions change with every update of a browser: programs are compared without their numbers.
const program = (name: string) => `regexp_replace(${name}, '[0-9][0-9._]*', '', 'g')`;
const firstOfProgram = `select mine.name as client from credentials mine
  where mine.workspace_id = $1 and mine.id = $2 and not exists (
    select 1 from credentials c where c.user_id = mine.user_id and c.kind = 'session' and c.id <> mine.id
      and ${program('c.name')} = ${program('mine.name')})`;

/**
 * Notifies a person by email of a sign-in with a browser or program that none of their earlier sessions had; nothing is
 * stored for it. Call it in the transaction that opened the session.
 */
export async function noticeNewProgram(ctx: NotifyContext, { id, workspace, user }: OpenedSession): Promise<void> {
  if (!ctx.mail.sends) return;
  const [first] = await ctx.db.rows<{ client: string }>(firstOfProgram, [workspace.id, id]);
  if (!first) return;
  // Its name is the client's own word: without what mail programs would turn into a link.
  const text = `It calls itself: ${first.client.replace(/[^\w ();,.-]/g, ' ')}`;
  await queueSecurityNotice(ctx, { userId: user.id, title: 'Sign-in with a new browser or program', text });
}

import type { Db } from '../../db/client.ts';
import { notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { folded } from '../folding.ts';
import { findChat } from './rows.ts';
import { Chat, type ChatAnswer } from './shapes.ts';

interface Titles {
  title: string | null;
  subtitle: string | null;
  titleGiven: boolean;
}

const read = `select c.title, c.subtitle, c.title_given as "titleGiven" from chats c
  where c.workspace_id = $1 and c.id = $2`;
const lock = `${read} for no key update`;
/** Does nothing when somebody changed the titles since they were read: the text that is searched is made of both. */
const write = `update chats set title = $3, subtitle = $4, title_given = $5, search = $6,
    updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and title is not distinct from $7 and subtitle is not distinct from $8
    and title_given = $9
  returning 1`;

/** Changes the titles of a chat with the text that is searched; false when it is gone, or `change` leaves it alone. */
async function retitle(
  db: Db,
  workspaceId: string,
  chatId: string,
  change: (old: Titles) => Partial<Titles> | undefined,
) {
  for (;;) {
    const [old] = await db.rows<Titles>(read, [workspaceId, chatId]);
    const changed = old && change(old);
    if (!changed) return false;
    const { title, subtitle, titleGiven } = { ...old, ...changed };
    const search = folded(`${title ?? ''}\n${subtitle ?? ''}`);
    const values = [title, subtitle, titleGiven, search, old.title, old.subtitle, old.titleGiven];
    if ((await db.rows(write, [workspaceId, chatId, ...values])).length > 0) return true;
  }
}

/** Gives a chat its generated title, unless a person gave it one. Returns whether it was set. */
export function setTitle(db: Db, workspaceId: string, chatId: string, title: string): Promise<boolean> {
  return retitle(db, workspaceId, chatId, ({ titleGiven }) => (titleGiven ? undefined : { title }));
}

/** Gives a chat its generated subtitle. Returns whether it was set. */
export function setSubtitle(db: Db, workspaceId: string, chatId: string, subtitle: string): Promise<boolean> {
  return retitle(db, workspaceId, chatId, () => ({ subtitle }));
}

/** Gives a chat the title that a person chose; without one nothing changes. @throws Failure 404, 412. */
export function updateChat(
  db: Db,
  workspaceId: string,
  chatId: string,
  title: string | undefined,
  ifMatch?: readonly string[],
): Promise<ChatAnswer> {
  return db.transaction(async (tx) => {
    const [held] = await tx.rows(lock, [workspaceId, chatId]);
    if (!held) throw notFound('chat', 'chatId');
    requireMatch(ifMatch, Chat, await findChat(tx, workspaceId, chatId));
    if (title !== undefined) await retitle(tx, workspaceId, chatId, () => ({ title, titleGiven: true }));
    return findChat(tx, workspaceId, chatId);
  });
}

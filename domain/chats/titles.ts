import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { chats } from '../../db/schema/chats.ts';
import { changedNow } from '../../db/schema/columns.ts';
import type { Context, ServiceContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { recordEvent } from '../events/record.ts';
import { folded } from '../text.ts';
import { chatEvent } from './events.ts';
import { findChat, isChat } from './rows.ts';
import { Chat, type ChatAnswer } from './shapes.ts';

const titles = { title: chats.title, subtitle: chats.subtitle, titleGiven: chats.titleGiven };

type Titles = Pick<typeof chats.$inferSelect, keyof typeof titles>;

interface ChatRef {
  workspaceId: string;
  chatId: string;
}

/**
 * Changes the titles of a chat with its search text, in a transaction; false when it does not exist, or `change`
 * returns undefined.
 */
async function retitle(
  db: Db,
  { workspaceId, chatId }: ChatRef,
  change: (old: Titles) => Partial<Titles> | undefined,
): Promise<boolean> {
  const { orm } = db;
  const isThis = isChat(workspaceId, chatId);
  for (;;) {
    const [old] = await orm.select(titles).from(chats).where(isThis);
    const changed = old && change(old);
    if (!changed) return false;
    const values = { ...old, ...changed };
    const search = folded(`${values.title ?? ''}\n${values.subtitle ?? ''}`);
    // The search text is made of both titles, so it is written only while they are those that were read.
    const isUnchanged = and(
      sql`${chats.title} is not distinct from ${old.title}`,
      sql`${chats.subtitle} is not distinct from ${old.subtitle}`,
      eq(chats.titleGiven, old.titleGiven),
    );
    const written = await orm
      .update(chats)
      .set({ ...values, search, updatedAt: changedNow })
      .where(and(isThis, isUnchanged))
      .returning({ agentId: chats.agentId, todoId: chats.todoId });
    const [chat] = written;
    if (!chat) continue;
    const names = ['title', 'subtitle'] as const;
    const changedFields = names.filter((name) => values[name] !== old[name]);
    const event = chatEvent({ ...chat, chatId }, { type: 'chat.updated', changedFields });
    if (changedFields.length > 0) await recordEvent(db, workspaceId, event);
    return true;
  }
}

/** Sets the generated title of a chat, unless a person set one. Returns whether it was set. */
export function setTitle(
  { db }: Pick<ServiceContext, 'db'>,
  { title, ...chat }: ChatRef & { title: string },
): Promise<boolean> {
  return retitle(db, chat, ({ titleGiven }) => (titleGiven ? undefined : { title }));
}

/** Sets the generated subtitle of a chat. Returns whether it was set. */
export function setSubtitle(
  { db }: Pick<ServiceContext, 'db'>,
  { subtitle, ...chat }: ChatRef & { subtitle: string },
): Promise<boolean> {
  return retitle(db, chat, () => ({ subtitle }));
}

/** Sets the title that a person chose; without one nothing changes. @throws Failure 404, 412. */
export function updateChat(
  ctx: Context,
  { chatId, title }: { chatId: string; title?: string | undefined },
): Promise<ChatAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const [locked] = await db.orm
      .select({ id: chats.id })
      .from(chats)
      .where(isChat(workspaceId, chatId))
      .for('no key update');
    if (!locked) throw notFound('chat', 'chatId');
    requireMatch(ctx.ifMatch, Chat, await findChat(db, workspaceId, chatId));
    if (title !== undefined) await retitle(db, { workspaceId, chatId }, () => ({ title, titleGiven: true }));
    return findChat(db, workspaceId, chatId);
  });
}

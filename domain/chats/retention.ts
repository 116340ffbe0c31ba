import type { Db } from '../../db/client.ts';
import { archiveHeld, eraseHeld } from './archive.ts';
import { holdChat } from './rows.ts';

/** After how many days without a message or change chats are archived, and archived ones erased; 0: never. */
export interface ChatRetention {
  archiveDays: number;
  erasureDays: number;
}

/** Chats per read. */
const batch = 100;

interface OldChat {
  id: string;
  lastMessageAt: string;
}

// The age of a restored chat counts from its restoration, and a chat in which an agent works or waits is never old.
const isOld = `c.last_message_at < now() - make_interval(days => $2::int)
  and c.updated_at < now() - make_interval(days => $2::int)
  and c.status not in ('queued', 'running', 'awaiting_input')`;
const isArchived = { archive: 'c.archived_at is null', erase: 'c.archived_at is not null' };

const find = (what: keyof typeof isArchived) => `select c.id, c.last_message_at as "lastMessageAt" from chats c
  where c.workspace_id = $1 and (c.last_message_at, c.id) > ($3::timestamptz, $4::uuid) and ${isOld}
    and ${isArchived[what]}
  order by c.last_message_at, c.id limit ${batch}`;
const isStillOld = (what: keyof typeof isArchived) => `select 1 from chats c
  where c.workspace_id = $1 and c.id = $3 and ${isOld} and ${isArchived[what]}`;

/** The chat was erased after it was found. */
const gone = new Error('chat erased');
function noneIfGone(error: unknown): 0 {
  if (error === gone) return 0;
  throw error;
}

const first: OldChat = { id: '00000000-0000-0000-0000-000000000000', lastMessageAt: '-infinity' };

async function endEach(db: Db, workspaceId: string, days: number, what: keyof typeof isArchived): Promise<number> {
  const end = { archive: archiveHeld, erase: eraseHeld }[what];
  let ended = 0;
  const endOne = (id: string): Promise<number> =>
    db.transaction(async (tx) => {
      const chat = await holdChat(tx, workspaceId, id, () => gone);
      const isDue = !chat.turn && (await tx.rows(isStillOld(what), [workspaceId, days, id])).length > 0;
      if (isDue) await end(tx, chat);
      return isDue ? 1 : 0;
    });
  for (let last: OldChat | undefined = first; last; ) {
    const found: OldChat[] = await db.rows(find(what), [workspaceId, days, last.lastMessageAt, last.id]);
    for (const { id } of found) ended += await endOne(id).catch(noneIfGone);
    last = found.length === batch ? found.at(-1) : undefined;
  }
  return ended;
}

/**
 * Archives and erases the chats of a workspace that are older than they are kept, each in a transaction of its own with
 * its event. What was archived by hand is erased like the rest. Returns how many chats changed.
 */
export async function endOldChats(db: Db, workspaceId: string, kept: ChatRetention): Promise<number> {
  const { archiveDays, erasureDays } = kept;
  const erased = erasureDays > 0 ? await endEach(db, workspaceId, erasureDays, 'erase') : 0;
  return erased + (archiveDays > 0 ? await endEach(db, workspaceId, archiveDays, 'archive') : 0);
}

import type { Db } from '../../db/client.ts';
import { type MessageRow, messageColumns, messageOf } from '../chats/messages.ts';
import type { MessageAnswer } from '../chats/shapes.ts';
import type { Claim } from './steps.ts';

/** A message with the turn that it belongs to. */
export type TurnMessage = MessageAnswer & { turnId: string | null };

type Row = MessageRow & { turnId: string | null };

const columns = `${messageColumns}, m.turn_id as "turnId"`;
const later = `select ${columns} from messages m
  where m.workspace_id = $1 and m.chat_id = $2 and m.sequence > $3 order by m.sequence`;

function turnMessageOf({ turnId, ...row }: Row): TurnMessage {
  return { ...messageOf(row), turnId };
}

/** The messages of the chat after `sequence`, oldest first. */
export async function messagesAfter(
  db: Db,
  { workspaceId, chatId }: Pick<Claim, 'workspaceId' | 'chatId'>,
  sequence: number,
): Promise<TurnMessage[]> {
  return (await db.rows<Row>(later, [workspaceId, chatId, sequence])).map(turnMessageOf);
}

/** Messages that are read at once. */
const batch = 200;

// Each as long as those after it have not filled the room; the first of them always.
const earlier = `select ${columns}, octet_length(m.blocks::text) as size from (
    select *, sum(octet_length(blocks::text)) over (order by sequence desc) - octet_length(blocks::text) as behind
    from (select * from messages where workspace_id = $1 and chat_id = $2 and sequence < $3
      order by sequence desc limit ${batch}) latest
  ) m where m.behind < $4 order by m.sequence desc`;
const first = `select ${columns} from messages m where m.workspace_id = $1 and m.chat_id = $2 and m.sequence = 1`;

/**
 * What a turn needs of the messages of its chat, oldest first: all of its own, the latest before them, about `room`
 * bytes in all, and the very first. A long chat is never read whole.
 */
export async function recentMessages(db: Db, claim: Claim, room: number): Promise<TurnMessage[]> {
  const key = [claim.workspaceId, claim.chatId];
  const found: TurnMessage[] = [];
  let before = 2_147_483_647;
  for (let left = room; ; ) {
    const rows = await db.rows<Row & { size: number }>(earlier, [...key, before, Math.max(left, 1)]);
    for (const { size, ...row } of rows) {
      found.push(turnMessageOf(row));
      left -= size;
    }
    const last = found.at(-1);
    if (!last || last.sequence === 1 || rows.length === 0 || (left <= 0 && last.turnId !== claim.turnId)) break;
    before = last.sequence;
  }
  const [opening] = found.at(-1)?.sequence === 1 ? [] : await db.rows<Row>(first, key);
  if (opening) found.push(turnMessageOf(opening));
  return found.reverse();
}

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

/** Characters of an output that is read of a message without room. */
const cutLength = 1000;

/** What a cut output says of itself, after how much of it is left: a model repeats what it believes to be not done. */
export const cutAdvice = 'The call is done: repeat it only if it just reads, for less or for the rest.';

// As the engine says it of an output that is too long for a conversation.
const cutBlocks = `(select jsonb_agg(case when length(b.block ->> 'output') > ${cutLength}
      then b.block || jsonb_build_object('output', jsonb_build_object('beginning', left(b.block ->> 'output', ${cutLength}),
        'note', format('The output was cut: ${cutLength} of %s characters. ${cutAdvice}',
          length(b.block ->> 'output'))))
      else b.block end order by b.place)
    from jsonb_array_elements(l.blocks) with ordinality b(block, place))`;

// Each as long as those after them have not filled the room, the first always; of the turn itself all, with their
// outputs cut.
const earlier = `select ${columns}, m.size from (
    select l.id, l.chat_id, l.sequence, l.role, l.text, l.agent_id, l.user_id, l.created_at, l.turn_id, l.size,
      case when l.behind < $4 then l.blocks else ${cutBlocks} end as blocks
    from (
      select *, octet_length(blocks::text) as size,
        sum(octet_length(blocks::text)) over (order by sequence desc) - octet_length(blocks::text) as behind
      from (select * from messages where workspace_id = $1 and chat_id = $2 and sequence < $3
        order by sequence desc limit ${batch}) latest
    ) l where l.behind < $4 or l.turn_id = $5
  ) m order by m.sequence desc`;
const first = `select ${columns} from messages m where m.workspace_id = $1 and m.chat_id = $2 and m.sequence = 1`;

/**
 * What a turn needs of the messages of its chat, oldest first: all of its own, the latest before them, about `room`
 * bytes in all, and the very first. A long chat is never read whole; what the turn itself wrote beyond the room is read
 * with its outputs cut.
 */
export async function recentMessages(db: Db, claim: Claim, room: number): Promise<TurnMessage[]> {
  const key = [claim.workspaceId, claim.chatId];
  const found: TurnMessage[] = [];
  let before = 2_147_483_647;
  for (let left = room; ; ) {
    const rows = await db.rows<Row & { size: number }>(earlier, [...key, before, Math.max(left, 1), claim.turnId]);
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

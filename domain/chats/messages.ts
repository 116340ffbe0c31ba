import { v7 as newId } from 'uuid';
import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { messages } from '../../db/schema/chats.ts';
import { type NewEvent, parentsOf, recordingPart } from '../events/record.ts';
import { announce, type Live } from '../live.ts';
import { storable, storableJson } from '../text.ts';
import { type ChatChange, type ChatRef, chatEvent, gotMessage } from './events.ts';
import type { MessageAnswer, MessageBlock } from './shapes.ts';

/** The columns of a message, from a relation `m` shaped like `messages`. */
export const messageColumns = `m.id, m.chat_id as "chatId", m.sequence, m.role, m.text, m.blocks,
  m.agent_id as "agentId", m.user_id as "userId", m.created_at as "createdAt"`;

type MessageTable = typeof messages.$inferSelect;

/** A row of `messageColumns`. */
export interface MessageRow
  extends Pick<MessageTable, 'id' | 'chatId' | 'sequence' | 'role' | 'text' | 'agentId' | 'userId' | 'createdAt'> {
  blocks: MessageBlock[];
}

/** The message of a row. */
export function messageOf(row: MessageRow): MessageAnswer {
  return { object: 'message', ...row };
}

export interface NewMessage extends Pick<MessageTable, 'turnId' | 'role' | 'text'> {
  blocks: readonly MessageBlock[];
  agentId?: string | null;
  userId?: string | null;
}

const insertWith = (more: string) => `with moved as (
    update chats set message_count = message_count + 1, last_message_at = greatest(now(), last_message_at),
      updated_at = greatest(now(), updated_at)${more}
    where workspace_id = $1 and id = $2 returning message_count, last_message_at
  ), m as (
    insert into messages (workspace_id, chat_id, sequence, id, turn_id, role, text, blocks, agent_id, user_id, created_at)
    select $1, $2, message_count, $3, $4, $5, $6, $7::jsonb, $8, $9, last_message_at from moved returning *
  ), changed as (select $2::uuid as id from moved union all select id from m)`;
const insert = insertWith('');
const insertAndRun = insertWith(`, status = 'running', error_message = null`);
const inserted = `select ${messageColumns} from m`;

/**
 * Appends a message with the next sequence to a locked chat. Its followers are notified once the transaction commits.
 * NUL and lone surrogates, which the database cannot store, are dropped. `change`: all that the transaction changes of
 * the chat, as it has one event; null when another statement records that. `runs`: the chat is running from then on.
 */
export async function append(
  tx: Db,
  live: Live,
  chat: ChatRef,
  message: NewMessage,
  change: ChatChange | null = gotMessage,
  runs = false,
): Promise<MessageAnswer> {
  const { workspaceId, chatId, todoId } = chat;
  const { turnId, role, text, blocks, agentId = null, userId = null } = message;
  const id = newId();
  const bindings = new Bindings();
  const values = [workspaceId, chatId, id, turnId, role, storable(text), storableJson(blocks), agentId, userId];
  for (const value of values) bindings.bind(value);
  const created = { type: 'message.created' as const, objectId: id, parents: parentsOf({ chatId, todoId, agentId }) };
  const events: NewEvent[] = change ? [chatEvent(chat, change), created] : [created];
  const recording = recordingPart(bindings, tx.origin, { events, changed: 'changed', workspace: '$1' });
  if (live.isFollowed(chatId)) announce(tx, { kind: 'message', chatId });
  const [row] = await tx.rows<MessageRow>(`${runs ? insertAndRun : insert}, ${recording} ${inserted}`, bindings.values);
  if (!row) throw new Error('The chat of the message does not exist');
  return messageOf(row);
}

/** The blocks of a message of plain text. */
export function textBlocks(text: string): MessageBlock[] {
  return [{ type: 'text', text }];
}

import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { announce, type Live } from '../live.ts';
import type { MessageAnswer, MessageBlock } from './shapes.ts';

/** The columns of a message, from a relation `m` shaped like `messages`. */
export const messageColumns = `m.id, m.chat_id as "chatId", m.sequence, m.role, m.text, m.blocks,
  m.agent_id as "agentId", m.user_id as "userId", m.created_at as "createdAt"`;

export type MessageRow = Omit<MessageAnswer, 'object'>;

export function messageOf(row: MessageRow): MessageAnswer {
  return { object: 'message', ...row };
}

export interface NewMessage {
  turnId: string | null;
  role: MessageAnswer['role'];
  text: string;
  blocks: readonly MessageBlock[];
  agentId?: string | null;
  userId?: string | null;
}

/** What jsonb and JSON in UTF-8 cannot hold: NUL and lone surrogates. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** A value as JSON that jsonb can hold: what it cannot is dropped from texts and names of fields. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'string') return storable(each);
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).map(([name, field]) => [storable(name), field]));
  });
}

/** A value as it will be when it is read back from the database: judge this one, where what is judged is kept. */
export function asStored(value: unknown): unknown {
  return JSON.parse(storableJson(value)) as unknown;
}

const insert = `with moved as (
    update chats set message_count = message_count + 1, last_message_at = greatest(now(), last_message_at),
      updated_at = greatest(now(), updated_at)
    where workspace_id = $1 and id = $2 returning message_count, last_message_at
  ), m as (
    insert into messages (workspace_id, chat_id, sequence, id, turn_id, role, text, blocks, agent_id, user_id, created_at)
    select $1, $2, message_count, $3, $4, $5, $6, $7::jsonb, $8, $9, last_message_at from moved returning *
  ) select ${messageColumns} from m`;

/**
 * Appends a message to a chat that is locked: its sequence is the next one. Followers are told once the transaction
 * commits. What the database cannot hold (NUL, lone surrogates) is dropped.
 */
export async function append(
  tx: Db,
  live: Live,
  chat: { workspaceId: string; chatId: string },
  message: NewMessage,
): Promise<MessageAnswer> {
  const { workspaceId, chatId } = chat;
  const { turnId, role, text, blocks, agentId = null, userId = null } = message;
  const values = [workspaceId, chatId, newId(), turnId, role, storable(text), storableJson(blocks), agentId, userId];
  const [row] = await tx.rows<MessageRow>(insert, values);
  if (!row) throw new Error('A message for a chat that is gone');
  if (live.isFollowed(chatId)) await announce(tx, { kind: 'message', chatId });
  return messageOf(row);
}

/** A message of plain text. */
export function textBlocks(text: string): MessageBlock[] {
  return [{ type: 'text', text }];
}

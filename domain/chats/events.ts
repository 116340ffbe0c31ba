import { type NewEvent, parentsOf } from '../events/record.ts';
import type { EventType } from '../events/types.ts';
import type { HeldChat } from './rows.ts';

/** A chat with what it belongs to. `agentId` is that of the chat, not of its turn. */
export type ChatRef = Pick<HeldChat, 'workspaceId' | 'chatId' | 'todoId' | 'agentId'>;

/** What an event says of a change of a chat. */
export interface ChatChange {
  type: Extract<EventType, `chat.${string}`>;
  changedFields?: readonly string[];
}

/** The fields of a chat that every message changes. */
export const fieldsOfMessages = ['messageCount', 'lastMessageAt'] as const;

/** The change of a chat that got a message, and nothing else. */
export const gotMessage: ChatChange = { type: 'chat.updated', changedFields: fieldsOfMessages };

/** The change of a chat whose status is another one now, with other fields that changed. */
export function statusChange(...more: readonly string[]): ChatChange {
  return { type: 'chat.status_changed', changedFields: ['status', ...more] };
}

/** The event of a change of a chat. */
export function chatEvent({ chatId, todoId, agentId }: Omit<ChatRef, 'workspaceId'>, change: ChatChange): NewEvent {
  return { ...change, objectId: chatId, parents: parentsOf({ todoId, agentId }) };
}

import type { Db } from '../../db/client.ts';
import { notFound } from '../errors.ts';
import type { ChatAnswer } from './shapes.ts';

/** The columns of a chat, from a relation `c` shaped like `chats`. */
export const chatColumns = `c.id, c.title, c.subtitle, c.status, c.agent_id as "agentId", c.todo_id as "todoId",
  c.message_count as "messageCount", c.error_message as "errorMessage", c.archived_at is not null as "isArchived",
  c.created_at as "createdAt", c.last_message_at as "lastMessageAt", c.completed_at as "completedAt"`;

export type ChatRow = Omit<ChatAnswer, 'object'>;

export function chatOf(row: ChatRow): ChatAnswer {
  return { object: 'chat', ...row };
}

const one = `select ${chatColumns} from chats c where c.workspace_id = $1 and c.id = $2`;

/** @throws Failure 404 when the workspace has no such chat. */
export async function findChat(db: Db, workspaceId: string, chatId: string, param = 'chatId'): Promise<ChatAnswer> {
  const [row] = await db.rows<ChatRow>(one, [workspaceId, chatId]);
  if (!row) throw notFound('chat', param);
  return chatOf(row);
}

/** A chat whose row is locked, with its todo and its open turn. */
export interface HeldChat {
  workspaceId: string;
  chatId: string;
  agentId: string | null;
  todoId: string | null;
  status: ChatAnswer['status'];
  isArchived: boolean;
  /** The todo of the chat is done: no new turn starts until it is reopened. */
  todoDone: boolean;
  turn: HeldTurn | null;
}

export interface OpenTurn {
  turnId: string;
  runId: string | null;
  agentId: string;
  attempt: number;
}

/** With what it was charged for so far. */
export interface HeldTurn extends OpenTurn {
  activeMs: number;
  /** Minutes, as PostgreSQL prints a numeric. */
  minutes: string;
}

const lockTodo = `select t.status = 'done' as done from todos t
  where t.workspace_id = $1 and t.id = (select c.todo_id from chats c where c.workspace_id = $1 and c.id = $2)
  for no key update`;
const lockChat = `select c.agent_id as "agentId", c.todo_id as "todoId", c.status, c.archived_at is not null as "isArchived"
  from chats c where c.workspace_id = $1 and c.id = $2 for update`;
const lockTurn = `select t.id as "turnId", t.run_id as "runId", t.agent_id as "agentId", t.attempt,
    t.active_ms as "activeMs", t.minutes
  from chat_turns t where t.workspace_id = $1 and t.chat_id = $2 and t.ended_at is null for update`;

/**
 * Locks the todo of a chat, the chat and its open turn, always in this order: whoever changes a todo and its chats goes
 * the same way, so that two of them never wait for each other. They are sent together, and one connection runs them one
 * after the other. @throws Failure 404, or `gone` when it is given.
 */
export async function holdChat(
  tx: Db,
  workspaceId: string,
  chatId: string,
  gone: () => Error = () => notFound('chat', 'chatId'),
): Promise<HeldChat> {
  const key = [workspaceId, chatId];
  const [[todo], [chat], [turn]] = await Promise.all([
    tx.rows<{ done: boolean }>(lockTodo, key),
    tx.rows<Pick<HeldChat, 'agentId' | 'todoId' | 'status' | 'isArchived'>>(lockChat, key),
    tx.rows<HeldTurn>(lockTurn, key),
  ]);
  if (!chat) throw gone();
  return { workspaceId, chatId, ...chat, todoDone: todo?.done ?? false, turn: turn ?? null };
}

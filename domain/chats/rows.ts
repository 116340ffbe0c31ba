import { and, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { chats } from '../../db/schema/chats.ts';
import type { chatTurns } from '../../db/schema/turns.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { ChatAnswer } from './shapes.ts';

/** The columns of a chat, from a relation `c` shaped like `chats`. */
export const chatColumns = `c.id, c.title, c.subtitle, c.status, c.agent_id as "agentId", c.todo_id as "todoId",
  c.message_count as "messageCount", c.error_message as "errorMessage", c.archived_at is not null as "isArchived",
  c.created_at as "createdAt", c.last_message_at as "lastMessageAt", c.completed_at as "completedAt"`;

type ChatTable = typeof chats.$inferSelect;

/** A row of `chatColumns`. */
export interface ChatRow
  extends Pick<
    ChatTable,
    | 'id'
    | 'title'
    | 'subtitle'
    | 'status'
    | 'agentId'
    | 'todoId'
    | 'messageCount'
    | 'errorMessage'
    | 'createdAt'
    | 'lastMessageAt'
    | 'completedAt'
  > {
  isArchived: boolean;
}

/** The chat of a row. */
export function chatOf(row: ChatRow): ChatAnswer {
  return { object: 'chat', ...row };
}

const one = `select ${chatColumns} from chats c where c.workspace_id = $1 and c.id = $2`;

/** The condition of one chat of a workspace. */
export function isChat(workspaceId: string, chatId: string) {
  return and(eq(chats.workspaceId, workspaceId), eq(chats.id, chatId));
}

/** The chat of this id. @throws Failure 404 when the workspace has no such chat. */
export async function findChat(db: Db, workspaceId: string, chatId: string, param = 'chatId'): Promise<ChatAnswer> {
  const [row] = await db.rows<ChatRow>(one, [workspaceId, chatId]);
  if (!row) throw notFound('chat', param);
  return chatOf(row);
}

/** Get one chat with all fields. @throws Failure 404. */
export function getChat({ db, principal }: Context, { chatId }: { chatId: string }): Promise<ChatAnswer> {
  return findChat(db, principal.workspaceId, chatId);
}

/** A chat whose row is locked, with its todo and its open turn. */
export interface HeldChat extends Pick<ChatRow, 'agentId' | 'todoId' | 'status' | 'isArchived'> {
  workspaceId: string;
  chatId: string;
  /** The todo of the chat is done: no new turn starts until it is reopened. */
  todoDone: boolean;
  turn: HeldTurn | null;
}

type TurnTable = typeof chatTurns.$inferSelect;

export interface OpenTurn extends Pick<TurnTable, 'runId' | 'agentId' | 'attempt'> {
  turnId: string;
}

/** An open turn with its charge so far. */
export interface HeldTurn extends OpenTurn, Pick<TurnTable, 'activeMs'> {
  /** Charged minutes, as PostgreSQL prints a numeric. */
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
 * Locks the todo of a chat, the chat and its open turn, in this order. All code that changes a todo and its chats uses
 * the same order, so that there are no deadlocks. The statements are sent together, and one connection runs them in
 * sequence.
 * @throws Failure 404, or `gone` if it is given.
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

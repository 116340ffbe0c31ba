import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Context, Principal } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { addDigest } from '../jobs.ts';
import { folded } from '../text.ts';
import { hasMinutes, outOfMinutes } from '../usage/minutes.ts';
import { attachCaptures, holdCaptures, mayGiveCaptures } from './captures.ts';
import { append, textBlocks } from './messages.ts';
import { findChat } from './rows.ts';
import type { ChatAnswer, MessageBlock, NewChat } from './shapes.ts';
import { type Starter, starterOf, startTurn } from './turns.ts';

const agentNamed = `select a.id, a.archived_at is not null as "isArchived" from agents a
  where a.workspace_id = $1 and case when $2::uuid is null then a.is_default else a.id = $2::uuid end`;
// It writes the row with equal values, so that a concurrent completion sees that a chat was attached (`untouched`).
const lockTodo = `update todos t set updated_at = t.updated_at where t.workspace_id = $1 and t.id = $2
  returning t.status = 'done' as "isDone", t.archived_at is not null as "isArchived"`;
const insert = `insert into chats (workspace_id, id, agent_id, todo_id, title, title_given, search, status, timezone)
  values ($1, $2, $3, $4, $5, $5::text is not null, $6, 'running', $7)`;

/** The agent of this id, or the default one; undefined when the workspace has no such agent. */
export async function answeringAgent(db: Db, workspaceId: string, agentId: string | null) {
  const [agent] = await db.rows<{ id: string; isArchived: boolean }>(agentNamed, [workspaceId, agentId]);
  return agent;
}

interface Start {
  agentId: string;
  todo: { isDone: boolean; isArchived: boolean } | undefined;
  starter: Starter;
  /** Ids of the attached captures, each once. */
  captures: string[];
}

/**
 * Looks up the agent, the todo and the captures of a new chat, and locks the latter two. A chat that cannot start fails
 * before anything is written, in the order of CONTRACT §2. @throws Failure 400, 402, 403, 404, 409.
 */
async function requireStart({ db, principal }: Context, chat: NewChat): Promise<Start> {
  const { workspaceId } = principal;
  const { agentId = null, todoId, captureIds = [] } = chat;
  mayGiveCaptures(principal, captureIds);
  const captures = await holdCaptures(db, workspaceId, captureIds);
  const [todo] = todoId ? await db.rows<NonNullable<Start['todo']>>(lockTodo, [workspaceId, todoId]) : [];
  const [agent, funded] = await Promise.all([answeringAgent(db, workspaceId, agentId), hasMinutes(db, workspaceId)]);
  if (agent?.isArchived) throw invalid('agentId', 'This agent is archived. Restore it first, or choose another.');
  if (!agent) throw notFound('agent', 'agentId');
  if (todoId && !todo) throw notFound('todo', 'todoId');
  if (captures.fault) throw captures.fault;
  if (todo?.isArchived) throw conflict('This todo is archived. Restore it before an agent works on it.');
  if (todo?.isDone) throw conflict('This todo is done. Reopen it before an agent works on it.');
  const starter = starterOf(principal);
  if (!funded) throw outOfMinutes();
  return { agentId: agent.id, todo, starter, captures: captures.ids };
}

/** The author of a message that starts a turn: the person of the credential, or the agent at work. */
export function authorOf({ agent, userId }: Principal) {
  return agent ? { agentId: agent.agentId, userId: null } : { agentId: null, userId };
}

/** A reference to a capture without its title: a reader of the chat may lack the scope for captures. */
function referenceTo(captureId: string): MessageBlock {
  return { type: 'reference', resource: 'capture', resourceId: captureId, title: null };
}

/** Starts a chat with its first message; its agent starts at once. @throws Failure 400, 402, 403, 404, 409. */
export function createChat(ctx: Context, input: NewChat): Promise<ChatAnswer> {
  const { live, principal } = ctx;
  const { workspaceId } = principal;
  const { message, title = null, agentId: named = null, todoId = null, timezone } = input;
  return ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const { agentId, starter, captures } = await requireStart(tx, input);
    const chatId = newId();
    const chat = { workspaceId, chatId, todoId: todoId?.toLowerCase() ?? null, agentId: named?.toLowerCase() ?? null };
    const blocks: MessageBlock[] = [...textBlocks(message), ...captures.map(referenceTo)];
    const first = { turnId: null, role: 'user' as const, text: message, blocks };
    const written = [
      db.rows(insert, [workspaceId, chatId, named, todoId, title, folded(`${title ?? ''}\n`), timezone]),
      attachCaptures(db, workspaceId, chatId, captures),
      append(db, live, chat, { ...first, ...authorOf(principal) }, { type: 'chat.created' }),
      startTurn(tx, { workspaceId, chatId, agentId, starter, trigger: 'chat' }),
      title === null && addDigest(db, { kind: 'chat_title', workspaceId, id: chatId }),
    ];
    const [created] = await Promise.all([findChat(db, workspaceId, chatId), ...written]);
    return created;
  });
}

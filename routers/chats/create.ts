import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Principal } from '../base.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { folded } from '../folding.ts';
import { hasMinutes, outOfMinutes } from '../minutes.ts';
import { attachCaptures, holdCaptures, mayGiveCaptures } from './captures.ts';
import { append, textBlocks } from './messages.ts';
import { findChat } from './rows.ts';
import type { ChatAnswer, MessageBlock, NewChat } from './shapes.ts';
import { type Starter, starterOf, startTurn, type World } from './turns.ts';

const agentNamed = `select a.id, a.archived_at is not null as "isArchived" from agents a
  where a.workspace_id = $1 and case when $2::uuid is null then a.is_default else a.id = $2::uuid end`;
// It changes the row, if only to what it was: who completes the todo meanwhile sees that a chat was attached (`untouched`).
const lockTodo = `update todos t set updated_at = t.updated_at where t.workspace_id = $1 and t.id = $2
  returning t.status = 'done' as "isDone", t.archived_at is not null as "isArchived"`;
const insert = `insert into chats (workspace_id, id, agent_id, todo_id, title, title_given, search, status, timezone)
  values ($1, $2, $3, $4, $5, $5::text is not null, $6, 'running', $7)`;

/** The agent that answers: the one of this id, else the default one. */
export async function answeringAgent(db: Db, workspaceId: string, agentId: string | null) {
  const [agent] = await db.rows<{ id: string; isArchived: boolean }>(agentNamed, [workspaceId, agentId]);
  return agent;
}

interface Parties {
  agentId: string;
  todo: { isDone: boolean; isArchived: boolean } | undefined;
  starter: Starter;
  /** Ids of the captures given, each once. */
  captures: string[];
}

/**
 * Who answers, on which todo and with which captures, which are locked. What cannot start fails before anything is
 * written, in the order of CONTRACT §2. @throws Failure 400, 402, 403, 404, 409.
 */
async function requireParties(db: Db, principal: Principal, chat: NewChat): Promise<Parties> {
  const { workspaceId } = principal;
  const { agentId = null, todoId, captureIds = [] } = chat;
  mayGiveCaptures(principal, captureIds);
  const captures = await holdCaptures(db, workspaceId, captureIds);
  const [todo] = todoId ? await db.rows<NonNullable<Parties['todo']>>(lockTodo, [workspaceId, todoId]) : [];
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

/** Who wrote a message that starts a turn: the person of the credential, or the agent at work. */
export function authorOf({ agent, userId }: Principal) {
  return agent ? { agentId: agent.agentId, userId: null } : { agentId: null, userId };
}

/** Names a capture without its title: whoever reads the chat may not be one who may read captures. */
function referenceTo(captureId: string): MessageBlock {
  return { type: 'reference', resource: 'capture', resourceId: captureId, title: null };
}

/** Starts a chat with its first message: the agent begins at once. @throws Failure 400, 402, 403, 404, 409. */
export function createChat(world: World, principal: Principal, chat: NewChat): Promise<ChatAnswer> {
  const { workspaceId } = principal;
  const { message, title = null, agentId: named = null, todoId = null, timezone } = chat;
  return world.db.transaction(async (db) => {
    const { agentId, starter, captures } = await requireParties(db, principal, chat);
    const chatId = newId();
    const blocks: MessageBlock[] = [...textBlocks(message), ...captures.map(referenceTo)];
    const first = { turnId: null, role: 'user' as const, text: message, blocks };
    const written = [
      db.rows(insert, [workspaceId, chatId, named, todoId, title, folded(`${title ?? ''}\n`), timezone]),
      attachCaptures(db, workspaceId, chatId, captures),
      append(db, world.live, { workspaceId, chatId }, { ...first, ...authorOf(principal) }),
      startTurn({ ...world, db }, { workspaceId, chatId, agentId, starter, trigger: 'chat' }),
      title === null && world.jobs.digest(db, { kind: 'chat_title', workspaceId, id: chatId }),
    ];
    const [made] = await Promise.all([findChat(db, workspaceId, chatId), ...written]);
    return made;
  });
}

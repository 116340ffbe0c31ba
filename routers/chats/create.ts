import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Principal } from '../base.ts';
import { conflict, Failure, invalid, notFound } from '../errors.ts';
import { folded } from '../folding.ts';
import { hasMinutes, outOfMinutes } from '../minutes.ts';
import { append, textBlocks } from './messages.ts';
import { findChat } from './rows.ts';
import type { ChatAnswer, NewChat } from './shapes.ts';
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

/** Captures are context that the answer may repeat (CONTRACT §10.9). @throws Failure 403, 404. */
function requireCaptures(principal: Principal, captureIds: readonly string[]): void {
  if (captureIds.length === 0) return;
  if (!principal.scopes.has('captures:read')) {
    const message = 'This credential lacks the scope captures:read, which captureIds needs. Use one that has it.';
    throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: ['captures:read'] });
  }
}

interface Parties {
  agentId: string;
  todo: { isDone: boolean; isArchived: boolean } | undefined;
  starter: Starter;
}

/**
 * Who answers and on which todo, which is locked. What cannot start fails before anything is written, in the order of
 * CONTRACT §2. @throws Failure 400, 402, 403, 404, 409.
 */
async function requireParties(db: Db, principal: Principal, chat: NewChat): Promise<Parties> {
  const { workspaceId } = principal;
  const { agentId = null, todoId, captureIds = [] } = chat;
  requireCaptures(principal, captureIds);
  const [todo] = todoId ? await db.rows<NonNullable<Parties['todo']>>(lockTodo, [workspaceId, todoId]) : [];
  const [agent, funded] = await Promise.all([answeringAgent(db, workspaceId, agentId), hasMinutes(db, workspaceId)]);
  if (agent?.isArchived) throw invalid('agentId', 'This agent is archived. Restore it first, or choose another.');
  if (!agent) throw notFound('agent', 'agentId');
  if (todoId && !todo) throw notFound('todo', 'todoId');
  if (captureIds.length > 0) throw notFound('capture', 'captureIds[0]');
  if (todo?.isArchived) throw conflict('This todo is archived. Restore it before an agent works on it.');
  if (todo?.isDone) throw conflict('This todo is done. Reopen it before an agent works on it.');
  const starter = starterOf(principal);
  if (!funded) throw outOfMinutes();
  return { agentId: agent.id, todo, starter };
}

/** Who wrote a message that starts a turn: the person of the credential, or the agent at work. */
export function authorOf({ agent, userId }: Principal) {
  return agent ? { agentId: agent.agentId, userId: null } : { agentId: null, userId };
}

/** Starts a chat with its first message: the agent begins at once. @throws Failure 400, 402, 403, 404, 409. */
export function createChat(world: World, principal: Principal, chat: NewChat): Promise<ChatAnswer> {
  const { workspaceId } = principal;
  const { message, title = null, agentId: named = null, todoId = null, timezone } = chat;
  return world.db.transaction(async (db) => {
    const { agentId, starter } = await requireParties(db, principal, chat);
    const chatId = newId();
    const first = { turnId: null, role: 'user' as const, text: message, blocks: textBlocks(message) };
    const written = [
      db.rows(insert, [workspaceId, chatId, named, todoId, title, folded(`${title ?? ''}\n`), timezone]),
      append(db, world.live, { workspaceId, chatId }, { ...first, ...authorOf(principal) }),
      startTurn({ ...world, db }, { workspaceId, chatId, agentId, starter, trigger: 'chat' }),
      title === null && world.jobs.digest(db, { kind: 'chat_title', workspaceId, id: chatId }),
    ];
    const [made] = await Promise.all([findChat(db, workspaceId, chatId), ...written]);
    return made;
  });
}

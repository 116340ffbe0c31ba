import { v7 as newId } from 'uuid';
import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { Context, Principal } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { parentsOf, recordingPart } from '../events/record.ts';
import { addingDigest, wake } from '../jobs.ts';
import { folded, storable, storableJson } from '../text.ts';
import { outOfMinutes } from '../usage/minutes.ts';
import { attachCaptures, holdCaptures, mayGiveCaptures } from './captures.ts';
import { chatEvent } from './events.ts';
import { textBlocks } from './messages.ts';
import { type ChatRow, chatColumns, chatOf } from './rows.ts';
import type { ChatAnswer, MessageBlock, NewChat } from './shapes.ts';
import { type Starter, starterOf } from './turns.ts';

const answering = `select a.id, a.archived_at is not null as "isArchived", w.agent_minutes > 0 as funded from workspaces w
  left join agents a on a.workspace_id = $1 and case when $2::uuid is null then a.is_default else a.id = $2::uuid end
  where w.id = $1`;
// The statement writes the row with equal values, so that a concurrent completion sees that a chat was attached
// (`untouched`).
const lockTodo = `update todos t set updated_at = t.updated_at where t.workspace_id = $1 and t.id = $2
  returning t.status = 'done' as "isDone", t.archived_at is not null as "isArchived"`;
/*
 * The chat with its first message and its first turn: $1 workspace, $2 chat, $3 agent that it names, $4 todo, $5 title,
 * $6 search text, $7 time zone, $8 message, $9 text, $10 blocks, $11 and $12 author, $13 turn, $14 agent that answers,
 * $15 person, $16 scopes, $17 depth.
 */
const chatParts = `c as (
    insert into chats (workspace_id, id, agent_id, todo_id, title, title_given, search, status, timezone, message_count)
    values ($1, $2, $3, $4, $5, $5::text is not null, $6, 'running', $7, 1) returning *
  ), m as (
    insert into messages (workspace_id, chat_id, sequence, id, role, text, blocks, agent_id, user_id, created_at)
    select $1, $2, 1, $8, 'user', $9, $10::jsonb, $11, $12, last_message_at from c returning id
  ), turn as (
    insert into chat_turns (workspace_id, id, chat_id, agent_id, user_id, trigger, scopes, depth, lease_until)
    select $1, $13, $2, $14, $15, 'chat', $16, $17, now() from c
  ), changed as (select id from c union all select id from m)`;
const titlePart = `digest as (${addingDigest('$1', `'chat_title'`, '$2', 'from c')})`;

/**
 * The agent of this id, or the default one; undefined when the workspace has no such agent. `funded`: the workspace has
 * minutes left.
 */
export async function answeringAgent(db: Db, workspaceId: string, agentId: string | null) {
  type Row = { id: string | null; isArchived: boolean; funded: boolean };
  const [{ id, isArchived, funded } = { id: null, isArchived: false, funded: false }] = await db.rows<Row>(answering, [
    workspaceId,
    agentId,
  ]);
  return { agent: id === null ? undefined : { id, isArchived }, funded };
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
  const { agent, funded } = await answeringAgent(db, workspaceId, agentId);
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
  const { principal } = ctx;
  const { workspaceId } = principal;
  const { message, title = null, agentId: named = null, todoId = null, timezone } = input;
  return ctx.db.transaction(async (db) => {
    const { agentId, starter, captures } = await requireStart({ ...ctx, db }, input);
    const [chatId, messageId] = [newId(), newId()];
    const chat = { chatId, todoId, agentId: named };
    const author = authorOf(principal);
    const blocks: MessageBlock[] = [...textBlocks(message), ...captures.map(referenceTo)];
    const bindings = new Bindings();
    const parts = {
      chat: [workspaceId, chatId, named, todoId, title, folded(`${title ?? ''}\n`), timezone],
      message: [messageId, storable(message), storableJson(blocks), author.agentId, author.userId],
      turn: [newId(), agentId, starter.userId, starter.scopes, starter.depth],
    };
    for (const value of [...parts.chat, ...parts.message, ...parts.turn]) bindings.bind(value);
    const parents = parentsOf({ chatId, todoId: chat.todoId, agentId: author.agentId });
    const events = [
      chatEvent(chat, { type: 'chat.created' }),
      { type: 'message.created' as const, objectId: messageId, parents },
    ];
    const recording = recordingPart(bindings, db.origin, { events, changed: 'changed', workspace: '$1' });
    const titling = title === null ? `, ${titlePart}` : '';
    if (title === null) wake(db, 'digests');
    wake(db, 'turns');
    const text = `with ${chatParts}${titling}, ${recording} select ${chatColumns} from c`;
    const [[row]] = await Promise.all([
      db.rows<ChatRow>(text, bindings.values),
      attachCaptures(db, workspaceId, chatId, captures),
    ]);
    if (!row) throw new Error('the insert of a chat returned no row');
    return chatOf(row);
  });
}

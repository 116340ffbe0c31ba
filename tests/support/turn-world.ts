import { v7 as newId } from 'uuid';
import type { Database } from '../../db/client.ts';
import { type ApprovalRequest, requestApproval } from '../../domain/approvals/rows.ts';
import { append, textBlocks } from '../../domain/chats/messages.ts';
import type { MessageBlock } from '../../domain/chats/shapes.ts';
import { startTurn } from '../../domain/chats/turns.ts';
import type { ServiceContext } from '../../domain/context.ts';
import { scopes } from '../../domain/scopes.ts';
import type { Trigger } from '../../domain/usage/minutes.ts';

/* Turns of agents made without a worker: nobody continues with them unless the test does. */

/** A service that sends no emails. */
export const noMail = { sends: false };

/** The context of a test, in which time may stand still. */
export function worldOf(db: Database, clock = () => new Date()): ServiceContext {
  return { db, live: { subscribe: () => () => {}, isFollowed: () => false }, clock, mail: noMail };
}

interface Owner {
  workspaceId: string;
  userId: string;
}

export interface TestTurn {
  chatId: string;
  turnId: string;
  agentId: string;
  todoId: string | null;
  runId: string | null;
}

const agentOf = 'select id from agents where workspace_id = $1 and is_default';
const insertChat = `insert into chats (workspace_id, id, todo_id, status) values ($1, $2, $3, 'running')`;
const insertRun = `insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger) values ($1, $2, $3, $4, $5, 'manual')`;

/** A new chat whose agent works; with a todo, as a run of it. */
export function openTurn(
  world: ServiceContext,
  { workspaceId, userId }: Owner,
  more: { todoId?: string; agentId?: string; trigger?: Trigger } = {},
): Promise<TestTurn> {
  return world.db.transaction(async (tx) => {
    const chatId = newId();
    const { todoId = null } = more;
    const [assistant] = await tx.rows<{ id: string }>(agentOf, [workspaceId]);
    const agentId = more.agentId ?? assistant?.id ?? '';
    await tx.rows(insertChat, [workspaceId, chatId, todoId]);
    const runId = todoId === null ? null : newId();
    if (runId) await tx.rows(insertRun, [workspaceId, runId, todoId, chatId, agentId]);
    const trigger = more.trigger ?? (runId ? 'manual' : 'chat');
    const starter = { userId, scopes: [...scopes], depth: 0 };
    const inTransaction = { ...world, db: tx };
    const text = 'Please do it.';
    const turnId = await startTurn(inTransaction, { workspaceId, chatId, agentId, starter, trigger, runId });
    await append(
      tx,
      world.live,
      { workspaceId, chatId, todoId, agentId: null },
      { turnId, role: 'user', text, blocks: textBlocks(text), userId },
    );
    return { chatId, turnId, agentId, todoId, runId };
  });
}

const postpone = `update chat_turns set not_before = now() + interval '1 day' where workspace_id = $1 and id = $2`;

/** Like `openTurn`, in a service with workers: none of them takes the turn. */
export function heldTurn(world: ServiceContext, owner: Owner, more: { todoId?: string } = {}): Promise<TestTurn> {
  return world.db.transaction(async (tx) => {
    const turn = await openTurn({ ...world, db: tx }, owner, more);
    await tx.rows(postpone, [owner.workspaceId, turn.turnId]);
    return turn;
  });
}

export type Call = Partial<Pick<ApprovalRequest, 'toolName' | 'title' | 'input'>>;

const wait = `update chats set status = 'awaiting_input' where workspace_id = $1 and id = $2`;
const rest = 'update chat_turns set lease_until = null where workspace_id = $1 and id = $2';
const waitRun = `update todo_runs set status_reason = 'awaiting_input' where workspace_id = $1 and id = $2`;

/** A new chat whose agent made some tool calls and waits for a person to agree to them. */
export async function waitingChat(
  db: Database,
  owner: Owner,
  more: { calls?: Call[]; todoId?: string; agentId?: string; clock?: () => Date } = {},
): Promise<TestTurn & { approvalIds: string[] }> {
  const { workspaceId } = owner;
  const world = worldOf(db, more.clock);
  // Together: no worker may claim the turn in between.
  return db.transaction(async (tx) => {
    const turn = await openTurn({ ...world, db: tx }, owner, more);
    const { chatId, turnId, agentId, todoId, runId } = turn;
    const blocks: MessageBlock[] = [];
    const ids: string[] = [];
    for (const [place, call] of (more.calls ?? [{}]).entries()) {
      const { toolName = 'create_todo', title = 'Create a todo', input = { title: 'Buy milk' } } = call;
      const toolCallId = `call_${place + 1}`;
      const reason = 'This agent asks first.';
      const asked = { workspaceId, chatId, turnId, todoId, agentId, messageSequence: 2, toolCallId, toolName };
      const id = await requestApproval({ ...world, db: tx }, { ...asked, title, input, reason });
      ids.push(id);
      blocks.push({
        type: 'tool_call',
        id: toolCallId,
        name: toolName,
        title,
        input,
        requiresApproval: true,
        approvalId: id,
      });
      blocks.push({ type: 'approval_request', approvalId: id, toolCallId, title, reason });
    }
    const chat = { workspaceId, chatId, todoId, agentId: null };
    await append(tx, world.live, chat, { turnId, role: 'agent', text: 'May I?', blocks, agentId });
    await tx.rows(wait, [workspaceId, chatId]);
    await tx.rows(rest, [workspaceId, turnId]);
    if (runId) await tx.rows(waitRun, [workspaceId, runId]);
    return { ...turn, approvalIds: ids };
  });
}

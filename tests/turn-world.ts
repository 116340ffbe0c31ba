import { v7 as newId } from 'uuid';
import type { Database } from '../db/client.ts';
import { type Asked, requestApproval } from '../routers/approvals/rows.ts';
import { append, textBlocks } from '../routers/chats/messages.ts';
import type { MessageBlock } from '../routers/chats/shapes.ts';
import { startTurn, type World } from '../routers/chats/turns.ts';
import type { Jobs, TurnRef } from '../routers/jobs.ts';
import type { Trigger } from '../routers/minutes.ts';
import { scopes } from '../routers/scopes.ts';
import { idleJobs } from './idle-jobs.ts';

/* Turns of agents made without a worker: nobody goes on with them unless the test does. */

/** Jobs that are only written down. */
export function recordedJobs(): Jobs & { turns: TurnRef[] } {
  const turns: TurnRef[] = [];
  return { ...idleJobs, turns, turn: async (_, ref) => void turns.push(ref) };
}

/** A service that sends no letters. */
export const noMail = { sends: false };

/** The world of a test, in which time may stand still. */
export function worldOf(db: Database, clock = () => new Date(), jobs: Jobs = recordedJobs()): World {
  return { db, jobs, live: { subscribe: () => () => {}, isFollowed: () => false }, clock, mail: noMail };
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
  world: World,
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
      { workspaceId, chatId },
      { turnId, role: 'user', text, blocks: textBlocks(text), userId },
    );
    return { chatId, turnId, agentId, todoId, runId };
  });
}

export type Call = Partial<Pick<Asked, 'toolName' | 'title' | 'input'>>;

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
  const turn = await openTurn(world, owner, more);
  const { chatId, turnId, agentId, todoId, runId } = turn;
  const approvalIds = await db.transaction(async (tx) => {
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
    await append(tx, world.live, { workspaceId, chatId }, { turnId, role: 'agent', text: 'May I?', blocks, agentId });
    await tx.rows(wait, [workspaceId, chatId]);
    await tx.rows(rest, [workspaceId, turnId]);
    if (runId) await tx.rows(waitRun, [workspaceId, runId]);
    return ids;
  });
  return { ...turn, approvalIds };
}

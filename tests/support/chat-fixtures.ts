import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { append, textBlocks } from '../../domain/chats/messages.ts';
import { type HeldChat, holdChat } from '../../domain/chats/rows.ts';
import type { MessageBlock } from '../../domain/chats/shapes.ts';
import { type Ending, endTurn } from '../../domain/chats/turns.ts';
import type { ServiceContext } from '../../domain/context.ts';
import { startTestService, type TestService, type TestWorkspace } from './harness.ts';

/** A service without workers: chats continue when the test plays the agent. */
export function startWithoutAgents(
  environment: Record<string, string> = {},
  overrides: Parameters<typeof startTestService>[1] = {},
): Promise<TestService> {
  return startTestService({ AGENT_CONCURRENCY: '0', LOG_LEVEL: 'error', ...environment }, overrides);
}

/** Every event has a follower. */
const live = { subscribe: () => () => {}, isFollowed: () => true };

/** What an agent at work does to a chat, each in a transaction as the workers do it. */
export interface PlayedAgent {
  /** Writes a message; its sequence. */
  write(text: string, blocks?: MessageBlock[]): Promise<number>;
  /** Writes a last message and ends the turn, together. */
  finish(text: string, ending?: Ending): Promise<number>;
  /** Ends the turn without a word. */
  end(ending: Ending): Promise<void>;
  /** Asks a person for leave to call a tool, and waits; the id of the approval. */
  ask(toolName?: string): Promise<string>;
}

const wait = `update chats set status = 'awaiting_input' where workspace_id = $1 and id = $2`;
const request = `insert into approvals (workspace_id, id, chat_id, turn_id, agent_id, message_sequence, tool_call_id,
    tool_name, title, input, reason, expires_at)
  values ($1, $2, $3, $4, $5, $6, 'call_1', $7, 'Create a todo', '{"title":"Buy milk"}', 'It changes something.',
    now() + interval '7 days')`;

export function playAgent({ db }: Pick<TestService, 'db'>, workspaceId: string, chatId: string): PlayedAgent {
  const step = <Result>(work: (world: ServiceContext, chat: HeldChat) => Promise<Result>) =>
    db.transaction(async (tx: Db) => {
      const chat = await holdChat(tx, workspaceId, chatId);
      if (!chat.turn) throw new Error('No turn is open: the agent has nothing to do');
      return work({ db: tx, live, clock: () => new Date(), mail: { sends: false } }, chat);
    });
  const write = async ({ db: tx }: ServiceContext, chat: HeldChat, text: string, blocks: MessageBlock[]) => {
    const { turn } = chat;
    const message = { turnId: turn?.turnId ?? null, role: 'agent' as const, text, blocks };
    return (await append(tx, live, chat, { ...message, agentId: turn?.agentId ?? null })).sequence;
  };
  return {
    write: (text, blocks = textBlocks(text)) => step((world, chat) => write(world, chat, text, blocks)),
    finish: (text, ending = { outcome: 'completed' }) =>
      step(async (world, chat) => {
        const sequence = await write(world, chat, text, textBlocks(text));
        await endTurn(world, chat, ending);
        return sequence;
      }),
    end: (ending) => step((world, chat) => endTurn(world, chat, ending)),
    ask: (toolName = 'create_todo') =>
      step(async (world, chat) => {
        const approvalId = newId();
        const { turnId, agentId } = chat.turn ?? {};
        const call = { type: 'tool_call' as const, id: 'call_1', name: toolName, title: 'Create a todo' };
        const input = { title: 'Buy milk' };
        const block = { ...call, input, requiresApproval: true, approvalId };
        const sequence = await write(world, chat, 'May I?', [block]);
        await world.db.rows(request, [workspaceId, approvalId, chatId, turnId, agentId, sequence, toolName]);
        await world.db.rows(wait, [workspaceId, chatId]);
        await world.db.rows(`select pg_notify('tandem_live', $1)`, [JSON.stringify({ kind: 'status', chatId })]);
        return approvalId;
      }),
  };
}

/** Starts a chat, and plays its agent. */
export async function newChat(tandem: TestService, { call, workspaceId }: TestWorkspace, more: object = {}) {
  const { status, body, text } = await call('POST /chats', { message: 'What is due this week?', ...more });
  if (status !== 201) throw new Error(text);
  return { chat: body, path: `/chats/${body.id}`, agent: playAgent(tandem, workspaceId, body.id) };
}

/** Publishes provisional text of the message that will have this sequence, as a worker does. */
export async function sendDelta(
  { db }: Pick<TestService, 'db'>,
  delta: { chatId: string; sequence: number; offset: number; text: string },
) {
  const event = { kind: 'delta', ...delta };
  await db.rows(`select pg_notify('tandem_live', $1)`, [JSON.stringify(event)]);
}

/** The other states that a chat can settle in, and how. */
export const settlings: Record<
  'completed' | 'failed' | 'cancelled' | 'awaiting_input',
  (agent: PlayedAgent) => Promise<unknown>
> = {
  completed: (agent) => agent.finish('Nothing is due.'),
  failed: (agent) => agent.end({ outcome: 'failed', errorMessage: 'The model did not answer.' }),
  cancelled: (agent) => agent.end({ outcome: 'cancelled' }),
  awaiting_input: (agent) => agent.ask(),
};

import { v7 as newId } from 'uuid';
import * as assert from 'uvu/assert';
import { toolsOf } from '../adapters/operations.ts';
import type { Context, Principal } from '../routers/base.ts';
import { holdChat } from '../routers/chats/rows.ts';
import { type Ending, endTurn } from '../routers/chats/turns.ts';
import { toolRouter } from '../routers/index.ts';
import type { DigestRef, Jobs, TurnRef } from '../routers/jobs.ts';
import type { Live } from '../routers/live.ts';
import { scopes } from '../routers/scopes.ts';
import type { TodoRunAnswer } from '../routers/todos/run-shapes.ts';
import { type Answer, startTestService, type TestService, type TestWorkspace } from './harness.ts';
import { idleJobs } from './idle-jobs.ts';

/** A service whose agents never get to work: what was asked of them lies in `turns` and `digests`. */
export interface IdleService extends TestService {
  turns: (TurnRef & { after?: string | undefined })[];
  digests: DigestRef[];
}

const deaf: Live = { subscribe: () => () => {}, isFollowed: () => false };

/** `now` is what the service's clock shows. */
export async function startIdleService(
  now: () => Date = () => new Date(),
  environment: Record<string, string> = {},
): Promise<IdleService> {
  const turns: IdleService['turns'] = [];
  const digests: DigestRef[] = [];
  const jobs: Jobs = {
    turn: async (_, ref, after) => void turns.push({ ...ref, after }),
    digest: async (_, ref) => void digests.push(ref),
    capture: idleJobs.capture,
  };
  return { ...(await startTestService(environment, { jobs, live: deaf, clock: now })), turns, digests };
}

const idle = {
  jobs: idleJobs,
  live: deaf,
  clock: () => new Date(),
  mail: { sends: false },
};

/** Ends the work in a chat as the worker that holds it does. */
export function endWork({ db }: TestService, workspaceId: string, chatId: string, ending: Ending): Promise<void> {
  return db.transaction(async (tx) => endTurn({ ...idle, db: tx }, await holdChat(tx, workspaceId, chatId), ending));
}

export async function spendAllMinutes({ db }: TestService, workspaceId: string): Promise<void> {
  await db.rows('update workspaces set agent_minutes = 0 where id = $1', [workspaceId]);
}

/** A new todo of this title, or as `more` says. */
export async function todoOf({ call }: Pick<TestWorkspace, 'call'>, more: object = {}) {
  const { status, body, text } = await call('POST /todos', { title: 'Water the plants', ...more });
  assert.is(status, 201, text);
  return body;
}

/** The run that an answer of 202 has. */
export function runIn(answer: Answer): TodoRunAnswer {
  assert.is(answer.status, 202, answer.text);
  return answer.body;
}

/** What the database has of a chat, its messages and its turns. */
export async function chatOf({ db }: TestService, chatId: string) {
  const [chat] = await db.rows<Record<string, unknown>>('select * from chats where id = $1', [chatId]);
  const messages = await db.rows<Record<string, unknown>>(
    'select * from messages where chat_id = $1 order by sequence',
    [chatId],
  );
  const turns = await db.rows<Record<string, unknown>>('select * from chat_turns where chat_id = $1', [chatId]);
  return { chat, messages, turns };
}

/** How many rows of the workspace a table has. */
export async function count({ db }: TestService, table: 'chats' | 'todo_runs' | 'chat_turns' | 'messages', id: string) {
  const [row] = await db.rows<{ count: number }>(
    `select count(*)::int as count from ${table} where workspace_id = $1`,
    [id],
  );
  return row?.count;
}

/** A chat on a todo in which an agent is at work, without a run, as createChat with `todoId` makes one. */
export async function chatOn(tandem: TestService, workspace: TestWorkspace, todoId: string, agentId: string) {
  const { workspaceId, userId } = workspace;
  const [chatId, turnId] = [newId(), newId()];
  const insert = `insert into chats (workspace_id, id, todo_id, status) values ($1, $2, $3, 'running')`;
  await tandem.db.rows(insert, [workspaceId, chatId, todoId]);
  const turn = `insert into chat_turns (workspace_id, id, chat_id, agent_id, user_id, trigger, scopes)
    values ($1, $2, $3, $4, $5, 'chat', '{}')`;
  await tandem.db.rows(turn, [workspaceId, turnId, chatId, agentId, userId]);
  return { chatId, turnId };
}

/** The tools as an agent at work uses them: in its turn on a chat, on behalf of the owner. */
export function asAgent(
  tandem: TestService,
  { workspaceId, userId }: TestWorkspace,
  at: { agentId: string; turnId: string; chatId: string; todoId: string | null; depth?: number },
  jobs: Jobs = idle.jobs,
) {
  const principal: Principal = {
    kind: 'agent',
    credentialId: at.turnId,
    credentialName: 'agent',
    workspaceId,
    userId,
    scopes: new Set(scopes),
    rateLimitPerMinute: 0,
    expiresAt: null,
    agent: { depth: 0, ...at },
  };
  const context = { ...idle, jobs, principal, badCredential: false, db: tandem.db } as unknown as Context;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what comes out
  return async (name: string, input: object): Promise<any> => {
    const tool = toolsOf(toolRouter).find((each) => each.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.call(context, input);
  };
}

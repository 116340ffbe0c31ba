import { v7 as newId } from 'uuid';
import * as assert from 'uvu/assert';
import { toolsOf } from '../../adapters/operations.ts';
import { holdChat } from '../../domain/chats/rows.ts';
import { type Ending, endTurn } from '../../domain/chats/turns.ts';
import type { Principal, RequestContext } from '../../domain/context.ts';
import type { DigestRef } from '../../domain/jobs.ts';
import type { Live } from '../../domain/live.ts';
import { scopes } from '../../domain/scopes.ts';
import type { TodoRunAnswer } from '../../domain/todos/run-shapes.ts';
import { toolRouter } from '../../routers/tools/index.ts';
import { type DueTurn, dueDigests, dueTurns } from './due-work.ts';
import { type Answer, startTestService, type TestService, type TestWorkspace } from './harness.ts';

/** A service whose agents never get to work, and what waits for them. */
export interface IdleService extends TestService {
  turns(): Promise<DueTurn[]>;
  /** Of a chat, a skill or a todo. */
  digests(id: string): Promise<DigestRef[]>;
}

const deaf: Live = { subscribe: () => () => {}, isFollowed: () => false };

/** `now` is what the service's clock shows. */
export async function startIdleService(
  now: () => Date = () => new Date(),
  environment: Record<string, string> = {},
): Promise<IdleService> {
  const service = await startTestService({ AGENT_CONCURRENCY: '0', ...environment }, { live: deaf, clock: now });
  return { ...service, turns: () => dueTurns(service), digests: (id) => dueDigests(service, id) };
}

const idle = {
  live: deaf,
  clock: () => new Date(),
  mail: { sends: false },
  recordSecurityEvent: () => {},
  observe: <Outcome>(_: unknown, run: () => Promise<Outcome>) => run(),
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

/** Where an agent is at work. */
interface AtWork {
  agentId: string;
  turnId: string;
  chatId: string;
  todoId: string | null;
  depth?: number;
}

/** What the procedures know of a caller that is an agent at work, on behalf of the owner. */
export function contextOfAgent(
  tandem: TestService,
  { workspaceId, userId }: Pick<TestWorkspace, 'workspaceId' | 'userId'>,
  at: AtWork,
): RequestContext {
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
  return { ...idle, principal, badCredential: false, db: tandem.db } as unknown as RequestContext;
}

/** The tools as an agent at work uses them: in its turn on a chat, on behalf of the owner. */
export function asAgent(tandem: TestService, workspace: TestWorkspace, at: AtWork) {
  const context = contextOfAgent(tandem, workspace, at);
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what comes out
  return async (name: string, input: object): Promise<any> => {
    const tool = toolsOf(toolRouter).find((each) => each.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.call(context, input);
  };
}

import type { PlayedAgent } from './chat-fixtures.ts';
import { playAgent } from './chat-fixtures.ts';
import type { TestService, TestWorkspace } from './harness.ts';
import { modernRequest, taskCapabilities } from './mcp-clients.ts';

/* Clients that follow tasks over MCP. The test plays the agents: the service has no workers. */

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
type Json = any;

/** What a client declares that follows tasks, and shows no forms. */
export const noForms = { extensions: taskCapabilities.extensions };

/** The methods of tasks, with what they need beside the id. */
export const taskMethods = [
  ['tasks/get', {}],
  ['tasks/update', { inputResponses: {} }],
  ['tasks/cancel', {}],
] as const;

interface Asked {
  capabilities?: object;
  /** Another process. */
  url?: string;
}

/** A workspace with a task whose agent the test plays. */
export interface StartedTask extends TestWorkspace {
  /** The result of the call that made it. */
  created: Json;
  taskId: string;
  chatId: string;
  agent: PlayedAgent;
}

/** What clients of a service do with tasks. */
export function taskClient(tandem: TestService) {
  /** The result of one request. @throws Error with the answer when there is none. */
  const ask = async (
    key: string,
    method: string,
    params: Record<string, unknown>,
    asked: Asked = {},
  ): Promise<Json> => {
    const { url = tandem.url, capabilities } = asked;
    const { body, text } = await modernRequest(url, key, method, params, capabilities);
    if (!body?.result) throw new Error(text);
    return body.result;
  };
  /** The HTTP status and the JSON-RPC error of one request. */
  const errorOf = async (
    key: string,
    method: string,
    params: Record<string, unknown>,
    asked: Asked = {},
  ): Promise<Json> => {
    const { url = tandem.url, capabilities } = asked;
    const { status, body } = await modernRequest(url, key, method, params, capabilities);
    return { status, ...body.error };
  };
  const get = (key: string, taskId: string, asked?: Asked) => ask(key, 'tasks/get', { taskId }, asked);
  const update = (key: string, taskId: string, inputResponses: object, asked?: Asked) =>
    ask(key, 'tasks/update', { taskId, inputResponses }, asked);

  const started = (workspace: TestWorkspace, created: Json, chatId: string): StartedTask => {
    const agent = playAgent(tandem, workspace.workspaceId, chatId);
    return { ...workspace, created, taskId: created.taskId, chatId, agent };
  };
  /** A task of create_chat. */
  const chatTask = async (given?: TestWorkspace) => {
    const workspace = given ?? (await tandem.workspace());
    const input = { message: 'What is due?', waitSeconds: 50 };
    const created = await ask(workspace.key, 'tools/call', { name: 'create_chat', arguments: input });
    const { data } = (await workspace.call('GET /chats')).body;
    return started(workspace, created, data[0].id);
  };
  /** A task of run_todo. */
  const runTask = async () => {
    const workspace = await tandem.workspace();
    const todoId: string = (await workspace.call('POST /todos', { title: 'Buy milk' })).body.id;
    const created = await ask(workspace.key, 'tools/call', { name: 'run_todo', arguments: { todoId } });
    const run = (await workspace.call(`GET /todos/${todoId}`)).body.latestRun;
    return { ...started(workspace, created, run.chatId), todoId, run };
  };
  return { ask, errorOf, get, update, chatTask, runTask };
}

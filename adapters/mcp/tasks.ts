import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/*
 * The extension io.modelcontextprotocol/tasks (SEP-2663, for clients of 2026-07-28): a client that declares it in a
 * request gets a handle on work that goes on, and asks for its state with `tasks/get`. This is what travels;
 * `TaskSource` has the work.
 */

export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** How often a client should ask for the state. */
const pollIntervalMs = 2000;

type Json = Record<string, unknown>;

/** The state of a task, with what belongs to it. `message` is for the person or the model. */
export type TaskState =
  | { status: 'working' | 'cancelled'; message?: string }
  | { status: 'input_required'; inputRequests: Json; message?: string }
  | { status: 'completed'; result: Json }
  | { status: 'failed'; error: { code: number; message: string } };

export interface Task {
  /** RFC 3339. */
  createdAt: string;
  lastUpdatedAt: string;
  /** From `createdAt` on. */
  ttlMs: number;
  state: TaskState;
}

/** The tasks of the caller of one request. */
export interface TaskSource {
  /** Undefined when the caller has no such task. */
  read(taskId: string, mcp: ServerContext['mcpReq']): Promise<Task | undefined>;
  /** Takes responses to its input requests; those to others are ignored. False when there is no such task. */
  answer(taskId: string, responses: Json): Promise<boolean>;
  /** Asks for its end. False when there is no such task. */
  cancel(taskId: string): Promise<boolean>;
}

/** Whether a client with these capabilities follows tasks. */
export function followsTasks(capabilities: unknown): boolean {
  const { extensions } = (capabilities ?? {}) as { extensions?: unknown };
  return typeof extensions === 'object' && extensions !== null && Object.hasOwn(extensions, tasksExtension);
}

/** The capabilities that the client declared with a request. */
export function capabilitiesOf({ envelope }: Pick<ServerContext['mcpReq'], 'envelope'>): unknown {
  return (envelope as Json | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
}

/** -32021: what was asked for needs a client that declares the extension. */
export function tasksNotDeclared(): MissingRequiredClientCapabilityError {
  const message = `This needs a client that declares the extension ${tasksExtension} with the request.`;
  return new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    message,
  );
}

/** Whether the body asks for notifications of tasks, which only a client that declares them may do. */
export function isUndeclaredListen(body: unknown): boolean {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: Json };
  const { notifications, _meta } = (params ?? {}) as { notifications?: Json; _meta?: Json };
  if (method !== 'subscriptions/listen' || notifications?.taskIds === undefined) return false;
  return !followsTasks(_meta?.[CLIENT_CAPABILITIES_META_KEY]);
}

function fieldsOf(taskId: string, { createdAt, lastUpdatedAt, ttlMs }: Task): Json {
  return { taskId, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs };
}

/**
 * The result of a call whose work goes on as a task (`CreateTaskResult`). The SDK has no type for it, and
 * `ParamsServer` lets it pass.
 */
export function createdTask(taskId: string, task: Task): CallToolResult {
  return { resultType: 'task', status: 'working', ...fieldsOf(taskId, task) } as unknown as CallToolResult;
}

/** Whether a result is one of `createdTask`. */
export function isCreatedTask(result: unknown): boolean {
  return (result as { resultType?: unknown } | null)?.resultType === 'task';
}

function noTask(): ProtocolError {
  const message = 'Task not found: unknown, expired, erased, or of another credential. list_chats shows what there is.';
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

const TaskParams = z.looseObject({ taskId: z.string() });

/** Adds `tasks/get`, `tasks/update` and `tasks/cancel` to the server of one request. */
export function serveTasks(server: Server, source: TaskSource): void {
  const handle = (method: string, answer: (taskId: string, mcp: ServerContext['mcpReq']) => Promise<Json>) =>
    server.setRequestHandler(method, { params: TaskParams }, ({ taskId }, { mcpReq }) => {
      if (!followsTasks(capabilitiesOf(mcpReq))) throw tasksNotDeclared();
      return answer(taskId, mcpReq);
    });
  handle('tasks/get', async (taskId, mcp) => {
    const task = await source.read(taskId, mcp);
    if (!task) throw noTask();
    const { message, ...state } = task.state as TaskState & { message?: string };
    return { ...fieldsOf(taskId, task), ...state, ...(message !== undefined && { statusMessage: message }) };
  });
  handle('tasks/update', async (taskId, { inputResponses }) => {
    if (inputResponses === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'params.inputResponses: is required');
    }
    if (!(await source.answer(taskId, inputResponses))) throw noTask();
    return {};
  });
  handle('tasks/cancel', async (taskId) => {
    if (!(await source.cancel(taskId))) throw noTask();
    return {};
  });
}

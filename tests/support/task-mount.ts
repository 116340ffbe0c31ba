import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  createMcpHandler,
  inputRequired,
  type McpServerFactory,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { ParamsServer } from '../../adapters/mcp/params.ts';
import {
  capabilitiesOf,
  createdTask,
  followsTasks,
  serveTasks,
  type Task,
  type TaskState,
  tasksExtension,
  tasksNotDeclared,
} from '../../adapters/mcp/tasks.ts';

/*
 * The handlers of tasks that the service has, with the tools that the scenarios of @modelcontextprotocol/conformance
 * call. The names and answers of the tools are theirs; their work is in memory.
 */

interface Work {
  createdAt: string;
  isCancelled: boolean;
  /** Keys of the forms that are not answered yet. */
  open: Set<string>;
  /** The state once nobody is asked any more. */
  state: () => TaskState;
}

const textResult = (text: string, more: object = {}) => ({ content: [{ type: 'text' as const, text }], ...more });
const completed = (text: string, more: object = {}): TaskState => ({
  status: 'completed',
  result: textResult(text, more),
});
const form = {
  message: 'Go on?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } },
};

type Args = Record<string, unknown>;

/** What the tools do that work as tasks: forms to ask first, then the state. */
const tasks: Record<string, { asks?: string[]; required?: boolean; state: (args: Args, since: number) => TaskState }> =
  {
    slow_compute: {
      state: ({ seconds = 0, label }, since) =>
        Date.now() - since >= Number(seconds) * 1000 ? completed(`Computed ${label}.`) : { status: 'working' },
    },
    failing_job: { required: true, state: () => completed('It failed.', { isError: true }) },
    protocol_error_job: {
      required: true,
      state: () => ({ status: 'failed', error: { code: -32603, message: 'It broke.' } }),
    },
    confirm_delete: { asks: ['confirm'], state: ({ filename }) => completed(`Deleted ${filename}.`) },
    multi_input: { asks: ['first', 'second'], state: () => completed('Both are known.') },
    test_tool_with_task: { required: true, state: ({ name }) => completed(`Hello, ${name}!`) },
  };

const works = new Map<string, Work>();

function stateOf({ isCancelled, open, state }: Work): TaskState {
  if (isCancelled) return { status: 'cancelled' };
  if (open.size === 0) return state();
  return {
    status: 'input_required',
    inputRequests: Object.fromEntries([...open].map((key) => [key, inputRequired.elicit(form)])),
  };
}

function taskOf(work: Work): Task {
  return { createdAt: work.createdAt, lastUpdatedAt: work.createdAt, ttlMs: 3_600_000, state: stateOf(work) };
}

function startWork(name: string, args: Args) {
  const { asks = [], state } = tasks[name] ?? { state: () => completed('') };
  const since = Date.now();
  const createdAt = new Date(since).toISOString();
  const work: Work = { createdAt, isCancelled: false, open: new Set(asks), state: () => state(args, since) };
  const taskId = crypto.randomUUID();
  works.set(taskId, work);
  return createdTask(taskId, taskOf(work));
}

/** Answers one call as the scenarios have it. */
function call(name: string, args: Args, mcp: ServerContext['mcpReq']) {
  const task = tasks[name];
  if (!task) return textResult(`Hello, ${args.name}!`);
  if (!followsTasks(capabilitiesOf(mcp))) {
    if (task.required) throw tasksNotDeclared();
    return textResult(`Computed ${args.label}.`);
  }
  if (name !== 'test_tool_with_task') return startWork(name, args);
  const { content } = (mcp.inputResponses?.user_name ?? {}) as { content?: Args };
  if (content) return startWork(name, content);
  return inputRequired({ inputRequests: { user_name: inputRequired.elicit(form) }, requestState: 'asked' });
}

function buildServer(): Server {
  const server = new ParamsServer(
    { name: 'task-mount', version: '1.0.0' },
    { capabilities: { tools: {}, extensions: { [tasksExtension]: {} } } },
  );
  const names = ['greet', ...Object.keys(tasks)];
  const listed = names.map((name) => ({ name, inputSchema: { type: 'object' as const } }));
  server.setRequestHandler('tools/list', () => ({ tools: listed }));
  server.setRequestHandler(
    'tools/call',
    // A result of `createdTask` passes through `ParamsServer`.
    ({ params }, { mcpReq }) => call(params.name, params.arguments ?? {}, mcpReq) as ReturnType<typeof textResult>,
  );
  serveTasks(server, {
    read: async (taskId) => {
      const work = works.get(taskId);
      return work && taskOf(work);
    },
    answer: async (taskId, responses) => {
      for (const key of Object.keys(responses)) works.get(taskId)?.open.delete(key);
      return works.has(taskId);
    },
    cancel: async (taskId) => {
      const work = works.get(taskId);
      if (work && stateOf(work).status !== 'completed') work.isCancelled = true;
      return work !== undefined;
    },
  });
  return server;
}

/** Serves the tools on a free port. */
export async function startTaskMount() {
  const factory: McpServerFactory = () => buildServer();
  const handler = createMcpHandler(factory, { legacy: 'reject' });
  const server = createServer(async (incoming, outgoing) => {
    const headers = new Headers(incoming.headers as Record<string, string>);
    const request = new Request(url, { method: 'POST', headers });
    const answer = await handler.fetch(request, { parsedBody: await json(incoming) });
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}/mcp`;
  return {
    url,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

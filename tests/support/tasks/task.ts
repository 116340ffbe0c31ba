import type { ToolDeclaration } from '../../../engine/engine.ts';
import type { TestService, TestWorkspace } from '../harness.ts';
import { modernClient, type ToolAnswer } from '../mcp-clients.ts';
import { faultsOf, type Outcome, stateOf } from './state.ts';
import { taskWorkspace } from './world.ts';

/** A call of a tool. In texts, `$Buy milk` is the id of what an earlier answer of the task showed with that name. */
export type OracleCall = [name: string, input?: object];

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools
type Data = any;

/** A request as a person writes it, the calls that serve it, and what it comes to. */
export interface Task extends Outcome {
  request: string;
  calls: OracleCall[];
  /** The reply of the oracle, from the answer of its last call. Default: that answer. */
  reply?: (data: Data) => unknown;
  /** Texts that the reply has, and texts that it does not have. */
  includes?: (string | RegExp)[];
  excludes?: string[];
}

/** What an assistant sees of the service: an MCP connection. */
export interface Connection {
  instructions: string;
  tools: ToolDeclaration[];
  call(name: string, input: object): Promise<ToolAnswer>;
}

/** Serves the request and returns the reply to the person. */
export type Assistant = (task: Task, connection: Connection) => Promise<string>;

/** The ids in an answer, by the title or name beside them. */
function idsIn(value: unknown, found: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  const { id, title, name } = value as Record<string, unknown>;
  if (typeof id === 'string') for (const text of [title, name]) if (typeof text === 'string') found.set(text, id);
  for (const each of Object.values(value)) idsIn(each, found);
}

function resolved(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string' && value.startsWith('$')) {
    const id = ids.get(value.slice(1));
    if (id === undefined) throw new Error(`No answer showed the id of ${value.slice(1)}`);
    return id;
  }
  if (Array.isArray(value)) return value.map((each) => resolved(each, ids));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each, ids)]));
}

/** Makes the calls that serve the task. @throws Error when a call fails. */
export const oracle: Assistant = async ({ calls, reply }, connection) => {
  const ids = new Map<string, string>();
  let data: Data;
  for (const [name, input = {}] of calls) {
    const answer = await connection.call(name, resolved(input, ids) as object);
    if (answer.isError) throw new Error(`${name}: ${answer.text}`);
    data = answer.data;
    idsIn(data, ids);
  }
  return JSON.stringify(reply ? reply(data) : data);
};

/** Whether the reply has the text; a capital letter or a small one does not matter. */
function has(reply: string, text: string | RegExp): boolean {
  return text instanceof RegExp ? text.test(reply) : reply.toLowerCase().includes(text.toLowerCase());
}

/** Lets the assistant serve the task in a workspace of its own. Returns what is wrong; empty when nothing is. */
export async function attempt(tandem: TestService, task: Task, assistant: Assistant): Promise<string[]> {
  const workspace: TestWorkspace = await taskWorkspace(tandem);
  const before = await stateOf(workspace);
  const client = await modernClient(tandem.url, workspace.key);
  const tools = (await client.list()) as ToolDeclaration[];
  const connection = { instructions: client.instructions ?? '', tools, call: client.call };
  try {
    const reply = await assistant(task, connection);
    const { includes = [], excludes = [] } = task;
    return [
      ...faultsOf(before, await stateOf(workspace), task),
      ...includes.filter((text) => !has(reply, text)).map((text) => `does not say ${text}: ${reply.slice(0, 300)}`),
      ...excludes.filter((text) => has(reply, text)).map((text) => `includes ${text}`),
    ];
  } catch (error) {
    return [String(error)];
  } finally {
    await client.close();
  }
}

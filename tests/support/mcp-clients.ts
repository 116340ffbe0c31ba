import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import * as assert from 'uvu/assert';
import { Id } from '../../domain/fields.ts';
import type { Answer, TestService } from './harness.ts';

/** A tool's answer as a client gets it. */
export interface ToolAnswer {
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
  data: any;
  text: string;
}

export interface Tools {
  instructions: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  list(): Promise<any[]>;
  call(name: string, input?: object): Promise<ToolAnswer>;
  close(): Promise<void>;
}

interface Called {
  isError?: boolean | undefined;
  structuredContent?: unknown;
  content?: unknown;
}

function answerOf({ isError = false, structuredContent, content }: Called): ToolAnswer {
  const [first] = content as { type: string; text: string }[];
  return { isError, data: structuredContent, text: first?.text ?? '' };
}

const self = { name: 'test', version: '1.0.0' };

/** What a person at the client's form says. */
export type Form = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };

/** How a client is made; all of it may be left out. */
export interface Making {
  /** The person behind the client, who sees `message` in a form. Without one the client cannot ask anybody. */
  person?: (message: string) => Form | Promise<Form>;
  fetch?: typeof fetch;
}

function waysOf(key: string, { fetch: given }: Making) {
  return { requestInit: { headers: { authorization: `Bearer ${key}` } }, ...(given && { fetch: given }) };
}

function abilities({ person }: Making) {
  return { capabilities: person ? { elicitation: {} } : {} };
}

/** A client of the 2026-07-28 protocol. */
export async function modernClient(url: string, key: string, making: Making = {}): Promise<Tools> {
  const { person } = making;
  const client = new Client(self, { ...abilities(making), versionNegotiation: { mode: { pin: '2026-07-28' } } });
  if (person) client.setRequestHandler('elicitation/create', ({ params }) => person(params.message));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), waysOf(key, making)));
  return {
    instructions: client.getInstructions(),
    list: async () => (await client.listTools()).tools,
    call: async (name, input = {}) => answerOf(await client.callTool({ name, arguments: { ...input } })),
    close: () => client.close(),
  };
}

/** A client of the 2025-11-25 protocol, which begins with `initialize`. */
export async function oldClient(url: string, key: string, making: Making = {}): Promise<Tools> {
  const { person } = making;
  const client = new OldClient(self, abilities(making));
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message));
  // biome-ignore lint/suspicious/noExplicitAny: its types and exactOptionalPropertyTypes disagree
  await client.connect(new OldTransport(new URL(`${url}/mcp`), waysOf(key, making)) as any);
  return {
    instructions: client.getInstructions(),
    list: async () => (await client.listTools()).tools,
    call: async (name, input = {}) => answerOf((await client.callTool({ name, arguments: { ...input } })) as Called),
    close: () => client.close(),
  };
}

interface Raw {
  key?: string | null;
  method?: string;
  headers?: Record<string, string>;
}

/** Sends one HTTP request to the endpoint, as no client library would. */
export async function raw(
  url: string,
  body: unknown,
  { key, method = 'POST', headers = {} }: Raw = {},
): Promise<Answer> {
  const response = await fetch(`${url}/mcp`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text !== '' && response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
}

/** Calls a tool by a bare request, without any handshake. */
export async function callTool(url: string, key: string, name: string, input: object = {}): Promise<ToolAnswer> {
  const params = { name, arguments: input };
  const { body, text } = await raw(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { key });
  if (!body?.result) throw new Error(`No result: ${text}`);
  return answerOf(body.result);
}

/** Both eras of the protocol, and a client of each. */
export const eras = [
  ['2026-07-28', modernClient],
  ['2025-11-25', oldClient],
] as const;

/** A workspace whose tools are called with `use`; `agent` adds an agent of a name to it. */
export async function toolWorkspace(tandem: TestService) {
  const workspace = await tandem.workspace();
  const use = (name: string, input?: object) => callTool(tandem.url, workspace.key, name, input);
  const agent = async (name: string) => {
    const id = crypto.randomUUID();
    const insert = 'insert into agents (workspace_id, id, name) values ($1, $2, $3)';
    await tandem.db.rows(insert, [workspace.workspaceId, id, name]);
    return id;
  };
  return { ...workspace, use, agent };
}

/** What a client of 2026-07-28 declares that follows tasks and shows forms. */
export const taskCapabilities = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Sends one request of the 2026-07-28 protocol as no client library would. */
export function modernRequest(
  url: string,
  key: string,
  method: string,
  params: Record<string, unknown> = {},
  capabilities: object = taskCapabilities,
): Promise<Answer> {
  const name = params.name ?? params.taskId;
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return raw(url, { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, { key, headers });
}

/** The ids of an answer, at any depth. */
function idsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== 'object' || value === null) return [];
  // Calls of tools have ids of the model.
  const named = Object.entries(value).filter(([key]) => key !== 'toolCallId' && !('input' in value && key === 'id'));
  return named.flatMap(([key, each]) => (/(^i|I)d$/.test(key) ? [each] : idsIn(each)));
}

/** Asserts that an answer has ids, and that none of them is cut. */
export function assertWholeIds(answer: unknown, least: number): void {
  const ids = idsIn(answer);
  assert.ok(ids.length >= least, `${ids.length} ids`);
  assert.equal(
    ids.filter((id) => !Id.safeParse(id).success),
    [],
  );
}

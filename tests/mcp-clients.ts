import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
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
const requestInit = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

/** A client of the 2026-07-28 protocol. */
export async function modernClient(url: string, key: string): Promise<Tools> {
  const client = new Client(self, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), requestInit(key)));
  return {
    instructions: client.getInstructions(),
    list: async () => (await client.listTools()).tools,
    call: async (name, input = {}) => answerOf(await client.callTool({ name, arguments: { ...input } })),
    close: () => client.close(),
  };
}

/** A client of the 2025-11-25 protocol, which begins with `initialize`. */
export async function oldClient(url: string, key: string): Promise<Tools> {
  const client = new OldClient(self);
  // biome-ignore lint/suspicious/noExplicitAny: its types and exactOptionalPropertyTypes disagree
  await client.connect(new OldTransport(new URL(`${url}/mcp`), requestInit(key)) as any);
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

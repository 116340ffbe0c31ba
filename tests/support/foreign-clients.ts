import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { createMCPClient } from '@ai-sdk/mcp';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import {
  type FunctionTool,
  getAllMcpTools,
  MCPServerStreamableHttp,
  RunContext,
  setTracingDisabled,
} from '@openai/agents';

/* MCP clients that other people wrote, as their documentation connects them. */

/** A tool's answer as the client hands it to a model: the JSON in its text. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
type Json = any;

/** What every client does. */
export interface ForeignClient {
  tools(): Promise<string[]>;
  /** The answer of the tool, also when it is an error. */
  call(name: string, input: object): Promise<Json>;
  close(): Promise<unknown>;
}

interface Block {
  type: string;
  text?: string;
}

const textOf = (blocks: readonly Block[]) => JSON.parse(blocks.find(({ type }) => type === 'text')?.text ?? 'null');

/** `@ai-sdk/mcp`, the client of the Vercel AI SDK. */
export async function aiSdk(url: string, key: string): Promise<ForeignClient> {
  const headers = { Authorization: `Bearer ${key}` };
  const client = await createMCPClient({ transport: { type: 'http', url: `${url}/mcp`, headers } });
  const tools = await client.tools();
  return {
    tools: async () => Object.keys(tools),
    call: async (name, input) => {
      const options = { toolCallId: 'call_1', messages: [], context: {} };
      const result = (await tools[name]?.execute(input as never, options as never)) as { content: Block[] };
      return textOf(result.content);
    },
    close: () => client.close(),
  };
}

/** `@langchain/mcp-adapters`. It throws what a tool reports as an error. */
export async function langChain(url: string, key: string): Promise<ForeignClient> {
  const headers = { Authorization: `Bearer ${key}` };
  const mcpServers = { tandem: { transport: 'http' as const, url: `${url}/mcp`, headers } };
  const client = new MultiServerMCPClient({ mcpServers, throwOnLoadError: true, useStandardContentBlocks: false });
  const tools = await client.getTools();
  return {
    tools: async () => tools.map(({ name }) => name),
    call: async (name, input) => {
      const tool = tools.find((each) => each.name === name);
      try {
        const output: unknown = await tool?.invoke(input as never);
        if (typeof output === 'string') return JSON.parse(output);
        return textOf((Array.isArray(output) ? output : [output]) as Block[]);
      } catch (error) {
        const [reported] = /\{"code".*\}/.exec(String(error)) ?? [];
        if (reported === undefined) throw error;
        return JSON.parse(reported);
      }
    },
    close: () => client.close(),
  };
}

/** `@openai/agents` with strict schemas; `strict`: the tools that it could convert. */
export async function openAiAgents(url: string, key: string): Promise<ForeignClient & { strict: string[] }> {
  setTracingDisabled(true);
  const headers = { authorization: `Bearer ${key}` };
  const server = new MCPServerStreamableHttp({ url: `${url}/mcp`, name: 'tandem', requestInit: { headers } });
  await server.connect();
  const mcpServers = [server];
  const tools = (await getAllMcpTools({ mcpServers, convertSchemasToStrict: true })) as FunctionTool[];
  return {
    tools: async () => tools.map(({ name }) => name),
    strict: tools.filter(({ strict }) => strict).map(({ name }) => name),
    /** As a model in strict mode answers: every argument is there, null where it has nothing to say. */
    call: async (name, input) => {
      const tool = tools.find((each) => each.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      const every = Object.keys((tool.parameters as { properties: object }).properties);
      const full = { ...Object.fromEntries(every.map((argument) => [argument, null])), ...input };
      const output = (await tool.invoke(new RunContext(), JSON.stringify(full))) as unknown;
      return textOf(Array.isArray(output) ? output : [output as Block]);
    },
    close: () => server.close(),
  };
}

/** Runs the command line of the MCP inspector, and returns what it printed. */
async function inspect(
  url: string,
  key: string,
  args: string[],
): Promise<{ code: number | null; out: string; err: string }> {
  const launcher = resolve('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  const to = ['--cli', `${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`];
  const child = spawn(process.execPath, [launcher, ...to, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<number | null>((done) => child.on('close', done));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}

/** `@modelcontextprotocol/inspector --cli`: one process for each call. */
export async function inspector(url: string, key: string): Promise<ForeignClient> {
  return {
    tools: async () => {
      const { code, out, err } = await inspect(url, key, ['--method', 'tools/list', '--strict']);
      if (code !== 0) throw new Error(`tools/list ended with ${code}: ${err}`);
      return JSON.parse(out).tools.map(({ name }: { name: string }) => name);
    },
    call: async (name, input) => {
      const pairs = Object.entries(input).map(([key, value]) => {
        return `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
      });
      const given = pairs.length > 0 ? ['--tool-arg', ...pairs] : [];
      const { out, err } = await inspect(url, key, ['--method', 'tools/call', '--tool-name', name, ...given]);
      try {
        return textOf(JSON.parse(out).content);
      } catch {
        throw new Error(`${name} printed ${out} ${err}`);
      }
    },
    close: async () => {},
  };
}

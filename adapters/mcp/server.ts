import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Context } from '../../routers/base.ts';
import type { Failure } from '../../routers/errors.ts';
import { instructionsFor } from '../../routers/instructions.ts';
import { lackingScopes } from '../../routers/tool.ts';
import type { Tool } from '../operations.ts';
import { callTool } from './answer.ts';
import { type ListedTool, listedTool } from './list.ts';

/** One exchange: who asks, and where failures of ours are told. */
export interface Exchange {
  ctx: Context;
  report: (failure: Failure) => void;
}

export interface McpFace {
  /** Answers one POST whose body is parsed. */
  answer(request: Request, body: unknown, exchange: Exchange): Promise<Response>;
  close(): Promise<void>;
}

const hint = { ttlMs: 5 * 60 * 1000, cacheScope: 'private' as const };
const cacheable = [
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
] as const;

/** There is none of these, but clients ask for them: an empty list is kinder than an error. */
const empty = { prompts: {}, resources: {} };

interface Entry {
  tool: Tool;
  listed: ListedTool;
}

function serverFor(entries: ReadonlyMap<string, Entry>, { ctx, report }: Exchange): Server {
  const { principal } = ctx;
  const seen = [...entries.values()].filter(({ tool }) => principal && lackingScopes(tool, principal).length === 0);
  const server = new Server(
    { name: 'tandem', title: 'Tandem', version: ctx.service.version },
    {
      capabilities: { tools: {}, ...empty },
      instructions: instructionsFor(new Set(seen.map(({ tool }) => tool.name))),
      cacheHints: Object.fromEntries(cacheable.map((method) => [method, hint])),
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: seen.map(({ listed }) => listed) }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const entry = entries.get(params.name);
    if (entry) return callTool(entry.tool, ctx, params.arguments ?? {}, report);
    const message = `Unknown tool: ${params.name.slice(0, 100).toWellFormed()}. Call tools/list to see what there is.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  return server;
}

/**
 * The protocol in both its eras, without sessions: 2026-07-28, where every request stands alone, and `initialize`
 * clients up to 2025-11-25. The SDK speaks it; JSON Schemas are computed here, once, and validation is the procedure's.
 */
export function createFace(tools: readonly Tool[]): McpFace {
  const entries = new Map(tools.map((tool) => [tool.name, { tool, listed: listedTool(tool) }]));
  const build: McpServerFactory = ({ authInfo }) => serverFor(entries, authInfo?.extra as unknown as Exchange);
  const modern = createMcpHandler(build, { legacy: 'reject' });

  /** Like the SDK's own fallback, but answered as JSON: a client that did not ask for an event stream gets none. */
  async function legacy(request: Request, parsedBody: unknown, exchange: Exchange): Promise<Response> {
    const server = serverFor(entries, exchange);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    try {
      await server.connect(transport);
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await server.close();
    }
  }

  return {
    async answer(request, parsedBody, exchange) {
      if (await isLegacyRequest(request, parsedBody)) return legacy(request, parsedBody, exchange);
      const authInfo = { token: '', clientId: '', scopes: [], extra: { ...exchange } };
      return modern.fetch(request, { parsedBody, authInfo });
    },
    close: () => modern.close(),
  };
}

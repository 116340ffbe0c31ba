import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  type InputRequiredResult,
  isLegacyRequest,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Context } from '../../routers/base.ts';
import type { Tool } from '../operations.ts';
import { answered, answerOf, type Exchange } from './answer.ts';
import { callAndAsk, callOrAsk, showsForms } from './asking.ts';
import { type Catalogue, catalogueOf } from './catalogue.ts';
import { inFormSession, questionRequest, sessionIdFor, takeAnswers } from './form-session.ts';

export interface McpFace {
  /** Answers one POST whose body is parsed. */
  answer(request: Request, body: unknown, exchange: Exchange): Promise<Response>;
  close(): Promise<void>;
}

const hint = { ttlMs: 5 * 60 * 1000, cacheScope: 'private' as const };
const cacheHints = {
  'server/discover': hint,
  'tools/list': hint,
  'prompts/list': hint,
  'resources/list': hint,
  'resources/templates/list': hint,
};

/** There is none of these, but clients ask for them: an empty list is kinder than an error. */
const empty = { prompts: {}, resources: {} };

type Result = CallToolResult | InputRequiredResult;

/** Calls a tool in one exchange; `mcp` is the request that asks for it. @throws Failure. */
type Call = (tool: Tool, ctx: Context, input: unknown, mcp: ServerContext['mcpReq']) => Promise<Result>;

const callPlainly: Call = async (tool, ctx, input) => answerOf(tool, await tool.call(ctx, input));

const callModern: Call = (tool, ctx, input, mcp) => {
  const repeated = { requestState: mcp.requestState(), inputResponses: mcp.inputResponses };
  const goesOn = repeated.requestState !== undefined || repeated.inputResponses !== undefined;
  const declared = (mcp.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  const asks = tool.asks && (goesOn || showsForms(declared));
  return asks ? callOrAsk(tool, ctx, input, repeated) : callPlainly(tool, ctx, input, mcp);
};

function serverFor(catalogue: Catalogue, exchange: Exchange, call: Call): Server {
  const { ctx } = exchange;
  const { tools, instructions } = catalogue.viewFor(ctx.principal);
  const server = new Server(
    { name: 'tandem', title: 'Tandem', version: ctx.service.version },
    { capabilities: { tools: {}, ...empty }, instructions, cacheHints },
  );
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const tool = catalogue.find(params.name);
    if (tool) return answered(tool, exchange, () => call(tool, ctx, params.arguments ?? {}, mcpReq));
    const message = `Unknown tool: ${params.name.slice(0, 100).toWellFormed()}. Call tools/list to see what there is.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  return server;
}

/** A body that calls `end` once it was read, or nobody reads it any more. */
async function* thenEnd(body: ReadableStream<Uint8Array>, end: () => Promise<void>) {
  try {
    yield* body;
  } finally {
    await end();
  }
}

/** The name of the tool that a body calls, when it is one such request. */
function calledTool(body: unknown): string {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === 'tools/call' ? String(params?.name) : '';
}

/**
 * The protocol in both its eras, without sessions: 2026-07-28, where every request stands alone, and `initialize`
 * clients up to 2025-11-25. The SDK speaks it; validation is the procedure's.
 */
export function createFace(tools: readonly Tool[]): McpFace {
  const catalogue = catalogueOf(tools);
  const build: McpServerFactory = ({ authInfo }) =>
    serverFor(catalogue, authInfo?.extra as unknown as Exchange, callModern);
  const modern = createMcpHandler(build, { legacy: 'reject' });

  /** Like the SDK's own fallback, but answered as JSON: a client that did not ask for an event stream gets none. */
  async function legacy(request: Request, parsedBody: unknown, exchange: Exchange): Promise<Response> {
    const server = serverFor(catalogue, exchange, callPlainly);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    try {
      await server.connect(transport);
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await server.close();
    }
  }

  /** Answered as a stream, in which the client may be asked something first. */
  async function asking(request: Request, parsedBody: unknown, exchange: Exchange): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport();
    const call: Call = (tool, ctx, input, { id }) =>
      callAndAsk(tool, ctx, input, (question, chatId) =>
        transport.send(questionRequest(ctx, question, chatId), { relatedRequestId: id }),
      );
    const server = serverFor(catalogue, exchange, call);
    await server.connect(transport);
    const { body, status, headers } = await transport.handleRequest(request, { parsedBody });
    if (!body) {
      await server.close();
      return new Response(null, { status, headers });
    }
    return new Response(ReadableStream.from(thenEnd(body, () => server.close())), { status, headers });
  }

  /** One POST of a client of `initialize`. */
  async function older(request: Request, parsedBody: unknown, exchange: Exchange): Promise<Response> {
    const { taken, rest } = await takeAnswers(exchange.ctx, parsedBody);
    if (taken > 0 && rest.length === 0) return new Response(null, { status: 202 });
    if (inFormSession(request) && catalogue.find(calledTool(parsedBody))?.asks)
      return asking(request, parsedBody, exchange);
    const response = await legacy(request, Array.isArray(parsedBody) ? rest : parsedBody, exchange);
    const sessionId = sessionIdFor(parsedBody);
    if (sessionId !== undefined && response.ok) response.headers.set('mcp-session-id', sessionId);
    return response;
  }

  return {
    async answer(request, parsedBody, exchange) {
      if (await isLegacyRequest(request, parsedBody)) return older(request, parsedBody, exchange);
      const authInfo = { token: '', clientId: '', scopes: [], extra: { ...exchange } };
      return modern.fetch(request, { parsedBody, authInfo });
    },
    close: () => modern.close(),
  };
}

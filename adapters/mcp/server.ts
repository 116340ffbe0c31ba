import type { IncomingHttpHeaders } from 'node:http';
import {
  type CallToolResult,
  createMcpHandler,
  type InputRequiredResult,
  isLegacyRequest,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ServerCapabilities,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { AuthenticatedContext } from '../../domain/context.ts';
import { shown } from '../../domain/field-errors.ts';
import { type Orientation, orientationOf } from '../../domain/meta/orientation.ts';
import { inTurn } from '../../routers/in-turn.ts';
import { introductionFor } from '../../routers/tools/instructions.ts';
import type { Tool } from '../operations.ts';
import { answered, answerTo, type Exchange } from '../tools/answer.ts';
import { type Catalogue, catalogueOf } from './catalogue.ts';
import { chatTasks, startTask } from './chat-tasks.ts';
import { answerDirectly, directCallOf, serverInfoOf } from './direct-call.ts';
import { callWithElicitation, callWithInputRequired, showsForms } from './elicitation.ts';
import type { OpenedStream } from './event-stream.ts';
import { eventsExtension, serveEvents } from './events.ts';
import { inFormSession, questionRequest, sessionIdFor, takeAnswers } from './form-session.ts';
import { ParamsServer } from './params.ts';
import {
  capabilitiesOf,
  followsTasks,
  isUndeclaredListen,
  serveTasks,
  tasksExtension,
  tasksNotDeclared,
} from './tasks.ts';

/** The MCP endpoint without its HTTP frame. */
export interface McpEndpoint {
  /** Answers a POST whose body is parsed by a message with status 200, if it is a call that needs nothing else. */
  answerDirectly(headers: IncomingHttpHeaders, body: unknown, exchange: Exchange): Promise<object> | undefined;
  /** Answers any POST whose body is parsed. */
  answer(request: Request, body: unknown, exchange: Exchange): Promise<Response>;
  close(): Promise<void>;
}

/** How long clients may cache what a credential sees, which changes with a release. */
const hint = { ttlMs: 5 * 60 * 1000, cacheScope: 'private' as const };

/** The instructions name the day: they are not cached beyond its end. */
function cacheHintsFor(orientation: Orientation | undefined) {
  const ttlMs = Math.min(hint.ttlMs, orientation?.msLeft ?? hint.ttlMs);
  return {
    'server/discover': { ...hint, ttlMs },
    'tools/list': hint,
    'prompts/list': hint,
    'resources/list': hint,
    'resources/templates/list': hint,
  };
}

/**
 * Capabilities without content: clients request these lists without checking the capability, and would report an error.
 */
const empty = { prompts: {}, resources: {} };

type Result = CallToolResult | InputRequiredResult;

/** Calls a tool in one exchange; `mcp` is its request. @throws Failure. */
type Call = (tool: Tool, ctx: AuthenticatedContext, input: unknown, mcp: ServerContext['mcpReq']) => Promise<Result>;

const callPlainly: Call = (tool, ctx, input) => answerTo(tool, ctx, input);

const callModern: Call = (tool, ctx, input, mcp) => {
  const repeated = { requestState: mcp.requestState(), inputResponses: mcp.inputResponses };
  const isRepeated = repeated.requestState !== undefined || repeated.inputResponses !== undefined;
  const declared = capabilitiesOf(mcp);
  if (tool.readAgain && !isRepeated && followsTasks(declared)) return startTask(tool, ctx, input);
  const elicits = tool.elicits && (isRepeated || showsForms(declared));
  return elicits ? callWithInputRequired(tool, ctx, input, repeated) : callPlainly(tool, ctx, input, mcp);
};

/** Methods whose answers hold the instructions. */
const introducing: unknown[] = ['initialize', 'server/discover'];

/** A POST: its exchange, and where the client works when it asks for the instructions. */
interface Visit extends Exchange {
  orientation?: Orientation | undefined;
  /** What is sent instead of the SDK's response. */
  opened: { stream?: OpenedStream };
}

/** Looks up where the client works, only when the body asks for the instructions. */
async function visitOf(body: unknown, exchange: Exchange): Promise<Visit> {
  const messages: { method?: unknown }[] = Array.isArray(body) ? body : [body];
  const asks = messages.some((message) => introducing.includes(message?.method));
  const visit = { ...exchange, opened: {} };
  return asks ? { ...visit, orientation: await orientationOf(exchange.ctx) } : visit;
}

/** What is announced to clients of 2026-07-28 beside the rest. */
const modernCapabilities = {
  // Where the drafts of MCP Events had it, which clients read still.
  events: {},
  extensions: { [tasksExtension]: {}, [eventsExtension]: {} },
} as ServerCapabilities;

/** A server for one POST, with the handlers that it needs. */
function serverFor(catalogue: Catalogue, exchange: Visit, call: Call, more: ServerCapabilities = {}): ParamsServer {
  const { ctx, orientation } = exchange;
  const { tools, instructions: general } = catalogue.viewFor(ctx.principal);
  const instructions = orientation ? `${introductionFor(orientation)}\n\n${general}` : general;
  const server = new ParamsServer(serverInfoOf(ctx.service), {
    capabilities: { tools: {}, ...empty, ...more },
    instructions,
    cacheHints: cacheHintsFor(orientation),
  });
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const tool = catalogue.find(params.name);
    if (tool) {
      const answer = () => answered(tool, exchange, () => call(tool, ctx, params.arguments ?? {}, mcpReq));
      // Each answer is cut before the next message of a batch is read, which bounds the memory. Calls that wait do so
      // at the same time, and then read in turn.
      return tool.readOnly && !params.arguments?.waitSeconds ? inTurn(exchange, answer) : answer();
    }
    const message = `Unknown tool: ${shown(params.name)}. Call tools/list to see the available tools.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${shown(params.name)}. There are none.`);
  });
  server.setRequestHandler('resources/read', ({ params }) => {
    throw new ResourceNotFoundError(params.uri);
  });
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  return server;
}

/** An error that is answered before the SDK reads the request. */
function refusal(body: unknown, { code, message, data }: ProtocolError): Response {
  const { id = null } = body as { id?: unknown };
  return Response.json({ jsonrpc: '2.0', id, error: { code, message, data } }, { status: 400 });
}

/** A stream of ours in the place of a response. It is read as fast as the client reads. */
async function streamed(stream: OpenedStream, replaced: Response): Promise<Response> {
  await replaced.body?.cancel();
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };
  const encoder = new TextEncoder();
  const bytes = async function* () {
    for await (const each of stream) yield encoder.encode(each);
  };
  return new Response(ReadableStream.from(bytes()), { headers });
}

/** A body that calls `end` once it was read or its reader is gone. */
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
  return method === 'tools/call' && typeof params?.name === 'string' ? params.name : '';
}

/**
 * The protocol in both versions, without sessions: 2026-07-28, where every request stands alone, and `initialize` clients
 * up to 2025-11-25. The SDK implements it; validation is the procedure's.
 */
export function createEndpoint(tools: readonly Tool[]): McpEndpoint {
  const catalogue = catalogueOf(tools);
  const build: McpServerFactory = ({ authInfo }) => {
    const visit = authInfo?.extra as unknown as Visit;
    const server = serverFor(catalogue, visit, callModern, modernCapabilities);
    serveTasks(server, chatTasks(catalogue.find, visit));
    serveEvents(server, visit, (stream) => {
      visit.opened.stream = stream;
    });
    return server;
  };
  const modern = createMcpHandler(build, { legacy: 'reject' });

  /** Like the SDK's own fallback, but answers JSON: a client that accepts no event stream gets none. */
  async function legacy(request: Request, parsedBody: unknown, exchange: Exchange): Promise<Response> {
    const visit = await visitOf(parsedBody, exchange);
    const server = serverFor(catalogue, visit, callPlainly);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    try {
      await server.connect(transport);
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await server.close();
    }
  }

  /** Answers with a stream, in which the client may get forms first. */
  async function eliciting(request: Request, parsedBody: unknown, exchange: Exchange): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport();
    const call: Call = (tool, ctx, input, { id }) =>
      callWithElicitation(tool, ctx, input, (question, chatId) =>
        transport.send(questionRequest(ctx, question, chatId), { relatedRequestId: id }),
      );
    const server = serverFor(catalogue, { ...exchange, opened: {} }, call);
    await server.connect(transport);
    const { body, status, headers } = await transport.handleRequest(request, { parsedBody });
    if (!body) {
      await server.close();
      return new Response(null, { status, headers });
    }
    return new Response(ReadableStream.from(thenEnd(body, () => server.close())), { status, headers });
  }

  /** One POST of a client of `initialize`. */
  async function initialized(request: Request, parsedBody: unknown, exchange: Exchange): Promise<Response> {
    const { taken, rest } = await takeAnswers(exchange.ctx, parsedBody);
    if (taken > 0 && rest.length === 0) return new Response(null, { status: 202 });
    if (inFormSession(request) && catalogue.find(calledTool(parsedBody))?.elicits)
      return eliciting(request, parsedBody, exchange);
    const response = await legacy(request, Array.isArray(parsedBody) ? rest : parsedBody, exchange);
    const sessionId = sessionIdFor(parsedBody);
    if (sessionId !== undefined && response.ok) response.headers.set('mcp-session-id', sessionId);
    return response;
  }

  return {
    answerDirectly(headers, body, exchange) {
      const call = directCallOf(headers, body, catalogue.find);
      return call && answerDirectly(call, exchange);
    },
    async answer(request, parsedBody, exchange) {
      if (await isLegacyRequest(request, parsedBody)) return initialized(request, parsedBody, exchange);
      if (isUndeclaredListen(parsedBody)) return refusal(parsedBody, tasksNotDeclared());
      const visit = await visitOf(parsedBody, exchange);
      const authInfo = { token: '', clientId: '', scopes: [], extra: { ...visit } };
      const response = await modern.fetch(request, { parsedBody, authInfo });
      return visit.opened.stream && response.ok ? streamed(visit.opened.stream, response) : response;
    },
    close: () => modern.close(),
  };
}

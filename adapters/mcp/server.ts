import type { IncomingHttpHeaders } from 'node:http';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  type ProtocolError,
  type ServerCapabilities,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Tool } from '../operations.ts';
import { answerTo, type Exchange } from '../tools/answer.ts';
import { catalogueOf } from './catalogue.ts';
import { chatTasks, startTask } from './chat-tasks.ts';
import { answerDirectly, directCallOf } from './direct-call.ts';
import { callWithElicitation, callWithInputRequired, showsForms } from './elicitation.ts';
import type { OpenedStream } from './event-stream.ts';
import { eventsExtension, serveEvents } from './events.ts';
import { inFormSession, questionRequest, sessionIdFor, takeAnswers } from './form-session.ts';
import {
  capabilitiesOf,
  followsTasks,
  isUndeclaredListen,
  serveTasks,
  tasksExtension,
  tasksNotDeclared,
} from './tasks.ts';
import { type Call, serverFor, type Visit, visitOf } from './tool-server.ts';

/** The MCP endpoint without its HTTP frame. */
export interface McpEndpoint {
  /** Answers a POST whose body is parsed by a message with status 200, if it is a call that needs nothing else. */
  answerDirectly(headers: IncomingHttpHeaders, body: unknown, exchange: Exchange): Promise<object> | undefined;
  /** Answers any POST whose body is parsed. */
  answer(request: Request, body: unknown, exchange: Exchange): Promise<Response>;
  close(): Promise<void>;
}

const callPlainly: Call = (tool, ctx, input) => answerTo(tool, ctx, input);

const callModern: Call = (tool, ctx, input, mcp) => {
  const repeated = { requestState: mcp.requestState(), inputResponses: mcp.inputResponses };
  const isRepeated = repeated.requestState !== undefined || repeated.inputResponses !== undefined;
  const declared = capabilitiesOf(mcp);
  if (tool.readAgain && !isRepeated && followsTasks(declared)) return startTask(tool, ctx, input);
  const elicits = tool.elicits && (isRepeated || showsForms(declared));
  return elicits ? callWithInputRequired(tool, ctx, input, repeated) : callPlainly(tool, ctx, input, mcp);
};

/** What is announced to clients of 2026-07-28 beside the rest. */
const modernCapabilities = {
  // Where the drafts of MCP Events had it, which clients read still.
  events: {},
  extensions: { [tasksExtension]: {}, [eventsExtension]: {} },
} as ServerCapabilities;

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
 * The protocol in both versions, without sessions: 2026-07-28, where every request stands alone, and `initialize`
 * clients up to 2025-11-25. The SDK implements it; validation is the procedure's.
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

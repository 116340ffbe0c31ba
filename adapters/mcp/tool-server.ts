import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { AuthenticatedContext } from '../../domain/context.ts';
import { shown } from '../../domain/field-errors.ts';
import { type Orientation, orientationOf } from '../../domain/meta/orientation.ts';
import { inTurn } from '../../routers/in-turn.ts';
import { introductionFor } from '../../routers/tools/instructions.ts';
import type { Tool } from '../operations.ts';
import { answered, type Exchange } from '../tools/answer.ts';
import type { Catalogue } from './catalogue.ts';
import { serverInfoOf } from './direct-call.ts';
import type { OpenedStream } from './event-stream.ts';
import { ParamsServer } from './params.ts';

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
export type Call = (
  tool: Tool,
  ctx: AuthenticatedContext,
  input: unknown,
  mcp: ServerContext['mcpReq'],
) => Promise<Result>;

/** Methods whose answers hold the instructions. */
const introducing: unknown[] = ['initialize', 'server/discover'];

/** A POST: its exchange, and where the client works when it asks for the instructions. */
export interface Visit extends Exchange {
  orientation?: Orientation | undefined;
  /** What is sent instead of the SDK's response. */
  opened: { stream?: OpenedStream };
}

/** Looks up where the client works, only when the body asks for the instructions. */
export async function visitOf(body: unknown, exchange: Exchange): Promise<Visit> {
  const messages: { method?: unknown }[] = Array.isArray(body) ? body : [body];
  const asks = messages.some((message) => introducing.includes(message?.method));
  const visit = { ...exchange, opened: {} };
  return asks ? { ...visit, orientation: await orientationOf(exchange.ctx) } : visit;
}

/** A server for one POST, with the handlers that it needs. */
export function serverFor(
  catalogue: Catalogue,
  exchange: Visit,
  call: Call,
  more: ServerCapabilities = {},
): ParamsServer {
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

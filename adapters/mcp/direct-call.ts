import type { IncomingHttpHeaders } from 'node:http';
import {
  classifyInboundRequest,
  isJsonContentType,
  type JSONRPCResultResponse,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { ServiceSettings } from '../../domain/context.ts';
import type { Tool } from '../operations.ts';
import { answered, answerTo, type Exchange } from '../tools/answer.ts';

/*
 * Answers a call of a tool without the SDK, with the very bytes that the SDK would send
 * (`tests/adapters/mcp-direct-calls.test.ts`). Most requests are one call of a tool that answers at once; the SDK makes
 * a server, a transport, a web request and a web response for each, which takes longer than all else about such a call.
 * Everything else is left to the SDK: what is not valid, and what may have another kind of answer.
 */

/** The latest protocol version, where requests stand alone. */
const modern = '2026-07-28';

/** A call of a tool that is valid in every respect but its arguments, which the procedure judges. */
export interface DirectCall {
  tool: Tool;
  input: object;
  id: JSONRPCResultResponse['id'];
  isModern: boolean;
}

/** What the service calls itself in the protocol. */
export function serverInfoOf({ version }: Pick<ServiceSettings, 'version'>) {
  return { name: 'tandem', title: 'Tandem', version };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the headers name all that a call of 2026-07-28 must name there; the version is that of its body. */
function isNamed(headers: IncomingHttpHeaders, name: string): boolean {
  const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': named } = headers;
  return version === modern && method === 'tools/call' && named === name;
}

/**
 * Whether a call of a client of `initialize` contains nothing else, apart from a token for progress, which no tool
 * reports.
 */
function isBare(version: string | undefined, { progressToken, ...others }: Record<string, unknown>): boolean {
  return Object.keys(others).length === 0 && (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version));
}

/**
 * The call of a POST that can be answered here; undefined if the SDK has to validate it, or the tool may answer in
 * another way.
 */
export function directCallOf(
  headers: IncomingHttpHeaders,
  body: unknown,
  find: (name: string) => Tool | undefined,
): DirectCall | undefined {
  if (!isObject(body) || body.method !== 'tools/call' || !isObject(body.params)) return undefined;
  const { name, arguments: input = {}, _meta: meta = {}, ...others } = body.params;
  const tool = typeof name === 'string' ? find(name) : undefined;
  if (!tool || tool.elicits || tool.readAgain || Object.keys(others).length > 0) return undefined;
  // The SDK drops arguments of this name, and the procedure refuses them.
  if (!isObject(input) || Object.hasOwn(input, '__proto__') || !isObject(meta)) return undefined;
  if (!isJsonContentType(headers['content-type'])) return undefined;
  const version = headers['mcp-protocol-version']?.toString();
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: version }),
    body,
  });
  const isModern = route.kind === 'modern' && route.messageKind === 'request';
  const isBefore = route.kind === 'legacy' && route.reason === 'no-claim';
  const isPlain = isModern ? isNamed(headers, tool.name) : isBefore && isBare(version, meta);
  if (!isPlain) return undefined;
  return { tool, input, id: body.id as DirectCall['id'], isModern };
}

/** The answer of such a call, as the SDK sends it. */
export async function answerDirectly(
  { tool, input, id, isModern }: DirectCall,
  exchange: Exchange,
): Promise<JSONRPCResultResponse> {
  const { ctx } = exchange;
  const result = await answered(tool, exchange, () => answerTo(tool, ctx, input));
  const stamped = { ...result, resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: serverInfoOf(ctx.service) } };
  return { result: isModern ? stamped : result, jsonrpc: '2.0', id };
}

import { ProtocolError, ProtocolErrorCode, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Failure } from '../../domain/errors.ts';
import {
  cursorAt,
  EventArguments,
  occurrenceOf,
  plainArguments,
  startOf,
  type WantedEvents,
} from '../../domain/events/occurrences.ts';
import { readEvents } from '../../domain/events/read.ts';
import { objectOf, readScopeOf } from '../../domain/events/types.ts';
import { maxUrlLength } from '../../domain/webhooks/shapes.ts';
import { subscribe, unsubscribe } from '../../domain/webhooks/subscriptions.ts';
import { requireStorable } from '../../routers/storable.ts';
import type { Exchange } from '../tools/answer.ts';
import { eventTypesFor, listedTypes } from './event-catalogue.ts';
import { type OpenedStream, openStream } from './event-stream.ts';
import { eventError, protocolErrorOf } from './protocol-errors.ts';

/*
 * MCP Events (io.modelcontextprotocol/events, SEP-3415, for clients of 2026-07-28) over the log of the workspace: an
 * event type of the log is one of the catalogue, in all three modes of delivery.
 */

export const eventsExtension = 'io.modelcontextprotocol/events';

const maxPolled = 500;
const nextPollMs = 5000;

type Json = Record<string, unknown>;

const Milliseconds = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const Subscribed = z.looseObject({ name: z.string(), arguments: z.unknown().optional() });
const Continued = Subscribed.extend({ cursor: z.string().nullish(), maxAgeMs: Milliseconds.nullish() });
const ListParams = z.looseObject({ cursor: z.string().nullish() });
const PollParams = Continued.extend({ maxEvents: z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullish() });
const SubscribeParams = Continued.extend({
  delivery: z.looseObject({ mode: z.string().optional(), url: z.string().max(maxUrlLength), secret: z.string() }),
  ttlMs: Milliseconds.nullish(),
});
const UnsubscribeParams = Subscribed.extend({ delivery: z.looseObject({ url: z.string() }) });

/** @throws ProtocolError for an unknown name or arguments that are not valid; Failure 403 without the read scope. */
function wantedOf({ ctx }: Exchange, { name, arguments: given }: z.infer<typeof Subscribed>): WantedEvents {
  const type = listedTypes.find((each) => each.name === name)?.name;
  if (!type) throw eventError('NotFound', 'There is no such event type. events/list has all.', { kind: 'event' });
  if (!eventTypesFor(ctx.principal).some((each) => each.name === type)) {
    const scope = readScopeOf(objectOf(type));
    const message = `This credential lacks the scope ${scope}. Use one that has it.`;
    throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: scope ? [scope] : [] });
  }
  const parsed = EventArguments.safeParse(given ?? {});
  if (parsed.success) return { name: type, arguments: plainArguments(parsed.data) };
  const [issue] = parsed.error.issues;
  const path = ['arguments', ...(issue?.path ?? [])].join('.');
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${path}: ${issue?.message}`);
}

async function poll(exchange: Exchange, params: z.infer<typeof PollParams>): Promise<Json> {
  const { ctx } = exchange;
  const { workspaceId } = ctx.principal;
  const wanted = wantedOf(exchange, params);
  const { start, truncated } = await startOf(ctx, workspaceId, {
    cursor: params.cursor,
    maxAgeMs: params.maxAgeMs ?? undefined,
  });
  const isFirst = params.cursor === undefined || params.cursor === null;
  if (isFirst) return { events: [], cursor: cursorAt(workspaceId, start), truncated, hasMore: false, nextPollMs };
  const limit = Math.min(params.maxEvents ?? 50, maxPolled);
  const query = { workspaceId, after: start, types: [wanted.name], ...wanted.arguments, reader: ctx.principal };
  const { events, through } = await readEvents(ctx.db, { ...query, limit: limit + 1 });
  const shown = events.slice(0, limit);
  const hasMore = events.length > limit;
  const last = hasMore ? (shown.at(-1)?.sequence ?? start) : through;
  return { events: shown.map(occurrenceOf), cursor: cursorAt(workspaceId, last), truncated, hasMore, nextPollMs };
}

/** 403 as an error of this extension; the caller of the endpoint may answer an app with HTTP 403 instead. */
function errorOf(exchange: Exchange, error: unknown): ProtocolError {
  const { code, message } = protocolErrorOf(exchange, error);
  const isForbidden = error instanceof Failure && error.problem.status === 403;
  if (isForbidden) return eventError('Forbidden', message, { requiredScopes: error.problem.requiredScopes ?? [] });
  return error instanceof ProtocolError ? error : new ProtocolError(code, message);
}

/**
 * Adds the methods of events to the server of one request. `onStream` answers `events/stream`: the SDK would buffer its
 * messages in memory without a limit.
 */
export function serveEvents(server: Server, exchange: Exchange, onStream: (stream: OpenedStream) => void): void {
  const { ctx } = exchange;
  const handle = <Params extends z.ZodType>(
    method: string,
    params: Params,
    answer: (params: z.infer<Params>, mcp: ServerContext['mcpReq']) => Promise<Json>,
  ) =>
    server.setRequestHandler(method, { params }, async (given, { mcpReq }) => {
      try {
        requireStorable(given);
        return await answer(given as z.infer<Params>, mcpReq);
      } catch (error) {
        throw errorOf(exchange, error);
      }
    });

  handle('events/list', ListParams, async ({ cursor }) => {
    if (!cursor) return { events: eventTypesFor(ctx.principal) };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'cursor: All types are on one page. Leave it out.');
  });
  handle('events/poll', PollParams, (params) => poll(exchange, params));
  handle('events/stream', Continued, async (params, { id }) => {
    const wanted = wantedOf(exchange, params);
    const from = { cursor: params.cursor, maxAgeMs: params.maxAgeMs ?? undefined };
    onStream(await openStream(exchange.ctx, id, wanted, from));
    return {};
  });
  handle('events/subscribe', SubscribeParams, async ({ delivery, cursor, maxAgeMs, ttlMs, ...params }) => {
    const wanted = wantedOf(exchange, params);
    const { mode = 'webhook', url, secret } = delivery;
    if (mode !== 'webhook') {
      const message = 'events/subscribe is for webhooks. Use events/poll or events/stream instead.';
      throw eventError('Unsupported', message, { feature: 'deliveryMode', value: mode });
    }
    const outcome = await subscribe(ctx, { ...wanted, url, secret, cursor, maxAgeMs: maxAgeMs ?? undefined, ttlMs });
    if (outcome.kind === 'subscribed') return outcome.subscription as unknown as Json;
    if (outcome.kind === 'too_many') {
      const message = `A workspace has at most ${outcome.max} subscriptions. End one first.`;
      throw eventError('ResourceExhausted', message, { limit: 'subscriptions', max: outcome.max });
    }
    const message = 'The callback did not prove that it wants these events: it must answer 2xx with {"challenge": …}.';
    throw eventError('CallbackEndpointError', message, { reason: outcome.reason });
  });
  handle('events/unsubscribe', UnsubscribeParams, async ({ delivery, ...params }) => {
    const type = listedTypes.find(({ name }) => name === params.name)?.name;
    const parsed = EventArguments.safeParse(params.arguments ?? {});
    const key = type && parsed.success && { name: type, arguments: plainArguments(parsed.data), url: delivery.url };
    if (key && (await unsubscribe(ctx, key))) return {};
    throw eventError('NotFound', 'There is no such subscription of this credential.', { kind: 'subscription' });
  });
}

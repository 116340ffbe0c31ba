import type { FastifyInstance, FastifyRequest, onSendAsyncHookHandler, RouteHandlerMethod } from 'fastify';
import { authorize } from '../../domain/access.ts';
import type { ServiceSettings } from '../../domain/context.ts';
import { invalid, translate } from '../../domain/errors.ts';
import { entityTag, entityTags } from '../../domain/etag.ts';
import { shown } from '../../domain/field-errors.ts';
import type { Deprecation } from '../../routers/metadata.ts';
import type { ContextFor } from '../http.ts';
import type { Operation } from '../operations.ts';
import { positionBefore, positionHeaders } from '../positions.ts';
import { setSessionCookie } from '../session-cookie.ts';
import { unsentAnswers } from '../unsent-answers.ts';
import { queryDecoder, queryParameters } from './decode.ts';
import { sendEvents, streamHeaders } from './event-stream.ts';
import { mountOtherMethods } from './other-methods.ts';
import { type ReadableStandby, standbyFor } from './stale-reads.ts';

/** The fields of a JSON body. An absent one reads as an empty object. @throws Failure 400. */
function bodyFields(request: FastifyRequest): Record<string, unknown> {
  const { body } = request;
  if (body === undefined) return {};
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw invalid(null, 'The body must be a JSON object.');
}

/** Path wins over body: a path parameter repeated in the body is an unknown field there. @throws Failure 400. */
function withPath(body: Record<string, unknown>, path: Record<string, unknown>): Record<string, unknown> {
  const repeated = Object.keys(path).find((name) => Object.hasOwn(body, name));
  if (repeated !== undefined) throw invalid(repeated, `Leave “${repeated}” out of the body: the path names it.`);
  return { ...body, ...path };
}

/** @throws Failure 400 when a DELETE carries fields: its options are in the query, and ignored fields would be lost. */
function refuseBody(request: FastifyRequest): void {
  const [field] = Object.keys(bodyFields(request));
  if (field !== undefined) throw invalid(shown(field), 'DELETE takes no body. Put its parameters into the query.');
}

/** On every response of a deprecated operation, errors included (RFC 8594; SPEC "Versioning"). */
function deprecationNotice(deprecated: Deprecation | null, service: ServiceSettings): onSendAsyncHookHandler[] {
  if (!deprecated) return [];
  return [
    async (_, reply) => {
      reply.headers(deprecationHeaders(deprecated, service));
    },
  ];
}

function deprecationHeaders({ sunset }: Deprecation, { deprecationUrl }: ServiceSettings): Record<string, string> {
  return { Deprecation: 'true', Sunset: sunset.toUTCString(), Link: `<${deprecationUrl}>; rel="deprecation"` };
}

/** The event after which a reconnected client continues: `Last-Event-ID` wins over the query. @throws Failure 400. */
function resumed(request: FastifyRequest, { stream }: Operation): Record<string, unknown> {
  const last = request.headers['last-event-id'];
  if (!stream || last === undefined || last === '') return {};
  if (typeof last === 'string' && /^\d{1,15}$/.test(last)) return { [stream.resume]: Number(last) };
  throw invalid('Last-Event-ID', 'Last-Event-ID must be the id of an event of this stream: a whole number.');
}

function handlerOf(operation: Operation, contextFor: ContextFor, standby?: ReadableStandby): RouteHandlerMethod {
  const decode = queryDecoder(operation);
  const inQuery = operation.method === 'GET' || operation.method === 'DELETE';
  const tagged = operation.etag && operation.method !== 'DELETE';
  const isSnapshot = operation.type === 'query' && !operation.stream;
  const shape = { strictQuery: operation.strictQuery, parameters: queryParameters(operation) };
  return async (request, reply) => {
    const path = request.params as Record<string, unknown>;
    if (operation.method === 'DELETE') refuseBody(request);
    const input = inQuery
      ? { ...decode(request.query as Record<string, unknown>), ...resumed(request, operation), ...path }
      : withPath(bodyFields(request), path);
    const ctx = contextFor(request, reply);
    if (standby) ctx.standby = standbyFor(operation, request.headers['cache-control'], input, ctx, standby);
    let data: unknown;
    const sequence = isSnapshot ? await positionBefore(ctx) : undefined;
    try {
      data = await operation.call(ctx, input);
    } catch (error) {
      throw translate(error, shape);
    }
    reply.headers(positionHeaders(ctx, sequence));
    if (ctx.reply.ageSeconds !== undefined) reply.header('Age', ctx.reply.ageSeconds);
    if (ctx.reply.replayed) reply.header('Idempotency-Replayed', 'true');
    setSessionCookie(request, reply, ctx.reply, ctx.service.publicUrl);
    if (operation.stream) {
      reply.code(operation.status).headers(streamHeaders);
      if (request.method === 'HEAD') return reply.send('');
      // What is sent past Fastify passes no hook.
      if (operation.deprecated) reply.headers(deprecationHeaders(operation.deprecated, ctx.service));
      sendEvents(reply, data as AsyncIterable<unknown>);
      return reply;
    }
    const json = JSON.stringify(data);
    reply.code(operation.status).header('Content-Type', 'application/json; charset=utf-8');
    if (tagged) {
      const tag = ctx.reply.etag ?? entityTag(json);
      reply.header('ETag', tag);
      // A private cache may keep it, and asks with the tag before every use. An answer to a write may hold a secret.
      if (operation.method === 'GET') reply.header('Cache-Control', 'private, no-cache');
      const known = request.headers['if-none-match'];
      if (operation.method === 'GET' && known !== undefined && matches(known, tag)) return reply.code(304).send();
    }
    unsentAnswers.count(reply, json, operation.type === 'query');
    return reply.send(json);
  };
}

/** Weak comparison (RFC 9110 §13.1.2). */
function matches(header: string, tag: string): boolean {
  return entityTags(header).some((each) => each === '*' || each.replace(/^W\//, '') === tag);
}

/**
 * One Fastify route per operation, compiled once, below the prefix that `app` is mounted at. Other methods of their
 * paths are refused (`other-methods.ts`).
 */
export function mountOperations(
  app: FastifyInstance,
  operations: Operation[],
  contextFor: ContextFor,
  service: ServiceSettings,
  standby?: ReadableStandby,
): void {
  for (const operation of operations) {
    const url = operation.path.replace(/\{(\w+)\}/g, ':$1');
    app.route({
      method: operation.method,
      url,
      bodyLimit: operation.maxBody,
      onRequest: (request, _, done) => {
        authorize(operation, request.principal, request.badCredential);
        done();
      },
      onSend: deprecationNotice(operation.deprecated, service),
      handler: handlerOf(operation, contextFor, standby),
    });
  }
  mountOtherMethods(app, operations);
}

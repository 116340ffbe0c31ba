import type { FastifyInstance, FastifyRequest } from 'fastify';
import { routeOf } from '../../adapters/http.ts';
import type { TraceRequest } from '../../outbound/client.ts';
import { beginChild, beginRoot, inSpan, isTracing, type Span } from './spans.ts';
import { parseTraceparent, traceparentOf } from './traceparent.ts';

/** Routes that other programs request every few seconds. */
const untraced = ['/healthz', '/readyz', '/metrics'];

/**
 * A span for each request, below the span that its `traceparent` names. It is named after the route: a path holds
 * tokens, and what people typed. Mounts nothing while traces are off.
 */
export function traceIncoming(app: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, reply, done) => {
    const route = routeOf(request);
    const { method } = request;
    const attributes = { 'http.request.method': method, 'http.route': route, 'tandem.request_id': request.id };
    const parent = parseTraceparent(request.headers.traceparent);
    const span = untraced.includes(route)
      ? undefined
      : beginRoot(`${method} ${route}`, parent, { kind: 'server', attributes });
    if (!span) return done();
    spans.set(request, span);
    // A stream is sent past the hooks of the response.
    reply.raw.once('close', () => {
      const { statusCode } = reply.raw;
      span.set({ 'http.response.status_code': statusCode });
      if (statusCode >= 500) span.fail({ code: String(statusCode) });
      span.end();
    });
    inSpan(span, done);
  });
  // The body is parsed on events of the socket, which know no span.
  app.addHook('preValidation', (request, _, done) => {
    const span = spans.get(request);
    if (span) inSpan(span, done);
    else done();
  });
}

/**
 * A span for each request that leaves the service on behalf of another span, whose `traceparent` it is given. Its
 * address is not recorded: that of a webhook is what a person typed.
 */
export const traceOutgoing: TraceRequest = async (method, send) => {
  const span = beginChild(() => method, { kind: 'client', attributes: { 'http.request.method': method } });
  if (!span) return send({});
  try {
    const response = await send({ traceparent: traceparentOf(span) });
    span.set({ 'http.response.status_code': response.status });
    if (!response.ok) span.fail({ code: String(response.status) });
    return response;
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
};

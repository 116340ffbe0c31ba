import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { until } from './until.ts';

/*
 * A collector that speaks OTLP over HTTP in its JSON encoding: what differs from opentelemetry-proto 1.x is refused
 * with 400, as a collector does.
 */

const hex = (digits: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`));
const unixNano = z.string().regex(/^\d{19}$/);
const Value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ boolValue: z.boolean() }),
]);
const Attributes = z.array(z.strictObject({ key: z.string().min(1), value: Value }));
const Span = z.strictObject({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: hex(16).optional(),
  flags: z.int(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: unixNano,
  endTimeUnixNano: unixNano,
  attributes: Attributes,
  status: z.strictObject({ code: z.int().min(0).max(2).optional(), message: z.string().optional() }),
});
const ScopeSpans = z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(Span).min(1) });
const ExportRequest = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({ resource: z.strictObject({ attributes: Attributes }), scopeSpans: z.array(ScopeSpans) }),
  ),
});

/** A span as it arrived, with its attributes by name. */
export interface ReceivedSpan extends Omit<z.infer<typeof Span>, 'attributes'> {
  attributes: Record<string, string | number | boolean>;
}

export interface Collector {
  url: string;
  /** The spans of all requests that were taken. */
  spans: ReceivedSpan[];
  /** The attributes of the resource of the last request. */
  resource: Record<string, unknown>;
  /** The headers of all requests, and the faults of those that were no OTLP. */
  headers: IncomingHttpHeaders[];
  faults: string[];
  /** The status of the next answers: only 200 takes the spans. */
  status: number;
  /** The spans of a trace, once one of them meets `holds`. */
  trace(traceId: string, holds: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan[]>;
  /** The first span that meets `holds`, once there is one. */
  span(holds: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>;
  close(): Promise<void>;
}

const valuesOf = (attributes: z.infer<typeof Attributes>) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [held] = Object.values(value);
      return [key, 'intValue' in value ? Number(held) : held] as const;
    }),
  );

/** Starts a collector on loopback. */
export async function startCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    collector.headers.push(request.headers);
    const parsed = ExportRequest.safeParse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    if (request.method !== 'POST' || request.url !== '/v1/traces') collector.faults.push(`${request.url}`);
    if (!parsed.success) collector.faults.push(z.prettifyError(parsed.error));
    else if (collector.status === 200) {
      for (const { resource, scopeSpans } of parsed.data.resourceSpans) {
        collector.resource = valuesOf(resource.attributes);
        for (const { spans } of scopeSpans) {
          collector.spans.push(...spans.map((span) => ({ ...span, attributes: valuesOf(span.attributes) })));
        }
      }
    }
    response.writeHead(parsed.success ? collector.status : 400, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    resource: {},
    headers: [],
    faults: [],
    status: 200,
    trace: async (traceId, holds) => {
      const found = () => collector.spans.filter((span) => span.traceId === traceId);
      await until(
        () => found().some(holds),
        () => JSON.stringify(found()),
      );
      return found();
    },
    span: async (holds) => {
      await until(
        () => collector.spans.some(holds),
        () => JSON.stringify(collector.spans.map(({ name }) => name)),
      );
      return collector.spans.find(holds) as ReceivedSpan;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}

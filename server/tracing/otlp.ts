import { type Attributes, type Span, spanKinds } from './spans.ts';

/*
 * OTLP 1.x in its JSON encoding (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): ids are
 * hexadecimal, 64-bit numbers are texts.
 */

/** The number of a status that says that a span failed. */
const failed = 2;
/** Of the W3C flags of a span: sampled. */
const sampledFlag = 1;

function anyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

const nanoseconds = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n);

function spanOf(span: Span) {
  const { traceId, spanId, parentSpanId, name, kind, attributes, beganAt, endedAt = beganAt, hasFailed } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    flags: sampledFlag,
    name,
    kind: spanKinds[kind],
    startTimeUnixNano: nanoseconds(beganAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: attributesOf(attributes),
    status: hasFailed ? { code: failed } : {},
  };
}

/** The body of a request that exports spans (`ExportTraceServiceRequest`). */
export function exportRequest(resource: Attributes, spans: readonly Span[]): string {
  const scopeSpans = [{ scope: { name: 'tandem' }, spans: spans.map(spanOf) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] });
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { SpanContext } from './traceparent.ts';

/*
 * Spans as OpenTelemetry has them. While traces are off, each of these functions costs one comparison.
 */

/** Numbers, and names that stand in the code or in the settings: never what people wrote. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The number of a kind is that of OTLP. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const;
type Kind = keyof typeof spanKinds;

/** Decides which traces are recorded, and takes their spans. */
export interface Tracer {
  samples(traceId: string, parent: SpanContext | undefined): boolean;
  ended(span: Span): void;
}

interface SpanOptions {
  kind?: Kind;
  attributes?: Attributes;
}

let tracer: Tracer | undefined;
const current = new AsyncLocalStorage<Span | undefined>();

/** A code such as `ECONNREFUSED`, `23505` or `todo_not_found`: not a sentence. */
const isCode = /^\w{1,60}$/;

/** What an error is called: its code, or its class. Its message may hold values. */
function errorType(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && isCode.test(code)) return code;
  return error instanceof Error ? error.constructor.name : 'error';
}

/** One piece of work in a trace. */
export class Span implements SpanContext {
  readonly traceId: string;
  readonly spanId = randomBytes(8).toString('hex');
  readonly parentSpanId: string | undefined;
  readonly isSampled: boolean;
  readonly kind: Kind;
  name: string;
  attributes: Attributes;
  hasFailed = false;
  /** Milliseconds since 1970. */
  readonly beganAt = performance.timeOrigin + performance.now();
  endedAt: number | undefined;
  readonly #tracer: Tracer;

  constructor(of: Tracer, name: string, parent: SpanContext | undefined, { kind, attributes }: SpanOptions = {}) {
    this.#tracer = of;
    this.name = name;
    this.kind = kind ?? 'internal';
    this.attributes = attributes ?? {};
    this.traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    this.parentSpanId = parent?.spanId;
    this.isSampled = parent instanceof Span ? parent.isSampled : of.samples(this.traceId, parent);
  }

  /** Adds attributes. */
  set(attributes: Attributes): void {
    this.attributes = { ...this.attributes, ...attributes };
  }

  /** Marks it as failed, with the code or class of the error. */
  fail(error: unknown): void {
    this.hasFailed = true;
    this.set({ 'error.type': errorType(error) });
  }

  /** Ends it; later calls do nothing. */
  end(): void {
    if (this.endedAt !== undefined) return;
    this.endedAt = performance.timeOrigin + performance.now();
    if (this.isSampled) this.#tracer.ended(this);
  }
}

/** Switches traces on with a tracer, or off. */
export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Whether traces are on. */
export const isTracing = (): boolean => tracer !== undefined;

/** The span in which this code runs, unless it has ended: what goes on after an answer belongs to nothing. */
export function currentSpan(): Span | undefined {
  const span = tracer && current.getStore();
  return span?.endedAt === undefined ? span : undefined;
}

/** The fields of a log line that name the current trace and span. */
export function traceFields(): object {
  const span = currentSpan();
  return span ? { traceId: span.traceId, spanId: span.spanId } : {};
}

/** Runs `work` in a span. */
export function inSpan<Result>(span: Span | undefined, work: () => Result): Result {
  return current.run(span, work);
}

/** Begins a span below a caller's, or a new trace. Undefined while traces are off. */
export function beginRoot(name: string, parent: SpanContext | undefined, options?: SpanOptions): Span | undefined {
  return tracer && new Span(tracer, name, parent, options);
}

/** Begins a span below the current one. Undefined where there is none: a trace of one statement has no use. */
export function beginChild(name: () => string, options?: SpanOptions): Span | undefined {
  const parent = currentSpan();
  if (!tracer || !parent) return undefined;
  return new Span(tracer, parent.isSampled ? name() : '', parent, options);
}

async function settled<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    return await inSpan(span, work);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** Runs `work` in a span below the current one, if there is one. */
export function traced<Result>(name: string, options: SpanOptions, work: () => Promise<Result>): Promise<Result> {
  const span = beginChild(() => name, options);
  return span ? settled(span, work) : work();
}

/** Runs `work` as a trace of its own. */
export function tracedAsRoot<Result>(name: string, options: SpanOptions, work: () => Promise<Result>): Promise<Result> {
  const span = beginRoot(name, undefined, options);
  return span ? settled(span, work) : work();
}

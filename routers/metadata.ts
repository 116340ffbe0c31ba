import type { OpenApiMeta } from 'trpc-to-openapi';
import type { z } from 'zod';
import type { AuthenticatedContext, Context, WaitContext } from '../domain/context.ts';
import type { EventType } from '../domain/events/types.ts';
import type { Access, OperationFacts, ToolMeta } from '../domain/operations.ts';
import type { Scope } from '../domain/scopes.ts';

/** Bytes of a request body, unless the operation sets another limit (CONTRACT §1.7). */
export const defaultMaxBody = 2 ** 20;

/**
 * Statuses that only some operations answer. Public operations name their own 401 and 403; others name 403 where it has
 * codes beside those of every operation of their access.
 */
export type ExtraStatus = 401 | 402 | 403 | 404 | 409 | 412;

export interface Deprecation {
  /** When the operation stops working: an HTTP-date in `Sunset` (RFC 8594). At least 90 days ahead when announced. */
  sunset: Date;
  replacement: string;
}

/**
 * Runs once the work of an operation is committed, on a fresh answer and on a replayed one, outside of any transaction.
 * Its result replaces the answer; `input` is the valid raw input.
 */
export type After = (ctx: WaitContext, answer: unknown, input: unknown) => Promise<unknown>;

/**
 * Runs before the transaction of an `Idempotency-Key`, for work that takes longer than that may stay open. Returns what
 * the verb finds in its context; what fails is thrown there, because the key may have an answer. `input` is raw.
 */
export type Ahead = (ctx: AuthenticatedContext, input: unknown) => Promise<Pick<Context, 'media'>>;

/** An operation that answers with a stream of events instead of one body. */
export interface Streaming {
  /** Schema of one event: its name in `event`, its content in `data`, with `id` where a client can resume behind it. */
  event: z.ZodType;
  /** The input field that a client's `Last-Event-ID` stands for: a whole number. */
  resume: string;
}

export interface OperationMeta extends OperationFacts {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Path template relative to the REST root. */
  path: string;
  /** Status of success. */
  status: 200 | 201 | 202;
  /** Accepts `Idempotency-Key`. */
  keyed: boolean;
  /** Whether the verb makes the claim of the key in its own statement, for such a body; null: never. */
  claims: ((body: unknown) => boolean) | null;
  /** Set when a part of the work must not hold the transaction of the key. */
  ahead: Ahead | null;
  /** Largest request body in bytes. A larger one is refused with 413. */
  maxBody: number;
  /** Unknown query parameters are refused with `unknown_parameter` instead of being ignored. */
  strictQuery: boolean;
  /** The answer is one resource with an entity tag. */
  etag: boolean;
  /** Statuses beside 400, 401, 403, 429, 500 and 503 that this operation answers. */
  statuses: readonly ExtraStatus[];
  deprecated: Deprecation | null;
  /** The input shown in the code samples; null: it is made of the examples in the input schema. */
  sample: Readonly<Record<string, unknown>> | null;
  /** Types of the events that it may record; null: none are declared. */
  events: readonly EventType[] | null;
  /** Set when the request may wait after its work is committed. */
  after: After | null;
  /**
   * Set when it may read megabytes, which the calls of one request are not to hold at once: they are made `inTurn`, or
   * their pages `share` what one of them has (`Reply.pages`).
   */
  heavy: 'inTurn' | 'share' | null;
  /** Set when the answer is a stream of events. */
  stream: Streaming | null;
}

interface OfOperation extends OpenApiMeta {
  operation: OperationMeta;
  tool?: never;
}

interface OfTool extends OpenApiMeta {
  tool: ToolMeta;
  operation?: never;
  openapi?: never;
}

/** Metadata of a procedure: of an operation (`op`) or of a tool (`tool`). */
export type Meta = OfOperation | OfTool;

interface OperationOptions {
  id: string;
  summary: string;
  /** What it does, when to use another operation instead, what happens beside: two sentences or more, in Markdown. */
  description?: string;
  /**
   * Path, query and body of the request in the code samples, where the examples in the schema would not make a good
   * one.
   */
  sample?: Readonly<Record<string, unknown>>;
  scope?: Scope;
  access?: Access;
  beforeSecondFactor?: boolean;
  status?: 200 | 201 | 202;
  keyed?: boolean;
  claims?: (body: unknown) => boolean;
  ahead?: Ahead;
  /** Bytes; 1 MiB unless set. */
  maxBody?: number;
  strictQuery?: boolean;
  etag?: boolean;
  statuses?: readonly ExtraStatus[];
  deprecated?: Deprecation;
  /** Every type of event that it may record; of changes only. */
  events?: readonly EventType[];
  after?: After;
  heavy?: 'inTurn' | 'share';
  stream?: Streaming;
}

/**
 * The metadata of one operation, from which REST, OpenAPI, MCP and the typed client are derived.
 * `route` is `METHOD /path/{param}`; every path parameter is a field of the procedure's input.
 */
export function op(route: `${OperationMeta['method']} /${string}`, options: OperationOptions): OfOperation {
  const [method, path] = route.split(' ') as [OperationMeta['method'], `/${string}`];
  const { id, summary, description, scope = null, keyed = false, deprecated = null, etag = false } = options;
  const { access = scope ? 'scoped' : 'any', beforeSecondFactor = false, status = 200, strictQuery = false } = options;
  const {
    after = null,
    heavy = null,
    stream = null,
    maxBody = defaultMaxBody,
    sample = null,
    events = null,
    claims = null,
    ahead = null,
  } = options;
  const statuses = new Set<ExtraStatus>(options.statuses);
  if (keyed) statuses.add(409);
  if (etag && (method === 'PATCH' || method === 'DELETE')) statuses.add(412);
  const tag = path.split('/')[1] || 'meta';
  return {
    openapi: {
      method,
      path,
      summary,
      tags: [['me', 'openapi.json'].includes(tag) ? 'meta' : tag],
      protect: access !== 'public',
      ...(description !== undefined && { description }),
      ...(deprecated !== null && { deprecated: true }),
    },
    operation: {
      id,
      access,
      scope,
      beforeSecondFactor,
      method,
      path,
      status,
      keyed,
      claims,
      ahead,
      maxBody,
      strictQuery,
      etag,
      deprecated,
      sample,
      statuses: [...statuses].sort(),
      events,
      after,
      heavy,
      stream,
    },
  };
}

import type { OpenApiMeta } from 'trpc-to-openapi';
import type { z } from 'zod';
import type { Db } from '../db/client.ts';
import type { Live } from './live.ts';
import type { Scope } from './scopes.ts';

/**
 * `public`: anybody. `any`: every valid credential. `scoped`: a credential with the scope. `reader`: one that may read
 * something, whatever it is. `session` and `key_management`: a signed-in person; the latter refuses keys with a code of
 * its own.
 */
export type Access = 'public' | 'any' | 'scoped' | 'reader' | 'session' | 'key_management';

/** Statuses that only some operations answer. Public operations name their own 401 and 403. */
export type ExtraStatus = 401 | 402 | 403 | 404 | 409 | 412;

export interface OperationFacts {
  id: string;
  access: Access;
  scope: Scope | null;
}

export interface Deprecation {
  /** When the operation stops working: an HTTP-date in `Sunset` (RFC 8594). At least 90 days ahead when announced. */
  sunset: Date;
  replacement: string;
}

/** What a request that waits may use of its context. `db` is the pool: nothing is held while it waits. */
export interface Waiting {
  principal: { workspaceId: string } | null;
  db: Db;
  live: Live;
  /** The client is gone. */
  signal: AbortSignal;
  /** The process is about to stop: who waits answers now. */
  closing: AbortSignal;
}

/**
 * Runs once the work of an operation is committed, on a fresh answer and on a replayed one, outside of any transaction.
 * What it returns is answered instead; `input` is as it came, and valid.
 */
export type After = (waiting: Waiting, answer: unknown, input: unknown) => Promise<unknown>;

/** An operation that answers events as they happen, not one body. */
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
  /** Unknown query parameters are refused with `unknown_parameter` instead of being ignored. */
  strictQuery: boolean;
  /** The answer is one resource with an entity tag. */
  etag: boolean;
  /** Statuses beside 400, 401, 403, 429 and 500 that this operation answers. */
  statuses: readonly ExtraStatus[];
  deprecated: Deprecation | null;
  /** Set when the request may wait for more after its work is done. */
  after: After | null;
  /** Set when the answer is a stream of events. */
  stream: Streaming | null;
}

/** What a tool for assistants says of itself: MCP and agents at work derive from it. */
export interface ToolMeta {
  name: string;
  title: string;
  description: string;
  /** All of them are needed. */
  scopes: readonly Scope[];
  readOnly: boolean;
  /** A second call like the first changes nothing more. */
  idempotent: boolean;
  /** Longest text of an answer in characters; what is longer is cut. */
  longestText: number;
  /** How to get the rest of a text that was cut. */
  rest: string;
  /** Its answer may wait for a person, whom the client can ask: see `routers/approvals/asking.ts`. */
  asks: boolean;
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
  description?: string;
  scope?: Scope;
  access?: Access;
  status?: 200 | 201 | 202;
  keyed?: boolean;
  strictQuery?: boolean;
  etag?: boolean;
  statuses?: readonly ExtraStatus[];
  deprecated?: Deprecation;
  after?: After;
  stream?: Streaming;
}

/**
 * The metadata of one operation, from which REST, OpenAPI, MCP and the typed client are derived.
 * `route` is `METHOD /path/{param}`; every path parameter is a field of the procedure's input.
 */
export function op(route: `${OperationMeta['method']} /${string}`, options: OperationOptions): OfOperation {
  const [method, path] = route.split(' ') as [OperationMeta['method'], `/${string}`];
  const { id, summary, description, scope = null, keyed = false, deprecated = null, etag = false } = options;
  const { access = scope ? 'scoped' : 'any', status = 200, strictQuery = false } = options;
  const { after = null, stream = null } = options;
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
      method,
      path,
      status,
      keyed,
      strictQuery,
      etag,
      deprecated,
      statuses: [...statuses].sort(),
      after,
      stream,
    },
  };
}

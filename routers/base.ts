import 'zod/compile';
import type { KeyObject } from 'node:crypto';
import { initTRPC } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import type { Db } from '../db/client.ts';
import { errorBody, Failure, translate } from './errors.ts';
import { answerOnce, idempotencyKeyOf } from './idempotency.ts';
import type { Mailer } from './mail.ts';
import type { Scope } from './scopes.ts';

/** Who makes a request, resolved from its bearer. One principal acts in exactly one workspace. */
export interface Principal {
  kind: 'api_key' | 'session' | 'oauth';
  credentialId: string;
  credentialName: string;
  workspaceId: string;
  userId: string;
  scopes: ReadonlySet<Scope>;
  rateLimitPerMinute: number;
  expiresAt: string | null;
}

/** The client of a request, as far as the transport knows it. */
export interface Client {
  /** SHA-256 of its address. */
  addressHash: Buffer;
  /** What it says of itself, for people to recognise. */
  name: string;
}

/** What the transport must tell beside the answer. */
export interface Reply {
  replayed: boolean;
  /** The session to keep in the browser's cookie; null ends it, undefined leaves the cookie alone. */
  session?: { token: string; expiresAt: string } | null;
}

/** What holds for the whole service: addresses without a trailing slash, shared secrets. */
export interface ServiceSettings {
  version: string;
  publicUrl: string;
  cliInstallUrl: string;
  deprecationUrl: string;
  cursorKey: KeyObject;
  /** Agent minutes that a new workspace starts with. */
  agentMinutes: number;
  /** Requests a minute of a new API key. */
  rateLimitPerMinute: number;
  /** The OpenAPI document; set once the operations are known. */
  document?: () => Record<string, unknown>;
}

/** The world as a procedure sees it. */
export interface Context {
  principal: Principal | null;
  /** A bearer was sent, but no valid credential answers to it. */
  badCredential: boolean;
  db: Db;
  clock: () => Date;
  signal: AbortSignal;
  requestId: string;
  service: ServiceSettings;
  /** operationId → the operations of the service; what a credential may call is derived from it. */
  operations: readonly OperationFacts[];
  /** The `Idempotency-Key` header as it came. */
  idempotencyKey: string | undefined;
  /** Entity tags of `If-Match`; undefined when the request is unconditional. */
  ifMatch: readonly string[] | undefined;
  client: Client;
  mail: Mailer;
  reply: Reply;
}

/**
 * `public`: anybody. `any`: every valid credential. `scoped`: a credential with the scope. `session` and
 * `key_management`: a signed-in person; the latter refuses keys with a code of its own.
 */
export type Access = 'public' | 'any' | 'scoped' | 'session' | 'key_management';

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
}

/**
 * The metadata of one operation, from which REST, OpenAPI, MCP and the typed client are derived.
 * `route` is `METHOD /path/{param}`; every path parameter is a field of the procedure's input.
 */
export function op(route: `${OperationMeta['method']} /${string}`, options: OperationOptions): OfOperation {
  const [method, path] = route.split(' ') as [OperationMeta['method'], `/${string}`];
  const { id, summary, description, scope = null, keyed = false, deprecated = null, etag = false } = options;
  const { access = scope ? 'scoped' : 'any', status = 200, strictQuery = false } = options;
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
    },
  };
}

const challenge = { 'WWW-Authenticate': 'Bearer realm="tandem"' };

function needsSession({ access }: OperationFacts): boolean {
  return access === 'session' || access === 'key_management';
}

/** Whether a credential with `scopes` of this kind may call the operation. */
export function mayCall(operation: OperationFacts, principal: Principal): boolean {
  if (needsSession(operation)) return principal.kind === 'session';
  return operation.scope === null || principal.scopes.has(operation.scope);
}

/**
 * Whether the caller may call the operation. `bad`: a bearer was sent that no valid credential answers to.
 * @throws Failure 401 without a valid credential, 403 when it does not reach the operation.
 */
export function authorize(operation: OperationFacts, principal: Principal | null, bad = false): void {
  if (operation.access === 'public') return;
  if (!principal && bad) {
    const message = 'This credential is not valid: unknown, revoked or expired. Use a valid API key.';
    throw new Failure({ status: 401, code: 'invalid_api_key', message, headers: challenge });
  }
  if (!principal) {
    const message = 'Send an API key as “Authorization: Bearer tandem_sk_…”.';
    throw new Failure({ status: 401, code: 'missing_credentials', message, headers: challenge });
  }
  if (mayCall(operation, principal)) return;
  if (operation.access === 'key_management') {
    const message = 'API keys and connected apps are managed by a signed-in person, never with a key or token.';
    throw new Failure({ status: 403, code: 'api_key_auth_required', message });
  }
  if (operation.access === 'session') {
    const message = 'This needs a signed-in user session; API keys and OAuth tokens cannot do it.';
    throw new Failure({ status: 403, code: 'missing_scope', message, reason: 'session_required' });
  }
  const requiredScopes = operation.scope ? [operation.scope] : [];
  const message = `This credential lacks the scope ${operation.scope}. Use one that has it.`;
  throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes });
}

const t = initTRPC
  .meta<Meta>()
  .context<Context>()
  .create({
    errorFormatter: ({ shape, error, ctx }) => {
      const failure = translate(error);
      const problem = errorBody(failure, ctx?.requestId ?? '', `${ctx?.service.publicUrl ?? ''}/docs/errors`);
      return {
        ...shape,
        message: problem.message,
        data: { code: shape.data.code, httpStatus: problem.status, problem },
      };
    },
  });

export const router = t.router;

/** A procedure without the frame of an operation. */
export const bareProcedure = t.procedure;

/** The frame of every operation: scope, then idempotency around shape and work. */
export const procedure = t.procedure.use(async ({ ctx, meta, type, next, getRawInput }) => {
  const operation = meta?.operation;
  if (!operation) throw new Error('A procedure without op() metadata');
  authorize(operation, ctx.principal, ctx.badCredential);
  if (type !== 'mutation' || !operation.keyed || ctx.idempotencyKey === undefined || !ctx.principal) return next();
  return answerOnce(ctx, ctx.principal, idempotencyKeyOf(ctx.idempotencyKey), operation, await getRawInput(), (db) =>
    next({ ctx: { db } }),
  );
});

/** The principal of an operation that is not public. */
export function principalOf(ctx: Context): Principal {
  if (!ctx.principal) throw new Error('A public operation asked for its principal');
  return ctx.principal;
}

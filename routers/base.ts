import 'zod/compile';
import type { KeyObject } from 'node:crypto';
import { initTRPC } from '@trpc/server';
import type { z } from 'zod';
import type { Db } from '../db/client.ts';
import type { Media } from './captures/media.ts';
import { errorBody, Failure, translate } from './errors.ts';
import { answerOnce, idempotencyKeyOf } from './idempotency.ts';
import type { Jobs } from './jobs.ts';
import type { Live } from './live.ts';
import type { Mailer } from './mail.ts';
import type { Meta, OperationFacts, OperationMeta } from './metadata.ts';
import { readScopes, type Scope } from './scopes.ts';

export { op } from './metadata.ts';

/** The agent at work when a principal is one: its turn, and what it was given to work on. */
export interface AgentAtWork {
  agentId: string;
  turnId: string;
  chatId: string;
  todoId: string | null;
  /** How many agents stand between a person and this turn; 0 when a person or program started it. */
  depth: number;
}

/**
 * Who makes a request, resolved from its bearer, or an agent at work. One principal acts in exactly one workspace.
 * `userId` is the person behind it: the owner of the key, or the one on whose behalf the agent works.
 */
export interface Principal {
  kind: 'api_key' | 'session' | 'oauth' | 'agent';
  credentialId: string;
  credentialName: string;
  workspaceId: string;
  userId: string;
  scopes: ReadonlySet<Scope>;
  rateLimitPerMinute: number;
  expiresAt: string | null;
  /** Set exactly when `kind` is `agent`. */
  agent?: AgentAtWork;
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
  /** The entity tag of the resource, where the answer shows it in another shape than a read does. */
  etag?: string;
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
  /** A recording is stopped after so long. */
  recordings: { maxSeconds: number };
  /** The OpenAPI document; set once the operations are known. */
  document?: () => Record<string, unknown>;
  /** Tool name → what it takes and needs; set once the tools are known. A resource of the router cannot import its tools. */
  tools?: ReadonlyMap<string, { input: z.ZodObject; scopes: readonly Scope[] }>;
}

/** A call of a tool that goes on after a person was asked: what it did before is not done again. */
export interface Resumed {
  /** The chat that it started or wrote in. */
  chatId: string;
  /** The message that it wrote there; 0 when it only read. */
  sequence: number;
  /** When it must answer at the latest, as `performance.now()` has it. */
  until?: number | undefined;
}

/** The world as a procedure sees it. */
export interface Context {
  principal: Principal | null;
  /** A bearer was sent, but no valid credential answers to it. */
  badCredential: boolean;
  db: Db;
  jobs: Jobs;
  live: Live;
  clock: () => Date;
  media: Media;
  /** The client is gone. Work goes on without it; waiting ends. */
  signal: AbortSignal;
  /** The process is about to stop: who waits answers now. One signal for all requests. */
  closing: AbortSignal;
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
  /** Set when this call of a tool goes on after a person was asked. */
  resumed?: Resumed | undefined;
}

const challenge = { 'WWW-Authenticate': 'Bearer realm="tandem"' };

function needsSession({ access }: OperationFacts): boolean {
  return access === 'session' || access === 'key_management';
}

/** Whether a credential with `scopes` of this kind may call the operation. */
export function mayCall(operation: OperationFacts, principal: Principal): boolean {
  if (needsSession(operation)) return principal.kind === 'session';
  if (operation.access === 'reader') return readScopes.some((scope) => principal.scopes.has(scope));
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
  if (operation.access === 'reader') {
    const message = `This credential can read nothing. Use one that has one of the scopes ${readScopes.join(', ')}.`;
    throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: readScopes });
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

/** The events of a stream, each as its schema has it. */
async function* shaped(schema: z.ZodType, events: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const event of events) yield schema.parse(event);
}

/**
 * What an operation answers once its work is committed. A wait that fails (the database is gone) takes nothing back:
 * the answer is then what the work itself gave.
 */
async function finished(ctx: Context, { after, stream }: OperationMeta, data: unknown, input: unknown) {
  if (stream) return shaped(stream.event, data as AsyncIterable<unknown>);
  return after ? after(ctx, data, input).catch(() => data) : data;
}

/** The frame of every operation: scope, then idempotency around shape and work, then what waits for more. */
export const procedure = t.procedure.use(async ({ ctx, meta, type, next, getRawInput }) => {
  const operation = meta?.operation;
  if (!operation) throw new Error('A procedure without op() metadata');
  authorize(operation, ctx.principal, ctx.badCredential);
  const key = type === 'mutation' && operation.keyed ? ctx.idempotencyKey : undefined;
  const result =
    key === undefined || !ctx.principal
      ? await next()
      : await answerOnce(ctx, ctx.principal, idempotencyKeyOf(key), operation, await getRawInput(), (db) =>
          next({ ctx: { db } }),
        );
  if (!result.ok || !(operation.after || operation.stream)) return result;
  return { ...result, data: await finished(ctx, operation, result.data, await getRawInput()) };
});

/** The principal of an operation that is not public. */
export function principalOf(ctx: Context): Principal {
  if (!ctx.principal) throw new Error('A public operation asked for its principal');
  return ctx.principal;
}

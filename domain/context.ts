import type { KeyObject } from 'node:crypto';
import type { z } from 'zod';
import type { Db } from '../db/client.ts';
import type { Claim } from './claim.ts';
import type { EventLogs } from './event-logs.ts';
import type { Live } from './live.ts';
import type { Mailer } from './mail.ts';
import type { Media } from './media.ts';
import type { ListedOperation } from './operations.ts';
import type { Scope } from './scopes.ts';

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
  /** The connected app of an OAuth token: the same for all tokens of one consent. */
  grantId?: string;
  workspaceId: string;
  userId: string;
  scopes: ReadonlySet<Scope>;
  rateLimitPerMinute: number;
  expiresAt: string | null;
  /** A session in a workspace that requires a second factor, of a person who has none. */
  lacksSecondFactor?: boolean;
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

/**
 * The outcome of a call on which security depends: signing in, credentials, members, settings of the workspace, or a
 * call that was refused. It holds ids and no text that people wrote.
 */
export interface SecurityEvent {
  /** The id of the operation or the name of the tool. */
  operation: string;
  /** `refused` with the status and code of the failure. */
  outcome: 'done' | 'refused';
  status?: number;
  code?: string;
  reason?: string;
  /** The person of the credential, or whom the request signed in or came to know. */
  userId: string | null;
  /** What an app was connected to, where that is not the workspace of the credential. */
  workspaceId?: string;
  connectedAppId?: string;
}

/** A call of an operation or of a tool, by its id or name. */
export interface ObservedCall {
  kind: 'operation' | 'tool';
  name: string;
}

/** Runs a call and measures it. Its outcome stays as it is. */
export type Observe = <Outcome extends { ok: boolean }>(
  call: ObservedCall,
  run: () => Promise<Outcome>,
) => Promise<Outcome>;

/** What the transport must send besides the answer. */
export interface Reply {
  replayed: boolean;
  /** The last event of each call that changed something, by its place among the calls of the request. */
  eventIds?: string[];
  /** The entity tag of the resource, where the answer shows it in another shape than a read does. */
  etag?: string;
  /** The session to keep in the browser's cookie; null ends it, undefined leaves the cookie alone. */
  session?: { token: string; expiresAt: string } | null;
  /** Calls of the request that return a page of long texts, where there are several. */
  pages?: number;
  /** What the request holds until its response is closed, sent or not: called then. */
  onClose?: (() => void)[];
  /** Set when a standby answered: the age that its data may have at most, in whole seconds. */
  ageSeconds?: number;
}

/** A standby that may answer a read instead of the primary: its data is at most so old. */
export interface StandbyRead {
  db: Db;
  ageMs: number;
  /** Positions in the logs of workspaces that it had at a time (ms of a monotonic clock), by workspace. */
  positions: Map<string, { latest: number; at: number }>;
  /** Counts an answer. */
  answered(): void;
}

/** What holds for the whole service: addresses without a trailing slash, shared secrets. */
export interface ServiceSettings {
  version: string;
  publicUrl: string;
  cliInstallUrl: string;
  /** Whether a language model answers for agents; without one, the built-in engine does. */
  hasModel: boolean;
  deprecationUrl: string;
  cursorKey: KeyObject;
  /** Encrypts the secrets of authenticator apps. */
  totpKey: KeyObject;
  webhooks: {
    /** Encrypts the secrets of webhook endpoints. */
    key: KeyObject;
    /**
     * Why no request may be sent to an address, as a sentence without its subject and full stop; null if it is allowed.
     */
    refusalOf(url: string): string | null;
    /** Sends one request for a workspace and returns what came of it. @throws Failure 503 while many of it wait. */
    send(
      workspaceId: string,
      request: { url: string; headers: Record<string, string>; body: string },
    ): Promise<{
      /** Null: there was no answer, for the reason `error`. */
      status: number | null;
      responseBody: string | null;
      error: string | null;
    }>;
  };
  push: {
    /** Encrypts where browsers get messages, and their keys. */
    key: KeyObject;
    /** Identifies the service to push services: its public key is in base64url. */
    vapid: { publicKey: string; privateKey: KeyObject };
  };
  /** Who may make an account: anybody, or whoever has an invitation. */
  signUp: 'open' | 'invited';
  /** Agent minutes that a person is granted once, with their first workspace. */
  agentMinutes: number;
  /** Agent minutes that each further workspace of a person starts with. */
  agentMinutesPerWorkspace: number;
  /** log2 of scrypt's N for new passwords. */
  passwordCost: number;
  /** Whether a person must verify their address before they hand out access. */
  requireVerifiedEmail: boolean;
  /** Requests a minute of a new API key. */
  rateLimitPerMinute: number;
  /** Streams of events that a workspace may have open on one process; of chats fewer. */
  streamsPerWorkspace: number;
  /** A recording is stopped after so long. */
  recordings: { maxSeconds: number };
  /** The OpenAPI document; set once the operations are known. */
  document?: () => Record<string, unknown>;
  /**
   * Tool name → what it takes and needs; set once the tools are known. A resource of the router cannot import its
   * tools.
   */
  tools?: ReadonlyMap<string, { input: z.ZodObject; scopes: readonly Scope[] }>;
}

/**
 * A call of a tool that continues after a person was asked, or reads what it started: what it did before is not done
 * again.
 */
export interface Resumed {
  /** The chat that it started or wrote in. */
  chatId: string;
  /** The message that it wrote there; 0 when it only read. */
  sequence: number;
  /** When it must answer at the latest, as `performance.now()` has it. */
  until?: number | undefined;
  /** It reads the state of a task, and is called again when that fails. */
  isTask?: boolean;
}

/**
 * What every change needs, whoever asks for it: a request, an agent at work or the scheduler. `db` is its transaction.
 */
export interface ServiceContext {
  db: Db;
  live: Live;
  clock: () => Date;
  mail: Pick<Mailer, 'sends'>;
}

/** What a request brings, before it is known whether its credential is valid. */
export interface RequestContext extends ServiceContext {
  principal: Principal | null;
  /** A bearer was sent, but no valid credential answers to it. */
  badCredential: boolean;
  mail: Mailer;
  media: Media;
  /** The logs of the workspaces, as this process follows them. */
  logs: EventLogs;
  /** The client has disconnected. Work continues without it; waiting ends. */
  signal: AbortSignal;
  /** The process is about to stop: who waits answers now. One signal for all requests. */
  closing: AbortSignal;
  requestId: string;
  service: ServiceSettings;
  /** operationId → the operations of the service; what a credential may call is derived from it. */
  operations: readonly ListedOperation[];
  /** The `Idempotency-Key` header as it came. */
  idempotencyKey: string | undefined;
  /** Entity tags of `If-Match`; undefined when the request is unconditional. */
  ifMatch: readonly string[] | undefined;
  client: Client;
  reply: Reply;
  /** Set when the client accepts an answer of that age; errors are always those of the primary. */
  standby?: StandbyRead | undefined;
  /** Logs the event with the client's address and the credential. */
  recordSecurityEvent: (event: SecurityEvent) => void;
  observe: Observe;
  /** Set when this call of a tool continues after a person was asked, or reads what it started. */
  resumed?: Resumed | undefined;
}

/** A request whose credential is valid. */
export interface AuthenticatedContext extends RequestContext {
  principal: Principal;
}

/** The context of a verb behind `procedure` or `toolProcedure`. */
export interface Context extends AuthenticatedContext {
  /** The operation or tool that is called. A cursor opens only where its id is the same. */
  operation: string;
  /** Set when the verb must make the claim of the `Idempotency-Key` in its statement (`op({ claims })`). */
  claim?: Claim | undefined;
}

/** What a request that waits may use of its context. `db` is the pool: nothing is held while it waits. */
export type WaitContext = Pick<Context, 'principal' | 'operation' | 'db' | 'live' | 'service' | 'signal' | 'closing'>;

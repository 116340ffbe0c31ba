import { pino } from 'pino';
import { connect, type Database } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { createApiKey, createWorkspace } from '../../db/seed.ts';
import { verificationEmail } from '../../domain/accounts/email-verification.ts';
import { openSession } from '../../domain/accounts/open-session.ts';
import { type Scope, scopes } from '../../domain/scopes.ts';
import { passwordResetEmail } from '../../domain/sign-in/passwords.ts';
import { invite } from '../../domain/workspaces/invitations.ts';
import { type Config, parseConfig } from '../../server/config.ts';
import { type RunningService, startService } from '../../server/process.ts';
import { observeStatements } from '../../server/runtime/statements.ts';
import type { ServiceParts } from '../../server/service-parts.ts';
import { newNotification } from './notification-fixtures.ts';
import { mayPause } from './pauses.ts';
import { waitingChat } from './turn-world.ts';
import { openWelcome } from './welcome.ts';

/** The database of the test run; `npm test` starts one. */
export function testDatabaseUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('Run the tests with: npm test [-- PATTERN]');
  return url;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
  body: any;
  text: string;
}

export interface CallOptions {
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A workspace of one test, with a full-scope key and calls that use it. */
export interface TestWorkspace {
  workspaceId: string;
  userId: string;
  key: string;
  /** Calls `METHOD /path` below /api/v1 with the workspace's key (or `key`, or none when null). */
  call(route: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** A new session of the workspace's owner. */
  session(): Promise<string>;
  /** The user id of a new second member. */
  member(): Promise<string>;
  /** The token of a new email: a password reset or a verification of the owner, or an invitation into the workspace. */
  emailToken(kind: 'password' | 'verification' | 'invitation'): Promise<string>;
  /** The token of a new link that takes a workspace which nobody has taken. */
  welcomeToken(): Promise<string>;
  /** The id of a new connected app of the owner. */
  connectedApp(): Promise<string>;
  /** The id of a new approval to create a todo that waits for a person. */
  approval(): Promise<string>;
  /** The id of a new notification of the owner. */
  notification(): Promise<string>;
  /** The id of a recording whose summary failed. */
  failedCapture(): Promise<string>;
  /** Another key of this workspace. */
  mint(scopes: readonly Scope[], more?: { rateLimitPerMinute?: number; expiresAt?: string }): Promise<string>;
}

export interface TestService {
  url: string;
  db: Database;
  service: RunningService;
  workspace(): Promise<TestWorkspace>;
  /** Calls without a workspace: no credential unless given. */
  call(route: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

/** The text of an answer; of a stream that has no end, what comes until its position. */
async function textOf(response: Response): Promise<string> {
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!streams || !response.body) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body) {
    text += decoder.decode(piece, { stream: true });
    if (/^event: position\n(.+\n)+\n/m.test(text)) break;
  }
  return text;
}

async function send(
  url: string,
  route: string,
  key: string | null,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const [method = 'GET', path = '/'] = route.split(' ');
  await mayPause();
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && {
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    }),
  });
  const text = await textOf(response);
  await mayPause();
  const json = text !== '' && response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
}

interface OpenService {
  db: Database;
  service: RunningService;
}

async function openService(config: Config, overrides: Partial<ServiceParts>): Promise<OpenService> {
  const log = overrides.log ?? pino({ level: config.LOG_LEVEL });
  const db = connect(config.DATABASE_URL ?? testDatabaseUrl(), {
    poolSize: config.DATABASE_POOL_SIZE,
    observe: observeStatements(log, config.SLOW_STATEMENT_MS),
  });
  // That of the test file is a copy of one that is migrated.
  if (db.url !== testDatabaseUrl()) await migrate(db.driver);
  return { db, service: await startService(config, db, log, overrides) };
}

/** Starts the service of a test file on the database of the run, in this process, on a free port. */
export async function startTestService(
  environment: Record<string, string> = {},
  overrides: Partial<ServiceParts> = {},
): Promise<TestService> {
  const config = parseConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    NODE_ENV: 'test',
    PASSWORD_COST: '10',
    RATE_LIMIT_PER_ADDRESS: '1000000',
    DATABASE_POOL_SIZE: '8',
    DATABASE_URL: testDatabaseUrl(),
    ...environment,
  });
  // Dropped when it is closed: what a file of tests holds in its variables stays for as long as the process.
  let open: OpenService | undefined = await openService(config, overrides);
  const { url } = open.service;
  const parts = (): OpenService => {
    if (!open) throw new Error('The service of this test is closed.');
    return open;
  };
  const db = () => parts().db;

  const workspace = async (): Promise<TestWorkspace> => {
    const names = { workspaceName: 'Test', userName: 'Tess', timezone: 'UTC' };
    const seed = { ...names, agentMinutes: 600, passwordHash: 'none', emailVerified: true };
    const email = `${crypto.randomUUID()}@example.com`;
    const { workspaceId, userId } = await createWorkspace(db(), { ...seed, email });
    const mint: TestWorkspace['mint'] = async (granted, more = {}) => {
      const key = {
        workspaceId,
        userId,
        name: 'Test key',
        scopes: [...granted],
        rateLimitPerMinute: 1_000_000,
        ...more,
      };
      return (await createApiKey(db(), key)).secret;
    };
    const key = await mint(scopes);
    const call: TestWorkspace['call'] = (route, body, options = {}) =>
      send(url, route, options.key === undefined ? key : options.key, body ?? options.body, options.headers ?? {});
    const session = async () => (await openSession(db(), { workspaceId, userId, client: 'test' })).token;
    const member = async () => {
      const second = await createWorkspace(db(), { ...seed, email: `${crypto.randomUUID()}@example.com` });
      const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')`;
      await db().rows(join, [workspaceId, second.userId]);
      return second.userId;
    };
    const emailToken: TestWorkspace['emailToken'] = async (kind) => {
      const guest = { email: `${crypto.randomUUID()}@example.com`, role: 'member' as const, anyoneWithLink: true };
      const messages = {
        password: () => passwordResetEmail(db(), email, url),
        verification: () => verificationEmail(db(), userId, url),
        invitation: async () => (await invite(db(), { workspaceId, userId }, guest, url)).email,
      };
      const message = await messages[kind]();
      return /#token=([\w-]+)/.exec(message?.text ?? '')?.[1] ?? '';
    };
    const connectedApp = async () => {
      const text = `insert into connected_apps
        (workspace_id, id, user_id, client_id, client_name, scopes, connected_at, expires_at)
        values ($1, gen_random_uuid(), $2, 'test', 'Test app', array['todos:read'], now(), now() + interval '60 days')
        returning id`;
      const [row] = await db().rows<{ id: string }>(text, [workspaceId, userId]);
      return row?.id ?? '';
    };
    const approval = async () => (await waitingChat(db(), { workspaceId, userId })).approvalIds[0] ?? '';
    const notification = () => newNotification(db(), { workspaceId, userId });
    const failedCapture = async () => {
      const text = `insert into captures (workspace_id, id, user_id, type, status, transcript, failure_code,
          failure_message, failure_retryable, failed_at)
        values ($1, gen_random_uuid(), $2, 'recording', 'failed', 'Nothing much.', 'summary_failed', 'It broke.', true, now())
        returning id`;
      const [row] = await db().rows<{ id: string }>(text, [workspaceId, userId]);
      return row?.id ?? '';
    };
    const welcomeToken = async () => (await openWelcome({ db: db() })).token;
    const made = { emailToken, welcomeToken, connectedApp, approval, notification, failedCapture };
    return { workspaceId, userId, key, call, mint, session, member, ...made };
  };

  return {
    url,
    get db() {
      return db();
    },
    get service() {
      return parts().service;
    },
    workspace,
    call: (route, body, options = {}) =>
      send(url, route, options.key ?? null, body ?? options.body, options.headers ?? {}),
    close: async () => {
      if (!open) return;
      await open.service.close();
      await open.db.close();
      open = undefined;
    },
  };
}

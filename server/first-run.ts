import { randomBytes } from 'node:crypto';
import type { Db } from '../db/client.ts';
import { hashPassword } from '../db/passwords.ts';
import { createApiKey, createWorkspace } from '../db/seed.ts';
import { recordEvent } from '../domain/events/record.ts';
import { scopes } from '../domain/scopes.ts';
import { newWelcomeLink, noAddress, type WelcomeLink, welcomeStatus } from '../domain/sign-in/welcome.ts';
import { recordOpened } from '../domain/workspaces/events.ts';
import type { Config } from './config.ts';

export interface SeededWorkspace {
  workspaceId: string;
  userId: string;
  email: string;
  password: string;
  apiKey: string;
}

type Owner = Pick<Parameters<typeof createWorkspace>[1], 'email' | 'passwordHash' | 'emailVerified'>;

/**
 * A new workspace with a full-scope key of its owner, in a transaction; the secret of the key is in the answer only.
 */
async function workspaceWithKey(db: Db, config: Config, owner: Owner) {
  const opened = await createWorkspace(db, {
    ...owner,
    workspaceName: 'My workspace',
    userName: 'Owner',
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
    agentMinutes: config.AGENT_MINUTES,
  });
  await recordOpened(db, opened);
  const { workspaceId, userId } = opened;
  const name = 'First key';
  const key = { workspaceId, userId, name, scopes: [...scopes], rateLimitPerMinute: config.RATE_LIMIT_PER_KEY };
  const { id, secret } = await createApiKey(db, key);
  await recordEvent(db, workspaceId, { type: 'api_key.created', objectId: id });
  return { workspaceId, userId, apiKey: secret };
}

/** A new workspace with a person and a full-scope key; the key and the password are in the answer only. */
export async function seedWorkspace(db: Db, config: Config): Promise<SeededWorkspace> {
  const email = `owner-${randomBytes(6).toString('hex')}@example.com`;
  const password = randomBytes(15).toString('base64url');
  const passwordHash = await hashPassword(password, { cost: config.PASSWORD_COST, client: 'first run' });
  const owner = { email, passwordHash, emailVerified: true };
  const made = await db.transaction((tx) => workspaceWithKey(tx, config, owner));
  return { workspaceId: made.workspaceId, userId: made.userId, email, password, apiKey: made.apiKey };
}

const lock = `select pg_advisory_xact_lock(hashtextextended('first start', 0))`;

/** What the first start made. The secrets are in it only. */
export interface FirstWorkspace extends WelcomeLink {
  apiKey: string;
}

/**
 * Makes the first workspace, its key, and the link with which a person becomes its owner; null when there is a
 * workspace already. One transaction: of several processes one makes it.
 */
export function openFirstWorkspace(db: Db, config: Config, publicUrl: string): Promise<FirstWorkspace | null> {
  return db.transaction(async (tx) => {
    await tx.rows(lock, []);
    const found = await tx.rows('select 1 from workspaces limit 1', []);
    if (found.length > 0) return null;
    const { apiKey } = await workspaceWithKey(tx, config, { email: noAddress, passwordHash: '' });
    const link = await newWelcomeLink(tx, publicUrl);
    if (!link) throw new Error('the owner of the first workspace has no welcome link');
    return { ...link, apiKey };
  });
}

/** What a start finds or makes, for the lines that it prints. */
export type FirstSteps =
  | ({ type: 'made' } & FirstWorkspace)
  | { type: 'open'; validUntil: string | null }
  | { type: 'empty'; signUp: Config['SIGN_UP'] }
  | { type: 'taken' };

/**
 * Gives a person a way in. On an embedded database the first start makes the first workspace. On a database that
 * several processes may share it makes none, because each process would print secrets into a log.
 */
export async function firstSteps(db: Db, embedded: boolean, config: Config, publicUrl: string): Promise<FirstSteps> {
  const made = embedded ? await openFirstWorkspace(db, config, publicUrl) : null;
  if (made) return { type: 'made', ...made };
  const open = await welcomeStatus(db);
  if (open) return { type: 'open', ...open };
  const found = await db.rows('select 1 from workspaces limit 1', []);
  return found.length > 0 ? { type: 'taken' } : { type: 'empty', signUp: config.SIGN_UP };
}

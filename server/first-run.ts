import { randomBytes } from 'node:crypto';
import type { Db } from '../db/client.ts';
import { hashPassword } from '../db/passwords.ts';
import { createApiKey, createWorkspace } from '../db/seed.ts';
import { scopes } from '../routers/scopes.ts';
import type { Config } from './config.ts';

export interface SeededWorkspace {
  workspaceId: string;
  userId: string;
  email: string;
  password: string;
  apiKey: string;
}

/** A new workspace with a person and a full-scope key; the key and the password are in the answer only. */
export async function seedWorkspace(db: Db, config: Config): Promise<SeededWorkspace> {
  const email = `owner-${randomBytes(6).toString('hex')}@example.com`;
  const password = randomBytes(15).toString('base64url');
  const { workspaceId, userId } = await createWorkspace(db, {
    workspaceName: 'My workspace',
    userName: 'Owner',
    email,
    passwordHash: await hashPassword(password),
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
    agentMinutes: config.AGENT_MINUTES,
  });
  const name = 'First key';
  const key = { workspaceId, userId, name, scopes: [...scopes], rateLimitPerMinute: config.RATE_LIMIT_PER_KEY };
  const { secret } = await createApiKey(db, key);
  return { workspaceId, userId, email, password, apiKey: secret };
}

/** The API key of the first workspace, made when there is none yet; null when there is one. */
export async function firstKey(db: Db, config: Config): Promise<string | null> {
  const found = await db.rows('select 1 from workspaces limit 1', []);
  return found.length > 0 ? null : (await seedWorkspace(db, config)).apiKey;
}

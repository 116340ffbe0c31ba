import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { v7 as newId } from 'uuid';
import type { Db } from './client.ts';
import { agents, credentials, members, todoLists, users, workspaces } from './schema/index.ts';
import { hashSecret, mintSecret } from './secrets.ts';

export interface WorkspaceSeed {
  workspaceName: string;
  userName: string;
  email: string;
  /** As `hashPassword` makes it. */
  passwordHash: string;
  timezone: string;
  agentMinutes: number;
}

export interface KeySeed {
  workspaceId: string;
  userId: string;
  name: string;
  scopes: string[];
  rateLimitPerMinute: number;
  expiresAt?: string | null;
}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** scrypt with N = 2^17, r = 8, p = 1 (OWASP Password Storage Cheat Sheet), as `scrypt$17$8$1$salt$hash` in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password.normalize('NFKC'), salt, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 });
  return `scrypt$17$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** A person with a workspace, its default list “Inbox” and its default agent “Assistant”, in one transaction. */
export async function createWorkspace(db: Db, seed: WorkspaceSeed): Promise<{ workspaceId: string; userId: string }> {
  const [workspaceId, userId] = [newId(), newId()];
  await db.transaction(async ({ orm }) => {
    const { workspaceName, timezone, agentMinutes, email, userName, passwordHash } = seed;
    await orm.insert(workspaces).values({ id: workspaceId, name: workspaceName, timezone, agentMinutes });
    await orm.insert(users).values({ id: userId, email, name: userName, passwordHash });
    await orm.insert(members).values({ workspaceId, userId, role: 'owner' });
    await orm.insert(todoLists).values({ workspaceId, id: newId(), name: 'Inbox', isDefault: true });
    await orm.insert(agents).values({ workspaceId, id: newId(), name: 'Assistant', isDefault: true });
  });
  return { workspaceId, userId };
}

/** A new API key. Its secret is in the answer and nowhere else: only its hash is stored. */
export async function createApiKey(db: Db, seed: KeySeed): Promise<{ id: string; secret: string }> {
  const [id, secret] = [newId(), mintSecret('sk')];
  await db.orm.insert(credentials).values({
    ...seed,
    id,
    kind: 'api_key',
    secretHash: hashSecret(secret),
    prefix: secret.slice(0, 14),
    last4: secret.slice(-4),
  });
  return { id, secret };
}

/** The secret of this name that all processes of the service share, made by whichever asks first. */
export async function sharedSecret(db: Db, name: string): Promise<Buffer> {
  const text = `with made as (
      insert into service_secrets (name, value) values ($1, $2) on conflict (name) do nothing returning value
    ) select value from made union all select value from service_secrets where name = $1`;
  for (;;) {
    const [row] = await db.rows<{ value: Buffer }>(text, [name, randomBytes(32)]);
    if (row) return row.value;
  }
}

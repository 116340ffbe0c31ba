import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { v7 as newId } from 'uuid';
import type { Db } from './client.ts';
import { agents, credentials, members, minuteEntries, todoLists, users, workspaces } from './schema/index.ts';
import { hashSecret, mintSecret } from './secrets.ts';

interface WorkspaceSeed {
  workspaceName: string;
  userName: string;
  email: string;
  /** As `hashPassword` makes it. */
  passwordHash: string;
  timezone: string;
  agentMinutes: number;
  /** The address needs no proof: whoever runs the service set it. */
  emailVerified?: boolean;
}

/** A new workspace, its owner and what is in it from the start. */
export interface OpenedWorkspace {
  workspaceId: string;
  userId: string;
  todoListId: string;
  agentId: string;
}

interface KeySeed {
  workspaceId: string;
  userId: string;
  name: string;
  scopes: string[];
  rateLimitPerMinute: number;
  expiresAt?: string | null;
}

/**
 * A workspace owned by a person, with its default list “Inbox” and its default agent “Assistant”, which needs no
 * approvals. Call it in a transaction.
 */
export async function openWorkspace(
  { orm }: Db,
  seed: { userId: string; name: string; timezone: string; agentMinutes: number },
): Promise<OpenedWorkspace> {
  const [id, todoListId, agentId] = [newId(), newId(), newId()];
  const { userId, name, timezone, agentMinutes } = seed;
  await orm.insert(workspaces).values({ id, name, timezone, agentMinutes });
  await orm.insert(members).values({ workspaceId: id, userId, role: 'owner' });
  await orm.insert(todoLists).values({ workspaceId: id, id: todoListId, name: 'Inbox', isDefault: true });
  await orm.insert(agents).values({
    workspaceId: id,
    id: agentId,
    name: 'Assistant',
    description: 'Answers whatever is asked of no agent in particular.',
    isDefault: true,
    requiresApproval: false,
  });
  if (agentMinutes > 0) {
    await orm.insert(minuteEntries).values({ workspaceId: id, id: newId(), kind: 'grant', minutes: agentMinutes });
  }
  return { workspaceId: id, userId, todoListId, agentId };
}

/** Creates a person with a workspace of their own, in one transaction. */
export function createWorkspace(db: Db, seed: WorkspaceSeed): Promise<OpenedWorkspace> {
  const userId = newId();
  return db.transaction(async (tx) => {
    const { workspaceName: name, timezone, agentMinutes, email, userName, passwordHash, emailVerified = false } = seed;
    const emailVerifiedAt = emailVerified ? sql`now()` : null;
    await tx.orm.insert(users).values({ id: userId, email, name: userName, passwordHash, emailVerifiedAt });
    return openWorkspace(tx, { userId, name, timezone, agentMinutes });
  });
}

/** Creates an API key. Its secret is returned only here: the database stores its hash. */
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

/** The secret of this name that all processes of the service share: 32 random bytes, made on the first call. */
export async function sharedSecret(db: Db, name: string): Promise<Buffer> {
  const text = `with made as (
      insert into service_secrets (name, value) values ($1, $2) on conflict (name) do nothing returning value
    ) select value from made union all select value from service_secrets where name = $1`;
  for (;;) {
    const [row] = await db.rows<{ value: Buffer }>(text, [name, randomBytes(32)]);
    if (row) return row.value;
  }
}

/** The secrets of these names, as `sharedSecret` has each: those that exist are read in one statement. */
export async function sharedSecrets<Name extends string>(
  db: Db,
  names: readonly Name[],
): Promise<Record<Name, Buffer>> {
  const text = 'select name, value from service_secrets where name = any($1::text[])';
  const found = await db.rows<{ name: string; value: Buffer }>(text, [names]);
  const known = new Map(found.map(({ name, value }) => [name, value]));
  const secrets = await Promise.all(
    names.map(async (name) => [name, known.get(name) ?? (await sharedSecret(db, name))] as const),
  );
  return Object.fromEntries(secrets) as Record<Name, Buffer>;
}

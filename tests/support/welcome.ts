import type { Db } from '../../db/client.ts';
import { createApiKey, createWorkspace } from '../../db/seed.ts';
import { scopes } from '../../domain/scopes.ts';
import { newWelcomeLink } from '../../domain/sign-in/welcome.ts';

/** A workspace that nobody has taken. */
export interface OpenWorkspace {
  workspaceId: string;
  userId: string;
  key: string;
  token: string;
}

/**
 * The workspace that nobody has taken, made when there is none, with another key and a new link, as the first start has
 * it.
 */
export async function openWelcome({ db }: { db: Db }): Promise<OpenWorkspace> {
  const owner = { email: '', passwordHash: '', userName: 'Owner', workspaceName: 'My workspace' };
  const found = `select u.id as "userId", m.workspace_id as "workspaceId"
    from users u join members m on m.user_id = u.id where u.email = ''`;
  const [earlier] = await db.rows<{ userId: string; workspaceId: string }>(found, []);
  const { workspaceId, userId } =
    earlier ?? (await createWorkspace(db, { ...owner, timezone: 'UTC', agentMinutes: 600 }));
  const limits = { scopes: [...scopes], rateLimitPerMinute: 1_000_000 };
  const { secret: key } = await createApiKey(db, { workspaceId, userId, name: 'First key', ...limits });
  const made = await newWelcomeLink(db, 'https://tandem.test');
  return {
    workspaceId,
    userId,
    key,
    token: /^https:\/\/tandem\.test\/welcome#token=([\w-]+)$/.exec(made?.link ?? '')?.[1] ?? '',
  };
}

import type { Db } from '../../../db/client.ts';
import type { Origin } from '../../../db/origin.ts';
import { recordEvent } from '../../../domain/events/record.ts';

/** What an update of `connected_apps a` returns for its event, with `old` as it was before. */
export const connectionColumns = `a.workspace_id as "workspaceId", a.id, a.user_id as "userId",
  old.connected_at is null and a.connected_at is not null as "isNew",
  a.connected_at is not null and a.expires_at is distinct from old.expires_at as "isProlonged"`;

/** A row of `connectionColumns`. */
export interface Connection {
  workspaceId: string;
  id: string;
  /** The person who connected the app. */
  userId: string;
  isNew: boolean;
  isProlonged: boolean;
}

/** Records that an app got its first token, which connects it, or later ones, which prolong the connection. */
export async function recordConnection(tx: Db, app: Connection): Promise<void> {
  const { workspaceId, id: objectId, userId, isNew, isProlonged } = app;
  if (!isNew && !isProlonged) return;
  const origin: Origin = {
    actorType: 'user',
    actorId: userId,
    credentialId: null,
    via: 'rest',
    requestId: null,
  };
  const changedFields = isNew ? [] : ['expiresAt'];
  const type = isNew ? 'connected_app.created' : 'connected_app.updated';
  await recordEvent(tx.as(origin), workspaceId, { type, objectId, changedFields });
}

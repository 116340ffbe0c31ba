import type { Db } from '../../db/client.ts';
import { requireMatch } from '../etag.ts';
import { type NotificationKind, notificationKinds } from './kinds.ts';
import type { Reader } from './rows.ts';
import { NotificationSettings, type NotificationSettingsAnswer, type SwitchChanges } from './shapes.ts';

interface Row {
  kind: NotificationKind;
  inApp: boolean;
  email: boolean;
}

const read = `select kind, in_app as "inApp", email from notification_settings where workspace_id = $1 and user_id = $2`;
const lock = 'select 1 from members where workspace_id = $1 and user_id = $2 for no key update';
const write = `insert into notification_settings as s (workspace_id, user_id, kind, in_app, email)
  values ($1, $2, $3, coalesce($4, true), coalesce($5, true))
  on conflict (workspace_id, user_id, kind) do update set in_app = coalesce($4, s.in_app), email = coalesce($5, s.email)`;

/** What a person wants to be told of in a workspace, and how. A kind that was never changed is told in every way. */
export async function settingsOf(
  db: Db,
  { workspaceId, userId }: Reader,
  sendsLetters: boolean,
): Promise<NotificationSettingsAnswer> {
  const rows = await db.rows<Row>(read, [workspaceId, userId]);
  const set = new Map(rows.map((row) => [row.kind, row]));
  const kinds = Object.fromEntries(
    notificationKinds.map((kind) => [kind, set.get(kind) ?? { inApp: true, email: true }]),
  ) as unknown as NotificationSettingsAnswer['kinds'];
  return { object: 'notification_settings', id: userId, sendsLetters, kinds };
}

/** Sets what `changes` names and keeps the rest. @throws Failure 412. */
export function changeSettings(
  db: Db,
  reader: Reader,
  sendsLetters: boolean,
  changes: SwitchChanges,
  ifMatch: readonly string[] | undefined,
): Promise<NotificationSettingsAnswer> {
  const { workspaceId, userId } = reader;
  return db.transaction(async (tx) => {
    await tx.rows(lock, [workspaceId, userId]);
    requireMatch(ifMatch, NotificationSettings, await settingsOf(tx, reader, sendsLetters));
    for (const kind of notificationKinds) {
      const { inApp = null, email = null } = (changes[kind] ?? {}) as { inApp?: boolean; email?: boolean };
      if (inApp !== null || email !== null) await tx.rows(write, [workspaceId, userId, kind, inApp, email]);
    }
    return settingsOf(tx, reader, sendsLetters);
  });
}

import { isDeepStrictEqual } from 'node:util';
import type { notificationSettings } from '../../db/schema/index.ts';
import type { Context } from '../context.ts';
import { requireMatch } from '../etag.ts';
import { recordEvent } from '../events/record.ts';
import {
  NotificationSettings,
  type NotificationSettingsAnswer,
  type NotificationSettingsPatch,
  notificationKinds,
} from './shapes.ts';

type Row = Pick<typeof notificationSettings.$inferSelect, 'kind' | 'inApp' | 'email' | 'push'>;

const read = `select kind, in_app as "inApp", email, push from notification_settings where workspace_id = $1 and user_id = $2`;
const lock = 'select 1 from members where workspace_id = $1 and user_id = $2 for no key update';
const write = `insert into notification_settings as s (workspace_id, user_id, kind, in_app, email, push)
  values ($1, $2, $3, coalesce($4, true), coalesce($5, true), coalesce($6, true))
  on conflict (workspace_id, user_id, kind) do update
    set in_app = coalesce($4, s.in_app), email = coalesce($5, s.email), push = coalesce($6, s.push)`;

/** What a person is notified of in a workspace, and how. A kind that was never changed is on in every way. */
export async function getNotificationSettings({ db, principal, mail }: Context): Promise<NotificationSettingsAnswer> {
  const { workspaceId, userId } = principal;
  const rows = await db.rows<Row>(read, [workspaceId, userId]);
  const set = new Map(rows.map((row) => [row.kind, row]));
  const kinds = Object.fromEntries(
    notificationKinds.map((kind) => [kind, set.get(kind) ?? { inApp: true, email: true, push: true }]),
  ) as unknown as NotificationSettingsAnswer['kinds'];
  return { object: 'notification_settings', id: userId, sendsLetters: mail.sends, kinds };
}

/** Sets the switches that `kinds` names; the rest stays. @throws Failure 412. */
export function updateNotificationSettings(
  ctx: Context,
  { kinds }: NotificationSettingsPatch,
): Promise<NotificationSettingsAnswer> {
  const { workspaceId, userId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    await tx.rows(lock, [workspaceId, userId]);
    const before = await getNotificationSettings({ ...ctx, db: tx });
    requireMatch(ctx.ifMatch, NotificationSettings, before);
    for (const kind of notificationKinds) {
      const { inApp = null, email = null, push = null } = (kinds[kind] ?? {}) as Partial<Omit<Row, 'kind'>>;
      if ([inApp, email, push].some((each) => each !== null))
        await tx.rows(write, [workspaceId, userId, kind, inApp, email, push]);
    }
    const after = await getNotificationSettings({ ...ctx, db: tx });
    const change = { objectId: userId, readerId: userId, changedFields: ['kinds'] };
    if (!isDeepStrictEqual(after.kinds, before.kinds)) {
      await recordEvent(tx, workspaceId, { ...change, type: 'notification_settings.updated' });
    }
    return after;
  });
}

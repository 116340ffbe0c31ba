import type { Database } from '../db/client.ts';
import { type News, notify, type Outcome, type Teller } from '../routers/notifications/notify.ts';

export interface Receiver {
  workspaceId: string;
  userId: string;
}

/** Tells of something new, in a transaction of its own, as the service does when it `sends` letters. */
export function tell(
  db: Database,
  workspaceId: string,
  userIds: readonly string[],
  more: Partial<News> & { sends?: boolean; clock?: Teller['clock'] } = {},
): Promise<Outcome> {
  const { sends = false, clock = () => new Date(), ...news } = more;
  const given = { kind: 'todo_due', title: '“Water the plants” is due', text: 'It was planned for today.' } as const;
  return db.transaction((tx) =>
    notify(
      { db: tx, clock, mail: { sends } },
      { workspaceId, userIds, ...given, dedupe: crypto.randomUUID(), ...news },
    ),
  );
}

const newest = `select id from notifications where workspace_id = $1 and user_id = $2 order by created_at desc, id desc limit 1`;

/** The id of a new notification of a person. */
export async function newNotification(db: Database, { workspaceId, userId }: Receiver): Promise<string> {
  await tell(db, workspaceId, [userId]);
  const [row] = await db.rows<{ id: string }>(newest, [workspaceId, userId]);
  return row?.id ?? '';
}

import type { Db } from '../../db/client.ts';
import { recordLetterOnSchedule } from '../../routers/notifications/notify.ts';
import type { Told } from './letter.ts';

/** How often a letter is tried, and how long it waits after each try but the last, in seconds. */
export const tries = 5;
const pauses = [60, 300, 1800, 7200];

/** A letter that one worker tries to send: nobody else takes it for two minutes. */
export interface ClaimedLetter extends Told {
  todoId: string | null;
  dedupe: string;
  /** The number of this try, from 1; more than `tries` when the last one was never finished. */
  attempt: number;
  /** The person is a member still, and did not switch such letters off meanwhile. */
  isWanted: boolean;
  /** Nobody sent it for three days: it is no news any more. */
  isStale: boolean;
}

const claim = `with due as (
    select workspace_id, id from notifications where email = 'pending' and email_due_at <= now()
    order by email_due_at limit 1 for update skip locked
  ), n as (
    update notifications n set email_attempts = n.email_attempts + 1, email_due_at = now() + interval '2 minutes'
    from due where n.workspace_id = due.workspace_id and n.id = due.id returning n.*
  ) select n.workspace_id as "workspaceId", n.id, n.kind, n.title, n.text, n.todo_id as "todoId", n.dedupe,
    n.email_attempts as attempt, u.email as "to", w.name as workspace,
    u.id is not null and m.removed_at is null and coalesce(s.email, true) as "isWanted",
    n.created_at < now() - interval '3 days' as "isStale"
  from n join members m on m.workspace_id = n.workspace_id and m.user_id = n.user_id
  left join users u on u.id = n.user_id join workspaces w on w.id = n.workspace_id
  left join notification_settings s on s.workspace_id = n.workspace_id and s.user_id = n.user_id and s.kind = n.kind`;

/** Takes the letter that is due longest, on whichever process asks first; null when none is due. */
export async function claimLetter(db: Db): Promise<ClaimedLetter | null> {
  const [letter] = await db.rows<ClaimedLetter>(claim, []);
  return letter ?? null;
}

const end = `update notifications set email = $4, email_due_at = null
  where workspace_id = $1 and id = $2 and email_attempts = $3 and email = 'pending' returning 1`;
const wait = `update notifications set email_due_at = now() + $4 * interval '1 second'
  where workspace_id = $1 and id = $2 and email_attempts = $3 and email = 'pending'`;

/**
 * Says what became of a letter for good, and with it what became of the news on the schedule of its todo. Passed over
 * when another worker has taken the letter meanwhile.
 */
export async function endLetter(
  db: Db,
  { workspaceId, id, kind, todoId, dedupe, attempt }: ClaimedLetter,
  status: 'sent' | 'failed' | 'suppressed',
): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await tx.rows(end, [workspaceId, id, attempt, status]);
    if (ended.length === 0 || kind !== 'todo_due' || todoId === null) return;
    await recordLetterOnSchedule(tx, { workspaceId, todoId, dedupe });
  });
}

/** Puts a letter back until its next try. */
export async function putBack(db: Db, { workspaceId, id, attempt }: ClaimedLetter): Promise<void> {
  await db.rows(wait, [workspaceId, id, attempt, pauses[attempt - 1] ?? 0]);
}

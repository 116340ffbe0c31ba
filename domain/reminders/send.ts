import type { ServiceContext } from '../context.ts';
import { quotedName } from '../notifications/events.ts';
import { notify } from '../notifications/notify.ts';

/** A reminder whose instant is reached; its row is locked. */
export interface DueReminder {
  workspaceId: string;
  id: string;
}

interface Row {
  userId: string;
  todoId: string;
  title: string | null;
  content: string | null;
  dueDate: string | null;
  daysBefore: number;
  time: string;
  timezone: string;
  remindAt: string;
  isOpen: boolean;
}

const read = `select r.user_id as "userId", r.todo_id as "todoId", t.title, t.content, t.due_date as "dueDate",
    r.days_before as "daysBefore", to_char(r.at_time, 'HH24:MI') as time, r.timezone, r.remind_at as "remindAt",
    t.status <> 'done' and t.archived_at is null as "isOpen"
  from todo_reminders r join todos t on t.workspace_id = r.workspace_id and t.id = r.todo_id
  where r.workspace_id = $1 and r.id = $2`;
const end = 'update todo_reminders set remind_at = null where workspace_id = $1 and id = $2';

const dateWords = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' });

/** How long before, in words. */
function before(days: number): string {
  if (days === 0) return 'on the day';
  return days === 1 ? 'the day before' : `${days} days before`;
}

/** Marks a reminder as sent, or as not to be sent any more. */
export async function endReminder({ db }: ServiceContext, { workspaceId, id }: DueReminder): Promise<void> {
  await db.rows(end, [workspaceId, id]);
}

/**
 * Notifies a person of the due date of a todo, once: the notification and the end of the reminder are in the
 * transaction given. Nobody is notified of a todo that was done or archived meanwhile.
 */
export async function sendReminder(ctx: ServiceContext, due: DueReminder): Promise<void> {
  const [row] = await ctx.db.rows<Row>(read, [due.workspaceId, due.id]);
  if (row?.isOpen && row.dueDate !== null) {
    const { userId, todoId, dueDate, daysBefore, time, timezone, remindAt } = row;
    await notify(ctx, {
      workspaceId: due.workspaceId,
      userIds: [userId],
      kind: 'todo_reminder',
      title: `Reminder: ${quotedName(row)} is due on ${dateWords.format(new Date(`${dueDate}T00:00:00Z`))}`,
      text: `You asked to be reminded ${before(daysBefore)} at ${time} (${timezone}).`,
      todoId,
      dedupe: `reminder:${due.id}:${remindAt}`,
    });
  }
  await endReminder(ctx, due);
}

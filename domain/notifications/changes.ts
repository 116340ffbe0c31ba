import type { Db } from '../../db/client.ts';
import { type NewEvent, parentsOf } from '../events/record.ts';

/** What a change of notifications, called `n`, returns of each for its event. */
export const changedColumns = `n.id, n.user_id as "readerId", n.in_app as "isListed", n.todo_id as "todoId", n.chat_id as "chatId"`;

/** A row of `changedColumns`. */
export interface ChangedNotification {
  id: string;
  readerId: string;
  /** False for one that is only an email: it is in no list. */
  isListed: boolean;
  todoId: string | null;
  chatId: string | null;
}

/** The events of changed notifications, for the people who have them in their lists. */
export function notificationEvents(
  rows: readonly ChangedNotification[],
  change: Pick<NewEvent, 'changedFields'> & { type: `notification.${'created' | 'updated' | 'deleted'}` },
): NewEvent[] {
  return rows
    .filter(({ isListed }) => isListed)
    .map(({ id, readerId, todoId, chatId }) => ({
      ...change,
      objectId: id,
      readerId,
      parents: parentsOf({ todoId, chatId }),
    }));
}

/** The change of a notification that is read, or unread again. */
export const isRead = { type: 'notification.updated', changedFields: ['isRead', 'readAt'] } as const;

const eraseWhere = (condition: string) =>
  `delete from notifications n where n.workspace_id = $1 and ${condition} returning ${changedColumns}`;
const eraseOf = { todos: eraseWhere('n.todo_id = any($2::uuid[])'), chats: eraseWhere('n.chat_id = any($2::uuid[])') };

/**
 * Deletes the notifications of erased todos or chats, which quote them, with their emails and pushes that were not
 * sent. Call it when these are deleted: none comes after that. Returns the events, for `recordErasure`.
 */
export async function eraseNotifications(
  db: Db,
  workspaceId: string,
  kind: keyof typeof eraseOf,
  ids: readonly string[],
): Promise<NewEvent[]> {
  const erased = await db.rows<ChangedNotification>(eraseOf[kind], [workspaceId, ids]);
  return notificationEvents(erased, { type: 'notification.deleted' });
}

import { quotedName } from './events.ts';
import { type NotifyContext, notify } from './notify.ts';

/** A comment that mentions people. */
interface Mention {
  workspaceId: string;
  userIds: readonly string[];
  authorName: string;
  todo: { id: string; title: string | null; content: string | null };
  commentId: string;
}

/**
 * Notifies people of a comment that mentions them, each once, however often it is changed. The notification does not
 * quote it: a comment that is erased must be gone.
 */
export async function notifyMentioned(ctx: NotifyContext, mention: Mention): Promise<void> {
  const { workspaceId, userIds, authorName, todo, commentId } = mention;
  if (userIds.length === 0) return;
  await notify(ctx, {
    workspaceId,
    userIds,
    kind: 'mentioned',
    title: `${authorName} mentions you in ${quotedName(todo)}`,
    text: 'Open the todo to read the comment.',
    todoId: todo.id,
    dedupe: `mention:${commentId}`,
  });
}

import type { TandemInputs } from 'tandem/client';
import { api } from '../api/client.ts';
import type { Draft } from '../outbox/draft.ts';
import type { Todo } from '../todo-common/queries.ts';

/* Changes of many todos. */

export type Patch = Pick<
  NonNullable<TandemInputs['todos']['bulkUpdate']['patch']>,
  'status' | 'priority' | 'dueDate' | 'todoListId' | 'assignees' | 'labelIds' | 'addLabelIds' | 'removeLabelIds'
>;

/** Stands for no value of a field, where its values are chosen from or are columns. */
export const noValue = 'none';

/** Where todos are dropped beside the page: on a list, or on what is the person's own. */
export type DropPlace = { type: 'list'; id: string; name: string } | { type: 'mine' };

/** What is done to todos. */
export type TodoChange = { type: 'patch'; patch: Patch } | { type: 'archive' } | { type: 'restore' };

/** What one request takes at most: todos, those that it archives with their sub-todos, and bytes of contents. */
const maxIds = 100;
const maxArchived = 1000;
const maxBytes = 8 * 2 ** 20;

/** How much of a request the change of a todo takes, of `maxBytes`. A unit of a text has three bytes at most. */
function sizeOf({ type }: TodoChange, { content, subTodoCount }: Todo): number {
  if (type === 'restore') return maxBytes;
  const archived = type === 'archive' ? (1 + subTodoCount) / maxArchived : 0;
  return Math.max(Math.floor(maxBytes * Math.max(1 / maxIds, archived)), 3 * (content?.length ?? 0));
}

/**
 * A change of todos as the outbox takes it: as many todos as the service takes in a request, of which it restores one.
 */
export function draftsOf(change: TodoChange, todos: readonly Todo[]): Draft[] {
  const parts: Todo[][] = [];
  let inPart = 0;
  for (const todo of todos) {
    const own = sizeOf(change, todo);
    const part = parts.at(-1);
    inPart += own;
    if (part && inPart <= maxBytes) part.push(todo);
    else {
      parts.push([todo]);
      inPart = own;
    }
  }
  return parts.map((part) => ({ action: actionOf(change), todos: part }));
}

function actionOf(change: TodoChange): Draft['action'] {
  if (change.type !== 'patch') return { operation: change.type };
  const { assignees, ...plain } = change.patch;
  // As a todo has them: a merge compares both.
  return {
    operation: 'update',
    change: { ...plain, ...(assignees && { assignees: assignees.map(({ id }) => ({ id })) }) },
  };
}

/** Refuses a change whose first part would be refused, and changes nothing. @throws TandemError. */
export async function tryOut(patch: Patch, todos: readonly Todo[]): Promise<void> {
  const [part] = draftsOf({ type: 'patch', patch }, todos);
  await api.todos.bulkUpdate.mutate({ ids: part?.todos.map(({ id }) => id), patch, dryRun: true });
}

/** What assigning an agent to todos starts, and how many agent minutes there are for it. */
export function startsWords(todos: readonly Todo[], agentId: string, minutesLeft: number | null): string {
  const starts = todos.filter(({ assignees }) => !assignees.some(({ id }) => id === agentId)).length;
  const left = minutesLeft === null ? '' : ` (${Math.max(0, Math.floor(minutesLeft))} are left)`;
  return `This starts up to ${starts} runs, which spend agent minutes${left}.`;
}

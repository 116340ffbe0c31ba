import type { Identity } from '../api/queries.ts';
import type { Todo } from '../outbox/merge.ts';
import type { NewTodo } from '../outbox/write.ts';
import type { Assignable, Named } from './parse.ts';

type Assignee = Todo['assignees'][number];

/** What is known of the workspace where a line becomes a todo. */
interface Around {
  identity: Identity;
  lists: readonly (Named & { isDefault?: boolean })[];
  people: readonly Assignable[];
  labels: readonly Omit<Todo['labels'][number], 'object'>[];
}

/** A new todo as it is shown until the service has answered. A schedule is not: the service reads its rule. */
export function newTodoOf(input: NewTodo, { identity, lists, people, labels }: Around): Todo {
  const { user } = identity;
  const assigneeOf = (id: string): Assignee => {
    const given = id === 'me' ? user.id : id;
    const { name, type } = people.find((each) => each.id === given) ?? { name: user.name, type: 'user' as const };
    return { object: 'todo_assignee', type, id: given, name, profilePhotoUrl: null, isArchived: false };
  };
  const inbox = lists.find(({ isDefault }) => isDefault) ?? lists[0];
  const now = new Date().toISOString();
  return {
    object: 'todo',
    id: input.id,
    title: input.title?.trim() ?? null,
    content: input.content ?? null,
    status: 'ready',
    priority: input.priority ?? null,
    type: input.type ?? 'task',
    todoListId: input.todoListId ?? inbox?.id ?? '',
    dueDate: input.dueDate ?? null,
    assignees: (input.assignees ?? [{ id: user.id }]).map(({ id }) => assigneeOf(id)),
    labels: (input.labelIds ?? []).flatMap((id) => {
      const found = labels.find((each) => each.id === id);
      return found ? [{ object: 'todo_label' as const, id, name: found.name, color: found.color }] : [];
    }),
    captureId: null,
    isArchived: false,
    isSuggested: false,
    source: 'user_created',
    scheduleError: null,
    rrule: null,
    timezone: null,
    nextRunAt: null,
    upcomingRuns: [],
    lastRunAt: null,
    scheduleType: null,
    scheduleStatus: null,
    lastNotificationStatus: null,
    lastNotificationSentAt: null,
    latestRun: null,
    minutesSaved: null,
    minutesSavedReason: null,
    minutesSavedConfidence: null,
    parentTodoId: input.parentTodoId ?? null,
    subTodoCount: 0,
    doneSubTodoCount: 0,
    position: input.id.replaceAll('-', ''),
    version: 0,
    createdAt: now,
    updatedAt: now,
  };
}

/* What the servers that the service is compared with answer: the same bodies, made by hand. */

/** A todo as their statements return it. */
export interface Row extends Record<string, unknown> {
  priority: number | null;
  parts: [count: number, done: number] | null;
  labels: [id: string, name: string, color: string][] | null;
  assignees: [type: string, id: string, name: string, isArchived: boolean][] | null;
}

/** An instant of PostgreSQL's text form as the service writes it. */
export const instant = (text: string) =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, text.indexOf('+', 19)).padEnd(3, '0')}Z`;

/** The priorities, by rank from 1. */
export const ranks = ['low', 'medium', 'high', 'urgent'];
/** The rank of a priority; null for none. */
export const rankOf = (name: unknown) => (typeof name === 'string' ? ranks.indexOf(name) + 1 : null);

/** A row as the service answers it. */
export function todoOf(row: Row) {
  return {
    object: 'todo',
    id: row.id,
    title: row.title,
    content: row.content,
    status: row.status,
    priority: row.priority === null ? null : ranks[row.priority - 1],
    type: row.type,
    todoListId: row.todo_list_id,
    dueDate: row.due_date,
    assignees: (row.assignees ?? []).map(([type, id, name, isArchived]) => {
      return { object: 'todo_assignee', type, id, name, profilePhotoUrl: null, isArchived };
    }),
    labels: (row.labels ?? []).map(([id, name, color]) => ({ object: 'todo_label', id, name, color })),
    captureId: row.capture_id,
    parentTodoId: row.parent_todo_id,
    subTodoCount: row.parts?.[0] ?? 0,
    doneSubTodoCount: row.parts?.[1] ?? 0,
    position: row.position,
    isArchived: row.archived,
    isSuggested: row.is_suggested,
    source: row.source,
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
    minutesSaved: row.minutes_saved,
    minutesSavedReason: row.minutes_saved_reason,
    minutesSavedConfidence: row.minutes_saved_confidence,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

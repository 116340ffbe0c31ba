import type { ActivityEvent } from './queries.ts';

/* What happened to a todo, in plain sentences: `Ada changed the title and the due date`. */

const fieldNames: Record<string, string> = {
  content: 'text',
  dueDate: 'due date',
  todoListId: 'list',
  parentTodoId: 'todo that it is a part of',
  position: 'place in the manual order',
  isSuggested: 'suggestion',
  rrule: 'schedule',
  scheduleStatus: 'schedule',
  nextRunAt: 'next planned time',
};

const happenings: Record<string, string> = {
  'todo.created': 'added this todo',
  'todo.completed': 'marked it as done',
  'todo.reopened': 'opened it again',
  'todo.archived': 'archived it',
  'todo.restored': 'restored it',
  'todo_run.started': 'started the work of an agent',
  'todo_run.finished': 'ended the work of an agent',
  'todo_run.deleted': 'deleted the record of an earlier run',
  'todo_occurrence.fired': 'began a planned time',
  'todo_occurrence.updated': 'changed a planned time',
  'todo_occurrence.missed': 'missed a planned time',
  'todo_occurrence.deleted': 'removed a planned time',
  'comment.created': 'wrote a comment',
  'comment.updated': 'changed a comment',
  'comment.deleted': 'deleted a comment',
  'schedule.failed': 'could not continue the schedule',
};

/** The verbs of what an agent does itself. */
const ofAgents: Record<string, string> = {
  'todo_run.started': 'started to work',
  'todo_run.finished': 'ended its work',
};

const and = new Intl.ListFormat('en');

/** `estimatedMinutes` as `estimated minutes`. */
function wordsOf(field: string): string {
  return fieldNames[field] ?? field.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}

function happened({ type, actor, data }: ActivityEvent): string {
  if (type === 'todo.updated') {
    const names = [...new Set(data.changedFields.map((field) => `the ${wordsOf(field)}`))];
    return names.length === 0 ? 'changed it' : `changed ${and.format(names)}`;
  }
  const own = actor.type === 'agent' ? ofAgents[type] : undefined;
  return own ?? happenings[type] ?? 'changed it';
}

/** The start and the end of a run are events of their own: that they change the todo as well is not listed. */
export function isListed({ type, data }: ActivityEvent): boolean {
  return type !== 'todo.updated' || data.changedFields.join() !== 'latestRun';
}

/** An event of a todo as a sentence without its time. The service itself is called Tandem. */
export function sentenceOf(event: ActivityEvent): string {
  const { type, name } = event.actor;
  const who = name ?? (type === 'service' ? 'Tandem' : 'Somebody who left');
  return `${who} ${happened(event)}`;
}

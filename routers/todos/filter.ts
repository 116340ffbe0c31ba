import type { Bindings } from '../../db/bindings.ts';
import type { Plan } from '../../db/client.ts';
import { priorityRank } from './rows.ts';
import type { TodoFilter } from './shapes.ts';

/** Who asks: the workspace, and the user that “me” is. */
export interface Asker {
  workspaceId: string;
  userId: string;
}

/** The assignee that a filter names: `assignedToMe` wins over `assigneeId`. */
export function assigneeOf(asker: Asker, filter: TodoFilter): string | undefined {
  return filter.assignedToMe ? asker.userId : filter.assigneeId;
}

const isAssigned = 'from todo_assignees a where a.workspace_id = t.workspace_id and a.todo_id = t.id';

/**
 * The conditions of a filter on `todos t`, free text apart: the one builder for lists, counts and summaries. Which
 * conditions there are depends only on which fields are set, so that statements have few texts.
 */
export function conditionsOf(asker: Asker, filter: TodoFilter, bindings: Bindings): string[] {
  const where = [`t.workspace_id = ${bindings.bind(asker.workspaceId)}`];
  const add = (value: unknown, condition: (name: string) => string) => {
    if (value !== undefined) where.push(condition(bindings.bind(value)));
  };
  where.push(filter.includeArchived ? 't.archived_at is not null' : 't.archived_at is null');
  if (!filter.includeArchived && filter.captureId === undefined) where.push('not t.is_suggested');
  if (filter.status === 'active') where.push(`t.status in ('ready', 'in_progress')`);
  else add(filter.status, (name) => `t.status = ${name}`);
  if (filter.priority === 'none') where.push('t.priority is null');
  else if (filter.priority) add(priorityRank(filter.priority), (name) => `t.priority = ${name}`);
  add(filter.type, (name) => `t.type = ${name}`);
  add(filter.todoListId, (name) => `t.todo_list_id = ${name}`);
  add(filter.captureId, (name) => `t.capture_id = ${name}`);
  const assignee = assigneeOf(asker, filter);
  add(assignee, (name) => `exists (select 1 ${isAssigned} and a.assignee_id = ${name})`);
  if (filter.unassigned && assignee === undefined) where.push(`not exists (select 1 ${isAssigned})`);
  add(filter.updatedSince, (name) => `t.updated_at >= ${name}`);
  add(filter.createdSince, (name) => `t.created_at >= ${name}`);
  add(filter.dueBefore, (name) => `t.due_date <= ${name}`);
  add(filter.dueAfter, (name) => `t.due_date >= ${name}`);
  return where;
}

/** Filters that the index of an order answers badly have their plan made for their values; the others share one. */
export function planOf(asker: Asker, filter: TodoFilter): Plan {
  const { captureId, todoListId, createdSince, updatedSince, query } = filter;
  const selective = [assigneeOf(asker, filter), captureId, todoListId, createdSince, updatedSince, query];
  return selective.every((each) => each === undefined) ? 'generic' : 'custom';
}

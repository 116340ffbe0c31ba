import type { Bindings } from '../../db/bindings.ts';
import type { Plan } from '../../db/client.ts';
import type { Principal } from '../context.ts';
import { currentStatus } from '../schedules/rows.ts';
import type { TodoFilter } from './listing-shapes.ts';
import { priorityRank } from './rows.ts';
import { me, type PriorityName, type TodoAnswer } from './shapes.ts';

/** The workspace whose todos are read, and the user that “me” is. */
export type Viewer = Pick<Principal, 'workspaceId' | 'userId'>;

type Given = 'status' | 'priority' | 'todoListId' | 'assigneeId' | 'labelId' | 'scheduleStatus';

/** A filter as it is executed: what may have several values is a list, empty where any value will do. */
export interface Criteria extends Omit<TodoFilter, Given | 'assignedToMe' | 'unassigned'> {
  statuses: readonly TodoAnswer['status'][];
  priorities: readonly (PriorityName | 'none')[];
  listIds: readonly string[];
  assigneeIds: readonly string[];
  labelIds: readonly string[];
  scheduleStatuses: readonly string[];
  isUnassigned: boolean;
}

type Several = 'statuses' | 'priorities' | 'listIds';

/** The values of a filter, each once. */
export function valuesOf<Value>(given: Value | readonly Value[] | undefined): Value[] {
  if (given === undefined) return [];
  return [...new Set(Array.isArray(given) ? (given as Value[]) : [given as Value])];
}

/** Whether the filter names the viewer by `assignedToMe` or as `me`. */
export function isMine({ assignedToMe, assigneeId }: TodoFilter): boolean {
  return assignedToMe === true || valuesOf(assigneeId).includes(me);
}

const allStatuses = ['ready', 'in_progress', 'done'] as const;

function statusesOf({ status }: TodoFilter): Criteria['statuses'] {
  const named = valuesOf(status);
  const wanted = allStatuses.filter((each) => named.includes(each) || (each !== 'done' && named.includes('active')));
  return wanted.length === allStatuses.length ? [] : wanted;
}

/** What a filter asks for: `assignedToMe` wins over `assigneeId`, both over `unassigned`. */
export function criteriaOf(viewer: Viewer, filter: TodoFilter): Criteria {
  const { status: _, priority, todoListId, assigneeId, labelId, scheduleStatus, ...others } = filter;
  const { assignedToMe, unassigned, ...rest } = others;
  const named = assignedToMe ? [viewer.userId] : valuesOf(assigneeId);
  const assigneeIds = valuesOf(named.map((id) => (id === me ? viewer.userId : id)));
  return {
    ...rest,
    statuses: statusesOf(filter),
    priorities: valuesOf(priority),
    listIds: valuesOf(todoListId),
    assigneeIds,
    labelIds: valuesOf(labelId),
    scheduleStatuses: valuesOf(scheduleStatus),
    isUnassigned: unassigned === true && assigneeIds.length === 0,
  };
}

/** The filters in one form, for cursors: a cursor opens with the same values in any order. */
export function canonicalFilters(filter: object): Record<string, unknown> {
  const plain = ([name, value]: [string, unknown]) => {
    const values = Array.isArray(value) ? [...new Set(value)].sort() : [value];
    return [name, values.length === 1 ? values[0] : values];
  };
  return Object.fromEntries(Object.entries(filter).map(plain));
}

const isAssigned = 'from todo_assignees a where a.workspace_id = $1 and a.todo_id = t.id';

/**
 * Which todos are visible, as alternatives that an index has each. Together they are the active ones without
 * suggestions and the archived ones, where both are wanted.
 */
export function visibilitiesOf({ archived, includeArchived, isSuggested, captureId }: Criteria): string[] {
  const active = isSuggested === undefined && captureId === undefined ? ' and not t.is_suggested' : '';
  const halves = [`t.archived_at is null${active}`, 't.archived_at is not null'];
  if (archived === 'any') return halves;
  return [halves[includeArchived ? 1 : 0] as string];
}

/** The condition that a todo has one of these priorities. */
function hasPriority(priorities: Criteria['priorities'], bindings: Bindings): string {
  const ranks = priorities.flatMap((name) => (name === 'none' ? [] : priorityRank(name)));
  const conditions = priorities.includes('none') ? ['t.priority is null'] : [];
  if (ranks.length === 1) conditions.push(`t.priority = ${bindings.bind(ranks[0])}`);
  if (ranks.length > 1) conditions.push(`t.priority = any(${bindings.bind(ranks)}::smallint[])`);
  return conditions.length > 1 ? `(${conditions.join(' or ')})` : conditions.join();
}

/** The condition that a column holds one of these ids. */
function isOneOf(column: string, ids: readonly string[], bindings: Bindings): string {
  return ids.length === 1 ? `${column} = ${bindings.bind(ids[0])}` : `${column} = any(${bindings.bind(ids)}::uuid[])`;
}

/**
 * The conditions of a filter on `todos t`, free text apart: the one builder for lists, counts and summaries. The
 * bindings are those of the workspace. Which
 * conditions there are depends only on which fields are set and on how many values they have, so that statements have
 * few texts. `visibility` is one of those that the caller reads apart from the others.
 */
export function conditionsOf(criteria: Criteria, bindings: Bindings, visibility?: string): string[] {
  const { statuses, priorities, listIds, assigneeIds, labelIds, scheduleStatuses, isSuggested, hasRun } = criteria;
  const { hasParent } = criteria;
  const where = ['t.workspace_id = $1'];
  const add = (value: unknown, condition: (name: string) => string) => {
    if (value !== undefined) where.push(condition(bindings.bind(value)));
  };
  const alternatives = visibility === undefined ? visibilitiesOf(criteria) : [visibility];
  where.push(alternatives.length === 1 ? (alternatives[0] as string) : `(${alternatives.join(' or ')})`);
  if (isSuggested !== undefined) where.push(isSuggested ? 't.is_suggested' : 'not t.is_suggested');
  if (statuses.length === 1) add(statuses[0], (name) => `t.status = ${name}`);
  if (statuses.length > 1) where.push(`t.status in (${statuses.map((each) => `'${each}'`).join(', ')})`);
  if (priorities.length > 0) where.push(hasPriority(priorities, bindings));
  add(criteria.type, (name) => `t.type = ${name}`);
  if (listIds.length > 0) where.push(isOneOf('t.todo_list_id', listIds, bindings));
  add(criteria.captureId, (name) => `t.capture_id = ${name}`);
  if (assigneeIds.length > 0) {
    where.push(`exists (select 1 ${isAssigned} and ${isOneOf('a.assignee_id', assigneeIds, bindings)})`);
  }
  if (criteria.isUnassigned) where.push(`not exists (select 1 ${isAssigned})`);
  if (labelIds.length > 0) {
    const hasLabel = isOneOf('x.label_id', labelIds, bindings);
    where.push(`exists (select 1 from todo_labels x where x.workspace_id = $1 and x.todo_id = t.id and ${hasLabel})`);
  }
  if (scheduleStatuses.length > 0) {
    where.push(`t.is_scheduled and ${currentStatus('t')} = any(${bindings.bind(scheduleStatuses)}::text[])`);
  }
  if (hasRun !== undefined) where.push(`t.latest_run_id is ${hasRun ? 'not null' : 'null'}`);
  add(criteria.parentTodoId, (name) => `t.parent_todo_id = ${name}`);
  if (hasParent !== undefined) where.push(`t.parent_todo_id is ${hasParent ? 'not null' : 'null'}`);
  add(criteria.updatedSince, (name) => `t.updated_at >= ${name}`);
  add(criteria.createdSince, (name) => `t.created_at >= ${name}`);
  add(criteria.dueBefore, (name) => `t.due_date <= ${name}`);
  add(criteria.dueAfter, (name) => `t.due_date >= ${name}`);
  return where;
}

/** Whether a filter leaves all todos that are not archived, or all of these with some values of the `fields`. */
export function areActive(criteria: Criteria, fields: readonly Several[] = ['statuses']): boolean {
  const { isUnassigned, includeArchived, archived, ...others } = criteria;
  const narrows = ([field, value]: [string, unknown]) =>
    !fields.includes(field as Several) && (Array.isArray(value) ? value.length > 0 : value !== undefined);
  return !isUnassigned && !includeArchived && archived === undefined && !Object.entries(others).some(narrows);
}

/** Selective filters, which an index in the order of the page serves badly, are planned for their values. */
export function planOf(criteria: Criteria): Plan {
  const { captureId, parentTodoId, createdSince, updatedSince, dueBefore, dueAfter, query } = criteria;
  const { assigneeIds, labelIds, listIds, scheduleStatuses } = criteria;
  const isSelective =
    [captureId, parentTodoId, createdSince, updatedSince, dueBefore, dueAfter, query].some(
      (each) => each !== undefined,
    ) ||
    [assigneeIds, labelIds, listIds, scheduleStatuses].some(({ length }) => length > 0) ||
    criteria.isSuggested === true ||
    criteria.hasRun === true ||
    criteria.hasParent === true;
  return isSelective ? 'custom' : 'generic';
}

import { noValue } from '../edits/changes.ts';
import type { Assignable } from '../quick-add/parse.ts';
import type { Todo, TodoList } from '../todo-common/queries.ts';
import { type Filter, type Listing, priorities, statuses } from './filter.ts';

/*
 * The parts of a listing by one field of its todos: the columns of a board, and the groups of a list that is in another
 * order. Each is a listing of its own.
 */

/** The fields by which a listing has parts. */
export type PartField = Exclude<NonNullable<Filter['group']>, 'due'>;

/** The todos of a listing with one value of the field. */
export interface Part {
  /** The value; `none`: without one. */
  id: string;
  name: string;
  /** Of an assignee. */
  type?: 'user' | 'agent';
  /** Whether todos can be given the value: it is no archived list and no archived agent. */
  isOpen: boolean;
  listing: Listing;
}

/** Somebody who has todos, or can have some. */
export interface PartWorker extends Assignable {
  isArchived?: boolean;
}

/** What there is in a workspace. */
export interface Known {
  lists: readonly Pick<TodoList, 'id' | 'name' | 'isArchived' | 'activeTodoCount'>[];
  workers: readonly PartWorker[];
  userId: string;
}

export const statusNames = { ready: 'To do', in_progress: 'In progress', done: 'Done' };
export const priorityNames = {
  urgent: 'Urgent',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  none: 'No priority',
};

const given = <Value>(value: Value | readonly Value[] | undefined): readonly Value[] | undefined =>
  value === undefined ? undefined : ([value].flat() as Value[]);

/** Of what is left open by a filter, which names those values or none. */
const isNamed = (names: readonly string[] | undefined, id: string) => names === undefined || names.includes(id);

function byStatus(listing: Listing): Part[] {
  const named = given(listing.status);
  const isShown = (status: Todo['status']) =>
    isNamed(named, status) || (status !== 'done' && named?.includes('active') === true);
  return statuses.filter(isShown).map((id) => ({
    id,
    name: statusNames[id],
    isOpen: true,
    listing: { ...listing, status: [id] },
  }));
}

function byPriority(listing: Listing): Part[] {
  return [...priorities, 'none' as const]
    .filter((id) => isNamed(given(listing.priority), id))
    .map((id) => ({ id, name: priorityNames[id], isOpen: true, listing: { ...listing, priority: [id] } }));
}

/** Lists with active todos first, then in their order; archived ones last. */
function byList(listing: Listing, lists: Known['lists']): Part[] {
  const rank = ({ isArchived, activeTodoCount }: Known['lists'][number]) =>
    isArchived ? 2 : activeTodoCount > 0 ? 0 : 1;
  return lists
    .filter(({ id }) => isNamed(given(listing.todoListId), id))
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ id, name, isArchived }) => ({
      id,
      name,
      isOpen: !isArchived,
      listing: { ...listing, todoListId: [id] },
    }));
}

/** Nobody first, then the person at the page, people and agents; archived agents last. */
function byAssignee(listing: Listing, { workers, userId }: Known): Part[] {
  const { unassigned, assigneeId, ...rest } = listing;
  const named = given(assigneeId)?.map((id) => (id === 'me' ? userId : id));
  const rank = ({ id, type, isArchived }: PartWorker) => (id === userId ? 0 : isArchived ? 3 : type === 'user' ? 1 : 2);
  const people = workers
    .filter(({ id }) => isNamed(named, id) && unassigned !== true)
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ id, name, type, isArchived }) => ({
      id,
      name: id === userId ? `${name} (you)` : name,
      type,
      isOpen: isArchived !== true,
      listing: { ...rest, assigneeId: [id] },
    }));
  if (named !== undefined) return people;
  return [{ id: noValue, name: 'Unassigned', isOpen: true, listing: { ...rest, unassigned: true } }, ...people];
}

/** The parts of a listing, in their order: those that its filter leaves. */
export function partsOf(field: PartField, listing: Listing, known: Known): Part[] {
  if (field === 'status') return byStatus(listing);
  if (field === 'priority') return byPriority(listing);
  return field === 'list' ? byList(listing, known.lists) : byAssignee(listing, known);
}

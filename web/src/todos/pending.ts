import { newTodoIn, withWrites } from '../outbox/shown.ts';
import type { ShownWrite } from '../outbox/write.ts';
import type { Todo } from '../todo-common/queries.ts';
import type { Listing } from './filter.ts';

/* What a list shows while changes of its todos are on their way to the service. */

/** The todos of a list. `leaving`: the ids of those that it will not have once the service has stored the changes. */
export interface Pending {
  todos: readonly Todo[];
  leaving: ReadonlySet<string>;
}

type Given<Value> = Value | readonly Value[] | undefined;

const has = <Value>(given: Given<Value>, value: Value) =>
  given === undefined || (Array.isArray(given) ? given.includes(value) : given === value);

/** What `matches` reads. Of a list by something else, such as a capture, the service alone knows what comes into it. */
const readNames = new Set<string>([
  ...['status', 'priority', 'todoListId', 'assigneeId', 'labelId', 'unassigned', 'isSuggested', 'includeArchived'],
  ...['dueAfter', 'dueBefore', 'query', 'sort', 'order'],
]);
const isRead = (listing: Listing) => Object.keys(listing).every((name) => readNames.has(name));

const textOf = ({ title, content }: Todo) => `${title ?? ''}\n${content ?? ''}`.toLowerCase();

/**
 * Whether a listing has a todo, by what its fields say. The service alone decides that in the end; this is for todos
 * that it does not know like this yet.
 */
export function matches(todo: Todo, listing: Listing, userId: string): boolean {
  const { status, priority, todoListId, assigneeId, labelId, unassigned, isSuggested, dueAfter, dueBefore, query } =
    listing;
  const isActive = todo.status !== 'done' && has<string>(status, 'active');
  const ids = todo.assignees.map(({ id }) => id);
  const isAssigned = (id: string) => has<string>(assigneeId, id) || (id === userId && has<string>(assigneeId, 'me'));
  return (
    todo.isArchived === (listing.includeArchived ?? false) &&
    todo.isSuggested === (isSuggested ?? false) &&
    (isActive || has<string>(status, todo.status)) &&
    has<string>(priority, todo.priority ?? 'none') &&
    has(todoListId, todo.todoListId) &&
    (assigneeId === undefined || ids.some(isAssigned)) &&
    (labelId === undefined || todo.labels.some(({ id }) => has(labelId, id))) &&
    (unassigned !== true || ids.length === 0) &&
    (dueAfter === undefined || (todo.dueDate !== null && todo.dueDate >= dueAfter)) &&
    (dueBefore === undefined || (todo.dueDate !== null && todo.dueDate <= dueBefore)) &&
    (query === undefined ||
      query
        .toLowerCase()
        .split(/\s+/)
        .every((word) => textOf(todo).includes(word)))
  );
}

/** Whether a list shows a todo; undefined where the service alone knows. */
export function shows(todo: Todo, listing: Listing, userId: string): boolean | undefined {
  return isRead(listing) ? matches(todo, listing, userId) : undefined;
}

/** The number of the group that a todo belongs to. */
export type PlaceOf = (todo: Todo) => number;

/** A todo, and the number of the group that it is shown in. */
interface Placed {
  todo: Todo;
  place: number;
}

/** Puts a todo into a list, before or after those of its group. */
function putInto(list: Placed[], placed: Placed, isFirst: boolean): void {
  const at = list.findIndex(({ place }) => (isFirst ? place >= placed.place : place > placed.place));
  list.splice(at < 0 ? list.length : at, 0, placed);
}

/**
 * A list with what is on its way. A todo that is there keeps its place; one that is new in it comes first in a list by
 * creation, else last. In a list of groups, which `placeOf` numbers, it is the first or the last of its group.
 */
export function withPending(
  todos: readonly Todo[],
  writes: readonly ShownWrite[],
  listing: Listing,
  userId: string,
  placeOf: PlaceOf = () => 0,
): Pending {
  const about = new Map<string, Todo>();
  for (const write of writes) {
    // As it was before the first of them.
    for (const todo of write.todos) if (!about.has(todo.id)) about.set(todo.id, newTodoIn(write) ?? todo);
  }
  if (about.size === 0) return { todos, leaving: new Set() };
  const leaving = new Set<string>();
  const moved: Todo[] = [];
  const shown: Placed[] = [];
  for (const todo of todos) {
    const place = placeOf(todo);
    const now = about.has(todo.id) ? withWrites(todo, writes) : todo;
    const isLeaving = now !== todo && !matches(now, listing, userId) && matches(todo, listing, userId);
    if (isLeaving) leaving.add(todo.id);
    if (isLeaving || placeOf(now) === place) shown.push({ todo: now, place });
    else moved.push(now);
  }
  const known = new Set(todos.map(({ id }) => id));
  const made = new Set(writes.flatMap((write) => newTodoIn(write)?.id ?? []));
  const unmade = new Set(writes.flatMap(({ action }) => (action.operation === 'create' ? action.input.id : [])));
  const coming = [...about.values()].flatMap((todo) => {
    if (!isRead(listing) || known.has(todo.id) || (unmade.has(todo.id) && !made.has(todo.id))) return [];
    const now = withWrites(todo, writes);
    const isNew = made.has(todo.id) || !matches(todo, listing, userId);
    return isNew && matches(now, listing, userId) ? [now] : [];
  });
  const isNewestFirst = (listing.sort ?? 'createdAt') === 'createdAt' && listing.order !== 'asc';
  for (const todo of [...moved, ...coming]) putInto(shown, { todo, place: placeOf(todo) }, isNewestFirst);
  return { todos: shown.map(({ todo }) => todo), leaving };
}

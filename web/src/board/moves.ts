import { type DropPlace, noValue, type Patch } from '../edits/changes.ts';
import type { Todo } from '../todo-common/queries.ts';

/* The columns of a board by one field of todos, and what a move between them changes. */

/** The field whose values are the columns. */
export type BoardField = 'status' | 'priority' | 'list' | 'assignee';

/** A column: the todos with one value of the field. */
export interface BoardColumn {
  /** The value: a status, a priority or `none`, the id of a list, of a person or an agent, or `none` for nobody. */
  id: string;
  name: string;
  /** Of an assignee. */
  type?: 'user' | 'agent' | undefined;
  /** Whether todos can be moved here: an archived list or agent takes none, and is shown only while it has some. */
  isOpen: boolean;
}

/** A card on the board: a todo of several assignees is in the column of each of them. */
export interface PlacedCard {
  todo: Todo;
  /** The id of its column. */
  from: string;
}

/** Todos that get the same change. */
export interface Move {
  todos: readonly Todo[];
  patch: Patch;
}

/** Whether a todo belongs to a column. */
export function isIn(field: BoardField, todo: Todo, columnId: string): boolean {
  if (field === 'status') return todo.status === columnId;
  if (field === 'priority') return (todo.priority ?? noValue) === columnId;
  if (field === 'list') return todo.todoListId === columnId;
  return columnId === noValue ? todo.assignees.length === 0 : todo.assignees.some(({ id }) => id === columnId);
}

function patchOf(field: BoardField, { todo, from }: PlacedCard, to: BoardColumn): Patch {
  if (field === 'status') return { status: to.id as Todo['status'] };
  if (field === 'priority') return { priority: to.id === noValue ? null : (to.id as NonNullable<Todo['priority']>) };
  if (field === 'list') return { todoListId: to.id };
  if (to.id === noValue) return { assignees: [] };
  // The new one takes the place of the one of the column; the others stay.
  const kept = todo.assignees.map(({ id, type }) => ({ id, type })).filter(({ id }) => id !== from && id !== to.id);
  return { assignees: [...kept, { id: to.id, type: to.type ?? 'user' }] };
}

/** Cards with their todos as they are by now: somebody else may have changed them since they were taken. */
export function asTheyAre(cards: readonly PlacedCard[], todoOf: (id: string) => Todo | undefined): PlacedCard[] {
  return cards.map(({ todo, from }) => ({ todo: todoOf(todo.id) ?? todo, from }));
}

/** What moves cards to a column, in as few changes as there are different ones. Cards that are there are left alone. */
export function movesTo(field: BoardField, cards: readonly PlacedCard[], to: BoardColumn): Move[] {
  const moved = new Map(cards.filter(({ todo }) => !isIn(field, todo, to.id)).map((card) => [card.todo.id, card]));
  const groups = Map.groupBy(moved.values(), (card) => JSON.stringify(patchOf(field, card, to)));
  return [...groups].map(([patch, group]) => ({
    todos: group.map(({ todo }) => todo),
    patch: JSON.parse(patch) as Patch,
  }));
}

/** What a drop beside the page changes: the list, or who is assigned too. It starts no agent: it assigns none. */
export function movesOnDrop(todos: readonly Todo[], place: DropPlace, userId: string): Move[] {
  const cards = todos.map((todo) => ({ todo, from: noValue }));
  return place.type === 'list'
    ? movesTo('list', cards, { id: place.id, name: place.name, isOpen: true })
    : movesTo('assignee', cards, { id: userId, name: '', type: 'user', isOpen: true });
}

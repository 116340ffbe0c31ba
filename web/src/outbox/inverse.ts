import type { Draft } from './draft.ts';
import type { Change, Todo } from './merge.ts';
import { changedBy } from './shown.ts';
import { changeIn, type Write } from './write.ts';

/* What undoes a change. */

type Made = Pick<Write, 'action' | 'todos' | 'shows' | 'labels'>;

/** The values of the fields of a change that a todo has. */
function valuesOf(todo: Todo, change: Change): Change {
  const { assignees, addLabelIds, removeLabelIds, labelIds, ...plain } = change;
  const names = Object.keys(plain) as (keyof typeof plain & keyof Todo)[];
  return {
    ...(Object.fromEntries(names.map((name) => [name, todo[name]])) as Change),
    ...((labelIds ?? addLabelIds ?? removeLabelIds) && { labelIds: todo.labels.map(({ id }) => id).sort() }),
    ...(assignees && { assignees: todo.assignees.map(({ id }) => ({ id })) }),
  };
}

/** The changes that undo one: the todos as they were before it. */
export function inverseOf(write: Made): Draft[] {
  const { action, todos } = write;
  const after = (todo: Todo): Todo => changedBy(todo, write);
  // The service restores one todo at a time.
  if (action.operation === 'archive')
    return todos.map((todo) => ({ action: { operation: 'restore' }, todos: [after(todo)] }));
  if (action.operation === 'restore' || action.operation === 'create')
    return [{ action: { operation: 'archive' }, todos: todos.map(after) }];
  const groups = Map.groupBy(todos, (todo) => JSON.stringify(valuesOf(todo, changeIn(write))));
  return [...groups].map(([text, group]) => ({
    action: { operation: 'update', change: JSON.parse(text) as Change },
    todos: group.map(after),
    undoes: true,
  }));
}

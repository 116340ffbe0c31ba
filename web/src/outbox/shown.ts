import type { Todo } from './merge.ts';
import type { ShownWrite } from './write.ts';

/* What the pages show of writes. It is in the shell, as most pages of todos need it: it imports types only. */

/** Whether the pages show what it changes as changed. */
const isApplied = ({ state }: ShownWrite) => state === 'waiting' || state === 'asks';

/** A todo as it is after a change. */
export function changedBy(todo: Todo, { shows, labels }: Pick<ShownWrite, 'shows' | 'labels'>): Todo {
  const changed = { ...todo, ...shows };
  if (!labels) return changed;
  const gone = new Set([...labels.remove, ...labels.add.map(({ id }) => id)]);
  return { ...changed, labels: [...todo.labels.filter(({ id }) => !gone.has(id)), ...labels.add] };
}

/** A todo with what is on its way. Writes that are stored come first. */
export function withWrites(todo: Todo, writes: readonly ShownWrite[]): Todo {
  let shown = todo;
  for (const write of writes) {
    if (!isApplied(write) || !write.todos.some(({ id }) => id === todo.id)) continue;
    const answer = write.answers?.find(({ id }) => id === todo.id);
    if (answer === undefined) shown = changedBy(shown, write);
    else if (answer.version > shown.version) shown = answer;
  }
  return shown;
}

/** The todo of a creation that the service has not answered or refused; undefined for other writes. */
export function newTodoIn(write: ShownWrite): Todo | undefined {
  return write.action.operation === 'create' && isApplied(write) ? (write.answers ?? write.todos)[0] : undefined;
}

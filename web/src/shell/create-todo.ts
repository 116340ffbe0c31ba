import { v7 as newId } from 'uuid';
import type { Identity } from '../api/queries.ts';
import { createdWords, type Outbox } from '../outbox/draft.ts';
import { newTodoOf } from '../quick-add/new-todo.ts';
import type { TodoList } from '../todo-common/queries.ts';

/** Of a title, in characters. */
export const maxTitle = 500;

/**
 * Makes a todo of a title as the form above the list does: it is shown at once, and sent once, as soon as the service
 * can be reached. Resolves when it is stored in this browser, with what is to be said when more is known; null for
 * nothing.
 */
export async function createTodo(
  title: string,
  outbox: Pick<Outbox, 'add'>,
  identity: Identity,
  lists: readonly TodoList[],
): Promise<{ words: Promise<string | null> }> {
  const input = { id: newId(), title };
  const todo = newTodoOf(input, { identity, lists, people: [], labels: [] });
  const { outcome } = await outbox.add({ action: { operation: 'create', input }, todos: [todo] });
  const words = outcome.then((became) => {
    if (became.state === 'refused') return `“${title}” is not created. ${became.problem.message}`;
    return became.state === 'withdrawn' ? null : createdWords(title, became.state === 'waits');
  });
  return { words };
}

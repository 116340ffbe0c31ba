import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { maxArchived } from '../../domain/todos/bulk-shapes.ts';
import { maxPageBytes } from '../../domain/todos/page-bytes.ts';
import { draftsOf, type TodoChange } from '../../web/src/edits/changes.ts';
import type { Todo } from '../../web/src/todo-common/queries.ts';

/* Changes of many todos, as they are sent: the service takes so many in a request. */

const test = suite('changes of many todos in parts');

const todosWith = (subTodos: readonly number[]) =>
  subTodos.map((subTodoCount, n) => ({ id: `todo-${n}`, subTodoCount }) as Todo);

const sizesOf = (change: TodoChange, todos: readonly Todo[]) => {
  const drafts = draftsOf(change, todos);
  assert.equal(
    drafts.flatMap((draft) => draft.todos.map(({ id }) => id)),
    todos.map(({ id }) => id),
  );
  return drafts.map((draft) => draft.todos.length);
};

test('a hundred todos go in a request, and one that is restored', () => {
  const todos = todosWith(Array(201).fill(0));
  assert.equal(sizesOf({ type: 'patch', patch: { status: 'done' } }, todos), [100, 100, 1]);
  assert.equal(sizesOf({ type: 'archive' }, todos), [100, 100, 1]);
  assert.equal(sizesOf({ type: 'restore' }, todos.slice(0, 2)), [1, 1]);
  assert.equal(sizesOf({ type: 'archive' }, []), []);
});

test('fewer go in a request that archives as many as the service does, with their sub-todos', () => {
  assert.equal(sizesOf({ type: 'archive' }, todosWith(Array(100).fill(maxArchived / 100 - 1))), [100]);
  assert.equal(sizesOf({ type: 'archive' }, todosWith(Array(100).fill(maxArchived / 100))), [90, 10]);
  assert.equal(sizesOf({ type: 'archive' }, todosWith(Array(12).fill(200))), [4, 4, 4]);
  assert.equal(sizesOf({ type: 'patch', patch: { status: 'done' } }, todosWith(Array(12).fill(200))), [12]);
});

test('fewer go in a request whose contents are longer than the service takes', () => {
  const withContents = (content: string) => todosWith(Array(100).fill(0)).map((todo) => ({ ...todo, content }));
  for (const content of ['😀'.repeat(50_000), '한'.repeat(50_000)]) {
    for (const type of ['patch', 'archive'] as const) {
      const change: TodoChange = type === 'patch' ? { type, patch: { status: 'done' } } : { type };
      const [most = 0] = sizesOf(change, withContents(content));
      assert.ok(most > 1 && most * Buffer.byteLength(content) <= maxPageBytes, `${most}`);
    }
  }
  assert.equal(sizesOf({ type: 'archive' }, withContents('a'.repeat(20_000))), [100]);
});

test.run();

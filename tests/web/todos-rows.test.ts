import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inverseOf } from '../../web/src/outbox/inverse.ts';
import type { Action } from '../../web/src/outbox/write.ts';
import { dueInWords } from '../../web/src/todo-common/days.ts';
import type { Todo } from '../../web/src/todo-common/queries.ts';
import { groupOf } from '../../web/src/todos/due.ts';
import { holdRows } from '../../web/src/todos/held-rows.ts';
import { groupRows } from '../../web/src/todos/use-groups.ts';

const test = suite('the rows of a list of todos');

const todoOf = (id: string, more: Partial<Todo> = {}) => ({ id, assignees: [], ...more }) as unknown as Todo;
const todosOf = (ids: string) => [...ids].map((id) => todoOf(id));
const held = (shown: string, now: string) => {
  const rows = todosOf(shown).map((todo) => ({ todo, isGone: false }));
  const { rows: kept, waiting } = holdRows(rows, todosOf(now));
  return [kept.map(({ todo, isGone }) => (isGone ? `-${todo.id}` : todo.id)).join(''), waiting];
};

test('held rows stay in their places: what left is marked, what is new waits, what follows is added', () => {
  assert.equal(held('abc', 'abc'), ['abc', 0]);
  assert.equal(held('abc', 'ac'), ['a-bc', 0]);
  assert.equal(held('abc', 'xabyc'), ['abc', 2]);
  assert.equal(held('abc', 'cba'), ['abc', 0]);
  assert.equal(held('abc', 'abcde'), ['abcde', 0]);
  assert.equal(held('abc', 'xy'), ['-a-b-c', 2]);
  assert.equal(held('', 'ab'), ['ab', 0]);
  const [row] = holdRows([{ todo: todoOf('a'), isGone: true }], [todoOf('a', { title: 'New' })]).rows;
  assert.equal(row, { todo: todoOf('a', { title: 'New' }), isGone: false });
});

test('a due date is in words, and beyond a week a date', () => {
  const today = '2026-12-30';
  for (const [due, words] of [
    ['2026-12-28', '2 days over'],
    ['2026-12-29', '1 day over'],
    ['2026-12-30', 'today'],
    ['2026-12-31', 'tomorrow'],
    ['2027-01-06', 'in 7 days'],
    ['2027-01-07', 'Jan 7, 2027'],
  ] as const)
    assert.is(dueInWords(due, today), words);
  assert.is(dueInWords('2026-12-24', '2026-03-01'), 'Dec 24');
});

test('a todo belongs to the group of its value, or to that of those without one', () => {
  const group = (dueDate: string | null) => groupOf({ priority: null, dueDate }, 'due', '2026-12-30');
  const dates = ['2026-12-29', '2026-12-30', '2026-12-31', '2027-01-06', '2027-01-07', null];
  const names = ['Overdue', 'Today', 'Tomorrow', 'Within a week', 'Later', 'No due date'];
  assert.equal(dates.map(group), names);
  assert.is(groupOf({ priority: 'high', dueDate: null }, 'priority', '2026-12-30'), 'High');
  assert.is(groupOf({ priority: null, dueDate: null }, 'priority', '2026-12-30'), 'No priority');
});

test('rows are in groups with their counts, and those of a collapsed group are left out', () => {
  const rows = (['high', 'high', 'low', 'high', null] as const).map((priority, place) => ({
    todo: todoOf(String(place), { priority }),
    isGone: false,
  }));
  const byPriority = (todo: Todo) => {
    const name = groupOf(todo, 'priority', '2026-12-30');
    return { id: name, name };
  };
  const flat = groupRows(rows, undefined, new Set());
  assert.equal([flat.items, flat.headings], [['0', '1', '2', '3', '4'], []]);
  const { all, ids, items, groups, headings } = groupRows(rows, byPriority, new Set(['Low']));
  assert.equal(all, ['0', '1', '2', '3', '4']);
  assert.equal(ids, ['0', '1', '3', '4']);
  assert.equal(items, ['#0 High', '0', '1', '#1 Low', '#2 High', '3', '#3 No priority', '4']);
  assert.equal(headings, [0, 3, 4, 6]);
  assert.equal(
    [...groups.values()].map(({ count, isCollapsed }) => [count, isCollapsed]),
    [
      [2, false],
      [1, true],
      [1, false],
      [1, false],
    ],
  );
});

test('the inverse of a change gives each todo what it had, in as few requests as there are values', () => {
  const todos = [
    todoOf('a', { priority: 'low' }),
    todoOf('b', { priority: null }),
    todoOf('c', { priority: 'low', status: 'done' }),
  ];
  const inverse = (action: Action, shows: Partial<Todo>) =>
    inverseOf({ action, todos, shows }).map((draft) => ({ ...draft, todos: draft.todos.map(({ id }) => id) }));
  const high = { operation: 'update', change: { priority: 'high' } } as const;
  assert.equal(inverse(high, { priority: 'high' }), [
    { action: { operation: 'update', change: { priority: 'low' } }, todos: ['a', 'c'], undoes: true },
    { action: { operation: 'update', change: { priority: null } }, todos: ['b'], undoes: true },
  ]);
  assert.is(inverseOf({ action: high, todos, shows: { priority: 'high' } })[0]?.todos[0]?.priority, 'high');
  assert.equal(
    inverse({ operation: 'archive' }, { isArchived: true }),
    ['a', 'b', 'c'].map((id) => ({ action: { operation: 'restore' }, todos: [id] })),
  );
  assert.equal(inverse({ operation: 'restore' }, { isArchived: false }), [
    { action: { operation: 'archive' }, todos: ['a', 'b', 'c'] },
  ]);
});

test.run();

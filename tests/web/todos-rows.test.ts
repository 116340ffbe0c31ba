import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inverseOf } from '../../web/src/todos/changes.ts';
import { dueInWords, groupOf } from '../../web/src/todos/due.ts';
import { holdRows } from '../../web/src/todos/held-rows.ts';
import type { Todo } from '../../web/src/work/queries.ts';

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

test('the inverse of a change gives each todo what it had, in as few requests as there are values', () => {
  const todos = [
    todoOf('a', { priority: 'low' }),
    todoOf('b', { priority: null }),
    todoOf('c', { priority: 'low', status: 'done' }),
  ];
  assert.equal(inverseOf({ type: 'patch', patch: { priority: 'high' } }, todos), [
    { change: { type: 'patch', patch: { priority: 'low' } }, ids: ['a', 'c'] },
    { change: { type: 'patch', patch: { priority: null } }, ids: ['b'] },
  ]);
  assert.equal(inverseOf({ type: 'archive' }, todos), [{ change: { type: 'restore' }, ids: ['a', 'b', 'c'] }]);
  assert.equal(inverseOf({ type: 'restore' }, todos), [{ change: { type: 'archive' }, ids: ['a', 'b', 'c'] }]);
});

test.run();

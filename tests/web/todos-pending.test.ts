import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Action, ShownWrite } from '../../web/src/outbox/write.ts';
import type { Todo } from '../../web/src/todo-common/queries.ts';
import type { Listing } from '../../web/src/todos/filter.ts';
import { matches, shows, withPending } from '../../web/src/todos/pending.ts';

const test = suite('unsent changes: the lists of todos');

const todoOf = (id: string, fields: Partial<Todo> = {}): Todo =>
  ({
    ...{ id, title: id, content: null, status: 'ready', priority: null, todoListId: 'inbox', dueDate: null },
    ...{ assignees: [], labels: [], isArchived: false, isSuggested: false, version: 1 },
    ...fields,
  }) as unknown as Todo;
const writeOf = (
  action: Action,
  todos: Todo[],
  shows: Partial<Todo> = {},
  more: Partial<ShownWrite> = {},
): ShownWrite => ({
  ...{ id: 'w', action, todos, shows, base: null, known: null, madeAt: 0, sentAt: null },
  ...{ state: 'waiting', problem: null, theirs: null },
  ...more,
});
const update = (todo: Todo, fields: Partial<Todo>, more: Partial<ShownWrite> = {}) =>
  writeOf({ operation: 'update', change: {} }, [todo], fields, more);
const create = (todo: Todo, more: Partial<ShownWrite> = {}) =>
  writeOf({ operation: 'create', input: { id: todo.id } }, [todo], {}, more);
const shown = (todos: Todo[], writes: ShownWrite[], listing: Listing = { status: ['active'] }) => {
  const pending = withPending(todos, writes, listing, 'me-id');
  return [pending.todos.map(({ id, status }) => `${id} ${status}`), [...pending.leaving]];
};

const [a, b] = [todoOf('a'), todoOf('b')];

test('a list by what the service alone knows is not said to show a todo, nor not to', () => {
  assert.is(shows(a, { status: ['active'] }, 'me-id'), true);
  assert.is(shows(a, { status: ['done'] }, 'me-id'), false);
  for (const listing of [{ hasRun: true }, { assignedToMe: true, status: ['active'] }] as Listing[])
    assert.is(shows(a, listing, 'me-id'), undefined);
});

test('a changed todo keeps its place, also where it will leave the list', () => {
  const todos = [a, b];
  assert.is(withPending(todos, [], {}, '').todos, todos);
  assert.equal(shown(todos, [update(a, { status: 'done' })]), [['a done', 'b ready'], ['a']]);
  assert.equal(shown(todos, [update(a, { status: 'in_progress' })]), [['a in_progress', 'b ready'], []]);
  const both = [update(a, { status: 'done' }), update({ ...a, status: 'done' }, { status: 'ready' })];
  assert.equal(shown(todos, both), [['a ready', 'b ready'], []]);
});

test('refused changes and open conflicts are not shown as made', () => {
  for (const state of ['refused', 'conflict'] as const) {
    assert.equal(shown([a], [update(a, { status: 'done' }, { state })]), [['a ready'], []]);
    assert.equal(shown([a], [create(b, { state })]), [['a ready'], []]);
  }
});

test('a new todo comes first in a list by creation, else last, and once', () => {
  assert.equal(shown([a], [create(b)]), [['b ready', 'a ready'], []]);
  assert.equal(shown([a], [create(b)], { sort: 'dueDate', order: 'asc' }), [['a ready', 'b ready'], []]);
  assert.equal(shown([a, b], [create(b, { isStored: true, answers: [b] })]), [['a ready', 'b ready'], []]);
  assert.equal(shown([a], [create(b), update(b, { status: 'done' })]), [['a ready'], []]);
  assert.equal(shown([a], [create(b)], { todoListId: 'other' }), [['a ready'], []]);
});

test('a todo that a change brings into a list is in it; one that others match already is not added', () => {
  const done: Listing = { status: ['done'] };
  assert.equal(shown([], [update(a, { status: 'done' })], done), [['a done'], []]);
  assert.equal(shown([], [update(a, { title: 'New' })]), [[], []]);
});

test('after the answer the newer of the answer and of what was read is shown', () => {
  const answer = todoOf('a', { status: 'done', version: 2 });
  const stored = update(a, { status: 'done' }, { isStored: true, answers: [answer] });
  assert.equal(shown([a], [stored]), [['a done'], ['a']]);
  assert.equal(shown([todoOf('a', { version: 3 })], [stored]), [['a ready'], []]);
});

test('labels are put on and taken off beside those that a todo has', () => {
  const labels = (...ids: string[]) => ids.map((id) => ({ id })) as Todo['labels'];
  const todo = todoOf('a', { labels: labels('x', 'y') });
  const write = update(todo, {}, { labels: { add: labels('z', 'y'), remove: ['x'] } });
  const [now] = withPending([todo], [write], {}, '').todos;
  assert.equal(
    now?.labels.map(({ id }) => id),
    ['z', 'y'],
  );
});

test('what comes into a list by a filter that the pages do not know is left to the service', () => {
  assert.equal(shown([a], [create(b)], { captureId: 'c' }), [['a ready'], []]);
});

test('a listing has what its filter says', () => {
  const assignees = [{ id: 'me-id' }] as unknown as Todo['assignees'];
  for (const [fields, listing, is] of [
    [{}, {}, true],
    [{ isArchived: true }, {}, false],
    [{ isArchived: true }, { includeArchived: true }, true],
    [{ isSuggested: true }, {}, false],
    [{ isSuggested: true }, { isSuggested: true }, true],
    [{ status: 'done' }, { status: ['active'] }, false],
    [{ status: 'done' }, { status: ['active', 'done'] }, true],
    [{ priority: 'high' }, { priority: ['none'] }, false],
    [{}, { priority: ['none', 'low'] }, true],
    [{}, { todoListId: 'inbox' }, true],
    [{ assignees }, { assigneeId: 'me' }, true],
    [{ assignees }, { assigneeId: ['other'] }, false],
    [{}, { assigneeId: 'me' }, false],
    [{ assignees }, { unassigned: true }, false],
    [{ labels: [{ id: 'l' }] }, { labelId: ['l', 'm'] }, true],
    [{}, { labelId: ['l'] }, false],
    [{ dueDate: '2026-01-05' }, { dueBefore: '2026-01-05', dueAfter: '2026-01-05' }, true],
    [{ dueDate: null }, { dueBefore: '2026-01-05' }, false],
    [{ title: 'Call the bank' }, { query: 'BANK call' }, true],
    [{ title: 'Call the bank' }, { query: 'bank tomorrow' }, false],
  ] as const)
    assert.is(
      matches(todoOf('a', fields as Partial<Todo>), listing as Listing, 'me-id'),
      is,
      JSON.stringify([fields, listing]),
    );
});

test.run();

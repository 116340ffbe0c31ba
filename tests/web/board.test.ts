import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asTheyAre, type BoardColumn, type BoardField, movesOnDrop, movesTo } from '../../web/src/board/moves.ts';
import { stepFrom } from '../../web/src/board/steps.ts';
import type { Todo } from '../../web/src/todo-common/queries.ts';
import { type Known, partsOf } from '../../web/src/todos/parts.ts';

const test = suite('the board');

const [ada, grace, bot] = [
  { id: 'ada', name: 'Ada', type: 'user' as const },
  { id: 'grace', name: 'Grace', type: 'user' as const },
  { id: 'bot', name: 'Bot', type: 'agent' as const },
];
const todoOf = (id: string, more: object = {}) =>
  ({ id, status: 'ready', priority: null, todoListId: 'inbox', assignees: [], ...more }) as unknown as Todo;
const moved = (field: BoardField, cards: [Todo, string][], to: BoardColumn) =>
  movesTo(
    field,
    cards.map(([todo, from]) => ({ todo, from })),
    to,
  ).map(({ todos, patch }) => [todos.map(({ id }) => id).join(' '), patch]);

test('arrow keys lead to the next card, and past columns without cards', () => {
  const cards = [['a', 'b', 'c'], [], ['d', 'e']];
  for (const [from, key, to] of [
    ['a', 'ArrowDown', 'b'],
    ['b', 'ArrowUp', 'a'],
    ['a', 'ArrowUp', undefined],
    ['c', 'ArrowDown', undefined],
    ['a', 'ArrowRight', 'd'],
    ['c', 'ArrowRight', 'e'],
    ['e', 'ArrowLeft', 'b'],
    ['a', 'ArrowLeft', undefined],
    ['d', 'ArrowRight', undefined],
    ['b', 'Home', 'a'],
    ['b', 'End', 'c'],
    ['b', 'x', undefined],
    ['gone', 'ArrowDown', undefined],
  ] as const)
    assert.is(stepFrom(cards, from, key), to, `${from} ${key}`);
});

test('a move sets the field of the columns, and leaves alone what is there already', () => {
  const columnOf = (id: string): BoardColumn => ({ id, name: id, isOpen: true });
  const [a, b] = [todoOf('a'), todoOf('b', { status: 'done', priority: 'high', todoListId: 'garden' })];
  assert.equal(moved('status', [[a, 'ready']], columnOf('done')), [['a', { status: 'done' }]]);
  assert.equal(moved('status', [[b, 'done']], columnOf('done')), []);
  assert.equal(moved('priority', [[b, 'high']], columnOf('none')), [['b', { priority: null }]]);
  assert.equal(moved('priority', [[a, 'none']], columnOf('none')), []);
  const both: [Todo, string][] = [
    [a, 'inbox'],
    [b, 'garden'],
  ];
  assert.equal(moved('list', both, columnOf('home')), [['a b', { todoListId: 'home' }]]);
  assert.equal(moved('list', both, columnOf('garden')), [['a', { todoListId: 'garden' }]]);
});

test('what somebody else changed while the person was asked stays', () => {
  const todo = todoOf('a', { assignees: [ada] });
  const column: BoardColumn = { id: 'bot', name: 'Bot', type: 'agent', isOpen: true };
  const cards = [
    { todo, from: 'ada' },
    { todo: todoOf('gone', { assignees: [ada] }), from: 'ada' },
  ];
  const now = asTheyAre(cards, (id) => (id === 'a' ? todoOf('a', { assignees: [ada, grace] }) : undefined));
  assert.equal(
    movesTo('assignee', now, column).map(({ patch }) => patch.assignees?.map(({ id }) => id)),
    [['grace', 'bot'], ['bot']],
  );
});

test('an assignee takes the place of the one of the column, and the others stay', () => {
  const column = ({ id, name, type }: typeof ada | typeof bot): BoardColumn => ({ id, name, type, isOpen: true });
  const both = todoOf('both', { assignees: [ada, grace] });
  const none = todoOf('none');
  const user = (id: string) => ({ id, type: 'user' });
  assert.equal(moved('assignee', [[both, 'ada']], column(bot)), [
    ['both', { assignees: [user('grace'), { id: 'bot', type: 'agent' }] }],
  ]);
  assert.equal(moved('assignee', [[both, 'ada']], column(grace)), [], 'it is in that column already');
  const nobody: BoardColumn = { id: 'none', name: 'Unassigned', isOpen: true };
  assert.equal(moved('assignee', [[both, 'ada']], nobody), [['both', { assignees: [] }]]);
  assert.equal(moved('assignee', [[none, 'none']], nobody), []);
  const one = todoOf('one', { assignees: [ada] });
  const cards: [Todo, string][] = [
    [none, 'none'],
    [one, 'ada'],
    [both, 'ada'],
  ];
  assert.equal(moved('assignee', cards, column({ ...grace, id: 'mary' })), [
    ['none one', { assignees: [user('mary')] }],
    ['both', { assignees: [user('grace'), user('mary')] }],
  ]);
  assert.equal(
    moved(
      'assignee',
      [
        [both, 'ada'],
        [both, 'grace'],
      ],
      column({ ...grace, id: 'mary' }),
    ).length,
    1,
    'a todo in two columns is changed once',
  );
});

test('a drop beside the page moves to a list, or assigns the person beside the others', () => {
  const [free, hers] = [todoOf('free'), todoOf('hers', { assignees: [grace, bot] })];
  const mine = todoOf('mine', { assignees: [ada], todoListId: 'garden' });
  const drop = (place: Parameters<typeof movesOnDrop>[1]) =>
    movesOnDrop([free, hers, mine], place, 'ada').map(({ todos, patch }) => [
      todos.map(({ id }) => id).join(' '),
      patch,
    ]);
  assert.equal(drop({ type: 'list', id: 'garden', name: 'Garden' }), [['free hers', { todoListId: 'garden' }]]);
  const user = (id: string) => ({ id, type: 'user' });
  assert.equal(drop({ type: 'mine' }), [
    ['free', { assignees: [user('ada')] }],
    ['hers', { assignees: [user('grace'), { id: 'bot', type: 'agent' }, user('ada')] }],
  ]);
});

test('there is a column for each value that the filter leaves, those with work first and archived ones last', () => {
  const list = (id: string, activeTodoCount: number, isArchived = false) => ({
    id,
    name: id,
    activeTodoCount,
    isArchived,
  });
  const known: Known = {
    lists: [list('old', 4, true), list('empty', 0), list('garden', 2)],
    workers: [{ ...bot, isArchived: true }, { ...bot, id: 'helper' }, grace, ada],
    userId: 'ada',
  };
  const ids = (field: BoardField, listing: object) => partsOf(field, listing, known).map(({ id }) => id);
  assert.equal(ids('status', {}), ['ready', 'in_progress', 'done']);
  assert.equal(ids('status', { status: ['active'] }), ['ready', 'in_progress']);
  assert.equal(ids('priority', { priority: ['low', 'none'] }), ['low', 'none']);
  assert.equal(ids('list', {}), ['garden', 'empty', 'old']);
  assert.equal(ids('list', { todoListId: 'old' }), ['old']);
  assert.equal(ids('assignee', {}), ['none', 'ada', 'grace', 'helper', 'bot']);
  assert.equal(ids('assignee', { assigneeId: ['me', 'bot'] }), ['ada', 'bot']);
  assert.equal(ids('assignee', { unassigned: true }), ['none']);
  const parts = partsOf('assignee', { sort: 'dueDate', unassigned: true }, known);
  assert.equal(parts[0]?.listing, { sort: 'dueDate', unassigned: true });
  const open = partsOf('list', {}, known).map(({ isOpen }) => isOpen);
  assert.equal(open, [true, true, false]);
});

test.run();

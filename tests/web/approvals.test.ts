import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atFields, editFieldsOf, inputFrom, type Schema } from '../../web/src/approvals/edit-fields.ts';
import { editsOf, effectOf, expiryWords, labelOf, valueWords } from '../../web/src/approvals/effect.ts';
import { type Subject, sentenceOf, subjectOf } from '../../web/src/approvals/subject.ts';
import { isUndecided } from '../../web/src/approvals/subject-queries.ts';
import toolInputs from '../../web/src/approvals/tool-inputs.json' with { type: 'json' };

const test = suite('approvals in words');

const [todo, list, ada] = [1, 2, 3].map((digit) => `0190000${digit}-0000-7000-8000-000000000000`) as [
  string,
  string,
  string,
];
const names: Record<string, string> = { [list]: 'Office', [ada]: 'Ada' };
const nameOf = (id: string) => names[id];
const desks: Subject = {
  name: 'Order desks',
  path: null,
  fields: { status: 'in_progress', priority: null, dueDate: '2030-01-02', assignees: [{ id: ada, name: 'Ada' }] },
};
const asked = (toolName: string, input: unknown, title = 'Do something') => ({ toolName, title, input });

test('what an agent wants is a sentence with the name of what it is about', () => {
  const sentence = (toolName: string, input: unknown, subject: Subject | null = null) =>
    sentenceOf('Researcher', asked(toolName, input), subject);
  assert.is(sentence('complete_todo', { todoId: todo }, desks), 'Researcher wants to mark “Order desks” as done');
  assert.is(sentence('create_todo', { title: 'Buy  a\nboat' }), 'Researcher wants to create the todo “Buy a boat”');
  assert.is(sentence('create_todo', {}), 'Researcher wants to create the todo');
  assert.is(sentence('upsert_todo_list', { name: 'Office' }), 'Researcher wants to create the list “Office”');
  assert.is(sentence('upsert_todo_list', { todoListId: 'Office' }), 'Researcher wants to change the list “Office”');
  assert.is(sentence('update_todo', { todoId: todo }), 'Researcher wants to change the todo');
  assert.is(sentence('launch_rocket', { to: 'Mars' }), 'Researcher asks for: Do something');
  assert.is(
    sentence('create_todo', { title: 'x'.repeat(200) }).length,
    'Researcher wants to create the todo “”'.length + 80,
  );
});

test('every tool that asks for approval has a sentence of its own', () => {
  const tools = Object.keys(toolInputs);
  assert.ok(tools.length > 10);
  const generic = tools.filter((name) => sentenceOf('X', asked(name, {}), null).startsWith('X asks for'));
  assert.equal(generic, []);
});

test('what was changed in a call is compared with what was asked, field by field', () => {
  const was = { todoId: todo, title: 'Order desks', priority: 'low', clear: ['dueDate'], content: 'Six' };
  const edits = editsOf(was, { ...was, title: 'Order oak desks', todoListId: list, clear: [] }, nameOf);
  assert.equal(
    edits.map(({ label, before, after }) => [label, before, after]),
    [
      ['title', 'Order desks', 'Order oak desks'],
      ['list', 'not set', 'Office'],
      ['due date', 'none', 'not set'],
    ],
  );
  assert.equal(editsOf(was, was, nameOf), []);
});

test('a change is compared with the present values, field by field', () => {
  const input = { todoId: todo, status: 'done', priority: 'high', todoListId: list, clear: ['dueDate'], assignees: [] };
  const effects = effectOf(asked('update_todo', input), desks, nameOf);
  assert.equal(
    effects.map(({ label, before, after }) => [label, before, after]),
    [
      ['status', 'in progress', 'done'],
      ['priority', 'none', 'high'],
      ['list', null, 'Office'],
      ['assignees', 'Ada', 'nobody'],
      ['due date', 'Jan 2, 2030', 'none'],
    ],
  );
  const [same] = effectOf(asked('update_todo', { todoId: todo, status: 'in_progress' }), desks, nameOf);
  assert.is(same?.isSame, true);
  assert.equal(
    effectOf(asked('complete_todo', { todoId: todo }), desks, nameOf).map(({ before, after }) => [before, after]),
    [['in progress', 'done']],
  );
});

test('inputs of an unknown shape are readable fields, and no field is left out', () => {
  const input = { target_system: 'Mars', crew: ['Ada', 'Grace'], plan: { maxSpeed: 3, isFast: true }, none: null };
  assert.equal(
    effectOf(asked('launch_rocket', input), null, nameOf).map(({ label, before, after }) => [label, before, after]),
    [
      ['target system', null, 'Mars'],
      ['crew', null, 'Ada, Grace'],
      ['plan', null, 'max speed: 3; is fast: yes'],
      ['none', null, 'none'],
    ],
  );
  for (const odd of [null, 'text', 7, ['a']]) assert.equal(effectOf(asked('launch_rocket', odd), null, nameOf), []);
});

test('values and labels are words', () => {
  assert.is(valueWords('assignees', [{ id: 'me' }, { id: ada }], nameOf), 'the person that it works for, Ada');
  assert.is(valueWords('todoListId', todo, nameOf), `unknown (${todo})`);
  assert.is(valueWords('title', 'in_progress', nameOf), 'in_progress');
  assert.is(
    valueWords('schedule', { every: 'week', on: ['mon', 'tue'], at: '09:00' }, nameOf),
    'every: week; on: mon, tue; at: 09:00',
  );
  assert.is(valueWords('content', '', nameOf), 'empty');
  assert.equal(['todoId', 'captureIds', 'dueDate', 'content', 'id'].map(labelOf), [
    'todo',
    'captures',
    'due date',
    'text',
    'id',
  ]);
});

test('what a call is about is known by an id only', () => {
  assert.equal(subjectOf({ toolName: 'archive_todo', input: { todoId: todo } })?.kind, 'todo');
  assert.is(subjectOf({ toolName: 'archive_todo', input: { todoId: 'Order desks' } }), null);
  assert.is(subjectOf({ toolName: 'create_todo', input: { title: 'x' } }), null);
  assert.is(subjectOf({ toolName: 'archive_todo', input: null }), null);
});

test('the time left is counted down within a day', () => {
  const now = Date.parse('2026-03-01T09:00:00Z');
  const after = (minutes: number) => expiryWords(new Date(now + minutes * 60_000).toISOString(), now);
  assert.equal([24 * 60, 23 * 60 + 59, 60, 59, 1, 0.5, 0].map(after), [
    null,
    'Expires in 23 hours',
    'Expires in 1 hour',
    'Expires in 59 minutes',
    'Expires in 1 minute',
    'Expires in less than a minute',
    'The time to decide is over',
  ]);
});

const schema: Schema = {
  properties: {
    todoId: { type: 'string', format: 'uuid' },
    title: { type: 'string' },
    count: { type: 'integer' },
    run: { type: 'boolean' },
    clear: { type: 'array', items: { type: 'string' } },
    assignees: { type: 'array', items: { type: 'object' } },
    todoListId: { type: 'string' },
  },
  required: ['todoId', 'title'],
};
const given = { todoId: todo, title: 'Desks', clear: ['dueDate'], assignees: [{ id: ada }], todoListId: 'office' };
const lists = [{ id: list, name: 'Office' }];

test('the form has a control for each argument, those that the agent gave first', () => {
  const fields = editFieldsOf(schema, given, lists);
  assert.equal(
    fields.map(({ name, kind, isGiven, value }) => [name, kind, isGiven, value]),
    [
      ['title', 'line', true, 'Desks'],
      ['clear', 'lines', true, 'dueDate'],
      ['assignees', 'json', true, JSON.stringify([{ id: ada }], null, 2)],
      ['todoListId', 'choice', true, list],
      ['count', 'number', false, ''],
      ['run', 'choice', false, ''],
    ],
  );
});

test('what is filled in becomes arguments: unchanged ones stay, emptied ones leave, errors name their field', () => {
  const fields = editFieldsOf(schema, given, lists);
  const filled = (changes: Record<string, string>) => {
    const values = { ...Object.fromEntries(fields.map(({ name, value }) => [name, value])), ...changes };
    return inputFrom(fields, (name) => values[name] ?? '', given);
  };
  assert.equal(filled({}), given);
  assert.equal(filled({ title: 'Chairs', count: '3', run: 'false', clear: 'dueDate\r\npriority\r\n', assignees: '' }), {
    todoId: todo,
    title: 'Chairs',
    count: 3,
    run: false,
    clear: ['dueDate', 'priority'],
    todoListId: 'office',
  });
  try {
    filled({ count: 'many', assignees: '[' });
    assert.unreachable();
  } catch (error) {
    const { problem } = error as ReturnType<typeof atFields>;
    assert.equal(
      problem.errors.map(({ param }) => param),
      ['assignees', 'count'],
    );
  }
});

test('an error of the service is shown at the field of the form', () => {
  const errors = [
    { param: 'input.assignees[0].id', message: 'is unknown' },
    { param: 'input', message: 'is wrong' },
    { param: null, message: 'is wrong' },
  ];
  const problem = { status: 400, code: 'validation_failed', message: 'No', retryable: false, errors };
  assert.equal(
    atFields(problem).problem.errors.map(({ param }) => param),
    ['assignees', null, null],
  );
});

test('an approval that newer ones have moved off the page of the pending ones is still to be decided', () => {
  assert.ok(isUndecided(true, undefined));
  assert.ok(isUndecided(false, { status: 'pending' }));
  for (const status of ['approved', 'denied', 'expired', 'superseded'] as const)
    assert.not.ok(isUndecided(false, { status }));
  assert.not.ok(isUndecided(false, undefined), 'not before it is read');
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { offlineEngine } from '../../engine/offline/index.ts';
import { changed, created, Dialogue, fault, page, requestOf, row } from '../support/offline-engine.ts';

const test = suite('built-in changes');

test('the todo that is meant is found by its title, or by words of it, and then completed', async () => {
  const rows = [row('a', 'Call Bob'), row('b', 'Call Bobby'), row('c', 'Pay invoice 7')];
  const chat = new Dialogue(changed(rows));
  assert.is(await chat.send('complete “call bob”'), 'I completed “Call Bob”.');
  assert.is(await chat.send('mark the invoice todo as done'), 'I completed “Pay invoice 7”.');
  const ids = chat.calls.filter(([name]) => name === 'complete_todo').map(([, { todoId }]) => todoId);
  assert.equal(ids, ['a', 'c']);
});

test('when several match it asks which, and takes a number, an ordinal, a title, or all', async () => {
  const rows = [row('a', 'Call Bob', { dueDate: '2026-11-20' }), row('b', 'Call Ada'), row('c', 'Call Grace')];
  const asked = [
    'Several todos match “call”. Which one shall I complete?',
    '',
    '1. “Call Bob” (due 2026-11-20 (today))',
    '2. “Call Ada”',
    '3. “Call Grace”',
    '',
    'Answer with a number, or with the title in quotation marks.',
  ].join('\n');
  for (const [answer, ids] of [
    ['2', ['b']],
    ['the second one', ['b']],
    ['1 and 3', ['a', 'c']],
    ['“Call Grace”', ['c']],
    ['Call Grace', ['c']],
    ['all', ['a', 'b', 'c']],
    ['the last one, please', ['c']],
    ['7', []],
    ['no', []],
    ['never mind', []],
  ] as const) {
    const chat = new Dialogue(changed(rows));
    assert.is(await chat.send('complete the call todo'), asked);
    await chat.send(answer);
    const done = chat.calls.filter(([name]) => name === 'complete_todo').map(([, { todoId }]) => todoId);
    assert.equal(done, ids, answer);
  }
});

test('another request instead of an answer to the question is carried out', async () => {
  const chat = new Dialogue({ ...changed([row('a', 'Call Bob'), row('b', 'Call Ada')]), ...created });
  await chat.send('archive the call todo');
  assert.is(await chat.send('create a todo to call Grace'), 'I created the todo “Call Grace” (in “Inbox”).');
  assert.is(
    chat.calls.some(([name]) => name === 'archive_todo'),
    false,
  );
});

test('what matches nothing, or only in another state, is said and changes nothing', async () => {
  const chat = new Dialogue(changed([row('a', 'Call Bob', { status: 'done' })]));
  assert.is(await chat.send('complete "Call Bob"'), '“Call Bob” is done already, so I changed nothing.');
  assert.is(await chat.send('complete "Call Alan"'), 'I found no todo that matches “Call Alan”, so I changed nothing.');
  assert.is(await chat.send('reopen "Call Bob"'), 'I reopened “Call Bob”.');
  assert.is(
    await chat.send('complete “Call Bob” and “Call Alan”'),
    'I found no todo that matches “Call Alan”, so I changed nothing.',
  );
  assert.equal(
    chat.calls.map(([name]) => name).filter((name) => name !== 'list_todos'),
    ['reopen_todo'],
  );
});

test('a todo that only mentions the words in its text is offered, not changed', async () => {
  const chat = new Dialogue(changed([row('a', 'Office', { content: 'call the landlord' })]));
  const text = await chat.send('complete the landlord todo');
  assert.match(text, 'I found one todo that may be meant by “landlord”. Shall I complete it?');
  assert.equal(
    chat.calls.map(([name]) => name),
    ['list_todos'],
  );
  assert.is(await chat.send('yes'), 'I completed “Office”.');
});

test('nothing is archived on a guess: words that are only a part of a title are asked about', async () => {
  const chat = new Dialogue(changed([row('a', 'Create account for Bob')]));
  assert.match(await chat.send('delete my account'), /Shall I archive it\?/);
  assert.is(chat.calls.length, 1);
  assert.is(await chat.send('yes'), 'I archived “Create account for Bob”. Archived todos can be brought back.');
});

test('everything is changed only after a yes; what a filter names is changed at once', async () => {
  const rows = [row('a', 'One'), row('b', 'Two'), row('c', 'Three', { status: 'done' })];
  const chat = new Dialogue(changed(rows));
  assert.match(await chat.send('archive everything'), /^That would archive 3 todos:\n\n1\. “One”/);
  assert.is(chat.calls.length, 1);
  assert.is(await chat.send('2'), 'I archived “Two”. Archived todos can be brought back.');
  assert.is(await chat.send('archive all done todos'), 'I archived “Three”. Archived todos can be brought back.');
  const many = new Dialogue({ ...changed([]), list_todos: () => page(rows, 80) });
  assert.match(
    await many.send('complete all todos in Groceries'),
    /^That would be 80 open todos in the list “Groceries”, and I complete at most 50/,
  );
  assert.is(many.calls.length, 1);
});

test('“it” is the todo that was last created, changed or found; a number is one of the last list', async () => {
  const chat = new Dialogue({ ...changed([row('a', 'Alpha'), row('b', 'Beta')]), ...created });
  await chat.send('create a todo to call Bob');
  await chat.send('make it urgent');
  assert.equal(chat.calls.at(-1), ['update_todo', { todoId: 'new-0', priority: 'urgent' }]);
  await chat.send('show all todos');
  await chat.send('archive the second one');
  assert.equal(chat.calls.at(-1), ['archive_todo', { todoId: 'b' }]);
  await chat.send('write a poem');
  await chat.send('rename 1 to Gamma');
  assert.equal(chat.calls.at(-1), ['update_todo', { todoId: 'a', title: 'Gamma' }]);
  await chat.send('archive 2');
  await chat.send('bring it back');
  assert.equal(chat.calls.at(-1), ['unarchive_todo', { todoId: 'b' }]);
  const fresh = new Dialogue(changed([]));
  assert.match(await fresh.send('complete it'), 'I do not know which todo you mean by “it”');
  assert.match(await fresh.send('complete the first one'), 'I do not know which todo you mean by “the first one”');
});

test('in a chat about a todo, “this todo” is that one', async () => {
  const todo = {
    id: 'own',
    title: 'Own',
    content: null,
    status: 'ready',
    type: 'task',
    priority: null,
    dueDate: null,
    list: 'Inbox',
    captureId: null,
  } as const;
  const chat = new Dialogue(changed([row('own', 'Own')]), { facts: { todo } });
  assert.is(await chat.send('complete this todo'), 'I completed “Own”.');
  assert.equal(chat.calls, [['complete_todo', { todoId: 'own' }]]);
});

test('each change is made with the values of the message, and its answer names them', async () => {
  const table: [message: string, changes: object, result: string][] = [
    ['rename “Call Bob” to “Call Robert”', { title: 'Call Robert' }, 'is now called “Call Robert”'],
    ['make “Call Bob” urgent', { priority: 'urgent' }, 'has the priority urgent'],
    ['set the priority of “Call Bob” to low', { priority: 'low' }, 'has the priority low'],
    ['clear the priority of “Call Bob”', { priority: null }, 'has no priority any more'],
    ['postpone “Call Bob” to Monday', { dueDate: '2026-11-23' }, 'is due 2026-11-23'],
    ['set the due date of “Call Bob” to 2026-12-24', { dueDate: '2026-12-24' }, 'is due 2026-12-24'],
    ['remove the due date of “Call Bob”', { dueDate: null }, 'has no due date any more'],
    ['move “Call Bob” to Groceries', { todoListId: 'list-1' }, 'is in the list “Groceries”'],
    ['move “Call Bob” to tomorrow', { dueDate: '2026-11-21' }, 'is due 2026-11-21 (tomorrow)'],
    ['assign “Call Bob” to Grace', { assignees: [{ id: 'user-2' }] }, 'is assigned to Grace Hopper'],
    [
      'assign “Call Bob” to me and Research Bot',
      { assignees: [{ id: 'user-1' }, { id: 'agent-2' }] },
      'is assigned to you and Research Bot',
    ],
    ['assign Grace to “Call Bob”', { assignees: [{ id: 'user-2' }] }, 'is assigned to Grace Hopper'],
    ['unassign “Call Bob”', { assignees: [] }, 'is assigned to nobody'],
    ['start “Call Bob”', { status: 'in_progress' }, 'is in progress'],
    [
      'mark “Call Bob” as urgent and due Friday',
      { priority: 'urgent', dueDate: '2026-11-27' },
      'has the priority urgent and is due 2026-11-27',
    ],
  ];
  for (const [message, changes, result] of table) {
    const chat = new Dialogue({
      ...changed([row('a', 'Call Bob')]),
      update_todo: () => ({ todo: row('a', 'Call Bob') }),
    });
    assert.is(await chat.send(message), `Changed: “Call Bob” ${result}.`, message);
    assert.equal(chat.calls.at(-1), ['update_todo', { todoId: 'a', ...changes }], message);
  }
});

test('what a person changed before approving it is reported as it was made', async () => {
  const chat = new Dialogue({ ...changed([row('a', 'Call Bob'), row('b', 'Call Ada')]) });
  await chat.send('set the due date of “Call Bob” and “Call Ada” to 2026-12-01');
  const calls = chat.conversation.at(-3);
  assert.is(calls?.role === 'agent' && calls.toolCalls.length, 2);
  const answerTo = async (...inputs: object[]) => {
    const toolCalls = calls?.role === 'agent' ? calls.toolCalls : [];
    const edited = toolCalls.map((each, place) => ({ ...each, input: inputs[place] ?? each.input }));
    const conversation = chat.conversation.slice(0, -1);
    conversation.splice(-2, 1, { role: 'agent', text: '', toolCalls: edited });
    return (await offlineEngine.answer(requestOf(conversation))).text;
  };
  assert.is(await answerTo(), 'Changed: “Call Bob” and “Call Ada” are due 2026-12-01.');
  assert.is(
    await answerTo({ todoId: 'a', dueDate: '2026-12-24', content: 'x' }),
    'Changed: “Call Bob” has another content and is due 2026-12-24.\n\nChanged: “Call Ada” is due 2026-12-01.',
  );
  const odd = [
    { todoId: 'a', clear: ['dueDate'] },
    { todoId: 'b', type: 'responsibility' },
  ];
  assert.is(await answerTo(...odd), 'Changed: “Call Bob” has no due date any more.\n\nChanged: “Call Ada”.');
});

test('a call that fails, was denied or came too late is never reported as done', async () => {
  const table: [ReturnType<typeof fault>, string][] = [
    [fault('denied', 'A person denied this call: not yet'), 'it was denied: “not yet”'],
    [fault('expired', 'Not executed.'), 'nobody approved it in time'],
    [fault('not_executed', 'Not executed.'), 'the turn was stopped before it'],
    [fault('resource_not_found', 'No todo.'), 'what it is about does not exist in this workspace any more'],
    [fault('missing_scope', 'Lacks.'), 'this chat is not allowed to do that'],
    [fault('resource_conflict', 'The chat is busy. Wait.'), 'The chat is busy. Wait'],
  ];
  for (const [outcome, cause] of table) {
    const chat = new Dialogue({ ...changed([row('a', 'Call Bob')]), complete_todo: () => outcome });
    assert.is(await chat.send('complete “Call Bob”'), `I did not complete “Call Bob”: ${cause}.`);
  }
  const chat = new Dialogue({ list_todos: () => fault('internal_error', 'x') });
  assert.match(await chat.send('show my todos'), /^I could not list the todos: the service had a fault/);
  assert.match(await chat.send('complete “Call Bob”'), /^I could not look for the todo: .* I changed nothing\.$/);
  assert.match(await chat.send('summarise my todos'), /^I could not look at the todos: /);
  assert.match(await chat.send('how many todos are there?'), /^I could not count the todos: /);
  const odd = new Dialogue({ list_todos: () => 'what?', list_agents: () => 7, list_captures: () => null });
  assert.is(
    await odd.send('show my todos'),
    'I could not list the todos: the tool answered with an error that I cannot read.',
  );
  assert.match(await odd.send('list the agents'), /^I could not list the agents/);
  assert.match(await odd.send('find captures about x'), /^I could not look at the captures/);
});

test.run();

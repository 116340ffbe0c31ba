import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { refused } from '../support/todo-fixtures.ts';

const test = suite('creating todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

/** What a todo has that says nothing but its title. */
const plain = {
  object: 'todo',
  content: null,
  status: 'ready',
  priority: null,
  type: 'task',
  dueDate: null,
  labels: [],
  captureId: null,
  parentTodoId: null,
  subTodoCount: 0,
  doneSubTodoCount: 0,
  isArchived: false,
  isSuggested: false,
  source: 'user_created',
  scheduleError: null,
  rrule: null,
  timezone: null,
  nextRunAt: null,
  upcomingRuns: [],
  lastRunAt: null,
  scheduleType: null,
  scheduleStatus: null,
  lastNotificationStatus: null,
  lastNotificationSentAt: null,
  latestRun: null,
  minutesSaved: null,
  minutesSavedReason: null,
  minutesSavedConfidence: null,
  version: 1,
};

test('a todo made with a title alone has every documented field and is assigned to the key owner', async () => {
  const { call, userId } = await tandem.workspace();
  const lists = await call('GET /todo-lists');
  const { status, body } = await call('POST /todos', { title: 'Buy milk' });
  assert.is(status, 201);
  const { id, position, createdAt, updatedAt, ...rest } = body;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.is(updatedAt, createdAt);
  assert.is(position, id.replaceAll('-', ''));
  assert.equal(rest, {
    ...plain,
    title: 'Buy milk',
    todoListId: lists.body.data[0].id,
    assignees: [
      { object: 'todo_assignee', type: 'user', id: userId, name: 'Tess', profilePhotoUrl: null, isArchived: false },
    ],
  });
  assert.equal((await call(`GET /todos/${id}`)).body, body);
});

test('a todo keeps every field of its request', async () => {
  const { call } = await tandem.workspace();
  const { body: list } = await call('POST /todo-lists', { name: 'Errands' });
  const fields = {
    title: 'Renew the lease',
    content: '- [ ] call first',
    priority: 'urgent',
    type: 'responsibility',
    todoListId: list.id,
    dueDate: '2028-02-29',
  };
  const { status, body } = await call('POST /todos', { ...fields, assignees: [], run: false });
  assert.is(status, 201);
  const { id, position, createdAt, updatedAt, ...rest } = body;
  assert.equal({ ...rest, position }, { ...plain, ...fields, assignees: [], position: id.replaceAll('-', '') });
  assert.equal((await call(`GET /todos/${id.toUpperCase()}`)).body, body);
});

test('a todo may have a content and no title', async () => {
  const { call } = await tandem.workspace();
  const { status, body } = await call('POST /todos', { content: 'only a body' });
  assert.is(status, 201);
  assert.equal([body.title, body.content], [null, 'only a body']);
});

const texts = [
  ['Windows line ends', 'a\r\nb\r\n\r\nc\r'],
  ['white space around and at line ends', '  two  \n\n\ttab\t \n '],
  ['emoji, flags and families', '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇨🇭 1️⃣ 👍🏽'],
  ['right-to-left with controls', '\u202bשלום עולם\u202c مرحبا\u200f'],
  ['decomposed and composed accents apart', 'e\u0301 é \u212b Å'],
  ['quotes, backslashes and code', '```js\nconst a = "\\u0041\\0" + \'$1\';\n```\n<b>&amp;</b> %s \\'],
  ['control characters and odd spaces', '\u0001\u001f\u007f\u0085\u00a0\u2028\u2029\ufeff\ufffe\u{10ffff}'],
] as const;

for (const [name, text] of texts) {
  test(`Markdown comes back byte for byte: ${name}`, async () => {
    const { call } = await tandem.workspace();
    const { status, body } = await call('POST /todos', { title: `x${text}x`, content: text });
    assert.is(status, 201);
    assert.equal([body.title, body.content], [`x${text}x`, text]);
    const { body: changed } = await call(`PATCH /todos/${body.id}`, { title: `y${text}y`, content: `${text}!` });
    assert.equal([changed.title, changed.content], [`y${text}y`, `${text}!`]);
    assert.equal((await call(`GET /todos/${body.id}`)).body, changed);
  });
}

test('lengths are counted in code points: 500 for a title, 50,000 for a content', async () => {
  const { call } = await tandem.workspace();
  for (const character of ['x', '𝄞', '🦀']) {
    const longest = { title: character.repeat(500), content: character.repeat(50_000) };
    const { status, body } = await call('POST /todos', longest);
    assert.is(status, 201);
    assert.equal([body.title, body.content], [longest.title, longest.content]);
    refused(await call('POST /todos', { title: character.repeat(501) }), 400, 'title');
    refused(await call('POST /todos', { title: 'a', content: character.repeat(50_001) }), 400, 'content');
  }
});

test('a todo that says nothing is refused', async () => {
  const { call } = await tandem.workspace();
  const blanks = ['', ' ', '\t\r\n', '\u00a0\u3000\u2028', '\ufeff'];
  refused(await call('POST /todos', {}), 400, 'title');
  for (const title of blanks) refused(await call('POST /todos', { title, content: 'b' }), 400, 'title');
  for (const content of blanks) refused(await call('POST /todos', { content }), 400, 'title');
  for (const content of blanks) assert.is((await call('POST /todos', { title: 'a', content })).status, 201);
});

test('NUL and lone surrogates are refused', async () => {
  const { call } = await tandem.workspace();
  for (const escaped of ['\\u0000', '\\ud800', '\\udc00x', 'a\\udfff\\ud83d']) {
    refused(await call('POST /todos', `{"title":"a${escaped}"}`), 400, 'title');
    refused(await call('POST /todos', `{"title":"a","content":"${escaped}"}`), 400, 'content');
    refused(await call('POST /todos', `{"title":"a","todoListName":"${escaped}"}`), 400, 'todoListName');
  }
});

test('a field of the wrong type, an unknown one and one of a later part name themselves', async () => {
  const { call } = await tandem.workspace();
  const faults: [Record<string, unknown>, string][] = [
    [{ title: 1 }, 'title'],
    [{ title: null }, 'title'],
    [{ content: null }, 'content'],
    [{ priority: 'none' }, 'priority'],
    [{ priority: null }, 'priority'],
    [{ type: 'chore' }, 'type'],
    [{ status: 'done' }, 'status'],
    [{ isSuggested: false }, 'isSuggested'],
    [{ dueDate: null }, 'dueDate'],
    [{ todoListId: 'Inbox' }, 'todoListId'],
    [{ todoListName: '' }, 'todoListName'],
    [{ assignees: {} }, 'assignees'],
    [{ assignees: ['me'] }, 'assignees[0]'],
    [{ assignees: [{}] }, 'assignees[0].id'],
    [{ captureId: 7 }, 'captureId'],
    [{ run: 'yes' }, 'run'],
    [{ schedule: 'every day' }, 'schedule'],
    [{ schedulePaused: true }, 'schedulePaused'],
    [{ Title: 'a' }, 'Title'],
  ];
  for (const [fault, param] of faults) refused(await call('POST /todos', { title: 'a', ...fault }), 400, param);
  const { body } = await call('POST /todos', { title: 'a', priority: 'top' });
  assert.equal(body.allowedValues, ['urgent', 'high', 'medium', 'low']);
});

test('a due date must exist in the calendar', async () => {
  const { call } = await tandem.workspace();
  for (const dueDate of [
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31',
    '0000-01-01',
  ])
    refused(await call('POST /todos', { title: 'a', dueDate }), 400, 'dueDate');
  for (const dueDate of ['2026-3-1', '20260301', '2026-03-01T00:00:00Z', '+002026-03-01', ' 2026-03-01', '01.03.2026'])
    refused(await call('POST /todos', { title: 'a', dueDate }), 400, 'dueDate');
  for (const dueDate of ['0001-01-01', '1582-10-10', '2000-02-29', '2026-12-31', '9999-12-31'])
    assert.is((await call('POST /todos', { title: 'a', dueDate })).body.dueDate, dueDate);
});

test('a capture that does not exist is not found', async () => {
  const { call } = await tandem.workspace();
  const captureId = '018f0000-0000-7000-8000-000000000000';
  refused(await call('POST /todos', { title: 'a', captureId }), 404, 'captureId');
  assert.is((await call('GET /todos/summary')).body.total, 0);
});

test('an invalid request says so before an unknown reference does', async () => {
  const { call } = await tandem.workspace();
  const captureId = '018f0000-0000-7000-8000-000000000000';
  refused(await call('POST /todos', { title: 'a', captureId, todoListName: 'No such list' }), 400, 'todoListName');
  refused(await call('POST /todos', { title: 'a', captureId, run: true }), 400, 'run');
});

test.run();

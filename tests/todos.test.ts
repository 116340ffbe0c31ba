import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from './harness.ts';

const test = suite('todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('a todo made with a title alone has every documented field and is assigned to the key owner', async () => {
  const { call, userId } = await tandem.workspace();
  const lists = await call('GET /todo-lists');
  const { status, body } = await call('POST /todos', { title: 'Buy milk' });
  assert.is(status, 201);
  const { id, createdAt, updatedAt, ...rest } = body;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.is(updatedAt, createdAt);
  assert.equal(rest, {
    object: 'todo',
    title: 'Buy milk',
    content: null,
    status: 'ready',
    priority: null,
    type: 'task',
    todoListId: lists.body.data[0].id,
    dueDate: null,
    assignees: [
      { object: 'todo_assignee', type: 'user', id: userId, name: 'Tess', profilePhotoUrl: null, isArchived: false },
    ],
    captureId: null,
    isArchived: false,
    isSuggested: false,
    source: 'user_created',
    scheduleError: null,
    rrule: null,
    timezone: null,
    nextRunAt: null,
    lastRunAt: null,
    scheduleType: null,
    scheduleStatus: null,
    lastNotificationStatus: null,
    lastNotificationSentAt: null,
    latestRun: null,
    minutesSaved: null,
    minutesSavedReason: null,
    minutesSavedConfidence: null,
  });
  assert.equal((await call(`GET /todos/${id}`)).body, body);
});

test('an update changes what it names and nothing else', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { title: 'A', content: 'b', dueDate: '2026-03-01' });
  const { status, body } = await call(`PATCH /todos/${made.id}`, { priority: 'urgent', dueDate: null, assignees: [] });
  assert.is(status, 200);
  assert.equal(body, { ...made, priority: 'urgent', dueDate: null, assignees: [], updatedAt: body.updatedAt });
  assert.equal((await call(`PATCH /todos/${made.id}`, {})).body, body);
});

test('an update that would leave neither title nor content is refused', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { content: 'only a body' });
  const { status, body } = await call(`PATCH /todos/${made.id}`, { content: null });
  assert.is(status, 400);
  assert.is(body.param, 'content');
});

test('a search finds words and parts of words in title and content, ignoring case', async () => {
  const { call } = await tandem.workspace();
  await call('POST /todos', { title: 'Grüße an ÉMILE', content: 'the Budgetary matter' });
  const found = async (query: string) =>
    (await call(`GET /todos?include=totalCount&query=${encodeURIComponent(query)}`)).body.totalCount;
  for (const query of ['grüsse', 'nothing', '%', '_']) assert.is(await found(query), 0, query);
  for (const query of ['GRÜ', 'émile', 'udget', 'bud GRÜ', 'tt', 'MATTER the']) assert.is(await found(query), 1, query);
});

test('a batch answers in the order of the request, and one bad item refuses all', async () => {
  const { call } = await tandem.workspace();
  const titles = Array.from({ length: 50 }, (_, index) => `Item ${index}`);
  const { status, body } = await call('POST /todos/batch', { data: titles.map((title) => ({ title })) });
  assert.is(status, 200);
  assert.equal(
    body.data.map((todo: { title: string }) => todo.title),
    titles,
  );
  const unknown = '018f0000-0000-7000-8000-000000000000';
  const refused = await call('POST /todos/batch', {
    data: [{ title: 'a' }, { title: 'b', assignees: [{ id: unknown }] }],
  });
  assert.is(refused.status, 404);
  assert.is(refused.body.param, 'data[1].assignees[0].id');
  const { body: summary } = await call('GET /todos/summary');
  assert.is(summary.total, 50);
});

test.run();

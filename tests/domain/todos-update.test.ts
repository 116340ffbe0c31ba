import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { addMember, person, refused, setColumns, unknownId } from '../support/todo-fixtures.ts';

const test = suite('changing todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const full = {
  title: 'A',
  content: 'b',
  priority: 'low',
  type: 'responsibility',
  dueDate: '2026-03-01',
};

test('an update changes the field it names, nothing else, and moves updatedAt', async () => {
  const { call, workspaceId, userId } = await tandem.workspace();
  const { body: list } = await call('POST /todo-lists', { name: 'Other' });
  const member = await addMember(tandem, workspaceId, 'Ann');
  let { body: before } = await call('POST /todos', full);
  assert.equal(before.assignees, [person(userId)]);
  const changes: [Record<string, unknown>, Record<string, unknown>?][] = [
    [{ title: 'B' }],
    [{ content: 'c' }],
    [{ content: null }],
    [{ status: 'in_progress' }],
    [{ status: 'done' }],
    [{ status: 'ready' }],
    [{ priority: 'urgent' }],
    [{ priority: null }],
    [{ type: 'task' }],
    [{ todoListId: list.id }],
    [{ dueDate: '2027-12-31' }],
    [{ dueDate: null }],
    [{ assignees: [{ id: member }] }, { assignees: [person(member, 'Ann')] }],
    [{ assignees: [] }],
    [{ title: 'C', assignees: [{ id: userId }], dueDate: '2026-01-01' }, { assignees: [person(userId)] }],
  ];
  for (const [change, shown] of changes) {
    const { status, body } = await call(`PATCH /todos/${before.id}`, change);
    assert.is(status, 200);
    assert.equal(body, { ...before, ...change, ...shown, version: before.version + 1, updatedAt: body.updatedAt });
    assert.ok(body.updatedAt >= before.updatedAt);
    assert.equal((await call(`GET /todos/${before.id}`)).body, body);
    before = body;
  }
});

test('an update that names nothing changes nothing, alone, with If-Match and in bulk', async () => {
  const { call } = await tandem.workspace();
  const { body: made, headers } = await call('POST /todos', full);
  await setColumns(tandem, made.id, { updated_at: '2020-01-01T00:00:00Z' });
  const before = (await call(`GET /todos/${made.id}`)).body;
  assert.equal((await call(`PATCH /todos/${made.id}`, {})).body, before);
  assert.is(
    (await call(`PATCH /todos/${made.id}`, {}, { headers: { 'if-match': headers.get('etag') ?? '' } })).status,
    412,
  );
  assert.equal((await call(`PATCH /todos/${made.id}`, {}, { headers: { 'if-match': '*' } })).body, before);
  assert.equal((await call('POST /todos/bulk', { ids: [made.id], patch: {} })).body.data, [before]);
  assert.equal((await call(`GET /todos/${made.id}`)).body, before);
});

test('an update is held to the rules of creation', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', full);
  const faults: [Record<string, unknown>, string][] = [
    [{ title: null }, 'title'],
    [{ title: ' ' }, 'title'],
    [{ title: 'x'.repeat(501) }, 'title'],
    [{ content: 'x'.repeat(50_001) }, 'content'],
    [{ content: 'a\0' }, 'content'],
    [{ status: 'active' }, 'status'],
    [{ status: null }, 'status'],
    [{ priority: 'none' }, 'priority'],
    [{ type: null }, 'type'],
    [{ todoListId: null }, 'todoListId'],
    [{ todoListName: 'Inbox' }, 'todoListName'],
    [{ dueDate: '2026-02-30' }, 'dueDate'],
    [{ assignees: null }, 'assignees'],
    [{ assignees: [{ id: 'you' }] }, 'assignees[0].id'],
    [{ assignees: [{ id: made.id, name: 'x' }] }, 'assignees[0].name'],
    [{ isSuggested: true }, 'isSuggested'],
    [{ schedule: 'daily' }, 'schedule'],
    [{ schedulePaused: 'yes' }, 'schedulePaused'],
    [{ captureId: unknownId }, 'captureId'],
    [{ run: true }, 'run'],
    [{ todoId: made.id }, 'todoId'],
    [{ id: made.id }, 'id'],
  ];
  for (const [fault, param] of faults) {
    refused(await call(`PATCH /todos/${made.id}`, { priority: 'high', ...fault }), 400, param);
  }
  assert.equal((await call(`GET /todos/${made.id}`)).body, made);
});

test('a todo keeps a title or a content that says something', async () => {
  const { call } = await tandem.workspace();
  const { body: untitled } = await call('POST /todos', { content: 'only a body' });
  const { body: titled } = await call('POST /todos', { title: 'a', content: 'b' });
  for (const content of [null, '', ' \n', '\u00a0', '\u3000\ufeff', '\u2028']) {
    refused(await call(`PATCH /todos/${untitled.id}`, { content }), 400, 'content');
    const bulk = await call('POST /todos/bulk', { ids: [titled.id, untitled.id], patch: { content } });
    refused(bulk, 400, 'patch.content');
    assert.is((await call(`PATCH /todos/${titled.id}`, { content })).body.content, content);
  }
  assert.equal((await call(`GET /todos/${untitled.id}`)).body, untitled);
  const { body } = await call(`PATCH /todos/${untitled.id}`, { title: 'now titled', content: null });
  assert.equal([body.title, body.content], ['now titled', null]);
});

test('any status follows any other, and the summary follows', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { title: 'a' });
  for (const status of [
    'done',
    'ready',
    'in_progress',
    'ready',
    'in_progress',
    'done',
    'in_progress',
    'done',
  ] as const) {
    assert.is((await call(`PATCH /todos/${made.id}`, { status })).body.status, status);
    const { body } = await call('GET /todos/summary');
    assert.equal(body.byStatus, { ready: 0, in_progress: 0, done: 0, [status]: 1 });
    assert.is(body.active, status === 'done' ? 0 : 1);
  }
});

test('a suggestion is left out until it is accepted, and archiving dismisses it', async () => {
  const { call } = await tandem.workspace();
  const ids: string[] = [];
  for (const title of ['accepted', 'dismissed']) ids.push((await call('POST /todos', { title })).body.id);
  const [accepted, dismissed] = ids;
  for (const id of ids) await setColumns(tandem, id, { is_suggested: true, source: 'auto_suggested' });
  const listed = async () => (await call('GET /todos')).body.data.map((todo: { id: string }) => todo.id);
  assert.equal(await listed(), []);
  assert.is((await call('GET /todo-lists')).body.data[0].todoCount, 0);
  const { body } = await call(`PATCH /todos/${accepted}`, { isSuggested: false });
  assert.equal([body.isSuggested, body.source], [false, 'auto_suggested']);
  assert.equal(await listed(), [accepted]);
  assert.is((await call('GET /todo-lists')).body.data[0].todoCount, 1);
  assert.is((await call(`DELETE /todos/${dismissed}`)).status, 200);
  assert.equal(await listed(), [accepted]);
  assert.is((await call(`GET /todos/${dismissed}`)).body.isSuggested, true);
});

test('an archived todo can be read and changed, and stays archived', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { title: 'a' });
  await call(`DELETE /todos/${made.id}`);
  const { status, body } = await call(`PATCH /todos/${made.id}`, { title: 'b', status: 'done' });
  assert.is(status, 200);
  assert.equal([body.title, body.status, body.isArchived], ['b', 'done', true]);
});

test('a todo that is not here is not found, whatever the change', async () => {
  const [{ call }, other] = [await tandem.workspace(), await tandem.workspace()];
  const { body: foreign } = await other.call('POST /todos', { title: 'theirs' });
  for (const id of [unknownId, foreign.id]) {
    for (const body of [{}, { title: 'b' }, { content: null }, { assignees: [] }]) {
      refused(await call(`PATCH /todos/${id}`, body), 404, 'todoId');
    }
    refused(await call(`PATCH /todos/${id}`, { title: '' }), 400, 'title');
  }
  for (const id of ['1', 'null', `${unknownId}0`, unknownId.replaceAll('-', '')]) {
    refused(await call(`PATCH /todos/${id}`, { title: 'b' }), 400, 'todoId');
  }
  assert.equal((await other.call(`GET /todos/${foreign.id}`)).body, foreign);
});

test.run();

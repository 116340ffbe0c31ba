import { v7 as newId, v4 } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { assistantOf, refused, unknownId } from '../support/todo-fixtures.ts';
import { answered } from '../support/until.ts';

const test = suite('todos whose ids the client chooses');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('a todo gets the id that is given, and the same creation again returns it as it is now', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const id = newId();
  const todo = { id: id.toUpperCase(), title: 'a', dueDate: '2026-03-01' };
  const made = await call('POST /todos', todo);
  assert.equal([made.status, made.body.id, made.body.version], [201, id, 1], made.text);
  assert.is(made.headers.get('idempotency-replayed'), null);
  assert.is((await call(`PATCH /todos/${id}`, { title: 'b' })).status, 200);
  const again = await call('POST /todos', { dueDate: '2026-03-01', type: 'task', title: 'a', id });
  assert.equal([again.status, again.body], [201, (await call(`GET /todos/${id}`)).body]);
  assert.is(again.body.title, 'b');
  assert.is(again.headers.get('idempotency-replayed'), 'true');
  assert.is(again.headers.get('etag'), (await call(`GET /todos/${id}`)).headers.get('etag'));
  const events = (await recordedEvents(tandem, workspaceId)).filter(({ objectId }) => objectId === id);
  assert.equal(
    events.map(({ type }) => type),
    ['todo.created', 'todo.updated'],
  );
});

test('the same creation is recognised although what it refers to is gone, and starts no second agent', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { body: list } = await call('POST /todo-lists', { name: 'Garden' });
  const assignees = [{ id: await assistantOf(tandem, workspaceId) }];
  const todo = { id: newId(), title: 'a', todoListId: list.id, assignees, run: true };
  const first = await call('POST /todos', todo);
  assert.is(first.status, 201, first.text);
  await call(`PATCH /todo-lists/${list.id}`, { archived: true });
  const again = await call('POST /todos', todo);
  assert.is(again.status, 201, again.text);
  assert.is((await call(`GET /todos/${todo.id}/runs`)).body.data.length, 1);
});

test('what is no UUIDv7 is refused, and an id that is twice in a batch', async () => {
  const { call } = await tandem.workspace();
  for (const id of [v4(), 'x', '', 7, null]) refused(await call('POST /todos', { id, title: 'a' }), 400, 'id');
  const id = newId();
  const data = [{ id, title: 'a' }, { title: 'b' }, { id: id.toUpperCase(), title: 'a' }];
  refused(await call('POST /todos/batch', { data }), 400, 'data[2].id');
  assert.is((await call('GET /todos/summary')).body.total, 0);
});

test('another creation with the id of a todo is refused, also after that was erased', async () => {
  const { call } = await tandem.workspace();
  const id = newId();
  assert.is((await call('POST /todos', { id, title: 'a' })).status, 201);
  const other = await call('POST /todos', { id, title: 'b' });
  refused(other, 409, 'id');
  assert.is(other.body.reason, 'id_taken');
  const { body: plain } = await call('POST /todos', { title: 'a' });
  refused(await call('POST /todos', { id: plain.id, title: 'a' }), 409, 'id');
  refused(await call('POST /todos/batch', { data: [{ title: 'c' }, { id, title: 'b' }] }), 409, 'data[1].id');
  assert.is((await call('GET /todos/summary')).body.total, 2);
  await call(`DELETE /todos/${id}?permanent=true`);
  const erased = await call('POST /todos', { id, title: 'a' });
  refused(erased, 409, 'id');
  assert.is(erased.body.reason, 'id_erased');
});

test('what is wrong with the references of a creation is said before its id is refused', async () => {
  const { call } = await tandem.workspace();
  const [id, repeated] = [newId(), newId()];
  const { body: list } = await call('POST /todo-lists', { name: 'Garden' });
  const same = { id: repeated, title: 'c', todoListId: list.id };
  await call('POST /todos/batch', { data: [{ id, title: 'a' }, same] });
  const other = { id, title: 'b' };
  refused(await call('POST /todos', { ...other, labelIds: [unknownId] }), 404, 'labelIds[0]');
  refused(await call('POST /todos', { ...other, parentTodoId: unknownId }), 404, 'parentTodoId');
  await call(`PATCH /todo-lists/${list.id}`, { archived: true });
  const data = [{ title: 'd', todoListId: list.id }, other];
  refused(await call('POST /todos/batch', { data }), 400, 'data[0].todoListId');
  // What was created so before is not looked up again.
  refused(await call('POST /todos/batch', { data: [same, other] }), 409, 'data[1].id');
  assert.is((await call('GET /todos/summary')).body.total, 2);
});

test('an id of another workspace is as free as any other: the answer reveals nothing of it', async () => {
  const [mine, theirs] = [await tandem.workspace(), await tandem.workspace()];
  const id = newId();
  const { body: secret } = await theirs.call('POST /todos', { id, title: 'secret' });
  const { status, body } = await mine.call('POST /todos', { id, title: 'mine' });
  assert.equal([status, body.title], [201, 'mine']);
  assert.equal((await theirs.call(`GET /todos/${id}`)).body, secret);
  await mine.call(`DELETE /todos/${id}?permanent=true`);
  assert.equal((await theirs.call(`GET /todos/${id}`)).body, secret);
});

test('a batch that was partly made before makes the rest, in its order', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const data = ['a', 'b', 'c'].map((title) => ({ id: newId(), title }));
  const { body: second } = await call('POST /todos', data[1]);
  const { status, body, headers } = await call('POST /todos/batch', { data: [...data, { title: 'd' }] });
  assert.is(status, 200);
  assert.equal(
    body.data.map(({ title }: { title: string }) => title),
    ['a', 'b', 'c', 'd'],
  );
  assert.equal([body.data[1], headers.get('idempotency-replayed')], [second, null]);
  const created = (await recordedEvents(tandem, workspaceId)).filter(({ type }) => type === 'todo.created');
  assert.is(created.length, 4);
});

test('of many creations of one id at the same time all are answered with the one todo', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const ids = [newId(), newId(), newId()];
  const creations = Array.from({ length: 24 }, (_, place) => {
    const data = (place % 2 ? ids : ids.toReversed()).map((id) => ({ id, title: id }));
    const headers: Record<string, string> = place % 3 ? {} : { 'idempotency-key': `key ${place % 6}` };
    return answered(() =>
      place % 4 ? call('POST /todos/batch', { data }, { headers }) : call('POST /todos', data[0]),
    );
  });
  for (const { status, text } of await Promise.all(creations)) assert.ok([200, 201].includes(status), text);
  const created = (await recordedEvents(tandem, workspaceId)).filter(({ type }) => type === 'todo.created');
  assert.equal(created.map(({ objectId }) => objectId).sort(), ids.sort());
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { refused, titlesOf, unknownId } from '../support/todo-fixtures.ts';

const test = suite('archiving, restoring and erasing todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('a deleted todo is archived: out of the list, still readable, and restorable', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { title: 'a', content: 'findable' });
  const gone = await call(`DELETE /todos/${made.id}`);
  assert.is(gone.status, 200);
  assert.equal(gone.body, { object: 'deleted', id: made.id, deleted: true, alreadyArchived: false, recoverable: true });
  const { body: archived } = await call(`GET /todos/${made.id}`);
  assert.equal(archived, { ...made, isArchived: true, version: 2, updatedAt: archived.updatedAt });
  assert.equal(titlesOf(await call('GET /todos')), []);
  assert.equal(titlesOf(await call('GET /todos?query=findable')), []);
  assert.equal((await call('GET /todos?includeArchived=true')).body.data, [archived]);
  assert.equal((await call('GET /todos?includeArchived=true&query=findable')).body.data, [archived]);
  const back = await call(`POST /todos/${made.id}/restore`);
  assert.is(back.status, 200);
  assert.equal(back.body, { ...made, version: 3, updatedAt: back.body.updatedAt });
  assert.equal((await call('GET /todos?query=findable')).body.data, [back.body]);
  assert.equal(titlesOf(await call('GET /todos?includeArchived=true')), []);
});

test('archiving an archived todo changes nothing and says so; restoring an active todo changes nothing', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { title: 'a' });
  assert.equal((await call(`POST /todos/${made.id}/restore`)).body, made);
  await call(`DELETE /todos/${made.id}`);
  const { body: archived } = await call(`GET /todos/${made.id}`);
  const again = await call(`DELETE /todos/${made.id}?permanent=false`);
  assert.equal(again.body, { object: 'deleted', id: made.id, deleted: true, alreadyArchived: true, recoverable: true });
  assert.equal((await call(`GET /todos/${made.id}`)).body, archived);
});

test('an erased todo is gone, active or archived before, with its words and assignees', async () => {
  const { call, userId } = await tandem.workspace();
  for (const archived of [false, true]) {
    const { body: made } = await call('POST /todos', { title: 'a', content: 'findable' });
    if (archived) await call(`DELETE /todos/${made.id}`);
    const { status, body } = await call(`DELETE /todos/${made.id}?permanent=true`);
    assert.is(status, 200);
    assert.equal(body, { object: 'deleted', id: made.id, deleted: true, recoverable: false });
    refused(await call(`GET /todos/${made.id}`), 404, 'todoId');
    refused(await call(`POST /todos/${made.id}/restore`), 404, 'todoId');
    refused(await call(`PATCH /todos/${made.id}`, { title: 'b' }), 404, 'todoId');
    refused(await call(`DELETE /todos/${made.id}`), 404, 'todoId');
    refused(await call(`DELETE /todos/${made.id}?permanent=true`), 404, 'todoId');
  }
  for (const includeArchived of [false, true]) {
    const filters = `includeArchived=${includeArchived}&assigneeId=${userId}&query=findable`;
    assert.equal(titlesOf(await call(`GET /todos?${filters}`)), []);
  }
});

/** A push of each notification to a browser, which is due later than any worker looks. */
const subscribe = `with browser as (
    insert into push_subscriptions
      (workspace_id, id, user_id, credential_id, endpoint_hash, destination, push_service, client)
    values ($1, gen_random_uuid(), $2, gen_random_uuid(), 'x', 'x', 'https://push.example', 'Firefox') returning id)
  insert into push_deliveries (workspace_id, notification_id, subscription_id, due_at)
  select $1, n.id, b.id, now() + interval '1 day' from notifications n, browser b where n.workspace_id = $1`;
const noticesOf = `select n.id, n.todo_id as "todoId", (select count(*)::int from push_deliveries p
    where p.workspace_id = $1 and p.notification_id = n.id) as pushes
  from notifications n where n.workspace_id = $1 order by n.id`;

test('an erased todo takes along the notifications that quote it and its sub-todos, unread or not, sent or not', async () => {
  const { call, workspaceId, userId } = await tandem.workspace();
  const { body: todo } = await call('POST /todos', { title: 'a' });
  const { body: within } = await call('POST /todos', { title: 'b', parentTodoId: todo.id });
  const { body: other } = await call('POST /todos', { title: 'c' });
  for (const { id } of [todo, within, other]) {
    await notifyPeople(tandem.db, workspaceId, [userId], { kind: 'mentioned', todoId: id, sends: true });
  }
  await tandem.db.rows(subscribe, [workspaceId, userId]);
  const unlisted = 'update notifications set in_app = false where workspace_id = $1 and todo_id = $2';
  await tandem.db.rows(unlisted, [workspaceId, within.id]);
  const notices = () => tandem.db.rows<{ id: string; todoId: string; pushes: number }>(noticesOf, [workspaceId]);
  const before = await notices();
  assert.equal(
    before.map(({ todoId, pushes }) => [todoId, pushes]),
    [
      [todo.id, 1],
      [within.id, 1],
      [other.id, 1],
    ],
  );
  assert.is((await call(`DELETE /todos/${todo.id}?permanent=true`)).status, 200);
  assert.equal([...(await notices())], before.slice(2));
  const deleted = (await recordedEvents(tandem, workspaceId)).filter(({ type }) => type === 'notification.deleted');
  assert.equal(
    deleted.map(({ objectId, readerId }) => [objectId, readerId]),
    [[before[0]?.id, userId]],
    'the other one was in no list',
  );
});

test('permanent is true or false', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { title: 'a' });
  for (const permanent of ['', '1', 'yes', 'TRUE', 'null', 'true&permanent=true']) {
    refused(await call(`DELETE /todos/${made.id}?permanent=${permanent}`), 400, 'permanent');
  }
  assert.equal((await call(`GET /todos/${made.id}`)).body, made);
});

test('a resource of another workspace is not found, and is not changed', async () => {
  const [{ call }, other] = [await tandem.workspace(), await tandem.workspace()];
  const { body: foreign } = await other.call('POST /todos', { title: 'theirs' });
  for (const route of [
    'GET /todos/ID',
    'DELETE /todos/ID',
    'DELETE /todos/ID?permanent=true',
    'POST /todos/ID/restore',
  ]) {
    const answers = [foreign.id, unknownId].map((id) => call(route.replace('ID', id)));
    for (const answer of await Promise.all(answers)) refused(answer, 404, 'todoId');
    const [theirs, nobodys] = await Promise.all(answers);
    assert.equal({ ...theirs?.body, requestId: '' }, { ...nobodys?.body, requestId: '' });
    refused(await call(route.replace('ID', 'x')), 400, 'todoId');
  }
  assert.equal((await other.call(`GET /todos/${foreign.id}`)).body, foreign);
});

test('archiving and restoring move updatedAt, so that who polls by updatedSince sees them', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { title: 'a' });
  await tandem.db.rows(`update todos set updated_at = '2020-01-01T00:00:00Z' where id = $1`, [made.id]);
  const since = new Date(Date.now() - 60_000).toISOString();
  const changed = async (more = '') => titlesOf(await call(`GET /todos?updatedSince=${since}${more}`));
  assert.equal(await changed(), []);
  await call(`DELETE /todos/${made.id}`);
  assert.equal(await changed('&includeArchived=true'), ['a']);
  await tandem.db.rows(`update todos set updated_at = '2020-01-01T00:00:00Z' where id = $1`, [made.id]);
  await call(`POST /todos/${made.id}/restore`);
  assert.equal(await changed(), ['a']);
});

test.run();

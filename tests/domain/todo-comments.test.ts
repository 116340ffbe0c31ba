import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createApiKey } from '../../db/seed.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { doing, recordedEvents } from '../support/recorded-events.ts';
import { addMember, queryOf, refused, unknownId } from '../support/todo-fixtures.ts';

const test = suite('comments on todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

async function world() {
  const workspace = await tandem.workspace();
  const { body: todo } = await workspace.call('POST /todos', { title: 'Party' });
  const path = `/todos/${todo.id}/comments`;
  const does = (route: string, body?: unknown, status = 200) => doing(tandem, workspace, route, body, { status });
  return { ...workspace, todo, path, does };
}

/** A key of another member of the workspace, and who that is. */
async function colleague({ workspaceId }: TestWorkspace, name = 'Ann') {
  const userId = await addMember(tandem, workspaceId, name);
  const grant = { workspaceId, userId, name: 'Theirs', scopes: ['todos:read', 'todos:write'] as const };
  const { secret } = await createApiKey(tandem.db, { ...grant, scopes: [...grant.scopes], rateLimitPerMinute: 10_000 });
  return { userId, key: secret };
}

async function notices(workspaceId: string) {
  const text = `select user_id as "userId", kind, title, text, todo_id as "todoId" from notifications
    where workspace_id = $1 order by created_at, id`;
  return tandem.db.rows<Record<string, string>>(text, [workspaceId]);
}

test('a comment has its author and its text as written, is read and listed, and is one event', async () => {
  const { call, does, path, todo, userId } = await world();
  const text = '# Menu\r\n\r\n- **soup** \u{1f372}\n';
  const { body, events, recorded } = await does(`POST ${path}`, { text }, 201);
  const { id, createdAt, ...rest } = body;
  const author = { object: 'comment_author', type: 'user', id: userId, name: 'Tess', isArchived: false };
  assert.equal(rest, { object: 'comment', todoId: todo.id, author, text, mentions: [], editedAt: null });
  assert.equal(events, [['comment.created', id]]);
  assert.equal(recorded[0]?.parents, { todoId: todo.id });
  assert.equal((await call(`GET ${path}/${id}`)).body, body);
  assert.equal((await call(`GET ${path}`)).body, { object: 'list', data: [body], hasMore: false, nextCursor: null });
  assert.ok(createdAt);
  assert.equal((await call(`GET /todos/${todo.id}`)).body, todo, 'the todo itself is as it was');
});

test('comments are listed oldest first, each once, at every page size', async () => {
  const { call, path, workspaceId } = await world();
  const made: string[] = [];
  for (const text of ['a', 'b', 'c', 'd', 'e']) made.push((await call(`POST ${path}`, { text })).body.id);
  await tandem.db.rows('update todo_comments set created_at = $2 where workspace_id = $1', [
    workspaceId,
    '2026-03-01T09:00:00.000Z',
  ]);
  for (const limit of [1, 2, 3, 5]) {
    const found: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { body } = await call(`GET ${path}?${queryOf({ limit, cursor })}`);
      found.push(...body.data.map(({ id }: { id: string }) => id));
      if (body.nextCursor === null) break;
      cursor = body.nextCursor;
    }
    assert.equal(found, made, `by ${limit}`);
  }
});

test('its author changes it; equal values are no change', async () => {
  const { does, call, path } = await world();
  const { body: made } = await does(`POST ${path}`, { text: 'a' }, 201);
  const same = await does(`PATCH ${path}/${made.id}`, { text: 'a', mentions: [] });
  assert.equal([same.body, same.events], [made, []]);
  const { body, events } = await does(`PATCH ${path}/${made.id}`, { text: 'b' });
  assert.ok(body.editedAt);
  assert.equal(body, { ...made, text: 'b', editedAt: body.editedAt });
  assert.equal(events, [['comment.updated', made.id, 'text', 'editedAt']]);
  const { headers } = await call(`GET ${path}/${made.id}`);
  await does(`PATCH ${path}/${made.id}`, { text: 'c' });
  const stale = { headers: { 'if-match': headers.get('etag') ?? '' } };
  assert.is((await call(`PATCH ${path}/${made.id}`, { text: 'd' }, stale)).status, 412);
  assert.is((await call(`DELETE ${path}/${made.id}`, undefined, stale)).status, 412);
});

test('nobody else changes it, and only an owner may erase that of somebody else', async () => {
  const workspace = await world();
  const { call, path } = workspace;
  const { key } = await colleague(workspace);
  const { body: mine } = await call(`POST ${path}`, { text: 'mine' });
  const { body: theirs } = await call(`POST ${path}`, { text: 'theirs' }, { key });
  assert.is(theirs.author.name, 'Ann');
  const changed = await call(`PATCH ${path}/${theirs.id}`, { text: 'x' });
  assert.equal([changed.status, changed.body.reason], [403, 'author_required']);
  for (const method of ['PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { text: 'x' } : undefined;
    assert.is((await call(`${method} ${path}/${mine.id}`, body, { key })).status, 403, method);
  }
  const { body: erased } = await call(`DELETE ${path}/${theirs.id}`);
  assert.equal(erased, { object: 'deleted', id: theirs.id, deleted: true, recoverable: false });
  refused(await call(`GET ${path}/${theirs.id}`), 404, 'commentId');
  assert.equal((await call(`GET ${path}`)).body.data, [mine]);
});

test('members who are mentioned are notified once, whatever is changed afterwards; the author never', async () => {
  const workspace = await world();
  const { does, path, todo, userId, workspaceId } = workspace;
  const [ann, bob] = [await addMember(tandem, workspaceId, 'Ann'), await addMember(tandem, workspaceId, 'Bob')];
  const { body } = await does(`POST ${path}`, { text: 'secret', mentions: [ann, userId, ann.toUpperCase()] }, 201);
  assert.equal(body.mentions, [ann, userId]);
  const notice = { kind: 'mentioned', title: 'Tess mentions you in “Party”', todoId: todo.id };
  const about = { ...notice, text: 'Open the todo to read the comment.' };
  assert.equal(await notices(workspaceId), [{ userId: ann, ...about }]);
  await does(`PATCH ${path}/${body.id}`, { text: 'new' });
  const { events } = await does(`PATCH ${path}/${body.id}`, { mentions: [bob, ann] });
  assert.equal(
    events.map(([type]) => type),
    ['notification.created', 'comment.updated'],
  );
  assert.equal(await notices(workspaceId), [
    { userId: ann, ...about },
    { userId: bob, ...about },
  ]);
});

test('mentions of strangers, removed members and agents are refused, and nothing is written', async () => {
  const workspace = await world();
  const { call, path, userId, workspaceId } = workspace;
  const removed = await addMember(tandem, workspaceId, 'Gone', true);
  const other = await tandem.workspace();
  for (const id of [unknownId, removed, other.userId]) {
    refused(await call(`POST ${path}`, { text: 'a', mentions: [userId, id] }), 404, 'mentions[1]');
  }
  assert.equal((await call(`GET ${path}`)).body.data, []);
  assert.equal(await notices(workspaceId), []);
});

test('a text is not blank and at most 64 KiB long', async () => {
  const { call, path } = await world();
  for (const text of ['', ' \n', 'a'.repeat(65_537), '\u{1f372}'.repeat(16_385), 'a\u0000', 7]) {
    refused(await call(`POST ${path}`, { text }), 400, 'text');
  }
  for (const text of ['a'.repeat(65_536), '\u{1f372}'.repeat(16_384)]) {
    assert.is((await call(`POST ${path}`, { text })).body.text, text);
  }
});

test('a comment of another todo, or on a todo of another workspace, is not found', async () => {
  const [mine, theirs] = [await world(), await world()];
  const { body: comment } = await mine.call(`POST ${mine.path}`, { text: 'a' });
  const { body: second } = await mine.call('POST /todos', { title: 'second' });
  refused(await mine.call(`GET /todos/${second.id}/comments/${comment.id}`), 404, 'commentId');
  refused(await mine.call(`DELETE /todos/${second.id}/comments/${comment.id}`), 404, 'commentId');
  refused(await theirs.call(`GET ${theirs.path}/${comment.id}`), 404, 'commentId');
  for (const route of [`GET ${mine.path}`, `POST ${mine.path}`, `GET ${mine.path}/${comment.id}`]) {
    refused(await theirs.call(route, route.startsWith('POST') ? { text: 'a' } : undefined), 404, 'todoId');
  }
});

test('a retry with the same key writes no second comment', async () => {
  const { call, path } = await world();
  const headers = { 'idempotency-key': 'once' };
  const first = await call(`POST ${path}`, { text: 'a' }, { headers });
  const second = await call(`POST ${path}`, { text: 'a' }, { headers });
  assert.equal([second.status, second.body], [201, first.body]);
  assert.is((await call(`GET ${path}`)).body.data.length, 1);
});

test('what is erased, alone or with its todo, is gone and leaves only ids in the log', async () => {
  const { call, does, path, todo, workspaceId } = await world();
  const { body: one } = await does(`POST ${path}`, { text: 'zanzibar one' }, 201);
  const { body: two } = await does(`POST ${path}`, { text: 'zanzibar two' }, 201);
  for (const { id } of [one, two]) await does(`PATCH ${path}/${id}`, { text: `zanzibar ${id}` });
  assert.equal((await does(`DELETE ${path}/${one.id}`)).events, [['comment.deleted', one.id]]);
  const reminder = await call(`POST /todos/${todo.id}/reminders`, { daysBefore: 1, time: '09:00' });
  const gone = await does(`DELETE /todos/${todo.id}?permanent=true`);
  assert.equal(gone.events, [
    ['comment.deleted', two.id],
    ['reminder.deleted', reminder.body.id],
    ['todo.deleted', todo.id],
  ]);
  const [left] = await tandem.db.rows<{ count: number }>(
    'select count(*)::int as count from todo_comments where workspace_id = $1',
    [workspaceId],
  );
  assert.is(left?.count, 0);
  const events = (await recordedEvents(tandem, workspaceId)).filter(({ type }) => type.startsWith('comment.'));
  assert.equal(events.length, 6);
  assert.equal(
    events.flatMap(({ changedFields }) => changedFields),
    [],
  );
});

test('whom a comment mentioned before is not notified again where the old notification was deleted', async () => {
  const { call, does, path, workspaceId } = await world();
  const [ann, bob] = [await addMember(tandem, workspaceId, 'Ann'), await addMember(tandem, workspaceId, 'Bob')];
  const { body } = await does(`POST ${path}`, { text: 'a', mentions: [ann] }, 201);
  await tandem.db.rows('delete from notifications where workspace_id = $1', [workspaceId]);
  await call(`PATCH ${path}/${body.id}`, { text: 'b', mentions: [ann, bob] });
  assert.equal(
    (await notices(workspaceId)).map(({ userId }) => userId),
    [bob],
  );
});

test.run();

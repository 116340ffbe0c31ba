import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createApiKey } from '../../db/seed.ts';
import { openSession } from '../../domain/accounts/open-session.ts';
import { scopes } from '../../domain/scopes.ts';
import { startWithoutAgents } from '../support/chat-fixtures.ts';
import { numbered } from '../support/event-log.ts';
import type { TestService } from '../support/harness.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import { waitingChat } from '../support/turn-world.ts';

const test = suite('the event that the answer to a change names');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

/**
 * A workspace, and what finds in the log of a caller the event that the answer to their change names: its type, or
 * null.
 */
async function world() {
  const workspace = await tandem.workspace();
  const { workspaceId, call } = workspace;
  const namedTo = async (key: string, route: string, body?: unknown) => {
    const answer = await call(route, body, { key });
    assert.ok(answer.status < 300, answer.text);
    const id = answer.headers.get('tandem-event');
    await numbered(tandem, workspaceId);
    const { data } = (await call('GET /events?limit=500', undefined, { key })).body;
    const found = data.find((event: { id: string }) => event.id === id);
    assert.is(found === undefined, id === null, `${route} names an event that its caller does not read`);
    return found?.type ?? null;
  };
  return { ...workspace, namedTo };
}

test('is one that a key reads, though the last one is of a notification', async () => {
  const { workspaceId, userId, call, namedTo, mint } = await world();
  const chats = await mint(['chats:read', 'chats:write']);
  const { chatId } = await waitingChat(tandem.db, { workspaceId, userId });
  await notifyPeople(tandem.db, workspaceId, [userId], { chatId, dedupe: `approvals:${chatId}:2` });
  assert.is(await namedTo(chats, `POST /chats/${chatId}/cancel`), 'approval.superseded');
  assert.is(await namedTo(chats, `DELETE /chats/${chatId}?permanent=true`), 'chat.deleted');
  const { id: todoId } = (await call('POST /todos', { title: 'a' })).body;
  await notifyPeople(tandem.db, workspaceId, [userId], { todoId });
  const todos = await mint(['todos:read', 'todos:write']);
  assert.is(await namedTo(todos, `DELETE /todos/${todoId}?permanent=true`), 'todo.deleted');
});

test('is not the notification of another person', async () => {
  const { workspaceId, member, call, session, namedTo } = await world();
  const { id: todoId } = (await call('POST /todos', { title: 'a' })).body;
  await notifyPeople(tandem.db, workspaceId, [await member()], { todoId });
  assert.is(await namedTo(await session(), `DELETE /todos/${todoId}?permanent=true`), 'todo.deleted');
});

test('is that of a reminder, which no key of another member reads', async () => {
  const { workspaceId, member, call, namedTo, mint } = await world();
  const { id: todoId } = (await call('POST /todos', { title: 'a', dueDate: '2099-01-01' })).body;
  const todos = await mint(['todos:read', 'todos:write']);
  assert.is(await namedTo(todos, `POST /todos/${todoId}/reminders`, { daysBefore: 1 }), 'reminder.created');
  const key = { workspaceId, userId: await member(), name: 'Theirs', scopes: [...scopes], rateLimitPerMinute: 1000 };
  const { secret: theirs } = await createApiKey(tandem.db, key);
  const { data } = (await call('GET /events?limit=500&resources=reminder', undefined, { key: theirs })).body;
  assert.equal(data, []);
});

test('is none where the key reads no such events', async () => {
  const { namedTo, mint } = await world();
  const todos = await mint(['todos:read', 'todos:write']);
  const endpoint = { url: 'https://hooks.invalid/', types: ['todo.created'] };
  assert.is(await namedTo(todos, 'POST /webhook-endpoints', endpoint), null);
  const chats = await mint(['chats:read', 'todos:write']);
  assert.is(await namedTo(chats, 'POST /todos', { title: 'a' }), null);
});

test('is none of another workspace', async () => {
  const { session, namedTo } = await world();
  assert.is(await namedTo(await session(), 'POST /workspaces', { name: 'New' }), null);
});

test('was recorded, where a person has switched a kind of notifications off', async () => {
  const { workspaceId, member, call, session, namedTo } = await world();
  const owner = await session();
  const userId = await member();
  const { token } = await openSession(tandem.db, { workspaceId, userId, client: 'test' });
  const endpoint = { url: 'https://hooks.invalid/', types: ['*'] };
  assert.is((await call('POST /webhook-endpoints', endpoint, { key: token })).status, 201);
  const kinds = { webhook_disabled: { inApp: false } };
  assert.is(await namedTo(owner, 'PATCH /notifications/settings', { kinds }), 'notification_settings.updated');
  const route = `DELETE /workspaces/${workspaceId}/members/${userId}`;
  assert.is(await namedTo(owner, route), 'webhook_endpoint.updated');
});

test.run();

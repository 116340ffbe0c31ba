import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { setSubtitle, setTitle } from '../../domain/chats/titles.ts';
import { playAgent, startWithoutAgents } from '../support/chat-fixtures.ts';
import { numbered } from '../support/event-log.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { callTool } from '../support/mcp-clients.ts';
import { brief, doing, recordedEvents } from '../support/recorded-events.ts';
import { waitingChat } from '../support/turn-world.ts';

const test = suite('events of chats');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

const message = 'What is due this week?';
const title = 'Plans';
const gone = '019ca8c7-da00-7ba5-8e1f-5a0c3d9b7e42';

async function world() {
  const workspace = await tandem.workspace();
  const act = (route: string, body?: unknown, more?: Parameters<typeof doing>[4]) =>
    doing(tandem, workspace, route, body, more);
  return { ...workspace, act, all: () => recordedEvents(tandem, workspace.workspaceId) };
}

async function lastMessage({ call }: Pick<TestWorkspace, 'call'>, chatId: string): Promise<string> {
  return (await call(`GET /chats/${chatId}/messages?limit=100`)).body.data.at(-1).id;
}

test('a new chat and its first message have one event each, by the person of the key; a replay adds none', async () => {
  const { act, call, all, userId, key } = await world();
  const { body: todo } = await call('POST /todos', { title: 'Plan' });
  const { body: agent } = await call('POST /agents', { name: 'Scout' });
  const input = { message, title, todoId: todo.id, agentId: agent.id };
  const headers = { 'idempotency-key': 'one' };
  const { body: chat, recorded } = await act('POST /chats', input, { status: 201, headers });
  const parents = { todoId: todo.id, agentId: agent.id };
  const messageId = await lastMessage({ call }, chat.id);
  const { body: me } = await call('GET /me', undefined, { key });
  const actor = {
    actorType: 'user',
    actorId: userId,
    credentialId: me.credential.id,
    via: 'rest',
    version: null,
    readerId: null,
  };
  assert.equal(
    recorded.map(({ id: _, requestId: __, ...event }) => event),
    [
      { type: 'chat.created', objectId: chat.id, parents, changedFields: [], ...actor },
      {
        type: 'message.created',
        objectId: messageId,
        parents: { chatId: chat.id, todoId: todo.id },
        changedFields: [],
        ...actor,
      },
    ],
  );
  const count = (await all()).length;
  assert.equal((await act('POST /chats', input, { status: 201, headers })).events, []);
  assert.is((await all()).length, count);
});

test('what fails leaves no event', async () => {
  const { act, call, all, workspaceId } = await world();
  const { body: chat } = await call('POST /chats', { message, title });
  const before = (await all()).length;
  assert.equal((await act('POST /chats', { message, agentId: gone }, { status: 404 })).events, []);
  assert.equal((await act('POST /chats', { message: ' ' }, { status: 400 })).events, []);
  assert.equal((await act(`POST /chats/${chat.id}/messages`, { message }, { status: 409 })).events, []);
  const stale = { status: 412, headers: { 'if-match': '"stale"' } };
  assert.equal((await act(`PATCH /chats/${chat.id}`, { title: 'B' }, stale)).events, []);
  assert.equal((await act(`DELETE /chats/${chat.id}`, undefined, stale)).events, []);
  await tandem.db.rows('update workspaces set agent_minutes = 0 where id = $1', [workspaceId]);
  assert.equal((await act('POST /chats', { message }, { status: 402 })).events, []);
  assert.is((await all()).length, before);
});

test('a title, archiving and restoring say what changed, once', async () => {
  const { act, call } = await world();
  const { body: chat } = await call('POST /chats', { message, title });
  const path = `/chats/${chat.id}`;
  assert.equal((await act(`PATCH ${path}`, { title: 'New' })).events, [['chat.updated', chat.id, 'title']]);
  assert.equal((await act(`PATCH ${path}`, { title: 'New' })).events, [], 'the same title');
  assert.equal((await act(`PATCH ${path}`, {})).events, []);
  assert.equal((await act(`DELETE ${path}`)).events, [['chat.archived', chat.id, 'isArchived']]);
  assert.equal((await act(`DELETE ${path}`)).events, []);
  assert.equal((await act(`POST ${path}/restore`)).events, [['chat.restored', chat.id, 'isArchived']]);
  assert.equal((await act(`POST ${path}/restore`)).events, []);
});

test('a generated title is the doing of the service, and is recorded when it is another one', async () => {
  const { call, all, workspaceId } = await world();
  const { body: chat } = await call('POST /chats', { message, title });
  const seen = (await all()).length;
  const ref = { workspaceId, chatId: chat.id };
  assert.is(await setTitle(tandem, { ...ref, title: 'Generated' }), false, 'a person gave one');
  for (const subtitle of ['A plan', 'A plan']) await setSubtitle(tandem, { ...ref, subtitle });
  const [event, ...more] = (await all()).slice(seen);
  assert.equal([event && brief(event), more], [['chat.updated', chat.id, 'subtitle'], []]);
  assert.equal([event?.actorType, event?.actorId, event?.requestId], ['service', null, null]);
});

test('a message makes the agent work again: one event of the chat, one of the message', async () => {
  const { act, call, workspaceId } = await world();
  const { body: chat } = await call('POST /chats', { message, title });
  const path = `/chats/${chat.id}/messages`;
  const agent = playAgent(tandem, workspaceId, chat.id);
  await agent.finish('Nothing.');
  const first = await act(`POST ${path}`, { message: 'And now?' }, { status: 202 });
  const status = ['chat.status_changed', chat.id, 'status'];
  assert.equal(first.events, [
    [...status, 'messageCount', 'lastMessageAt'],
    ['message.created', await lastMessage({ call }, chat.id)],
  ]);
  await agent.end({ outcome: 'failed', errorMessage: 'No answer.' });
  const second = await act(`POST ${path}`, { message: 'Again?' }, { status: 202 });
  assert.equal(second.events[0], [...status, 'errorMessage', 'messageCount', 'lastMessageAt']);
});

test('a chat is cancelled once; what waited for a person is superseded, and its notification read', async () => {
  const { act, workspaceId, userId, call } = await world();
  const { chatId, approvalIds, agentId } = await waitingChat(tandem.db, { workspaceId, userId }, { calls: [{}, {}] });
  const [first = ''] = approvalIds;
  const notify = `insert into notifications (workspace_id, id, user_id, kind, title, text, dedupe, chat_id, in_app, email)
    values ($1, $2, $3, 'approval_requested', 'a', 'b', $4, $5, true, 'none')`;
  await tandem.db.rows(notify, [workspaceId, gone, userId, `approvals:${chatId}:2`, chatId]);
  const { events, recorded } = await act(`POST /chats/${chatId}/cancel`);
  const sorted = [...events].sort();
  const superseded = approvalIds.map((id) => ['approval.superseded', id, 'status', 'decidedAt']);
  assert.equal(
    sorted,
    [
      ...superseded,
      ['chat.status_changed', chatId, 'status'],
      ['notification.updated', gone, 'isRead', 'readAt'],
    ].sort(),
  );
  const of = (id: string) => recorded.find(({ objectId }) => objectId === id);
  assert.equal(of(first)?.parents, { chatId, agentId });
  assert.equal([of(gone)?.readerId, of(gone)?.parents], [userId, { chatId }]);
  assert.equal((await act(`POST /chats/${chatId}/cancel`)).events, []);
  assert.is((await call(`GET /approvals/${first}`)).body.status, 'superseded');
});

test('an erased chat leaves one event, and of its earlier ones, of its messages and approvals, only ids', async () => {
  const { act, call, all, workspaceId, userId } = await world();
  const { chatId, approvalIds } = await waitingChat(tandem.db, { workspaceId, userId });
  const { body: other } = await call('POST /chats', { message, title });
  await call(`PATCH /chats/${other.id}`, { title: 'Other' });
  await call(`PATCH /chats/${chatId}`, { title: 'Secret plan' });
  await numbered(tandem, workspaceId);
  await call(`PATCH /chats/${chatId}`, { title: 'Very secret plan' });
  const before = await all();
  const about = [chatId, ...approvalIds];
  assert.ok(
    before.filter(({ objectId, changedFields }) => about.includes(objectId) && changedFields.length).length > 2,
  );
  assert.equal((await act(`DELETE /chats/${chatId}?permanent=true`)).events, [['chat.deleted', chatId]]);
  const after = await all();
  assert.equal(
    after.slice(0, -1),
    before.map((event) => (event.objectId === other.id ? event : { ...event, changedFields: [] })),
  );
  assert.equal((await act(`DELETE /chats/${chatId}?permanent=true`, undefined, { status: 404 })).events, []);
});

test('events name what a change came through', async () => {
  const { key, all, userId } = await world();
  const { data } = await callTool(tandem.url, key, 'create_chat', { message, title });
  const trpc = await fetch(`${tandem.url}/trpc/chats.update`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ chatId: data.chat.id, title: 'New' }),
  });
  assert.is(trpc.status, 200);
  const headers = { 'user-agent': 'Tandem-CLI/1.0' };
  await tandem.call(`DELETE /chats/${data.chat.id}`, undefined, { key, headers });
  const events = (await all()).filter(({ objectId }) => objectId === data.chat.id);
  assert.equal(
    events.map(({ type, via, actorId }) => [type, via, actorId]),
    [
      ['chat.created', 'mcp', userId],
      ['chat.updated', 'trpc', userId],
      ['chat.archived', 'cli', userId],
    ],
  );
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pollMs } from '../../domain/chats/wait.ts';
import { newChat, startWithoutAgents } from '../support/chat-fixtures.ts';
import { follow } from '../support/event-source.ts';
import { freezeTimers } from '../support/frozen-timers.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { listening } from '../support/live-fixtures.ts';
import { callTool } from '../support/mcp-clients.ts';
import { connectApp } from '../support/oauth.ts';
import { newAccount, type Person, password } from '../support/people.ts';
import { until, within } from '../support/until.ts';

/* Whoever follows a chat or waits on one process ends at once when another process ends their access. */

const test = suite('the end of access');
let here: TestService;
let there: TestService;

test.before(async () => {
  [here, there] = [await startWithoutAgents(), await startWithoutAgents()];
  await Promise.all([listening(here), listening(there)]);
});
test.after(async () => {
  await here.close();
  await there.close();
});

const as = (person: Person, route: string, body?: unknown) => there.call(route, body, { key: person.session.token });

/** A member of a workspace, with a session in it and a chat there whose agent works. */
async function memberAtWork() {
  const [workspace, member] = [await here.workspace(), await newAccount(here)];
  const { workspaceId } = workspace;
  const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')`;
  await here.db.rows(join, [workspaceId, member.session.user.id]);
  const body = { email: member.email, password, workspaceId };
  const { token } = (await here.call('POST /auth/sessions', body)).body;
  const { path } = await newChat(here, workspace);
  const owner = await workspace.session();
  const remove = () =>
    there.call(`DELETE /workspaces/${workspaceId}/members/${member.session.user.id}`, undefined, { key: owner });
  return { workspace, workspaceId, member, token: token as string, path, remove };
}

const subscribers = async () => {
  const text = await (await fetch(`${here.url}/metrics`)).text();
  return Number(/^tandem_live_subscribers (\d+)$/m.exec(text)?.[1]);
};

/** A stream of the chat and two long polls, all with this credential, once all of them wait. */
async function waiting(key: string, path: string) {
  const before = await subscribers();
  const reader = await follow(`${here.url}/api/v1${path}/stream`, key);
  await reader.until(({ event }) => event === 'status');
  const messages = here.call(`GET ${path}/messages?waitSeconds=25&afterSequence=1`, undefined, { key });
  const sent = here.call('POST /chats', { message: 'Wait for me', waitSeconds: 60 }, { key });
  await until(async () => (await subscribers()) === before + 3);
  return { reader, polls: Promise.all([messages, sent]) };
}

/** Ends the work in all chats of a workspace, and with it every wait of `polls`: the next test counts who waits. */
async function rest({ call }: TestWorkspace, polls: Promise<unknown>): Promise<void> {
  const { data } = (await call('GET /chats?limit=100')).body;
  for (const { id } of data) await call(`POST /chats/${id}/cancel`);
  await within(() => 'the end of the long polls of the others', polls);
}

/** Ends the access while the poll of five seconds is frozen: nothing but a notification ends the waits. */
async function assertEnds(key: string, path: string, end: () => Promise<unknown>): Promise<void> {
  const thaw = freezeTimers(pollMs - 1000);
  try {
    const { reader, polls } = await waiting(key, path);
    await end();
    await within(() => 'the end of the stream', reader.ended);
    assert.not.ok(reader.events.some(({ event }) => event === 'done'));
    const [messages, sent] = await within(() => 'the end of the long polls', polls);
    assert.equal([messages.status, messages.body.code], [401, 'invalid_api_key']);
    // The chat was created before: the answer says so, and nothing of what came after.
    assert.equal([sent.status, sent.body.messageCount], [201, 1], sent.text);
  } finally {
    thaw();
  }
}

test('a removed member reads and waits no longer, with a session or a key', async () => {
  const { workspaceId, token, path, remove } = await memberAtWork();
  const { body } = await here.call(
    'POST /api-keys',
    { workspaceId, name: 'K', scopes: ['chats:read', 'chats:write'] },
    { key: token },
  );
  const { reader, polls } = await waiting(body.secret, path);
  await assertEnds(token, path, remove);
  await within(() => 'the end of the stream of the key', reader.ended);
  await within(() => 'the end of the long polls of the key', polls);
});

test('a session that is ended elsewhere reads and waits no longer; neither does one that signs out', async () => {
  const { member, token, path } = await memberAtWork();
  const { body: sessions } = await here.call('GET /auth/sessions', undefined, { key: token });
  const { id } = sessions.data.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
  await assertEnds(token, path, () => as(member, `DELETE /auth/sessions/${id}`));
  const other = await memberAtWork();
  await assertEnds(other.token, other.path, () =>
    there.call('DELETE /auth/sessions/current', undefined, { key: other.token }),
  );
});

test('neither does a revoked key, nor an app that is disconnected', async () => {
  const person = await newAccount(here);
  const { token, workspace } = person.session;
  const { body: chat } = await here.call('POST /chats', { message: 'Hi' }, { key: token });
  const path = `/chats/${chat.id}`;
  const request = { workspaceId: workspace.id, name: 'K', scopes: ['chats:read', 'chats:write'] };
  const { body: key } = await here.call('POST /api-keys', request, { key: token });
  await assertEnds(key.secret, path, () => as(person, `DELETE /api-keys/${key.id}`));
  const app = await connectApp(here, person);
  await assertEnds(app.accessToken, path, async () => {
    const { body: apps } = await as(person, `GET /connected-apps?workspaceId=${workspace.id}`);
    const answer = await as(person, `DELETE /connected-apps/${apps.data[0].id}`);
    assert.is(answer.status, 200, answer.text);
  });
});

test('a tool whose credential ends while it waits returns what it made: a call that failed would be repeated', async () => {
  const person = await newAccount(here);
  const { token, workspace } = person.session;
  const own = (route: string, body?: unknown) => here.call(route, body, { key: token });
  const request = { workspaceId: workspace.id, name: 'K', scopes: ['todos:write', 'chats:read', 'chats:write'] };
  const { body: key } = await own('POST /api-keys', request);
  const { body: todo } = await own('POST /todos', { title: 'Work' });
  const { body: chat } = await own('POST /chats', { message: 'Hi' });
  await own(`POST /chats/${chat.id}/cancel`);
  const use = (name: string, input: object) => callTool(here.url, key.secret, name, { ...input, waitSeconds: 50 });
  const before = await subscribers();
  const thaw = freezeTimers(pollMs - 1000);
  try {
    const calls = Promise.all([
      use('create_chat', { message: 'Wait for me' }),
      use('send_chat_message', { chatId: chat.id, message: 'And for me' }),
      use('run_todo', { todoId: todo.id }),
    ]);
    await until(async () => (await subscribers()) === before + 3);
    await as(person, `DELETE /api-keys/${key.id}`);
    const [created, sent, ran] = await within(() => 'the answers', calls);
    for (const { isError, text, data } of [created, sent, ran]) {
      assert.is(isError, false, text);
      assert.match(data.note, /Do not repeat/);
    }
    const none = { messages: [], hasMore: false, pendingApprovals: [] };
    const { chat: made, note, ...rest } = created.data;
    assert.equal([made.messageCount, rest], [1, { ...none, chatId: made.id, nextSequence: 1 }]);
    const { messageSequence } = sent.data;
    assert.equal(sent.data, { ...none, chatId: chat.id, nextSequence: messageSequence, messageSequence, note });
    assert.equal([ran.data.run.todoId, ran.data.run.chatId], [todo.id, ran.data.chatId]);
    assert.is((await own('GET /chats')).body.data.length, 3);
  } finally {
    thaw();
  }
});

test('a session without the second factor that its workspace requires now reads and waits no longer; a key does', async () => {
  const { workspace, workspaceId, token, path } = await memberAtWork();
  const { reader: owners, polls: others } = await waiting(workspace.key, path);
  const { reader, polls } = await waiting(token, path);
  const events = here.call('GET /events?waitSeconds=25&types=todo.created', undefined, { key: token });
  await here.db.rows('update workspaces set require_second_factor = true where id = $1', [workspaceId]);
  await within(() => 'the end of the stream', reader.ended);
  assert.not.ok(reader.events.some(({ event }) => event === 'done'));
  const [messages, sent] = await within(() => 'the end of the long polls', polls);
  for (const { status, body } of [messages, await events]) {
    assert.equal([status, body.reason], [403, 'second_factor_required']);
  }
  assert.equal([sent.status, sent.body.messageCount], [201, 1], sent.text);
  await rest(workspace, others);
  await owners.until(({ event }) => event === 'done');
});

test('others read on, and so does somebody whose role is changed', async () => {
  const { workspace, workspaceId, member, token, path, remove } = await memberAtWork();
  const { reader: owners, polls: others } = await waiting(workspace.key, path);
  const { reader, polls } = await waiting(token, path);
  const owner = await workspace.session();
  const role = (to: string) =>
    there.call(`PATCH /workspaces/${workspaceId}/members/${member.session.user.id}`, { role: to }, { key: owner });
  assert.is((await role('owner')).status, 200);
  assert.is((await role('member')).status, 200);
  await workspace.call(`POST ${path}/messages`, { message: 'Still there?' });
  await remove();
  await within(() => 'the end of the stream', reader.ended);
  await rest(workspace, Promise.all([others, polls]));
  await owners.until(({ event }) => event === 'done');
});

test.run();

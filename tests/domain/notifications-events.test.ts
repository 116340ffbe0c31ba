import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expireApprovals } from '../../domain/approvals/expiry.ts';
import { charge } from '../../domain/usage/minutes.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { openMailServer } from '../support/mail-server.ts';
import { newAccount, temporaryDirectory } from '../support/people.ts';
import { endWork, runIn } from '../support/run-fixtures.ts';
import { createServiceDatabase } from '../support/scratch.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';
import { heldTurn, worldOf } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

/* The events of the service, and who is notified of them. */

const test = suite('events that people are notified of');
const engine = new ScriptedEngine();
const directory = temporaryDirectory();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ DATA_DIR: directory.path }, { engine });
});
test.after(async () => {
  await tandem.close();
  directory.remove();
});

interface Notified {
  userId: string;
  kind: string;
  title: string;
  text: string;
  todoId: string | null;
  chatId: string | null;
  approvalId: string | null;
}

/** All notifications of the workspace, oldest first. */
async function notificationsIn({ workspaceId }: Pick<TestWorkspace, 'workspaceId'>): Promise<Notified[]> {
  const text = `select user_id as "userId", kind, title, text, todo_id as "todoId", chat_id as "chatId",
    approval_id as "approvalId" from notifications where workspace_id = $1 order by created_at, user_id`;
  return [...(await tandem.db.rows<Notified>(text, [workspaceId]))];
}

/** An agent that asks before it writes, at work on a todo with these people, or in a chat without one. */
async function atWork(workspace: TestWorkspace, plan: string, people?: readonly string[]) {
  const { call } = workspace;
  const { body: agent } = await call('POST /agents', { name: `Careful ${crypto.randomUUID().slice(0, 8)}` });
  if (!people) {
    const { body: chat } = await call('POST /chats', { message: plan, agentId: agent.id });
    return { agent, todo: null, chat: (await settled(workspace, chat.id)).body };
  }
  const assignees = people.map((id) => ({ id, type: 'user' }));
  const { body: todo } = await call('POST /todos', { title: 'Order desks', assignees });
  const run = runIn(await call(`POST /todos/${todo.id}/runs`, { agentId: agent.id, message: plan }));
  return { agent, todo, chat: (await settled(workspace, run.chatId)).body };
}

test('an agent that asks for approval notifies the person it works for, once for all requests of one message', async () => {
  const workspace = await tandem.workspace();
  const calls = ['One', 'Two', 'Three'].map((title): [string, unknown] => ['create_todo', { title }]);
  const { agent, chat } = await atWork(workspace, engine.plan([use(...calls), reply('Done.')]));
  assert.is(chat.status, 'awaiting_input', chat.errorMessage);
  const { body: page } = await workspace.call(`GET /approvals?chatId=${chat.id}`);
  const first = page.data.at(-1);
  assert.equal(await notificationsIn(workspace), [
    {
      userId: workspace.userId,
      kind: 'approval_requested',
      title: `${agent.name} asks for approval: ${first.title} and 2 more`,
      text: first.reason,
      todoId: null,
      chatId: chat.id,
      approvalId: first.id,
    },
  ]);
  for (const { id } of page.data) await workspace.call(`POST /approvals/${id}/decide`, { decision: 'approve' });
  assert.is((await settled(workspace, chat.id)).body.status, 'completed');
  assert.is((await notificationsIn(workspace)).length, 1, 'no notification of what goes well');
});

test('where the chat works for a todo, its people are notified of an approval too, agents are not', async () => {
  const workspace = await tandem.workspace();
  const [second, third] = [await workspace.member(), await workspace.member()];
  await workspace.member();
  const plan = engine.plan([use(['create_todo', { title: 'Desk' }]), reply('Done.')]);
  const { todo, chat } = await atWork(workspace, plan, [second, third]);
  assert.is(chat.status, 'awaiting_input', chat.errorMessage);
  const found = await notificationsIn(workspace);
  assert.equal(found.map(({ userId }) => userId).sort(), [workspace.userId, second, third].sort());
  for (const each of found)
    assert.equal([each.kind, each.todoId, each.chatId], ['approval_requested', todo.id, chat.id]);
});

test('once all that a message asked is decided, expired or superseded, nobody has it unread any more', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const second = await workspace.member();
  const calls = ['One', 'Two'].map((title): [string, unknown] => ['create_todo', { title }]);
  const unread = async (chatId: string) => {
    const text = `select count(*)::int as count from notifications
      where workspace_id = $1 and chat_id = $2 and kind = 'approval_requested' and read_at is null`;
    return (await tandem.db.rows<{ count: number }>(text, [workspaceId, chatId]))[0]?.count;
  };
  const asking = async () => {
    const { chat } = await atWork(workspace, engine.plan([use(...calls), reply('Done.')]), [second]);
    const { body } = await call(`GET /approvals?chatId=${chat.id}`);
    assert.is(await unread(chat.id), 2, 'its owner and the one assigned');
    return { chatId: chat.id as string, ids: body.data.map(({ id }: { id: string }) => id) as [string, string] };
  };
  const decided = await asking();
  const [one, two] = decided.ids;
  await call(`POST /approvals/${one}/decide`, { decision: 'approve' });
  assert.is(await unread(decided.chatId), 2, 'one of the two still waits');
  await call(`POST /approvals/${two}/decide`, { decision: 'deny' });
  assert.is(await unread(decided.chatId), 0);
  assert.is((await call(`POST /approvals/${two}/decide`, { decision: 'deny' })).status, 200);
  const written = await asking();
  await call(`POST /chats/${written.chatId}/messages`, { message: 'Neither.' });
  assert.is(await unread(written.chatId), 0);
  const stopped = await asking();
  await call(`POST /approvals/${stopped.ids[0]}/decide`, { decision: 'deny' });
  await call(`POST /chats/${stopped.chatId}/cancel`);
  assert.is(await unread(stopped.chatId), 0);
  const forgotten = await asking();
  await tandem.db.rows('update approvals set expires_at = now() where chat_id = $1', [forgotten.chatId]);
  await expireApprovals(worldOf(tandem.db));
  assert.is(await unread(forgotten.chatId), 0);
});

test('a failed run notifies the person behind it and the people of its todo once, with the reason', async () => {
  const workspace = await tandem.workspace();
  const second = await workspace.member();
  const plan = engine.plan(() => Promise.reject(new Error('The model burst')));
  const { todo, chat } = await atWork(workspace, plan, [workspace.userId, second]);
  assert.is(chat.status, 'failed');
  const found = await notificationsIn(workspace);
  const expected = {
    kind: 'run_failed',
    title: 'An agent failed at “Order desks”',
    text: chat.errorMessage,
    todoId: todo.id,
    chatId: chat.id,
    approvalId: null,
  };
  assert.equal(
    found,
    [workspace.userId, second].sort().map((userId) => ({ userId, ...expected })),
  );
});

test('a run that times out notifies; one that completes or is cancelled, or a chat that fails, does not', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const work = async (titled: boolean) => {
    const { body } = await workspace.call('POST /todos', { content: '\n Order desks\nand chairs' });
    return heldTurn(worldOf(tandem.db), { workspaceId, userId }, titled ? { todoId: body.id } : {});
  };
  for (const outcome of ['completed', 'cancelled'] as const) {
    await endWork(tandem, workspaceId, (await work(true)).chatId, { outcome });
  }
  const failed = { outcome: 'failed', errorMessage: 'It broke.' } as const;
  await endWork(tandem, workspaceId, (await work(false)).chatId, failed);
  assert.equal(await notificationsIn(workspace), []);
  const { chatId, todoId } = await work(true);
  await endWork(tandem, workspaceId, chatId, { outcome: 'timed_out' });
  assert.equal(await notificationsIn(workspace), [
    {
      userId,
      kind: 'run_failed',
      title: 'An agent took too long for “Order desks”',
      text: 'Its chat shows what it has done.',
      todoId,
      chatId,
      approvalId: null,
    },
  ]);
});

test('the charge that takes the last minute notifies the owners, once for each time the minutes run out', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const [owner, gone] = [await workspace.member(), await workspace.member(), await workspace.member()];
  const { db } = tandem;
  await db.rows(`update members set role = 'owner' where workspace_id = $1 and user_id = any($2)`, [
    workspaceId,
    [owner, gone],
  ]);
  await db.rows('update members set removed_at = now() where workspace_id = $1 and user_id = $2', [workspaceId, gone]);
  const refill = (minutes: number) =>
    db.rows('update workspaces set agent_minutes = $2 where id = $1', [workspaceId, minutes]);
  const work = async (ms: number) => {
    const turn = await heldTurn(worldOf(db), { workspaceId, userId });
    const charged = { ...turn, workspaceId, trigger: 'chat' as const, activeMs: ms, minutes: 0 };
    await db.transaction((tx) => charge({ ...worldOf(db), db: tx }, charged));
  };
  await refill(0.3);
  await work(12_000);
  assert.equal(await notificationsIn(workspace), [], 'a tenth is left');
  await Promise.all([work(6000), work(6000), work(12_000)]);
  const about = { kind: 'minutes_exhausted', title: '“Test” has no agent minutes left' };
  const text =
    'Agents at work stop, and none can start, until the operator of the service adds minutes. Their work so far is kept.';
  const once = [userId, owner]
    .sort()
    .map((id) => ({ userId: id, ...about, text, todoId: null, chatId: null, approvalId: null }));
  assert.equal(await notificationsIn(workspace), once, 'by one of the three alone');
  await refill(0.1);
  await work(60_000);
  assert.is((await notificationsIn(workspace)).length, 4);
});

test('an agent that uses up the minutes notifies of both: the owners of the minutes, the people concerned of its run', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  await tandem.db.rows('update workspaces set agent_minutes = 0.1 where id = $1', [workspaceId]);
  const slow = engine.plan(async () => {
    await tandem.db.rows('update chat_turns set active_ms = 60000 where workspace_id = $1', [workspaceId]);
    return use(['list_todos', {}]);
  });
  const { chat } = await atWork(workspace, slow, [workspace.userId]);
  assert.is(chat.status, 'failed');
  assert.equal((await notificationsIn(workspace)).map(({ kind }) => kind).sort(), ['minutes_exhausted', 'run_failed']);
});

/** Invites somebody in the name of the workspace's owner. */
async function invite(workspace: TestWorkspace, email: string) {
  const key = await workspace.session();
  const answer = await workspace.call(`POST /workspaces/${workspace.workspaceId}/invitations`, { email }, { key });
  assert.is(answer.status, 201, answer.text);
}

test('an invited person with an account is notified in a workspace of their own; the one that invites shows nothing', async () => {
  const workspace = await tandem.workspace();
  const { email, session } = await newAccount(tandem);
  const elsewhere = await tandem.workspace();
  await tandem.db.rows(
    `insert into members (workspace_id, user_id, role, created_at) values ($1, $2, 'member', now() - interval '1 year')`,
    [elsewhere.workspaceId, session.user.id],
  );
  await invite(workspace, email.toUpperCase());
  const found = await notificationsIn({ workspaceId: session.workspace.id });
  assert.equal(found, [
    {
      userId: session.user.id,
      kind: 'invited',
      title: 'Tess invites you to “Test”',
      text: 'To join, open the link that you get from them: this service sends no email.',
      todoId: null,
      chatId: null,
      approvalId: null,
    },
  ]);
  assert.equal(await notificationsIn(workspace), []);
  assert.equal(await notificationsIn(elsewhere), []);
  await invite(workspace, email);
  assert.is(
    (await notificationsIn({ workspaceId: session.workspace.id })).length,
    2,
    'a new link is a new notification',
  );
});

test('a person without an account is invited by email alone', async () => {
  const workspace = await tandem.workspace();
  await invite(workspace, `${crypto.randomUUID()}@example.com`);
  assert.equal(await notificationsIn(workspace), []);
});

test('where emails are sent, an event sends one to everybody concerned, and an invitation only its own; it is shown to who has confirmed the address', async () => {
  const [database, box] = [await createServiceDatabase(), await openMailServer()];
  const sending = await startTestService({ DATABASE_URL: database.url, SMTP_URL: box.url }, { engine });
  const workspace = await sending.workspace();
  const { email } = (await workspace.call('GET /me')).body.user;
  const plan = engine.plan([use(['create_todo', { title: 'Desk' }]), reply('Done.')]);
  const { agent } = await atWork(workspace, plan);
  const [sent] = await box.emailsTo(email);
  assert.is(sent?.headers.get('subject'), `${agent.name} asks for approval: Create a todo`);
  const guest = await newAccount(sending);
  await invite(workspace, guest.email);
  // The other one is of the sign-up.
  const texts = (await box.emailsTo(guest.email, 2)).map(({ text }) => /\/(verify|join)#token=/.exec(text)?.[1]);
  assert.equal(texts.sort(), ['join', 'verify']);
  // Whoever signed up with the address has yet to show that it is theirs.
  const invitations = async () => {
    const text = `select 1 from notifications where workspace_id = $1 and kind = 'invited'`;
    return (await sending.db.rows(text, [guest.session.workspace.id])).length;
  };
  assert.is(await invitations(), 0);
  await sending.db.rows('update users set email_verified_at = now() where id = $1', [guest.session.user.id]);
  await invite(workspace, guest.email);
  assert.is(await invitations(), 1);
  await box.emailsTo(guest.email, 3);
  // It is noted as sent some moments after the mail server has it.
  const pending = `select 1 from notifications where email = 'pending'`;
  await until(async () => (await sending.db.rows(pending, [])).length === 0);
  assert.is(box.emails.length, 4);
  await sending.close();
  await box.close();
  await database.drop();
});

test.run();

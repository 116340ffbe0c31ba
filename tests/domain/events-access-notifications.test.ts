import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endEmail } from '../../server/workers/emails/claims.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { newNotification, notifyPeople } from '../support/notification-fixtures.ts';
import { brief, doing, recordedEvents } from '../support/recorded-events.ts';
import { sweep } from '../support/sweeps.ts';

const test = suite('events of notifications');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

async function world() {
  const workspace = await tandem.workspace();
  const session = { workspaceId: workspace.workspaceId, key: await workspace.session() };
  const act = (route: string, body?: unknown, more?: Parameters<typeof doing>[4]) =>
    doing(tandem, session, route, body, more);
  return { ...workspace, act, all: () => recordedEvents(tandem, workspace.workspaceId) };
}

test('each person reads the event of their own notification, once, however often it is made', async () => {
  const { workspaceId, userId, member, all } = await world();
  const second = await member();
  const todoId = crypto.randomUUID();
  for (const _ of 'ab') await notifyPeople(tandem.db, workspaceId, [userId, second], { dedupe: 'a', todoId });
  const events = await all();
  assert.equal(
    events.map(({ type, readerId, parents, actorType }) => [type, readerId, parents, actorType]).sort(),
    [userId, second].map((id) => ['notification.created', id, { todoId }, 'service']).sort(),
  );
});

test('a notification that is only an email has no events', async () => {
  const { workspaceId, userId, act, all } = await world();
  await act('PATCH /notifications/settings', { kinds: { todo_due: { inApp: false } } });
  await notifyPeople(tandem.db, workspaceId, [userId], { sends: true });
  assert.equal(
    (await all()).map(({ type }) => type),
    ['notification_settings.updated'],
  );
});

test('reading, reading all and reading again', async () => {
  const { workspaceId, userId, act } = await world();
  const ids = [];
  for (const _ of 'abc') ids.push(await newNotification(tandem.db, { workspaceId, userId }));
  const [first, second, third] = ids;
  const read = ['isRead', 'readAt'];
  const marked = await act(`PATCH /notifications/${first}`, { read: true });
  assert.equal(marked.events, [['notification.updated', first, ...read]]);
  assert.is(marked.recorded[0]?.readerId, userId);
  assert.equal((await act(`PATCH /notifications/${first}`, { read: true })).events, []);
  const all = await act('POST /notifications/read', {});
  assert.equal(all.events.sort(), [second, third].map((id) => ['notification.updated', id, ...read]).sort());
  assert.equal((await act('POST /notifications/read', {})).events, []);
  const unread = await act(`PATCH /notifications/${first}`, { read: false });
  assert.equal(unread.events, [['notification.updated', first, ...read]]);
});

test('settings say that they changed, to their person alone', async () => {
  const { act, userId } = await world();
  const off = { kinds: { todo_due: { email: false } } };
  const { events, recorded } = await act('PATCH /notifications/settings', off);
  assert.equal(events, [['notification_settings.updated', userId, 'kinds']]);
  assert.is(recorded[0]?.readerId, userId);
  assert.equal((await act('PATCH /notifications/settings', off)).events, []);
});

test('the end of an email changes its notification', async () => {
  const { workspaceId, userId, all } = await world();
  const id = await newNotification(tandem.db, { workspaceId, userId });
  // Never due: no worker claims it.
  await tandem.db.rows(`update notifications set email = 'pending' where workspace_id = $1`, [workspaceId]);
  const facts = {
    title: 'a',
    text: 'b',
    to: 'c@example.com',
    workspace: 'd',
    createdAt: '',
    todoId: null,
    chatId: null,
    dedupe: '',
  };
  const lease = { attempt: 0, isWanted: true, isStale: false };
  const claim = { ...facts, ...lease, workspaceId, id, kind: 'run_failed' as const };
  for (const _ of 'ab') await endEmail(tandem.db, claim, 'sent');
  assert.equal((await all()).map(brief), [
    ['notification.created', id],
    ['notification.updated', id, 'letterStatus'],
  ]);
});

test('a notification that is deleted for its age leaves ids', async () => {
  const { workspaceId, userId, act, all } = await world();
  const id = await newNotification(tandem.db, { workspaceId, userId });
  await act(`PATCH /notifications/${id}`, { read: true });
  const age = `update notifications set created_at = now() - interval '181 days' where workspace_id = $1`;
  await tandem.db.rows(age, [workspaceId]);
  await sweep(tandem.db);
  const events = await all();
  assert.equal(events.map(brief), [
    ['notification.created', id],
    ['notification.updated', id],
    ['notification.deleted', id],
  ]);
  assert.is(events.at(-1)?.readerId, userId);
});

test.run();

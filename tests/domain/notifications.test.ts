import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSession } from '../../domain/accounts/open-session.ts';
import { type Answer, startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { newNotification, notifyPeople } from '../support/notification-fixtures.ts';
import { sweep } from '../support/sweeps.ts';

const test = suite('notifications');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

type Ask = (route: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** Calls of a member, the owner if nobody is named, in a session of the workspace. */
async function signedIn(workspace: TestWorkspace, userId = workspace.userId): Promise<Ask> {
  const { workspaceId } = workspace;
  const { token } = await openSession(tandem.db, { workspaceId, userId, client: 'test' });
  return (route, body, headers = {}) => workspace.call(route, body, { key: token, headers });
}

const minute = 60_000;

/** Sends the owner `count` notifications, two of each minute; returns their ids, newest first. */
async function several({ workspaceId, userId }: TestWorkspace, count: number): Promise<string[]> {
  const start = Date.now() - count * minute;
  for (let place = 0; place < count; place++) {
    const clock = () => new Date(start + Math.floor(place / 2) * minute);
    await notifyPeople(tandem.db, workspaceId, [userId], { title: `News ${place}`, clock });
  }
  const text = `select id from notifications where workspace_id = $1 order by created_at desc, id desc`;
  return (await tandem.db.rows<{ id: string }>(text, [workspaceId])).map(({ id }) => id);
}

test('the notifications of a person are listed with all fields, newest first, with how many are unread', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const [todoId, chatId, approvalId] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  await notifyPeople(tandem.db, workspaceId, [userId], { kind: 'run_failed', title: 'One', text: 'Why.' });
  const more = { kind: 'approval_requested', title: 'Two', text: 'What.', todoId, chatId, approvalId } as const;
  await notifyPeople(tandem.db, workspaceId, [userId], more);
  const ask = await signedIn(workspace);
  const { status, body } = await ask('GET /notifications');
  assert.is(status, 200);
  const [two, one] = body.data;
  assert.equal(body, { object: 'list', data: [two, one], hasMore: false, nextCursor: null, unreadCount: 2 });
  const { id, createdAt, ...rest } = two;
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.equal(rest, {
    object: 'notification',
    ...more,
    url: `${tandem.url}/chats/${chatId}`,
    letterStatus: 'none',
    isRead: false,
    readAt: null,
  });
  assert.equal([one.title, one.text, one.todoId, one.chatId, one.approvalId], ['One', 'Why.', null, null, null]);
  assert.equal((await ask(`GET /notifications/${id}`)).body, two);
});

test('each is about a page: a todo, a chat, the webhooks or the workspace; an invitation has none', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const [todoId, chatId] = [crypto.randomUUID(), crypto.randomUUID()];
  const about = [
    { kind: 'todo_due', todoId, page: `/todos/${todoId}` },
    { kind: 'approval_requested', todoId, chatId, page: `/chats/${chatId}` },
    { kind: 'run_failed', todoId, chatId, page: `/chats/${chatId}` },
    { kind: 'minutes_exhausted', page: '/settings/workspace' },
    { kind: 'webhook_disabled', page: '/settings/webhooks' },
    { kind: 'invited', page: null },
    { kind: 'todo_due', page: null },
  ] as const;
  const ask = await signedIn(workspace);
  for (const { page, ...more } of about) {
    await notifyPeople(tandem.db, workspaceId, [userId], more);
    const [newest] = (await ask('GET /notifications')).body.data;
    assert.is(newest.url, page && `${tandem.url}${page}`, more.kind);
  }
});

test('pages of every size show each one once, also where several came in the same instant', async () => {
  const workspace = await tandem.workspace();
  const ids = await several(workspace, 7);
  const ask = await signedIn(workspace);
  for (const limit of [1, 2, 3, 7, 100]) {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await ask(`GET /notifications?limit=${limit}${cursor && `&cursor=${cursor}`}`);
      assert.is(body.unreadCount, 7);
      seen.push(...body.data.map((each: { id: string }) => each.id));
      if (!body.hasMore) break;
      cursor = body.nextCursor;
    }
    assert.equal(seen, ids, `${limit} a page`);
  }
});

test('one is marked as read, stays so at the first time, and is made unread again', async () => {
  const workspace = await tandem.workspace();
  const [id, other] = await several(workspace, 2);
  const ask = await signedIn(workspace);
  const read = await ask(`PATCH /notifications/${id}`, { read: true });
  assert.is(read.status, 200, read.text);
  assert.is(read.body.isRead, true);
  assert.ok(Math.abs(Date.parse(read.body.readAt) - Date.now()) < minute);
  assert.equal((await ask(`PATCH /notifications/${id}`, { read: true })).body, read.body);
  const unread = await ask('GET /notifications?unread=true');
  assert.equal([unread.body.data.map((each: { id: string }) => each.id), unread.body.unreadCount], [[other], 1]);
  assert.is((await ask('GET /notifications')).body.data.length, 2);
  const again = await ask(`PATCH /notifications/${id}`, { read: false });
  assert.equal([again.body.isRead, again.body.readAt], [false, null]);
  assert.is((await ask('GET /notifications')).body.unreadCount, 2);
});

test('all are marked as read, or those up to one that was seen, so that what came since stays unread', async () => {
  const workspace = await tandem.workspace();
  const ids = await several(workspace, 6);
  const ask = await signedIn(workspace);
  const upTo = await ask('POST /notifications/read', { upTo: ids[3] });
  assert.is(upTo.status, 200, upTo.text);
  assert.equal(upTo.body, { object: 'notifications_read', readCount: 3, unreadCount: 3 });
  const left = await ask('GET /notifications?unread=true');
  assert.equal(
    left.body.data.map((each: { id: string }) => each.id),
    ids.slice(0, 3),
  );
  assert.equal((await ask('POST /notifications/read', { upTo: ids[3] })).body.readCount, 0);
  assert.equal((await ask('POST /notifications/read')).body, {
    object: 'notifications_read',
    readCount: 3,
    unreadCount: 0,
  });
});

test('nobody sees or marks the notifications of another person, or through a session of another workspace', async () => {
  const [mine, other] = [await tandem.workspace(), await tandem.workspace()];
  const { db } = tandem;
  const second = await mine.member();
  const id = await newNotification(db, mine);
  // The same person, in a session of another workspace that they are a member of.
  await db.rows(`insert into members (workspace_id, user_id, role) values ($1, $2, 'owner')`, [
    other.workspaceId,
    mine.userId,
  ]);
  const strangers = [await signedIn(mine, second), await signedIn(other), await signedIn(other, mine.userId)];
  for (const ask of strangers) {
    const { body } = await ask('GET /notifications');
    assert.equal([body.data, body.unreadCount], [[], 0]);
    for (const answer of [
      await ask(`GET /notifications/${id}`),
      await ask(`PATCH /notifications/${id}`, { read: true }),
      await ask('POST /notifications/read', { upTo: id }),
    ]) {
      assert.equal([answer.status, answer.body.code], [404, 'resource_not_found']);
    }
    assert.is((await ask('POST /notifications/read')).body.readCount, 0);
  }
  assert.is((await (await signedIn(mine))('GET /notifications')).body.unreadCount, 1);
});

test('a cursor opens only the list it was made for', async () => {
  const workspace = await tandem.workspace();
  await several(workspace, 3);
  const ask = await signedIn(workspace);
  const { body } = await ask('GET /notifications?limit=1');
  const second = await workspace.member();
  await notifyPeople(tandem.db, workspace.workspaceId, [second]);
  for (const answer of [
    await ask(`GET /notifications?limit=1&unread=true&cursor=${body.nextCursor}`),
    await ask('GET /notifications?cursor=nonsense'),
    await (await signedIn(workspace, second))(`GET /notifications?cursor=${body.nextCursor}`),
  ]) {
    assert.equal([answer.status, answer.body.code], [400, 'invalid_cursor']);
  }
});

const all = { inApp: true, email: true };

test('everything is on in every way until a person switches something off; the rest stays', async () => {
  const workspace = await tandem.workspace();
  const ask = await signedIn(workspace);
  const untouched = {
    object: 'notification_settings',
    id: workspace.userId,
    sendsLetters: false,
    kinds: {
      todo_due: all,
      approval_requested: { ...all, push: true },
      run_failed: all,
      minutes_exhausted: all,
      webhook_disabled: all,
      mentioned: { ...all, push: true },
      todo_reminder: all,
      invited: { inApp: true },
    },
  };
  assert.equal((await ask('GET /notifications/settings')).body, untouched);
  const kinds = { todo_due: { email: false }, invited: { inApp: false } };
  const changed = await ask('PATCH /notifications/settings', { kinds });
  const expected = {
    ...untouched,
    kinds: { ...untouched.kinds, todo_due: { inApp: true, email: false }, invited: { inApp: false } },
  };
  assert.equal([changed.status, changed.body], [200, expected]);
  await ask('PATCH /notifications/settings', { kinds: { todo_due: { inApp: false } } });
  const { body } = await ask('GET /notifications/settings');
  assert.equal(body.kinds.todo_due, { inApp: false, email: false });
  assert.equal((await ask('PATCH /notifications/settings', { kinds: {} })).body, body);
  const second = await signedIn(workspace, await workspace.member());
  assert.equal((await second('GET /notifications/settings')).body.kinds, untouched.kinds, 'a switch is of one person');
});

test('an unknown switch is refused: the email of an invitation cannot be switched off', async () => {
  const ask = await signedIn(await tandem.workspace());
  for (const [kinds, param] of [
    [{ invited: { email: false } }, 'kinds.invited.email'],
    [{ birthdays: { email: false } }, 'kinds.birthdays'],
    [{ todo_due: { email: 'no' } }, 'kinds.todo_due.email'],
    [undefined, 'kinds'],
  ] as const) {
    const { status, body } = await ask('PATCH /notifications/settings', { kinds });
    assert.equal([status, body.code, body.param], [400, 'validation_failed', param]);
  }
});

test('a change on a stale tag is 412 and changes nothing', async () => {
  const workspace = await tandem.workspace();
  const ask = await signedIn(workspace);
  const [id] = await several(workspace, 1);
  const tags = [];
  for (const path of ['/notifications/settings', `/notifications/${id}`]) {
    tags.push((await ask(`GET ${path}`)).headers.get('etag') ?? '');
  }
  const switches = (tag = '') =>
    ask('PATCH /notifications/settings', { kinds: { todo_due: { email: false } } }, { 'if-match': tag });
  const mark = (tag = '') => ask(`PATCH /notifications/${id}`, { read: true }, { 'if-match': tag });
  for (const [place, change] of [switches, mark].entries()) {
    const first = await change(tags[place]);
    assert.is(first.status, 200, first.text);
    assert.is((await change(tags[place])).status, 412);
    assert.is((await change(first.headers.get('etag') ?? '')).status, 200);
  }
});

test('what is half a year old is swept away', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const days = (count: number) => () => new Date(Date.now() - count * 86_400_000);
  for (const age of [0, 179, 181])
    await notifyPeople(tandem.db, workspaceId, [userId], { title: `${age}`, clock: days(age) });
  await sweep(tandem.db);
  const { body } = await (await signedIn(workspace))('GET /notifications');
  assert.equal(
    body.data.map((each: { title: string }) => each.title),
    ['0', '179'],
  );
});

test.run();

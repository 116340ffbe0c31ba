import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSession } from '../../domain/accounts/open-session.ts';
import { type Answer, startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import { brief, recordedEvents } from '../support/recorded-events.ts';
import { sweep } from '../support/sweeps.ts';
import { waitingChat } from '../support/turn-world.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('snoozes');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const hourMs = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();

/** Calls of a member of a workspace, the owner if nobody is named, in a session. */
async function signedIn(workspace: TestWorkspace, userId = workspace.userId) {
  const { token } = await openSession(tandem.db, { workspaceId: workspace.workspaceId, userId, client: 'test' });
  return (route: string, body?: unknown): Promise<Answer> => workspace.call(route, body, { key: token });
}

/** Notifies the owner; the id of the notification. */
async function notified({ workspaceId, userId }: TestWorkspace): Promise<string> {
  await notifyPeople(tandem.db, workspaceId, [userId]);
  const newest = 'select id from notifications where workspace_id = $1 order by created_at desc, id desc limit 1';
  const [row] = await tandem.db.rows<{ id: string }>(newest, [workspaceId]);
  return row?.id ?? '';
}

test('what is put off is listed, what comes back first before the others, and brought back', async () => {
  const workspace = await tandem.workspace();
  const ask = await signedIn(workspace);
  const todo = bodyOf(await ask('POST /todos', { title: 'Ask for offers' }), 201);
  const approvalId = await workspace.approval();
  const [late, soon] = [inHours(48), inHours(2)];
  const first = await ask('POST /snoozes', { subjectType: 'approval', subjectId: approvalId, until: late });
  assert.is(first.status, 201);
  const { id, createdAt, ...rest } = first.body;
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.equal(rest, { object: 'snooze', subjectType: 'approval', subjectId: approvalId, until: late });
  const second = bodyOf(await ask('POST /snoozes', { subjectType: 'todo', subjectId: todo.id, until: soon }), 201);
  const { body } = await ask('GET /snoozes');
  assert.equal(body, { object: 'list', data: [second, first.body], hasMore: false, nextCursor: null });
  assert.is((await ask(`GET /approvals/${approvalId}`)).body.status, 'pending', 'nothing is decided by it');
  assert.equal(bodyOf(await ask(`DELETE /snoozes/${id}`)), {
    object: 'deleted',
    id,
    deleted: true,
    recoverable: false,
  });
  assert.is((await ask(`DELETE /snoozes/${id}`)).status, 404);
  assert.equal((await ask('GET /snoozes')).body.data, [second]);
});

test('what is put off again keeps its snooze and gets the new instant, also by requests at once', async () => {
  const workspace = await tandem.workspace();
  const ask = await signedIn(workspace);
  const subject = { subjectType: 'notification', subjectId: await notified(workspace) };
  const made = await Promise.all(
    [3, 4, 5, 6].map((hours) => ask('POST /snoozes', { ...subject, until: inHours(hours) })),
  );
  assert.equal([...new Set(made.map(({ status }) => status))], [201]);
  assert.is(new Set(made.map(({ body }) => body.id)).size, 1);
  const until = inHours(1);
  const last = bodyOf(
    await ask('POST /snoozes', { ...subject, subjectId: subject.subjectId.toUpperCase(), until }),
    201,
  );
  assert.equal([last.id, last.until], [made[0]?.body.id, until]);
  assert.equal((await ask('GET /snoozes')).body.data, [last]);
});

test('a snooze is of one person: others neither see nor end it', async () => {
  const workspace = await tandem.workspace();
  const [owner, member] = [await signedIn(workspace), await signedIn(workspace, await workspace.member())];
  const subjectId = await workspace.approval();
  const { id } = bodyOf(await owner('POST /snoozes', { subjectType: 'approval', subjectId, until: inHours(1) }), 201);
  assert.equal((await member('GET /snoozes')).body.data, []);
  assert.is((await member(`DELETE /snoozes/${id}`)).status, 404);
  const own = bodyOf(await member('POST /snoozes', { subjectType: 'approval', subjectId, until: inHours(2) }), 201);
  assert.not.equal(own.id, id);
  assert.is((await owner('GET /snoozes')).body.data.length, 1);
  const notificationId = await notified(workspace);
  const body = { subjectType: 'notification', subjectId: notificationId, until: inHours(1) };
  const refused = await member('POST /snoozes', body);
  assert.equal([refused.status, refused.body.param], [404, 'subjectId'], 'that of another person');
  const key = await workspace.call('GET /snoozes');
  assert.is(key.status, 403, 'a key has no inbox');
});

test('what is not there, is past or is too far ahead is refused with a sentence', async () => {
  const workspace = await tandem.workspace();
  const ask = await signedIn(workspace);
  const foreign = await tandem.workspace();
  const subjectId = await foreign.approval();
  for (const subjectType of ['approval', 'todo_run', 'todo', 'notification']) {
    const { status, body } = await ask('POST /snoozes', { subjectType, subjectId, until: inHours(1) });
    assert.equal([status, body.code, body.param], [404, 'resource_not_found', 'subjectId'], subjectType);
  }
  const subject = { subjectType: 'approval', subjectId: await workspace.approval() };
  for (const [until, message] of [
    [inHours(-1), /in the future/],
    [inHours(24 * 367), /within 366 days/],
    ['tomorrow', /RFC 3339/],
  ] as const) {
    const { status, body } = await ask('POST /snoozes', { ...subject, until });
    assert.equal([status, body.param], [400, 'until'], until);
    assert.match(body.message, message);
  }
  assert.equal((await ask('GET /snoozes')).body.data, []);
});

test('a notification that is put off is unread, not counted and not marked before it is back', async () => {
  const workspace = await tandem.workspace();
  const ask = await signedIn(workspace);
  const [later, now] = [await notified(workspace), await notified(workspace)];
  bodyOf(await ask(`PATCH /notifications/${later}`, { read: true }));
  assert.is((await ask('GET /notifications')).body.unreadCount, 1);
  const subject = { subjectType: 'notification', subjectId: later };
  const { id } = bodyOf(await ask('POST /snoozes', { ...subject, until: inHours(1) }), 201);
  assert.is((await ask(`GET /notifications/${later}`)).body.isRead, false);
  assert.is((await ask('GET /notifications')).body.unreadCount, 1, 'only the other one');
  const read = bodyOf(await ask('POST /notifications/read', {}));
  assert.equal([read.readCount, read.unreadCount], [1, 0]);
  assert.is((await ask(`GET /notifications/${now}`)).body.isRead, true);
  assert.is((await ask(`GET /notifications/${later}`)).body.isRead, false);
  await tandem.db.rows(`update snoozes set until = now() - interval '1 minute' where id = $1`, [id]);
  assert.is((await ask('GET /notifications')).body.unreadCount, 1, 'it is back');
  assert.is(bodyOf(await ask('POST /notifications/read', {})).readCount, 1);
});

test('what says that approvals or a run need the person is not counted while all of them are put off', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const ask = await signedIn(workspace);
  const { chatId, approvalIds } = await waitingChat(tandem.db, workspace, { calls: [{}, {}] });
  const [first = '', second = ''] = approvalIds;
  const runId = crypto.randomUUID();
  const notify = (event: Parameters<typeof notifyPeople>[3]) => notifyPeople(tandem.db, workspaceId, [userId], event);
  await notify({ kind: 'approval_requested', chatId, approvalId: first, dedupe: `approvals:${chatId}:2` });
  await notify({ kind: 'run_failed', dedupe: `run:${runId}` });
  await notified(workspace);
  const unread = async () => (await ask('GET /notifications')).body.unreadCount;
  assert.is(await unread(), 3);
  const putOff = (subjectId: string, until = inHours(1)) =>
    ask('POST /snoozes', { subjectType: 'approval', subjectId, until });
  bodyOf(await putOff(first), 201);
  assert.is(await unread(), 3, 'the second one waits');
  bodyOf(await putOff(second), 201);
  assert.is(await unread(), 2);
  const later = `insert into snoozes (workspace_id, user_id, id, subject_type, subject_id, until)
    values ($1, $2, gen_random_uuid(), 'todo_run', $3, now() + interval '1 hour')`;
  await tandem.db.rows(later, [workspaceId, userId, runId]);
  assert.is(await unread(), 1);
  assert.is(bodyOf(await ask('POST /notifications/read', {})).readCount, 1, 'only the other one');
  const end = `update snoozes set until = now() - interval '1 minute' where workspace_id = $1 and subject_id = $2`;
  await tandem.db.rows(end, [workspaceId, first]);
  assert.is(await unread(), 1, 'the first one waits again');
  await tandem.db.rows(`update approvals set status = 'denied' where workspace_id = $1 and id = $2`, [
    workspaceId,
    first,
  ]);
  assert.is(await unread(), 0, 'what is decided waits for nobody');
  await tandem.db.rows(end, [workspaceId, second]);
  await tandem.db.rows(end, [workspaceId, runId]);
  assert.is(await unread(), 2, 'they are back');
});

test('a person has a number of snoozes at most, also by requests at once; those that ended go after a week', async () => {
  const workspace = await tandem.workspace();
  const ask = await signedIn(workspace);
  const { workspaceId, userId } = workspace;
  const fill = `insert into snoozes (workspace_id, user_id, id, subject_type, subject_id, until)
    select $1, $2, gen_random_uuid(), 'todo', gen_random_uuid(), now() - n * interval '1 day' from generate_series(1, $3::int) n`;
  await tandem.db.rows(fill, [workspaceId, userId, 498]);
  const ids = await Promise.all([1, 2, 3, 4].map(() => workspace.approval()));
  const tries = await Promise.all(
    ids.map((subjectId) => ask('POST /snoozes', { subjectType: 'approval', subjectId, until: inHours(1) })),
  );
  assert.equal(tries.map(({ status }) => status).sort(), [201, 201, 409, 409]);
  assert.match(tries.find(({ status }) => status === 409)?.body.message, /500 snoozes/);
  await sweep(tandem.db);
  const { data } = (await ask('GET /snoozes')).body;
  assert.is(data.length, 8, 'six that ended in the last week, and two');
});

test('a notification that is put off is kept until it was back for a week, however old it is', async () => {
  const workspace = await tandem.workspace();
  const ask = await signedIn(workspace);
  const id = await notified(workspace);
  const { workspaceId } = workspace;
  await tandem.db.rows(`update notifications set created_at = now() - interval '200 days' where id = $1`, [id]);
  const subject = { subjectType: 'notification', subjectId: id };
  const snooze = bodyOf(await ask('POST /snoozes', { ...subject, until: inHours(1) }), 201);
  const statusAfterSweep = async () => {
    await sweep(tandem.db);
    return (await ask(`GET /notifications/${id}`)).status;
  };
  assert.is(await statusAfterSweep(), 200);
  const ended = (days: number) =>
    tandem.db.rows('update snoozes set until = now() - make_interval(days => $3) where workspace_id = $1 and id = $2', [
      workspaceId,
      snooze.id,
      days,
    ]);
  await ended(6);
  assert.is(await statusAfterSweep(), 200);
  await ended(8);
  assert.is(await statusAfterSweep(), 404);
  const events = (await recordedEvents(tandem, workspaceId)).slice(-2);
  assert.equal(events.map(brief), [
    ['snooze.deleted', snooze.id],
    ['notification.deleted', id],
  ]);
  assert.is(events[0]?.readerId, workspace.userId);
});

test.run();

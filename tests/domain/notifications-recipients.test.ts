import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { type Delivery, outcomeOf, statusOf } from '../../domain/notifications/notify.ts';
import { notOnCluster } from '../support/citus.ts';
import { startTestService, type TestService, type TestWorkspace, testDatabaseUrl } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';

/* Who is notified, and with what outcome. No email is sent here: no mail server is configured. */

const test = suite('recipients of notifications');
const onPostgres = notOnCluster(test, 'a lock of a row is one of the whole table there, or on one copy of it');
let tandem: TestService;
let second: Database;

test.before(async () => {
  tandem = await startTestService();
  second = connect(testDatabaseUrl(), { poolSize: 4 });
});
test.after.each(releaseAll);
test.after(async () => {
  await second.close();
  await tandem.close();
});

interface Row {
  userId: string;
  inApp: boolean;
  email: string;
}

async function rowsOf({ workspaceId }: TestWorkspace, dedupe: string): Promise<Row[]> {
  const text = `select user_id as "userId", in_app as "inApp", email from notifications
    where workspace_id = $1 and dedupe = $2 order by user_id`;
  return [...(await tandem.db.rows<Row>(text, [workspaceId, dedupe]))];
}

const off = `insert into notification_settings (workspace_id, user_id, kind, in_app, email) values ($1, $2, 'todo_due', $3, $4)`;
const remove = 'update members set removed_at = now() where workspace_id = $1 and user_id = $2';

test('everybody is notified once, however often they are named and the event is repeated', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const other = await workspace.member();
  const first = await notifyPeople(tandem.db, workspaceId, [userId, other, userId], { dedupe: 'a' });
  const people = [userId, other].sort().map((id) => ({ userId: id, outcome: 'sent' }));
  assert.equal([first.status, first.people], ['sent', people]);
  const again = await notifyPeople(tandem.db, workspaceId, [userId, other], { dedupe: 'a', title: 'Another' });
  assert.equal(again, first, 'the same outcome, of the first time');
  assert.is((await rowsOf(workspace, 'a')).length, 2);
  await notifyPeople(tandem.db, workspaceId, [userId], { dedupe: 'b' });
  assert.is((await rowsOf(workspace, 'b')).length, 1);
});

test('two processes that notify of one event at once do it once, and both return the outcome', async () => {
  const workspace = await tandem.workspace();
  const people = [workspace.userId, await workspace.member(), await workspace.member()];
  for (let round = 0; round < 10; round++) {
    const dedupe = `round ${round}`;
    const results = await Promise.all(
      [tandem.db, second, tandem.db, second].map((db, place) =>
        notifyPeople(db, workspace.workspaceId, place % 2 ? people : people.toReversed(), { dedupe, sends: false }),
      ),
    );
    assert.is((await rowsOf(workspace, dedupe)).length, 3);
    for (const outcome of results) assert.equal(outcome, results[0]);
  }
});

test('after a rollback nobody was notified', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const crash = tandem.db.transaction(async (tx) => {
    await notifyPeople(tx as Database, workspaceId, [userId], { dedupe: 'a' });
    throw new Error('crash');
  });
  assert.instance(await crash.catch((error: unknown) => error), Error);
  assert.equal(await rowsOf(workspace, 'a'), []);
});

test('removed members and strangers are passed over; when nobody is left, there is no outcome', async () => {
  const [workspace, elsewhere] = [await tandem.workspace(), await tandem.workspace()];
  const { workspaceId, userId } = workspace;
  const gone = await workspace.member();
  await tandem.db.rows(remove, [workspaceId, gone]);
  const outcome = await notifyPeople(tandem.db, workspaceId, [gone, elsewhere.userId, userId], { dedupe: 'a' });
  assert.equal([outcome.status, outcome.people], ['sent', [{ userId, outcome: 'sent' }]]);
  for (const userIds of [[], [gone], [elsewhere.userId]]) {
    const nobody = await notifyPeople(tandem.db, workspaceId, userIds, { dedupe: 'b' });
    assert.equal([nobody.status, nobody.people], [null, []]);
  }
  assert.equal(await rowsOf(elsewhere, 'a'), []);
});

test('a person who switched off a kind is not notified, and the status is suppressed only when all did', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const quiet = await workspace.member();
  await tandem.db.rows(off, [workspaceId, quiet, false, false]);
  const alone = await notifyPeople(tandem.db, workspaceId, [quiet], { dedupe: 'alone' });
  assert.equal([alone.status, alone.people], ['suppressed', [{ userId: quiet, outcome: 'suppressed' }]]);
  assert.equal(await rowsOf(workspace, 'alone'), [{ userId: quiet, inApp: false, email: 'suppressed' }]);
  const both = await notifyPeople(tandem.db, workspaceId, [quiet, userId], { dedupe: 'both' });
  assert.is(both.status, 'sent');
  assert.is(
    (await notifyPeople(tandem.db, workspaceId, [quiet], { kind: 'run_failed' })).status,
    'sent',
    'another kind',
  );
});

test('switches choose between list and email; with emails alone a person is not notified where none are sent', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const choices = [
    { inApp: true, email: true },
    { inApp: true, email: false },
    { inApp: false, email: true },
  ];
  const people: string[] = [];
  for (const { inApp, email } of choices) {
    const userId = await workspace.member();
    await tandem.db.rows(off, [workspaceId, userId, inApp, email]);
    people.push(userId);
  }
  const statesWhere = async (sends: boolean) => {
    const dedupe = `sends ${sends}`;
    // Rolled back: a service of another test may send what is due.
    let rows: Row[] = [];
    const text = `select user_id as "userId", in_app as "inApp", email from notifications where workspace_id = $1 and dedupe = $2`;
    await tandem.db
      .transaction(async (tx) => {
        assert.is((await notifyPeople(tx as Database, workspaceId, people, { dedupe, sends })).status, 'sent');
        rows = await tx.rows<Row>(text, [workspaceId, dedupe]);
        throw new Error('enough');
      })
      .catch((error: Error) => assert.is(error.message, 'enough'));
    return people.map((userId) => {
      const row = rows.find((each) => each.userId === userId);
      return [row?.inApp, row?.email];
    });
  };
  assert.equal(await statesWhere(true), [
    [true, 'pending'],
    [true, 'suppressed'],
    [false, 'pending'],
  ]);
  assert.equal(await statesWhere(false), [
    [true, 'none'],
    [true, 'suppressed'],
    [false, 'none'],
  ]);
  const [, , emailsOnly] = people;
  const outcome = await notifyPeople(tandem.db, workspaceId, people, { dedupe: 'no emails' });
  const outcomes = outcome.people.map((each) => [each.userId === emailsOnly, each.outcome]);
  assert.equal(outcomes.sort(), [
    [false, 'sent'],
    [false, 'sent'],
    [true, 'suppressed'],
  ]);
});

test('what is not in the list of a person is neither listed, counted nor found', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  await tandem.db.rows(off, [workspaceId, userId, false, false]);
  await notifyPeople(tandem.db, workspaceId, [userId]);
  const key = await workspace.session();
  const { body } = await workspace.call('GET /notifications', undefined, { key });
  assert.equal([body.data, body.unreadCount], [[], 0]);
  const [row] = await tandem.db.rows<{ id: string }>('select id from notifications where workspace_id = $1', [
    workspaceId,
  ]);
  assert.is((await workspace.call(`GET /notifications/${row?.id}`, undefined, { key })).status, 404);
});

test('a title is one line of what the database can hold, and long texts are cut', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const title = `Two\nlines \0 and \ud800 ${'😀'.repeat(400)}`;
  await notifyPeople(tandem.db, workspaceId, [userId], { title, text: 'x'.repeat(5000) });
  const { body } = await workspace.call('GET /notifications', undefined, { key: await workspace.session() });
  const [shown] = body.data;
  assert.ok(shown.title.startsWith('Two lines  and \ufffd 😀😀'), shown.title);
  assert.is([...shown.title].length, 300);
  assert.ok(shown.title.endsWith('…'));
  assert.is(shown.text.length, 2000);
});

onPostgres('a notification waits for the removal of a member, and then notifies the others', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const held = await hold('select 1 from members where workspace_id = $1 for update', [workspaceId]);
  const outcome = notifyPeople(tandem.db, workspaceId, [userId], { dedupe: 'a' });
  await untilBlocked('%insert into notifications%');
  await held.release();
  assert.is((await outcome).status, 'sent');
});

type State = Pick<Delivery, 'inApp' | 'email'>;

test('there is one outcome per person, and one status for all of them', () => {
  const person = (inApp: boolean, email: Delivery['email']): State => ({ inApp, email });
  const outcomes = [true, false].map((inApp) =>
    (['none', 'pending', 'sent', 'failed', 'suppressed'] as const).map((email) => outcomeOf({ inApp, email })),
  );
  assert.equal(outcomes, [
    ['sent', 'sent', 'sent', 'partial', 'sent'],
    ['suppressed', 'sent', 'sent', 'failed', 'suppressed'],
  ]);
  const [sent, half, failed, quiet] = [
    person(true, 'sent'),
    person(true, 'failed'),
    person(false, 'failed'),
    person(false, 'suppressed'),
  ];
  const sums: [State[], string | null][] = [
    [[], null],
    [[sent, sent], 'sent'],
    [[sent, quiet], 'sent'],
    [[quiet, quiet], 'suppressed'],
    [[failed, failed], 'failed'],
    [[failed, quiet], 'failed'],
    [[sent, failed], 'partial'],
    [[sent, half], 'partial'],
    [[half, half, quiet], 'partial'],
    [[sent, failed, quiet], 'partial'],
  ];
  for (const [people, status] of sums) assert.is(statusOf(people), status, JSON.stringify(people));
});

test.run();

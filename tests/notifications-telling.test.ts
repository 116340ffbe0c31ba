import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../db/client.ts';
import { outcomeOf, type PersonTold, statusOf } from '../routers/notifications/notify.ts';
import { startTestService, type TestService, type TestWorkspace, testDatabaseUrl } from './harness.ts';
import { hold, releaseAll, untilBlocked } from './locks.ts';
import { tell } from './notification-world.ts';

/* Who is told, and what is said to have become of it. No letter is sent here: no mail server is configured. */

const test = suite('telling people');
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

test('everybody is told once, however often they are named and it is repeated', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const other = await workspace.member();
  const first = await tell(tandem.db, workspaceId, [userId, other, userId], { dedupe: 'a' });
  const people = [userId, other].sort().map((id) => ({ userId: id, outcome: 'sent' }));
  assert.equal([first.status, first.people], ['sent', people]);
  const again = await tell(tandem.db, workspaceId, [userId, other], { dedupe: 'a', title: 'Another' });
  assert.equal(again, first, 'the same outcome, of the first time');
  assert.is((await rowsOf(workspace, 'a')).length, 2);
  await tell(tandem.db, workspaceId, [userId], { dedupe: 'b' });
  assert.is((await rowsOf(workspace, 'b')).length, 1);
});

test('two processes that tell of the same at once tell it once, and both know what became of it', async () => {
  const workspace = await tandem.workspace();
  const people = [workspace.userId, await workspace.member(), await workspace.member()];
  for (let round = 0; round < 10; round++) {
    const dedupe = `round ${round}`;
    const told = await Promise.all(
      [tandem.db, second, tandem.db, second].map((db, place) =>
        tell(db, workspace.workspaceId, place % 2 ? people : people.toReversed(), { dedupe, sends: false }),
      ),
    );
    assert.is((await rowsOf(workspace, dedupe)).length, 3);
    for (const outcome of told) assert.equal(outcome, told[0]);
  }
});

test('what is rolled back was told to nobody', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const crash = tandem.db.transaction(async (tx) => {
    await tell(tx as Database, workspaceId, [userId], { dedupe: 'a' });
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
  const told = await tell(tandem.db, workspaceId, [gone, elsewhere.userId, userId], { dedupe: 'a' });
  assert.equal([told.status, told.people], ['sent', [{ userId, outcome: 'sent' }]]);
  for (const userIds of [[], [gone], [elsewhere.userId]]) {
    const nobody = await tell(tandem.db, workspaceId, userIds, { dedupe: 'b' });
    assert.equal([nobody.status, nobody.people], [null, []]);
  }
  assert.equal(await rowsOf(elsewhere, 'a'), []);
});

test('who switched off everything of a kind is not told, and that counts only when it is true of all', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const quiet = await workspace.member();
  await tandem.db.rows(off, [workspaceId, quiet, false, false]);
  const alone = await tell(tandem.db, workspaceId, [quiet], { dedupe: 'alone' });
  assert.equal([alone.status, alone.people], ['suppressed', [{ userId: quiet, outcome: 'suppressed' }]]);
  assert.equal(await rowsOf(workspace, 'alone'), [{ userId: quiet, inApp: false, email: 'suppressed' }]);
  const both = await tell(tandem.db, workspaceId, [quiet, userId], { dedupe: 'both' });
  assert.is(both.status, 'sent');
  assert.is((await tell(tandem.db, workspaceId, [quiet], { kind: 'run_failed' })).status, 'sent', 'another kind');
});

test('switches choose between list and letter; who wants letters alone is told nothing where none are sent', async () => {
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
        assert.is((await tell(tx as Database, workspaceId, people, { dedupe, sends })).status, 'sent');
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
  const [, , lettersOnly] = people;
  const told = await tell(tandem.db, workspaceId, people, { dedupe: 'no letters' });
  const outcomes = told.people.map((each) => [each.userId === lettersOnly, each.outcome]);
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
  await tell(tandem.db, workspaceId, [userId]);
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
  await tell(tandem.db, workspaceId, [userId], { title, text: 'x'.repeat(5000) });
  const { body } = await workspace.call('GET /notifications', undefined, { key: await workspace.session() });
  const [shown] = body.data;
  assert.ok(shown.title.startsWith('Two lines  and \ufffd 😀😀'), shown.title);
  assert.is([...shown.title].length, 300);
  assert.ok(shown.title.endsWith('…'));
  assert.is(shown.text.length, 2000);
});

test('a member who is being removed is waited for, and the telling goes on', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const held = await hold('select 1 from members where workspace_id = $1 for update', [workspaceId]);
  const told = tell(tandem.db, workspaceId, [userId], { dedupe: 'a' });
  await untilBlocked('insert into notifications%');
  await held.release();
  assert.is((await told).status, 'sent');
});

type State = Pick<PersonTold, 'inApp' | 'email'>;

test('what became of it is told apart for one person and summed up over all', () => {
  const person = (inApp: boolean, email: PersonTold['email']): State => ({ inApp, email });
  const outcomes = [true, false].map((inApp) =>
    (['none', 'pending', 'sent', 'failed', 'suppressed'] as const).map((email) => outcomeOf({ inApp, email })),
  );
  assert.equal(outcomes, [
    ['sent', 'sent', 'sent', 'partial', 'sent'],
    ['suppressed', 'sent', 'sent', 'failed', 'suppressed'],
  ]);
  const [told, half, failed, quiet] = [
    person(true, 'sent'),
    person(true, 'failed'),
    person(false, 'failed'),
    person(false, 'suppressed'),
  ];
  const sums: [State[], string | null][] = [
    [[], null],
    [[told, told], 'sent'],
    [[told, quiet], 'sent'],
    [[quiet, quiet], 'suppressed'],
    [[failed, failed], 'failed'],
    [[failed, quiet], 'failed'],
    [[told, failed], 'partial'],
    [[told, half], 'partial'],
    [[half, half, quiet], 'partial'],
    [[told, failed, quiet], 'partial'],
  ];
  for (const [people, status] of sums) assert.is(statusOf(people), status, JSON.stringify(people));
});

test.run();

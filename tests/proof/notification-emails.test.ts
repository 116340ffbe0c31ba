import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { notifyDue } from '../../domain/notifications/events.ts';
import { notify } from '../../domain/notifications/notify.ts';
import { withTriggers } from '../support/citus.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { type MailServer, openMailServer, until } from '../support/mail-server.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import { newAccount } from '../support/people.ts';
import { startProcess, stopProcesses } from '../support/processes.ts';
import { createServiceDatabase, type ScratchDatabase } from '../support/scratch.ts';

/* A database of their own: a service with a mail server sends every email that is due, whoever made it. */

const test = suite('emails of notifications');
let database: ScratchDatabase;
let box: MailServer;
let tandem: TestService;

const start = (url = box.url) =>
  startTestService({ DATABASE_URL: database.url, SMTP_URL: url, MAIL_FROM: 'Tandem <post@tandem.test>' });

test.before(async () => {
  database = await createServiceDatabase();
  box = await openMailServer();
  tandem = await start();
});
test.after.each(() => {
  for (const verb of ['RCPT', 'DATA', '.'] as const) box.answers(verb, null);
});
test.after(async () => {
  await stopProcesses();
  await tandem.close();
  await box.close();
  await database.drop();
});

interface Row {
  email: string;
  tries: number;
  waits: number | null;
}

const stateOf = `select email, email_attempts as tries,
    extract(epoch from email_due_at - now())::float8 as waits
  from notifications where workspace_id = $1 and dedupe = $2`;

async function rowOf({ workspaceId }: Pick<TestWorkspace, 'workspaceId'>, dedupe: string): Promise<Row> {
  const [row] = await tandem.db.rows<Row>(stateOf, [workspaceId, dedupe]);
  assert.ok(row);
  return row;
}

const untilIs = (workspace: Pick<TestWorkspace, 'workspaceId'>, dedupe: string, holds: (row: Row) => boolean) =>
  until(async () => holds(await rowOf(workspace, dedupe)));

async function emailOf({ userId }: Pick<TestWorkspace, 'userId'>): Promise<string> {
  const [user] = await tandem.db.rows<{ email: string }>('select email from users where id = $1', [userId]);
  return user?.email ?? '';
}

/** The time of the next try comes at once. */
function hurry({ workspaceId }: TestWorkspace, dedupe: string): Promise<object[]> {
  const text = 'update notifications set email_due_at = now() where workspace_id = $1 and dedupe = $2';
  return tandem.db.rows(text, [workspaceId, dedupe]);
}

/** A todo of the workspace with a schedule; `fire` notifies people that it is due, as the scheduler does. */
async function dueTodo(workspace: TestWorkspace, userIds: readonly string[], clock = () => new Date()) {
  const { workspaceId, userId, call } = workspace;
  const { body } = await call('POST /todos', { title: 'Water the plants' });
  const insert = `insert into todo_schedules (workspace_id, todo_id, kind, rrule, timezone, starts_at, status, user_id, scopes)
    values ($1, $2, 'recurring', 'FREQ=DAILY', 'UTC', now(), 'pending', $3, '{}')`;
  await tandem.db.rows(insert, [workspaceId, body.id, userId]);
  const fire = (plannedAt: string) =>
    tandem.db.transaction((db) =>
      notifyDue(
        { db, clock, mail: { sends: true } },
        { workspaceId, todo: body, userIds, plannedAt, timezone: 'Europe/Berlin' },
      ),
    );
  const delivery = async () => {
    const text = `select last_notification_status as status, last_notification_sent_at as at from todo_schedules
      where workspace_id = $1 and todo_id = $2`;
    return (await tandem.db.rows<{ status: string | null; at: string | null }>(text, [workspaceId, body.id]))[0];
  };
  return { todoId: body.id as string, fire, delivery };
}

test('an email reaches a mail server: plain text, where to see it, how to switch it off, and an id of its own', async () => {
  const workspace = await tandem.workspace();
  const { fire, delivery, todoId } = await dueTodo(workspace, [workspace.userId]);
  const outcome = await fire('2026-03-01T08:00:00Z');
  assert.is(outcome.status, 'sent');
  const [email] = await box.emailsTo(await emailOf(workspace));
  assert.ok(email);
  assert.is(email.from, 'post@tandem.test');
  const [row] = await tandem.db.rows<{ id: string }>('select id from notifications where workspace_id = $1', [
    workspace.workspaceId,
  ]);
  assert.is(email.headers.get('message-id'), `<${row?.id}@tandem.test>`);
  assert.is(email.headers.get('auto-submitted'), 'auto-generated');
  assert.is(email.headers.get('list-unsubscribe'), `<${tandem.url}/settings/notifications>`);
  assert.match(email.headers.get('content-type') ?? '', /^text\/plain/);
  assert.is(
    email.text.trim(),
    `“Water the plants” is due

It was planned for Sunday, March 1, 2026 at 9:00 AM (Europe/Berlin).

See it in Tandem:
${tandem.url}/todos/${todoId}?workspace=${workspace.workspaceId}

This email was sent because you are a member of “Test”.
To get none of this kind any more, switch them off:
${tandem.url}/settings/notifications`,
  );
  await until(async () => {
    const { body } = await workspace.call('GET /notifications', undefined, { key: await workspace.session() });
    return body.data[0].letterStatus === 'sent';
  });
  assert.equal(await delivery(), { status: 'sent', at: outcome.at });
});

test('a mail server that fails is tried five times at growing intervals; then the email has failed, once', async () => {
  const workspace = await tandem.workspace();
  box.answers('DATA', '451 come back later');
  const dedupe = 'down';
  await notifyPeople(tandem.db, workspace.workspaceId, [workspace.userId], { sends: true, dedupe });
  const pauses = [60, 300, 1800, 7200];
  for (const [place, pause] of pauses.entries()) {
    // A busy machine may look at it late.
    const isPaused = (waits: number | null) => waits !== null && waits > pause - 50 && waits <= pause;
    await untilIs(workspace, dedupe, (row) => row.tries === place + 1 && isPaused(row.waits));
    assert.is((await rowOf(workspace, dedupe)).email, 'pending');
    await hurry(workspace, dedupe);
  }
  await untilIs(workspace, dedupe, (row) => row.email === 'failed');
  assert.equal(await rowOf(workspace, dedupe), { email: 'failed', tries: 5, waits: null });
  box.answers('DATA', null);
  const { body } = await workspace.call('GET /notifications', undefined, { key: await workspace.session() });
  assert.is(body.data[0].letterStatus, 'failed');
  const email = await emailOf(workspace);
  assert.is(box.emails.filter(({ to }) => to === email).length, 0);
});

test('an email that got through at a later try was sent', async () => {
  const workspace = await tandem.workspace();
  box.answers('.', '452 disk full');
  await notifyPeople(tandem.db, workspace.workspaceId, [workspace.userId], { sends: true, dedupe: 'later' });
  await untilIs(workspace, 'later', (row) => row.tries === 1 && (row.waits ?? 0) > 0 && (row.waits ?? 0) < 61);
  box.answers('.', null);
  await hurry(workspace, 'later');
  assert.is((await box.emailsTo(await emailOf(workspace))).length, 1);
  await untilIs(workspace, 'later', (row) => row.email === 'sent' && row.tries === 2);
});

test('an email whose sending was not recorded, as the process died, is sent once more as the same message', async () => {
  const workspace = await tandem.workspace();
  await notifyPeople(tandem.db, workspace.workspaceId, [workspace.userId], { sends: true, dedupe: 'crash' });
  await untilIs(workspace, 'crash', (row) => row.email === 'sent');
  const unnoted = `update notifications set email = 'pending', email_due_at = now() where workspace_id = $1`;
  await tandem.db.rows(unnoted, [workspace.workspaceId]);
  await untilIs(workspace, 'crash', (row) => row.email === 'sent');
  const emails = await box.emailsTo(await emailOf(workspace), 2);
  assert.is(emails.length, 2);
  assert.is(new Set(emails.map(({ headers }) => headers.get('message-id'))).size, 1);
  assert.is((await rowOf(workspace, 'crash')).tries, 2);
});

test('an email that was sent, while the database did not record that, waits for the end of its lease', async () => {
  const workspace = await tandem.workspace();
  await withTriggers(tandem.db, [
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not recorded'; end $$`,
    `create trigger refuse before update on notifications for each row
      when (new.email = 'sent' and new.dedupe = 'unrecorded') execute function refuse()`,
  ]);
  try {
    await notifyPeople(tandem.db, workspace.workspaceId, [workspace.userId], { sends: true, dedupe: 'unrecorded' });
    await box.emailsTo(await emailOf(workspace));
    await sleep(2000);
    const { email, tries, waits } = await rowOf(workspace, 'unrecorded');
    assert.equal([email, tries, (waits ?? 0) > 60], ['pending', 1, true]);
  } finally {
    await withTriggers(tandem.db, ['drop trigger refuse on notifications']);
    await tandem.db.driver.unsafe('drop function refuse');
  }
});

test('/metrics counts how many emails were sent, and how many failed', async () => {
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  assert.match(text, /^tandem_emails_sent_total [1-9]\d*$/m);
  assert.match(text, /^tandem_emails_failed_total [1-9]\d*$/m);
});

test('an address that the mail server refuses for good is not tried again', async () => {
  const workspace = await tandem.workspace();
  box.answers('RCPT', '550 no such person');
  await notifyPeople(tandem.db, workspace.workspaceId, [workspace.userId], { sends: true, dedupe: 'refused' });
  await untilIs(workspace, 'refused', (row) => row.email === 'failed');
  assert.is((await rowOf(workspace, 'refused')).tries, 1);
});

test('who was removed, or switched emails off, before it was sent gets none', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const [gone, quiet] = [await workspace.member(), await workspace.member()];
  const later = `update notifications set email_due_at = now() + interval '1 hour' where workspace_id = $1`;
  await tandem.db.transaction(async (tx) => {
    const event = { kind: 'todo_due', title: 'T', text: 'T', dedupe: 'held' } as const;
    const ctx = { db: tx, clock: () => new Date(), mail: { sends: true } };
    await notify(ctx, { workspaceId, userIds: [gone, quiet], ...event });
    await tx.rows(later, [workspaceId]);
  });
  await tandem.db.rows('update members set removed_at = now() where workspace_id = $1 and user_id = $2', [
    workspaceId,
    gone,
  ]);
  const off = `insert into notification_settings (workspace_id, user_id, kind, email) values ($1, $2, 'todo_due', false)`;
  await tandem.db.rows(off, [workspaceId, quiet]);
  await hurry(workspace, 'held');
  const states = async () => {
    const rows = await tandem.db.rows<{ email: string }>('select email from notifications where workspace_id = $1', [
      workspaceId,
    ]);
    return rows.map(({ email }) => email);
  };
  await until(async () => (await states()).every((email) => email !== 'pending'));
  assert.equal(await states(), ['suppressed', 'suppressed']);
  for (const userId of [gone, quiet]) {
    const email = await emailOf({ userId });
    assert.is(box.emails.filter(({ to }) => to === email).length, 0);
  }
});

test('what others write is not emailed to an address that nobody has confirmed', async () => {
  const { email, session } = await newAccount(tandem);
  const [workspaceId, userId] = [session.workspace.id, session.user.id];
  await box.emailsTo(email);
  const notified = async (dedupe: string, status: string) => {
    await notifyPeople(tandem.db, workspaceId, [userId], { sends: true, dedupe, title: dedupe });
    await untilIs({ workspaceId }, dedupe, (row) => row.email === status);
  };
  await notified('Buy at evil.example', 'suppressed');
  const subjects = () => box.emails.filter(({ to }) => to === email).map(({ headers }) => headers.get('subject'));
  assert.equal(subjects(), ['Confirm your email address for Tandem']);
  const token = /#token=([\w-]+)/.exec(box.emails.find(({ to }) => to === email)?.text ?? '')?.[1];
  assert.is((await tandem.call('POST /auth/email-verification/confirm', { token })).status, 200);
  await notified('Water the plants', 'sent');
  assert.ok(subjects().includes('Water the plants'));
  assert.not.ok(subjects().includes('Buy at evil.example'));
});

test('an email that was claimed by a process that died is sent by another, and not forever', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const died = `update notifications set email_attempts = $3, email_due_at = now() + $4 * interval '1 second'
    where workspace_id = $1 and dedupe = $2`;
  const claimedBefore = (dedupe: string, tries: number, seconds: number) =>
    tandem.db.transaction(async (tx) => {
      const ctx = { db: tx, clock: () => new Date(), mail: { sends: true } };
      await notify(ctx, { workspaceId, userIds: [userId], kind: 'run_failed', title: dedupe, text: dedupe, dedupe });
      await tx.rows(died, [workspaceId, dedupe, tries, seconds]);
    });
  await claimedBefore('held by another', 1, 3600);
  await claimedBefore('its holder died', 1, -1);
  await claimedBefore('its holders died five times', 5, -1);
  await untilIs(workspace, 'its holder died', (row) => row.email === 'sent' && row.tries === 2);
  await untilIs(workspace, 'its holders died five times', (row) => row.email === 'failed');
  assert.is((await rowOf(workspace, 'held by another')).email, 'pending');
  const subjects = (await box.emailsTo(await emailOf(workspace))).map(({ headers }) => headers.get('subject'));
  assert.equal(subjects, ['its holder died']);
});

test('a notification that nobody sent for three days is no longer sent', async () => {
  const workspace = await tandem.workspace();
  const clock = () => new Date(Date.now() - 3 * 86_400_000 - 60_000);
  await notifyPeople(tandem.db, workspace.workspaceId, [workspace.userId], { sends: true, dedupe: 'old', clock });
  await untilIs(workspace, 'old', (row) => row.email === 'failed');
  const email = await emailOf(workspace);
  assert.is(box.emails.filter(({ to }) => to === email).length, 0);
});

test('the schedule of a todo records that an email failed for good: partial beside the list, failed where it was all', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const second = await workspace.member();
  box.answers('RCPT', '550 no such person');
  const listed = await dueTodo(workspace, [userId, second]);
  await listed.fire('2026-03-01T08:00:00Z');
  await until(async () => (await listed.delivery())?.status === 'partial');
  const emailsOnly = `insert into notification_settings (workspace_id, user_id, kind, in_app) values ($1, $2, 'todo_due', false)`;
  for (const id of [userId, second]) await tandem.db.rows(emailsOnly, [workspaceId, id]);
  const outcome = await listed.fire('2026-03-02T08:00:00Z');
  assert.equal(
    outcome.people.map((each) => each.outcome),
    ['sent', 'sent'],
    'their emails are on the way',
  );
  await until(async () => (await listed.delivery())?.status === 'failed');
  assert.is((await listed.delivery())?.at, outcome.at);
});

test('an email that fails late does not change the status of later notifications', async () => {
  const workspace = await tandem.workspace();
  let now = Date.now() - 60_000;
  const { fire, delivery } = await dueTodo(workspace, [workspace.userId], () => new Date(now));
  box.answers('DATA', '451 come back later');
  await fire('2026-03-01T08:00:00Z');
  const first = 'select dedupe from notifications where workspace_id = $1';
  const [row] = await tandem.db.rows<{ dedupe: string }>(first, [workspace.workspaceId]);
  const dedupe = row?.dedupe ?? '';
  await untilIs(workspace, dedupe, ({ tries, waits }) => tries === 1 && (waits ?? 100) < 61);
  box.answers('DATA', null);
  now = Date.now();
  const { at } = await fire('2026-03-02T08:00:00Z');
  await box.emailsTo(await emailOf(workspace));
  box.answers('RCPT', '550 no such person');
  await hurry(workspace, dedupe);
  await untilIs(workspace, dedupe, ({ email }) => email === 'failed');
  assert.equal(await delivery(), { status: 'sent', at });
});

test('two processes send each of many emails once', async () => {
  const environment = { DATABASE_URL: database.url, SMTP_URL: box.url };
  await Promise.all([startProcess(environment), startProcess(environment)]);
  const workspace = await tandem.workspace();
  const people: string[] = [];
  while (people.length < 25) people.push(await workspace.member());
  await notifyPeople(tandem.db, workspace.workspaceId, people, { sends: true, dedupe: 'all' });
  const pending = `select count(*)::int as count from notifications where workspace_id = $1 and email = 'pending'`;
  await until(async () => {
    const [row] = await tandem.db.rows<{ count: number }>(pending, [workspace.workspaceId]);
    return row?.count === 0;
  });
  const addresses = await Promise.all(people.map((userId) => emailOf({ userId })));
  // Those of earlier tests that are tried again come meanwhile.
  const taken = box.emails.map(({ to }) => to).filter((to) => addresses.includes(to));
  assert.equal(taken.sort(), addresses.sort());
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { queueSecurityNotice } from '../../domain/notifications/security-notice.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { type MailServer, openMailServer, until } from '../support/mail-server.ts';
import { connectApp } from '../support/oauth.ts';
import { newAccount, type Person, password } from '../support/people.ts';
import { createServiceDatabase, type ScratchDatabase } from '../support/scratch.ts';

/* A database of their own: a service with a mail server sends every email that is due, whoever made it. */

const test = suite('security notices');
let database: ScratchDatabase;
let box: MailServer;
let tandem: TestService;

test.before(async () => {
  database = await createServiceDatabase();
  box = await openMailServer();
  tandem = await startTestService({ DATABASE_URL: database.url, SMTP_URL: box.url });
});
test.after(async () => {
  await tandem.close();
  await box.close();
  await database.drop();
});

const now = new Date();
const clock = () => now;
const when = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' });
const context = () => ({ db: tandem.db, clock, mail: { sends: true } });
const notice = { title: 'Your account\nhas a second factor', text: 'An authenticator app.' };

test('a notice is an email that says what happened, when and what to do, without a switch', async () => {
  const { email, session } = await newAccount(tandem);
  await queueSecurityNotice(context(), { userId: session.user.id, ...notice });
  const sent = (await box.emailsTo(email, 2)).find(({ headers }) => headers.get('subject')?.startsWith('Your account'));
  assert.is(sent?.headers.get('subject'), 'Your account has a second factor');
  assert.not.ok(sent?.headers.has('list-unsubscribe'));
  assert.is(
    sent?.text.trim(),
    `Your account has a second factor

An authenticator app.

When: ${when.format(now)} (UTC)

If it was you, there is nothing to do. If it was not, reset your password at once, which also ends all sessions, API keys
and connected apps of your account:
${tandem.url}/reset-password

This email is sent after every change of the security of your account; it cannot be switched off.`,
  );
  const { body } = await tandem.call('GET /notifications', undefined, { key: session.token });
  assert.equal([body.data, body.unreadCount], [[], 0]);
});

test('a notice reaches a person who left the workspace that it is about, or every workspace', async () => {
  const { workspaceId, member } = await tandem.workspace();
  const userId = await member();
  const [{ email } = { email: '' }] = await tandem.db.rows<{ email: string }>('select email from users where id = $1', [
    userId,
  ]);
  await tandem.db.rows('update members set removed_at = now() where user_id = $1', [userId]);
  await queueSecurityNotice(context(), { userId, workspaceId, ...notice });
  assert.is((await box.emailsTo(email)).length, 1);
});

test('a notice of a change that is rolled back is never sent', async () => {
  const { session } = await newAccount(tandem);
  const failing = tandem.db.transaction(async (db) => {
    await queueSecurityNotice({ ...context(), db }, { userId: session.user.id, ...notice });
    throw new Error('rolled back');
  });
  await failing.catch(() => {});
  assert.equal(await tandem.db.rows('select 1 from notifications where user_id = $1', [session.user.id]), []);
});

/** The subjects and texts of the notices that a person was sent, once there are `count` of them. */
async function noticesTo(email: string, count: number): Promise<string[]> {
  const isNotice = ({ text }: { text: string }) => text.includes('cannot be switched off');
  await until(() => box.emails.filter((each) => each.to === email && isNotice(each)).length >= count);
  const found = box.emails.filter((each) => each.to === email && isNotice(each));
  return found.map(({ headers, text }) => `${headers.get('subject')}: ${text.split('\n\n')[1]}`).sort();
}

/** The token of the newest link to `page` that was sent to an address. */
async function tokenTo(email: string, page: string): Promise<string> {
  const link = new RegExp(`/${page}#token=([\\w-]+)`);
  const newest = () => box.emails.findLast((each) => each.to === email && link.test(each.text));
  await until(() => newest() !== undefined);
  return link.exec(newest()?.text ?? '')?.[1] ?? '';
}

async function verified(): Promise<Person> {
  const person = await newAccount(tandem);
  const token = await tokenTo(person.email, 'verify');
  assert.is((await tandem.call('POST /auth/email-verification/confirm', { token })).status, 200);
  return person;
}

const as = (person: Person, route: string, body?: unknown) => tandem.call(route, body, { key: person.session.token });
const confirmed =
  'Your email address is confirmed: You can now create API keys, connect apps and invite people with this account.';

test('a new key, a new app and a changed password are notified of, each once and without a secret', async () => {
  const person = await verified();
  const { workspace } = person.session;
  const key = { workspaceId: workspace.id, name: 'Deploy', scopes: ['todos:read', 'todos:write'] };
  const { body: made } = await as(person, 'POST /api-keys', key);
  assert.is((await as(person, 'POST /api-keys', key)).status, 409);
  const app = await connectApp(tandem, person, { scope: 'todos:read' });
  const change = { currentPassword: password, newPassword: 'a new one, long enough' };
  assert.is((await as(person, 'POST /auth/password', { ...change, currentPassword: 'wrong' })).status, 400);
  assert.is((await as(person, 'POST /auth/password', change)).status, 200);
  assert.equal(await noticesTo(person.email, 4), [
    'An API key was created in your name: The key “Deploy” may use: todos:read, todos:write.',
    'You connected an app to your account: The app calls itself “Testing client” and may use: todos:read.',
    confirmed,
    'Your password was changed: The sessions of your account were ended. Its API keys and connected apps stay valid.',
  ]);
  const sent = box.emails.filter(({ to }) => to === person.email).map(({ text }) => text);
  for (const secret of [made.secret, app.accessToken, change.newPassword]) assert.not(sent.join('').includes(secret));
});

test('a reset is notified of, and what it ended', async () => {
  const { email } = await verified();
  await tandem.call('POST /auth/password-resets', { email });
  const token = await tokenTo(email, 'reset-password');
  await tandem.call('POST /auth/password-resets/confirm', { token, newPassword: 'a fresh one, long enough' });
  assert.equal(await noticesTo(email, 2), [
    confirmed,
    'Your password was reset: The sessions, API keys and connected apps of your account were ended.',
  ]);
});

test('a sign-in with a new program is notified of once; another version of a known one is not new', async () => {
  const { email } = await verified();
  const signIn = (agent: string) =>
    tandem.call('POST /auth/sessions', { email, password }, { headers: { 'user-agent': agent } });
  const firefox = (version: string) =>
    `Mozilla/5.0 (X11; Linux x86_64; rv:${version}) Gecko/20100101 Firefox/${version}`;
  for (const agent of [firefox('140.0'), firefox('141.0.2'), 'https://evil.example/1']) {
    assert.is((await signIn(agent)).status, 201);
  }
  assert.equal(await noticesTo(email, 3), [
    'Sign-in with a new browser or program: It calls itself: Mozilla 5.0 (X11; Linux x86_64; rv 140.0) Gecko 20100101 Firefox 140.0',
    'Sign-in with a new browser or program: It calls itself: https   evil.example 1',
    confirmed,
  ]);
});

test('a member is notified of a new role and of the removal, under the name of the workspace', async () => {
  const [owner, member] = [await verified(), await verified()];
  const path = `/workspaces/${owner.session.workspace.id}`;
  assert.is((await as(owner, `POST ${path}/invitations`, { email: member.email })).status, 201);
  const invitationToken = await tokenTo(member.email, 'join');
  assert.is((await as(member, 'POST /auth/invitations/accept', { invitationToken })).status, 200);
  const memberPath = `${path}/members/${member.session.user.id}`;
  for (const role of ['owner', 'owner', 'member']) await as(owner, `PATCH ${memberPath}`, { role });
  assert.is((await as(owner, `DELETE ${memberPath}`)).status, 200);
  assert.equal(await noticesTo(member.email, 4), [
    'You are an owner now: Your role in the workspace “Ada’s workspace” is now: owner.',
    'You are no longer an owner: Your role in the workspace “Ada’s workspace” is now: member.',
    'You left a workspace: You are no longer a member of the workspace “Ada’s workspace”. Your sessions, API keys and apps there were ended.',
    confirmed,
  ]);
});

test.run();

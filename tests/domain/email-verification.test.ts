import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../server/config.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { authorizeUrl, Browser, pkce, register } from '../support/oauth.ts';
import { newAccount, type Person, temporaryDirectory, tokenInEmail } from '../support/people.ts';
import { answered } from '../support/until.ts';

const test = suite('email verification');
let tandem: TestService;
const directory = temporaryDirectory();

test.before(async () => {
  tandem = await startTestService({ DATA_DIR: directory.path, REQUIRE_VERIFIED_EMAIL: 'true' });
});
test.after(async () => {
  await tandem.close();
  directory.remove();
});

const as = (person: Person, route: string, body?: unknown): Promise<Answer> =>
  tandem.call(route, body, { key: person.session.token });
const tokenOf = ({ email }: Person) => tokenInEmail(directory.path, email, 'Confirm');
const confirm = (token: string) => tandem.call('POST /auth/email-verification/confirm', { token });
const statusOf = async (person: Person) => (await as(person, 'GET /auth/email-verification')).body;
const createKey = (person: Person) =>
  as(person, 'POST /api-keys', {
    workspaceId: person.session.workspace.id,
    name: crypto.randomUUID(),
    scopes: ['todos:read'],
  });
const invite = (person: Person) =>
  as(person, `POST /workspaces/${person.session.workspace.id}/invitations`, {
    email: `${crypto.randomUUID()}@example.com`,
  });
async function connect(person: Person): Promise<Answer> {
  const browser = new Browser(person);
  const clientId = await register(tandem.url);
  const { headers } = await browser.visit(
    authorizeUrl(tandem.url, clientId, pkce().challenge, { scope: 'todos:read' }),
  );
  const uid = new URL(headers.get('location') ?? '').searchParams.get('uid');
  const decision = { decision: 'approve', workspaceId: person.session.workspace.id, scopes: ['todos:read'] };
  return browser.page(tandem.url, `POST /oauth/interactions/${uid}`, decision);
}

test('until the link of the email was opened, nobody creates keys, invites or connects apps; everything else works', async () => {
  const person = await newAccount(tandem);
  for (const attempt of [createKey, invite, connect]) {
    const { status, body } = await attempt(person);
    assert.equal([status, body.code, body.reason], [403, 'missing_scope', 'email_not_verified'], attempt.name);
    assert.match(body.message, /Confirm your email address/);
  }
  assert.is((await as(person, 'POST /todos', { title: 'Water the plants' })).status, 201);
  const { email } = person;
  assert.equal(await statusOf(person), { object: 'email_verification', email, verifiedAt: null, isRequired: true });
  const confirmed = await confirm(await tokenOf(person));
  assert.equal([confirmed.status, confirmed.body], [200, { object: 'email_verified', email }]);
  assert.match((await statusOf(person)).verifiedAt, /^\d{4}-/);
  assert.is((await createKey(person)).status, 201);
  assert.is((await invite(person)).status, 201);
  assert.is((await connect(person)).status, 200);
});

test('a person who has yet to verify makes nobody an owner', async () => {
  const person = await newAccount(tandem);
  const workspaceId = person.session.workspace.id;
  const member = (await newAccount(tandem)).session.user.id;
  const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')`;
  await tandem.db.rows(join, [workspaceId, member]);
  const promote = () => as(person, `PATCH /workspaces/${workspaceId}/members/${member}`, { role: 'owner' });
  assert.is((await promote()).body.reason, 'email_not_verified');
  await confirm(await tokenOf(person));
  assert.is((await promote()).body.role, 'owner');
});

test('a link answers the same when it is opened again, and verifies once', async () => {
  const person = await newAccount(tandem);
  const token = await tokenOf(person);
  const answers = await Promise.all([confirm(token), confirm(token), confirm(token)]);
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  const { verifiedAt } = await statusOf(person);
  assert.equal((await confirm(token)).body, answers[0]?.body);
  assert.is((await statusOf(person)).verifiedAt, verifiedAt);
});

test('a link ends after a day, verifies no other address, and is stored as a hash', async () => {
  const [late, moved] = [await newAccount(tandem), await newAccount(tandem)];
  const [lateToken, movedToken] = [await tokenOf(late), await tokenOf(moved)];
  const age = `update email_verifications set expires_at = expires_at - interval '24 hours' where user_id = $1`;
  await tandem.db.rows(age, [late.session.user.id]);
  const rename = 'update users set email = $2 where id = $1';
  await tandem.db.rows(rename, [moved.session.user.id, `new-${moved.email}`]);
  for (const token of [lateToken, movedToken, 'x'.repeat(43)]) {
    const { status, body } = await confirm(token);
    assert.equal([status, body.param], [400, 'token']);
  }
  for (const person of [late, moved]) assert.is((await statusOf(person)).verifiedAt, null);
  const rows = await tandem.db.rows<{ row: string }>('select e::text as row from email_verifications e', []);
  assert.not.ok(rows.some(({ row }) => row.includes(lateToken)));
});

test('the email is sent again five times in an hour at most, and not to a verified address', async () => {
  const person = await newAccount(tandem);
  const first = await tokenOf(person);
  const resend = () => as(person, 'POST /auth/email-verification');
  // The one of the sign-up counts.
  const answers = await Promise.all(Array.from({ length: 7 }, () => answered(resend)));
  assert.equal(answers.map(({ status }) => status).sort(), [202, 202, 202, 202, 429, 429, 429]);
  const refused = await resend();
  assert.equal([refused.body.code, refused.body.reason], ['rate_limit_exceeded', 'verification_emails']);
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds > 3500 && seconds <= 3600);
  assert.is((await confirm(first)).status, 200);
  const { status, body } = await resend();
  assert.equal([status, body.email], [202, person.email]);
  const count = 'select count(*)::int as count from email_verifications where user_id = $1';
  assert.equal(await tandem.db.rows(count, [person.session.user.id]), [{ count: 5 }]);
});

test('a reset by email verifies the address too', async () => {
  const person = await newAccount(tandem);
  await tandem.call('POST /auth/password-resets', { email: person.email });
  const token = await tokenInEmail(directory.path, person.email, 'Reset');
  const newPassword = 'a fresh one, long enough';
  assert.is((await tandem.call('POST /auth/password-resets/confirm', { token, newPassword })).status, 200);
  const verified = 'select 1 from users where id = $1 and email_verified_at is not null';
  assert.is((await tandem.db.rows(verified, [person.session.user.id])).length, 1);
});

test('without REQUIRE_VERIFIED_EMAIL a network without SMTP needs no email; with SMTP it is required unless switched off', async () => {
  const open = await startTestService({ DATA_DIR: directory.path });
  const person = await newAccount(open);
  const call = (route: string, body?: unknown) => open.call(route, body, { key: person.session.token });
  assert.is((await call('GET /auth/email-verification')).body.isRequired, false);
  const key = { workspaceId: person.session.workspace.id, name: 'Deploy', scopes: ['todos:read'] };
  assert.is((await call('POST /api-keys', key)).status, 201);
  const mails = await open.db.rows('select 1 from email_verifications where user_id = $1', [person.session.user.id]);
  assert.equal(mails, []);
  await open.close();
  const SMTP_URL = 'smtp://127.0.0.1:1';
  for (const [settings, isRequired] of [
    [{ SMTP_URL }, true],
    [{ SMTP_URL, REQUIRE_VERIFIED_EMAIL: 'false' }, false],
  ] as const) {
    const service = await startTestService({ DATA_DIR: directory.path, AGENT_CONCURRENCY: '0', ...settings });
    const { session } = await newAccount(service);
    const { body } = await service.call('GET /auth/email-verification', undefined, { key: session.token });
    assert.is(body.isRequired, isRequired);
    await service.close();
  }
  assert.throws(() => parseConfig({ REQUIRE_VERIFIED_EMAIL: 'yes' }), /REQUIRE_VERIFIED_EMAIL must be true or false/);
});

test.run();

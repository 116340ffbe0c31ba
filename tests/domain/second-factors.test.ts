import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { newAccount, password } from '../support/people.ts';
import { createServiceDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { addPasskey, addTotp, codeAt, enterPassword, newConfirmedAccount } from '../support/second-factors.ts';

/* A database of their own: a service with a mail server sends every email that is due, whoever made it. */

const test = suite('second factors');
const stepMs = 30_000;
let now = Date.now();
let database: ScratchDatabase;
let box: MailServer;
let tandem: TestService;

test.before(async () => {
  database = await createServiceDatabase();
  box = await openMailServer();
  tandem = await startTestService({ DATABASE_URL: database.url, SMTP_URL: box.url }, { clock: () => new Date(now) });
});
test.after(async () => {
  await tandem.close();
  await box.close();
  await database.drop();
});
test.before.each(() => {
  now += 10 * stepMs;
});

async function withTotp() {
  const person = await newConfirmedAccount(tandem);
  return { ...person, ...(await addTotp(tandem, person.key, new Date(now))) };
}

async function withCode(email: string, code: string): Promise<Answer> {
  const { body } = await enterPassword(tandem, email);
  return tandem.call('POST /auth/sessions/complete', { token: body.token, method: 'recovery_code', code });
}

/** The subjects of `count` emails beside the one that confirms the address. */
async function subjectsTo(email: string, count: number): Promise<string[]> {
  const emails = await box.emailsTo(email, count + 1);
  const subjects = emails.map(({ headers }) => headers.get('subject') ?? '');
  return subjects.filter((subject) => !subject.startsWith('Confirm your email address')).sort();
}

test('a recovery code signs in once, however it is typed, and is reported', async () => {
  const { email, codes, key } = await withTotp();
  const [first = '', second = ''] = codes;
  assert.is((await withCode(email, first)).status, 201);
  assert.is((await withCode(email, first)).body.reason, 'wrong_second_factor');
  const typed = ` ${second.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `;
  assert.is((await withCode(email, typed)).status, 201);
  const { body } = await tandem.call('GET /auth/second-factors', undefined, { key });
  assert.is(body.recoveryCodes.remaining, 8);
  assert.equal(await subjectsTo(email, 3), [
    'A recovery code was used to sign in to your account',
    'A recovery code was used to sign in to your account',
    'An authenticator app was added to your account',
  ]);
});

test('one recovery code signs in once, however many sign-ins use it at once', async () => {
  const { email, codes } = await withTotp();
  const answers = await Promise.all([1, 2, 3].map(() => withCode(email, codes[0] ?? '')));
  assert.equal(answers.map(({ status }) => status).sort(), [201, 401, 401]);
});

test('recovery codes are stored as hashes only', async () => {
  const { session, codes } = await withTotp();
  const rows = await tandem.db.rows<{ text: string }>(
    'select c::text as text from recovery_codes c where user_id = $1',
    [session.user.id],
  );
  assert.is(rows.length, 10);
  const stored = rows.map(({ text }) => text).join(' ');
  for (const code of codes) assert.not.ok(stored.includes(code) || stored.includes(code.replaceAll('-', '')));
});

test('new recovery codes replace all; they need a second factor', async () => {
  const { email, key, codes } = await withTotp();
  const replace = (by: string) => tandem.call('POST /auth/second-factors/recovery-codes', {}, { key: by });
  const { status, body } = await replace(key);
  assert.is(status, 201);
  assert.is(new Set([...body.codes, ...codes]).size, 20);
  assert.is((await withCode(email, codes[0] ?? '')).status, 401);
  assert.is((await withCode(email, body.codes[0])).status, 201);
  const without = await newConfirmedAccount(tandem);
  assert.is((await replace(without.key)).status, 409);
});

test('an app and a passkey: removing one keeps the other and the recovery codes', async () => {
  const { key, email, codes } = await withTotp();
  const passkey = await addPasskey(tandem, key);
  assert.equal(passkey.codes, []);
  assert.equal((await enterPassword(tandem, email)).body.methods, ['totp', 'passkey', 'recovery_code']);
  await tandem.call('DELETE /auth/second-factors/totp', undefined, { key });
  assert.equal((await enterPassword(tandem, email)).body.methods, ['passkey', 'recovery_code']);
  assert.is((await withCode(email, codes[0] ?? '')).status, 201);
});

test('every change is reported by email', async () => {
  const { key, email } = await withTotp();
  const { id } = await addPasskey(tandem, key);
  await tandem.call('POST /auth/second-factors/recovery-codes', {}, { key });
  await tandem.call(`DELETE /auth/passkeys/${id}`, undefined, { key });
  await tandem.call('DELETE /auth/second-factors/totp', undefined, { key });
  assert.equal(await subjectsTo(email, 5), [
    'A passkey of your account was deleted',
    'A passkey was added to your account',
    'An authenticator app was added to your account',
    'The authenticator app of your account was removed',
    'The recovery codes of your account were replaced',
  ]);
  const emails = await box.emailsTo(email, 6);
  const added = emails.filter(({ headers }) => headers.get('subject')?.includes(' was added to '));
  assert.is(added.length, 2);
  for (const { text } of added) assert.match(text.replace(/\s+/g, ' '), 'a new password does not remove it');
});

test('five wrong codes after the right password are reported: somebody knows it', async () => {
  const { email, secret } = await withTotp();
  const { body } = await enterPassword(tandem, email);
  const code = codeAt(secret, now + 9 * stepMs);
  for (let tries = 0; tries < 6; tries++) {
    await tandem.call('POST /auth/sessions/complete', { token: body.token, method: 'totp', code });
  }
  assert.equal(await subjectsTo(email, 2), [
    'An authenticator app was added to your account',
    'Sign-ins to your account were stopped at the second factor',
  ]);
});

const changes = [
  'POST /auth/second-factors/totp',
  'DELETE /auth/second-factors/totp',
  'POST /auth/second-factors/recovery-codes',
  'POST /auth/passkeys/options',
];

test('a session changes how its person signs in only after they proved who they are', async () => {
  const { session, email } = await newAccount(tandem);
  const key = session.token;
  const blocked = async (by: string) => {
    for (const change of changes) {
      const { status, body } = await tandem.call(change, change.startsWith('POST') ? {} : undefined, { key: by });
      assert.equal([status, body.reason], [403, 'reauthentication_required'], change);
    }
  };
  await blocked(key);
  const confirm = (tried: string) =>
    tandem.call('POST /auth/reauthentication', { method: 'password', password: tried }, { key });
  const wrong = await confirm('not the password');
  assert.equal([wrong.status, wrong.body.param], [400, 'password']);
  await blocked(key);
  const { status, body } = await confirm(password);
  assert.equal([status, body.object], [200, 'reauthentication']);
  assert.is((await tandem.call('POST /auth/passkeys/options', {}, { key })).status, 200);
  const { body: signedIn } = await enterPassword(tandem, email);
  assert.is((await tandem.call('POST /auth/passkeys/options', {}, { key: signedIn.token })).status, 200, 'a sign-in');
  const { workspace } = session;
  const move = { workspaceId: workspace.id };
  const moved = await tandem.call('POST /auth/sessions/current/workspace', move, { key: signedIn.token });
  await blocked(moved.body.token);
  await tandem.db.rows(
    `update recent_authentications set authenticated_at = now() - interval '11 minutes' where credential_id = $1`,
    [session.id],
  );
  await blocked(key);
});

test('a code or a passkey proves it too, each once', async () => {
  const { email, key, secret } = await withTotp();
  const { device } = await addPasskey(tandem, key);
  now += stepMs;
  const code = codeAt(secret, now);
  const prove = (proof: object) => tandem.call('POST /auth/reauthentication', proof, { key });
  assert.is((await prove({ method: 'totp', code })).status, 200);
  const again = await prove({ method: 'totp', code });
  assert.equal([again.status, again.body.param], [400, 'code']);
  const request = await tandem.call('POST /auth/reauthentication/passkey-options', {}, { key });
  const credential = device.get(request.body.options);
  assert.is((await prove({ method: 'passkey', credential })).status, 200);
  const twice = await prove({ method: 'passkey', credential });
  assert.equal([twice.status, twice.body.param], [400, 'credential']);
  const { body } = await enterPassword(tandem, email);
  const options = (await tandem.call('POST /auth/sessions/passkey-options', { token: body.token })).body.options;
  const elsewhere = await prove({ method: 'passkey', credential: device.get(options) });
  assert.is(elsewhere.status, 400, 'made for a sign-in');
});

test('a sign-in that names a workspace opens that one, and no other', async () => {
  const { email, codes, session } = await withTotp();
  const stranger = await newAccount(tandem);
  const complete = async (workspaceId: string, code = '') => {
    const { body } = await enterPassword(tandem, email, { workspaceId });
    return tandem.call('POST /auth/sessions/complete', { token: body.token, method: 'recovery_code', code });
  };
  assert.is((await complete(stranger.session.workspace.id, codes[0])).status, 403);
  assert.is((await complete(session.workspace.id, codes[1])).body.workspace.id, session.workspace.id);
});

test.run();

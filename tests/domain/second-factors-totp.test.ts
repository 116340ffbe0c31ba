import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { password, temporaryDirectory, tokenInEmail } from '../support/people.ts';
import { addTotp, codeAt, enterPassword, newConfirmedAccount } from '../support/second-factors.ts';

const test = suite('authenticator apps');
const stepMs = 30_000;
const directory = temporaryDirectory();
let now = Date.now();
let tandem: TestService;
/** Another process of the same service. */
let other: TestService;

test.before(async () => {
  const clock = () => new Date(now);
  tandem = await startTestService({ DATA_DIR: directory.path }, { clock });
  other = await startTestService({}, { clock });
});
test.after(async () => {
  await tandem.close();
  await other.close();
  directory.remove();
});
test.before.each(() => {
  now += 10 * stepMs;
});

/** A person with an authenticator app whose first code is used. */
async function withTotp() {
  const person = await newConfirmedAccount(tandem);
  const app = await addTotp(tandem, person.key, new Date(now));
  now += stepMs;
  return { ...person, ...app };
}

async function challengeOf(email: string): Promise<string> {
  const { status, body } = await enterPassword(tandem, email);
  assert.is(status, 201);
  assert.is(body.object, 'sign_in_challenge');
  return body.token;
}

const complete = (token: string, code: string, service = tandem) =>
  service.call('POST /auth/sessions/complete', { token, method: 'totp', code });

test('setting one up needs its first code, and gives ten recovery codes once', async () => {
  const { key, email } = await newConfirmedAccount(tandem);
  const { body: begun, status } = await tandem.call('POST /auth/second-factors/totp', {}, { key });
  assert.is(status, 201);
  const { object, secret, uri, expiresAt, ...rest } = begun;
  assert.equal([object, rest], ['totp_enrolment', {}]);
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.ok(Date.parse(expiresAt) > Date.now());
  const address = new URL(uri);
  assert.is(`${address.protocol}//${address.host}`, 'otpauth://totp');
  assert.is(decodeURIComponent(address.pathname), `/Tandem:${email}`);
  assert.is(address.searchParams.get('secret'), secret);
  assert.is((await enterPassword(tandem, email)).body.object, 'session', 'it is not active yet');

  const confirm = (code: string) => tandem.call('POST /auth/second-factors/totp/confirm', { code }, { key });
  const wrong = await confirm(codeAt(secret, now + 5 * stepMs));
  assert.equal([wrong.status, wrong.body.param], [400, 'code']);
  const { status: confirmed, body } = await confirm(codeAt(secret, now));
  assert.is(confirmed, 200);
  assert.equal([body.object, body.isActive, body.recoveryCodes.object], ['totp', true, 'recovery_codes']);
  assert.is(new Set(body.recoveryCodes.codes).size, 10);
  for (const code of body.recoveryCodes.codes) assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
  assert.is((await confirm(codeAt(secret, now + stepMs))).status, 409);
  assert.is((await tandem.call('POST /auth/second-factors/totp', {}, { key })).status, 409);
  const { body: status2 } = await tandem.call('GET /auth/second-factors', undefined, { key });
  assert.equal(status2, {
    object: 'second_factors',
    isActive: true,
    isRequired: false,
    totp: { isActive: true, since: body.since },
    passkeys: 0,
    recoveryCodes: { remaining: 10, createdAt: body.recoveryCodes.createdAt },
  });
});

test('the password opens no session of its own any more; the code of the app does', async () => {
  const { email, secret, session } = await withTotp();
  const { status, body, headers } = await enterPassword(tandem, email);
  assert.is(status, 201);
  const { object, token, methods, expiresAt, ...rest } = body;
  assert.equal([object, methods, rest], ['sign_in_challenge', ['totp', 'recovery_code'], {}]);
  assert.ok(Date.parse(expiresAt) > Date.now());
  assert.is(headers.get('set-cookie'), null);
  assert.is((await tandem.call('GET /me', undefined, { key: token })).status, 401);
  const opened = await complete(token, codeAt(secret, now));
  assert.is(opened.status, 201, opened.text);
  assert.is(opened.body.object, 'session');
  assert.is(opened.body.user.id, session.user.id);
  assert.is((await tandem.call('GET /me', undefined, { key: opened.body.token })).status, 200);
});

test('a code of the step before or after is accepted, one further away is not', async () => {
  const { email, secret } = await withTotp();
  for (const [away, expected] of [
    [-2, 401],
    [2, 401],
    [-1, 201],
    [1, 201],
  ] as const) {
    now += 4 * stepMs;
    const { status } = await complete(await challengeOf(email), codeAt(secret, now + away * stepMs));
    assert.is(status, expected, `${away} steps away`);
  }
});

test('a code is used once, by whichever process, and none from before it', async () => {
  const { email, secret } = await withTotp();
  const code = codeAt(secret, now);
  const tokens = await Promise.all([1, 2, 3, 4].map(() => challengeOf(email)));
  const answers = await Promise.all(tokens.map((token, index) => complete(token, code, index % 2 ? other : tandem)));
  assert.equal(answers.map(({ status }) => status).sort(), [201, 401, 401, 401]);
  const earlier = await complete(await challengeOf(email), codeAt(secret, now - stepMs));
  assert.equal([earlier.status, earlier.body.reason, earlier.body.param], [401, 'wrong_second_factor', 'code']);
});

test('where the key that encrypts the secrets was replaced, no code is right, and a recovery code still signs in', async () => {
  const { email, secret, codes } = await withTotp();
  const change = `update totp_secrets t set secret = secret || '\\x00' from users u where u.id = t.user_id and u.email = $1`;
  await tandem.db.rows(change, [email]);
  const refused = await complete(await challengeOf(email), codeAt(secret, now));
  assert.equal([refused.status, refused.body.reason], [401, 'wrong_second_factor']);
  const recovery = { token: await challengeOf(email), method: 'recovery_code', code: codes[0] };
  assert.is((await tandem.call('POST /auth/sessions/complete', recovery)).status, 201);
});

test('the code that confirmed the app does not sign in too', async () => {
  const person = await newConfirmedAccount(tandem);
  const { secret } = await addTotp(tandem, person.key, new Date(now));
  assert.is((await complete(await challengeOf(person.email), codeAt(secret, now))).status, 401);
});

test('a challenge opens one session, however many right answers arrive at once', async () => {
  const { email, codes } = await withTotp();
  const token = await challengeOf(email);
  const answers = await Promise.all(
    codes
      .slice(0, 4)
      .map((code, index) =>
        (index % 2 ? other : tandem).call('POST /auth/sessions/complete', { token, method: 'recovery_code', code }),
      ),
  );
  assert.equal(answers.map(({ status }) => status).sort(), [201, 401, 401, 401]);
  const [late] = answers.filter(({ status }) => status === 401);
  assert.equal([late?.body.reason, late?.body.param], ['sign_in_ended', 'token']);
});

test('a challenge ends with its fifth wrong code, when it expires, and with a new password', async () => {
  const { email, secret, key } = await withTotp();
  const right = () => codeAt(secret, now);
  const guessed = await challengeOf(email);
  for (let tries = 0; tries < 5; tries++) {
    assert.is((await complete(guessed, codeAt(secret, now + 9 * stepMs))).body.reason, 'wrong_second_factor');
  }
  assert.is((await complete(guessed, right())).body.reason, 'sign_in_ended');

  const old = await challengeOf(email);
  await tandem.db.rows('update sign_in_challenges set expires_at = now() where user_id = $1', [
    (await tandem.call('GET /me', undefined, { key })).body.user.id,
  ]);
  assert.is((await complete(old, right())).body.reason, 'sign_in_ended');

  const before = await challengeOf(email);
  const change = { currentPassword: password, newPassword: 'another one, long enough' };
  assert.is((await tandem.call('POST /auth/password', change, { key })).status, 200);
  assert.is((await complete(before, right())).body.reason, 'sign_in_ended');
});

test('a password reset does not remove the second factor', async () => {
  const { email, secret, codes } = await withTotp();
  await tandem.call('POST /auth/password-resets', { email });
  const newPassword = 'a fresh one, long enough';
  const reset = { token: await tokenInEmail(directory.path, email), newPassword };
  assert.is((await tandem.call('POST /auth/password-resets/confirm', reset)).status, 200);
  const { body } = await enterPassword(tandem, email, { password: newPassword });
  assert.is(body.object, 'sign_in_challenge');
  assert.is((await complete(body.token, codeAt(secret, now))).status, 201);
  assert.is(codes.length, 10);
});

test('ten wrong codes from one address pause it, the same password entered again or not', async () => {
  const { email, secret } = await withTotp();
  const wrong = codeAt(secret, now + 9 * stepMs);
  const first = [await challengeOf(email), await challengeOf(email)];
  for (const token of first)
    for (let tries = 0; tries < 5; tries++) assert.is((await complete(token, wrong)).status, 401);
  const paused = await complete(await challengeOf(email), codeAt(secret, now));
  assert.is(paused.status, 429);
  assert.is(paused.body.reason, 'sign_in_attempts');
  assert.ok(Number(paused.headers.get('retry-after')) > 60);
});

test('the secret is encrypted for its person', async () => {
  const [first, second] = [await withTotp(), await withTotp()];
  const [{ found } = { found: '' }] = await tandem.db.rows<{ found: string }>(
    `select string_agg(t::text, ' ') as found from totp_secrets t where user_id = $1`,
    [first.session.user.id],
  );
  assert.not.ok(found.includes(first.secret));
  const copy = `update totp_secrets set secret = (select secret from totp_secrets where user_id = $1) where user_id = $2`;
  await tandem.db.rows(copy, [first.session.user.id, second.session.user.id]);
  const stolen = await complete(await challengeOf(second.email), codeAt(first.secret, now));
  assert.is(stolen.status, 401, 'a copied row is of no use');
});

test('removing it ends the question and the recovery codes; doing it again says so', async () => {
  const { email, key } = await withTotp();
  const remove = () => tandem.call('DELETE /auth/second-factors/totp', undefined, { key });
  assert.equal((await remove()).body, { object: 'totp', isActive: false, alreadyRemoved: false });
  assert.equal((await remove()).body, { object: 'totp', isActive: false, alreadyRemoved: true });
  assert.is((await enterPassword(tandem, email)).body.object, 'session');
  const { body } = await tandem.call('GET /auth/second-factors', undefined, { key });
  assert.equal(body.recoveryCodes, { remaining: 0, createdAt: null });
});

test.run();

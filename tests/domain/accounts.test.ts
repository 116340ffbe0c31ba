import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { newAccount, type Person, password, temporaryDirectory, tokenInEmail } from '../support/people.ts';

const test = suite('accounts and sessions');
let tandem: TestService;
const directory = temporaryDirectory();

test.before(async () => {
  tandem = await startTestService({ DATA_DIR: directory.path });
});
test.after(async () => {
  await tandem.close();
  directory.remove();
});

const signUp = (): Promise<Person> => newAccount(tandem);
const signIn = (email: string, tried = password): Promise<Answer> =>
  tandem.call('POST /auth/sessions', { email, password: tried });
const works = async (key: string) => (await tandem.call('GET /me', undefined, { key })).status === 200;

test('signing up makes a person, a workspace with Inbox and Assistant, and a session with every scope', async () => {
  const { session, email } = await signUp();
  const { id, token, expiresAt, user, workspace, ...rest } = session;
  assert.equal(rest, { object: 'session' });
  assert.match(token, /^tandem_st_[0-9A-Za-z]{46}$/);
  assert.equal(user, { object: 'user', id: user.id, name: 'Ada', email, role: 'owner' });
  assert.equal(workspace, {
    object: 'workspace',
    id: workspace.id,
    name: 'Ada’s workspace',
    timezone: 'UTC',
    agentMinutesRemaining: 600,
  });
  const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000;
  assert.ok(days > 29.9 && days < 30.1);
  const { body: me } = await tandem.call('GET /me', undefined, { key: token });
  assert.is(me.credential.type, 'session');
  assert.is(me.credential.id, id);
  assert.is(me.credential.rateLimitPerMinute, 600);
  assert.is(me.credential.scopes.length, 8);
  const { body: lists } = await tandem.call('GET /todo-lists', undefined, { key: token });
  assert.equal(
    lists.data.map((list: { name: string }) => list.name),
    ['Inbox'],
  );
  const [agent] = await tandem.db.rows('select name, is_default from agents where workspace_id = $1', [workspace.id]);
  assert.equal(agent, { name: 'Assistant', is_default: true });
});

test('an address has one account, ignoring case', async () => {
  const { email } = await signUp();
  const again = await tandem.call('POST /auth/accounts', { email: email.toUpperCase(), password, name: 'Eve' });
  assert.is(again.status, 409);
  assert.is(again.body.param, 'email');
  assert.is((await signIn(email.toUpperCase())).status, 201);
});

test('a password is 12 to 128 characters, and never shows up in an answer', async () => {
  for (const bad of ['short', 'a'.repeat(20), 'x'.repeat(129)]) {
    const answer = await tandem.call('POST /auth/accounts', { email: 'a@example.com', password: bad, name: 'A' });
    assert.is(answer.status, 400);
    assert.is(answer.body.param, 'password');
    assert.not.ok(answer.text.includes(bad));
  }
});

test('a wrong password and an unknown address give the same answer', async () => {
  const { email } = await signUp();
  const wrong = await signIn(email, 'not the password at all');
  const unknown = await signIn(`nobody-${email}`, 'not the password at all');
  assert.is(wrong.status, 401);
  assert.equal({ ...unknown.body, requestId: '' }, { ...wrong.body, requestId: '' });
});

test('signing out ends that session at once and no other', async () => {
  const { session, email } = await signUp();
  const { body: second } = await signIn(email);
  const out = await tandem.call('DELETE /auth/sessions/current', undefined, { key: second.token });
  assert.equal(out.body, { object: 'deleted', id: second.id, deleted: true, recoverable: false });
  assert.not.ok(await works(second.token));
  assert.ok(await works(session.token));
});

test('a person sees where they are signed in and can end one session, or all others, of their own only', async () => {
  const { session, email } = await signUp();
  const stranger = await signUp();
  const { body: second } = await signIn(email);
  const { body: third } = await signIn(email);
  const { body: list } = await tandem.call('GET /auth/sessions', undefined, { key: third.token });
  assert.equal(
    list.data.map((each: { id: string }) => each.id),
    [third.id, second.id, session.id],
  );
  assert.equal(
    list.data.map((each: { isCurrent: boolean }) => each.isCurrent),
    [true, false, false],
  );
  const foreign = await tandem.call(`DELETE /auth/sessions/${stranger.session.id}`, undefined, { key: third.token });
  assert.is(foreign.status, 404);
  assert.is((await tandem.call(`DELETE /auth/sessions/${second.id}`, undefined, { key: third.token })).status, 200);
  assert.not.ok(await works(second.token));
  await tandem.call('DELETE /auth/sessions', undefined, { key: third.token });
  assert.not.ok(await works(session.token));
  assert.ok(await works(third.token));
  assert.ok(await works(stranger.session.token));
});

test('a session ends after 12 hours without a request, and after 30 days in any case', async () => {
  const { session, email } = await signUp();
  const age =
    'update credentials set last_used_at = now() - $2::interval, created_at = now() - $2::interval where id = $1';
  await tandem.db.rows(age, [session.id, '11 hours 58 minutes']);
  assert.ok(await works(session.token));
  await tandem.db.rows(age, [session.id, '12 hours 1 minute']);
  assert.is((await tandem.call('GET /me', undefined, { key: session.token })).body.code, 'invalid_api_key');
  const { body: second } = await signIn(email);
  await tandem.db.rows('update credentials set expires_at = now() where id = $1', [second.id]);
  assert.not.ok(await works(second.token));
});

test('changing the password needs the current one and ends every other session', async () => {
  const { session, email } = await signUp();
  const { body: second } = await signIn(email);
  const change = (currentPassword: string) =>
    tandem.call(
      'POST /auth/password',
      { currentPassword, newPassword: 'a new one, long enough' },
      { key: second.token },
    );
  const refused = await change('wrong');
  assert.is(refused.status, 400);
  assert.is(refused.body.param, 'currentPassword');
  assert.is((await change(password)).status, 200);
  assert.not.ok(await works(session.token));
  assert.ok(await works(second.token));
  assert.is((await signIn(email)).status, 401);
  assert.is((await signIn(email, 'a new one, long enough')).status, 201);
});

test('an email resets the password once, ends every session, and unknown addresses get the same answer', async () => {
  const { session, email } = await signUp();
  const asked = await tandem.call('POST /auth/password-resets', { email });
  const unknown = await tandem.call('POST /auth/password-resets', { email: `nobody-${email}` });
  assert.is(asked.status, 202);
  assert.equal({ ...unknown.body, email }, asked.body);
  const body = { token: await tokenInEmail(directory.path, email, 'Reset'), newPassword: 'a fresh one, long enough' };
  assert.is((await tandem.call('POST /auth/password-resets/confirm', body)).status, 200);
  assert.is((await tandem.call('POST /auth/password-resets/confirm', body)).body.param, 'token');
  assert.not.ok(await works(session.token));
  assert.is((await signIn(email, body.newPassword)).status, 201);
});

test('ten failures from one address pause it for that account; the account itself is never locked', async () => {
  const { email } = await signUp();
  const tries: Answer[] = [];
  // At once, but no more than the queue of password hashes takes from one address.
  for (let round = 0; round < 3; round++)
    tries.push(...(await Promise.all(Array.from({ length: 5 }, () => signIn(email, 'a wrong password')))));
  const statuses = tries.map((each) => each.status).sort();
  assert.is(statuses.filter((status) => status === 401).length <= 10, true);
  assert.ok(statuses.includes(429));
  const paused = await signIn(email);
  assert.is(paused.status, 429);
  assert.is(paused.body.reason, 'sign_in_attempts');
  assert.ok(Number(paused.headers.get('retry-after')) > 0);
  // The clock of the database is set back.
  await tandem.db.rows(`update sign_in_attempts set window_start = window_start + interval '2 hours'`, []);
  assert.is((await signIn(email)).status, 201, 'nobody waits until that time comes again');
  // From elsewhere (another client address) the person still gets in: only the pair of account and address is paused.
  const other = await startTestService({ TRUST_PROXY: '1', DATA_DIR: directory.path });
  const elsewhere = await other.call(
    'POST /auth/sessions',
    { email, password },
    { headers: { 'x-forwarded-for': '198.51.100.7' } },
  );
  assert.is(elsewhere.status, 201);
  await other.close();
});

test('the pages’ cookie counts only on same-origin requests, and signing out clears it', async () => {
  const { email } = await signUp();
  const sameOrigin = { 'sec-fetch-site': 'same-origin' };
  const signedIn = await tandem.call('POST /auth/sessions', { email, password }, { headers: sameOrigin });
  const cookie = signedIn.headers.get('set-cookie') ?? '';
  assert.match(cookie, /^tandem_session=tandem_st_\w+; Path=\/; HttpOnly; SameSite=Lax; Expires=/);
  const sent = { cookie: cookie.split(';')[0] ?? '' };
  const me = (headers: Record<string, string>) =>
    tandem.call('GET /me', undefined, { headers: { ...sent, ...headers } });
  assert.is((await me(sameOrigin)).status, 200);
  for (const site of ['cross-site', 'same-site', 'none'])
    assert.is((await me({ 'sec-fetch-site': site })).status, 401, site);
  const write = (headers: Record<string, string>) =>
    tandem.call('POST /todos', { title: 'x' }, { headers: { ...sent, ...headers } });
  assert.is((await write({ origin: 'https://evil.example' })).status, 401);
  assert.is((await write({})).status, 401);
  assert.is((await write({ origin: tandem.url })).status, 201);
  const out = await tandem.call('DELETE /auth/sessions/current', undefined, { headers: { ...sent, ...sameOrigin } });
  assert.match(out.headers.get('set-cookie') ?? '', /^tandem_session=;.*Expires=Thu, 01 Jan 1970/);
  assert.is((await signIn(email)).headers.get('set-cookie'), null);
});

test('session-only operations refuse an API key and say why', async () => {
  const { call } = await tandem.workspace();
  const { status, body } = await call('GET /auth/sessions');
  assert.is(status, 403);
  assert.is(body.code, 'missing_scope');
  assert.is(body.reason, 'session_required');
});

test('a right password is hashed anew once the cost was raised', async () => {
  const person = await newAccount(tandem);
  const hash = async () => {
    const text = 'select password_hash as hash from users where id = $1';
    return (await tandem.db.rows<{ hash: string }>(text, [person.session.user.id]))[0]?.hash ?? '';
  };
  assert.match(await hash(), /^scrypt\$10\$/);
  const raised = await startTestService({ PASSWORD_COST: '12' });
  const signIn = () => raised.call('POST /auth/sessions', { email: person.email, password });
  const first = await Promise.all([1, 2, 3, 4].map(signIn));
  assert.equal(
    first.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  assert.match(await hash(), /^scrypt\$12\$/);
  const before = await hash();
  assert.is((await signIn()).status, 201);
  assert.is(await hash(), before);
  await raised.close();
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../db/client.ts';
import { revokeAccess } from '../../domain/sign-in/operator-access.ts';
import { passwordResetEmail } from '../../domain/sign-in/passwords.ts';
import { notOnCluster } from '../support/citus.ts';
import { type Answer, startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';
import { hold, releaseAll, untilAllBlocked, untilBlocked } from '../support/locks.ts';
import { authorizeUrl, Browser, connectApp, pkce, register } from '../support/oauth.ts';
import { newAccount, type Person, password, temporaryDirectory, tokenInEmail } from '../support/people.ts';

const test = suite('what a new password ends');
const onPostgres = notOnCluster(test, 'a lock of a row is one of the whole table there, or on one copy of it');
let tandem: TestService;
const directory = temporaryDirectory();

test.before(async () => {
  tandem = await startTestService({ DATA_DIR: directory.path });
});
test.after.each(releaseAll);
test.after(async () => {
  await tandem.close();
  directory.remove();
});

const newPassword = 'a fresh one, long enough';
const as = (person: Person, route: string, body?: unknown): Promise<Answer> =>
  tandem.call(route, body, { key: person.session.token });
const works = async (key: string) => (await tandem.call('GET /me', undefined, { key })).status === 200;
const createKey = (person: Person, workspaceId = person.session.workspace.id) =>
  as(person, 'POST /api-keys', { workspaceId, name: crypto.randomUUID(), scopes: ['todos:read'] });

/** A person with a key in each of two workspaces and a connected app, and the key of another member. */
async function withAccess() {
  const [person, other] = [await newAccount(tandem), await newAccount(tandem)];
  const workspaceId = other.session.workspace.id;
  const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')`;
  await tandem.db.rows(join, [workspaceId, person.session.user.id]);
  const keys = [(await createKey(person)).body.secret, (await createKey(person, workspaceId)).body.secret];
  const app = await connectApp(tandem, person, { scope: 'todos:read' });
  const theirs = (await createKey(other)).body.secret as string;
  const access = async () => Promise.all([...keys, app.accessToken].map(works));
  const workspaces = `workspaceId=${person.session.workspace.id}`;
  return { person, theirs, access, workspaces };
}

async function resetToken({ email }: Person): Promise<string> {
  await tandem.call('POST /auth/password-resets', { email });
  return tokenInEmail(directory.path, email, 'Reset');
}
const reset = (token: string, more: Record<string, unknown> = {}) =>
  tandem.call('POST /auth/password-resets/confirm', { token, newPassword, ...more });

test('a reset ends sessions, API keys and connected apps of the person in every workspace, and those of nobody else', async () => {
  const { person, theirs, access } = await withAccess();
  assert.equal(await access(), [true, true, true]);
  const { body } = await reset(await resetToken(person));
  assert.equal(body, { object: 'password_set', sessionsEnded: true, accessRevoked: true });
  assert.equal(await access(), [false, false, false]);
  assert.not.ok(await works(person.session.token));
  assert.ok(await works(theirs));
  const live = 'select 1 from connected_apps where user_id = $1 and revoked_at is null';
  assert.equal(await tandem.db.rows(live, [person.session.user.id]), []);
});

/** An endpoint that the person made in a session, one of another person, and whether they are enabled. */
async function withEndpoints() {
  const { person, theirs } = await withAccess();
  const request = { url: 'https://hooks.invalid/', types: ['todo.created'] };
  const mine = (await as(person, 'POST /webhook-endpoints', request)).body.id;
  const other = (await tandem.call('POST /webhook-endpoints', request, { key: theirs })).body.id;
  const text = `select enabled, disabled_reason as reason from webhook_endpoints where id = any($1)
    order by id = $2`;
  const states = async () => [...(await tandem.db.rows(text, [[mine, other], other]))];
  return { person, states };
}

const enabled = { enabled: true, reason: null };
const ended = { enabled: false, reason: 'rights_ended' };

test('webhooks that were made in a session end with keys and apps, by a reset or the operator, and stay with them', async () => {
  const [spared, { person, states }] = [await withEndpoints(), await withEndpoints()];
  await reset(await resetToken(spared.person), { revokeAccess: false });
  assert.equal(await spared.states(), [enabled, enabled]);
  assert.is((await reset(await resetToken(person))).status, 200);
  assert.equal(await states(), [ended, enabled]);
  const event = `select id from events where workspace_id = $1 and type = 'webhook_endpoint.updated'
    union select id from event_queue where workspace_id = $1 and type = 'webhook_endpoint.updated'`;
  assert.is((await tandem.db.rows(event, [person.session.workspace.id])).length, 1);
  await revokeAccess(tandem.db, spared.person.email, { keys: false, factors: false });
  assert.equal(await spared.states(), [enabled, enabled]);
  await revokeAccess(tandem.db, spared.person.email, { keys: true, factors: false });
  assert.equal(await spared.states(), [ended, enabled]);
});

test('a reset spares keys and apps on request; sessions end in any case', async () => {
  const { person, access } = await withAccess();
  const { body } = await reset(await resetToken(person), { revokeAccess: false });
  assert.equal(body, { object: 'password_set', sessionsEnded: true, accessRevoked: false });
  assert.equal(await access(), [true, true, true]);
  assert.not.ok(await works(person.session.token));
});

test('a changed password ends other sessions, and keys and apps on request', async () => {
  const { person, access } = await withAccess();
  const change = { currentPassword: password, newPassword };
  assert.is((await as(person, 'POST /auth/password', change)).body.accessRevoked, false);
  assert.equal(await access(), [true, true, true]);
  const again = { currentPassword: newPassword, newPassword: password, revokeAccess: true };
  assert.is((await as(person, 'POST /auth/password', again)).body.accessRevoked, true);
  assert.equal(await access(), [false, false, false]);
  assert.ok(await works(person.session.token));
});

test('five emails an hour are sent, however many are asked for at once', async () => {
  const { email, session } = await newAccount(tandem);
  const processes = Array.from({ length: 6 }, () => connect(testDatabaseUrl(), { poolSize: 1 }));
  try {
    const held = await hold('select 1 from users where id = $1 for update', [session.user.id]);
    const asked = Promise.all(processes.map((db) => passwordResetEmail(db, email, 'https://tandem.invalid')));
    await untilBlocked('%from users%', asked);
    await untilAllBlocked(processes.length, '%from users%');
    await held.release();
    assert.is((await asked).filter((each) => each !== null).length, 5);
  } finally {
    await Promise.all(processes.map((db) => db.close()));
  }
});

test('a refused reset ends nothing', async () => {
  const { person, access } = await withAccess();
  const token = await resetToken(person);
  assert.is((await reset(token, { newPassword: 'Football2024!' })).status, 400);
  assert.is((await reset(`${token}x`)).status, 400);
  assert.equal(await access(), [true, true, true]);
  assert.ok(await works(person.session.token));
});

/**
 * Holds the membership of a person, as a reset in progress does, while `work` waits for it; then ends their sessions.
 */
async function besideReset(person: Person, work: () => Promise<Answer>, waits: string): Promise<Answer> {
  const userId = person.session.user.id;
  const held = await hold('select 1 from members where user_id = $1 for no key update', [userId]);
  const answer = work();
  await untilBlocked(waits, answer);
  await tandem.db.rows('update credentials set revoked_at = now() where user_id = $1', [userId]);
  await held.release();
  return answer;
}

onPostgres(
  'a key, an invitation, an app and another session that wait for a reset are refused: their session ended',
  async () => {
    const waitsForMembership = '%from members%for share%';
    const someone = { email: `${crypto.randomUUID()}@example.com` };
    const attempts: [string, (person: Person) => Promise<Answer>, string][] = [
      ['key', createKey, waitsForMembership],
      [
        'invitation',
        (person) => as(person, `POST /workspaces/${person.session.workspace.id}/invitations`, someone),
        waitsForMembership,
      ],
      ['app', (person) => approve(person), waitsForMembership],
      [
        'session',
        (person) => as(person, 'POST /auth/sessions/current/workspace', { workspaceId: person.session.workspace.id }),
        '%insert into credentials%',
      ],
    ];
    for (const [what, attempt, waits] of attempts) {
      const person = await newAccount(tandem);
      const { status, body } = await besideReset(person, () => attempt(person), waits);
      assert.equal([status, body.code], [401, 'invalid_api_key'], what);
      const alive = 'select 1 from credentials where user_id = $1 and revoked_at is null';
      assert.equal(await tandem.db.rows(alive, [person.session.user.id]), [], what);
    }
  },
);

async function approve(person: Person): Promise<Answer> {
  const browser = new Browser(person);
  const clientId = await register(tandem.url);
  const { headers } = await browser.visit(
    authorizeUrl(tandem.url, clientId, pkce().challenge, { scope: 'todos:read' }),
  );
  const uid = new URL(headers.get('location') ?? '').searchParams.get('uid');
  const decision = { decision: 'approve', workspaceId: person.session.workspace.id, scopes: ['todos:read'] };
  return browser.page(tandem.url, `POST /oauth/interactions/${uid}`, decision);
}

test('a reset waits for an app that is being connected, and ends it', async () => {
  const person = await newAccount(tandem);
  const token = await resetToken(person);
  const held = await hold('lock table connected_apps in share mode');
  const approving = approve(person);
  await untilBlocked('%insert into connected_apps%', approving);
  const resetting = reset(token);
  await untilBlocked('%from members%for no key update%', resetting);
  await held.release();
  assert.equal([(await approving).status, (await resetting).status], [200, 200]);
  const rows = await tandem.db.rows<{ revoked: boolean }>(
    'select revoked_at is not null as revoked from connected_apps where user_id = $1',
    [person.session.user.id],
  );
  assert.equal(rows, [{ revoked: true }]);
});

onPostgres('a sign-in whose password is changed before its session opens is refused', async () => {
  const person = await newAccount(tandem);
  const userId = person.session.user.id;
  const held = await hold('select 1 from members where user_id = $1 for no key update', [userId]);
  const signingIn = tandem.call('POST /auth/sessions', { email: person.email, password });
  await untilBlocked('%insert into credentials%', signingIn);
  await tandem.db.rows(`update users set password_hash = 'another' where id = $1`, [userId]);
  await held.release();
  const { status, body } = await signingIn;
  assert.equal([status, body.reason], [401, 'wrong_credentials']);
  const count = 'select count(*)::int as count from credentials where user_id = $1';
  assert.equal(await tandem.db.rows(count, [userId]), [{ count: 1 }]);
});

test.run();

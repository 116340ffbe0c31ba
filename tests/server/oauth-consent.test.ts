import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openGrant } from '../../db/grants.ts';
import { notOnCluster } from '../support/citus.ts';
import type { TestService } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { authorizeUrl, Browser, pkce, register, send, startTwo } from '../support/oauth.ts';
import { newAccount, type Person } from '../support/people.ts';

const test = suite('oauth: consent');
const onPostgres = notOnCluster(test, 'a lock of a row is one of the whole table there, or on one copy of it');
let tandem: TestService;
let elsewhere: string;
let close: () => Promise<void>;
let box: MailServer;
let client: string;

test.before(async () => {
  box = await openMailServer();
  ({ tandem, elsewhere, close } = await startTwo({ SMTP_URL: box.url, REQUIRE_VERIFIED_EMAIL: 'false' }));
  client = await register(tandem.url);
});
test.after.each(releaseAll);
test.after(async () => {
  await close();
  await box.close();
});

/** An authorization request that waits in a browser of `person`. */
async function waiting(person: Person, scope = 'todos:read') {
  const browser = new Browser(person);
  const { headers } = await browser.visit(authorizeUrl(tandem.url, client, pkce().challenge, { scope }));
  const uid = new URL(headers.get('location') ?? '').searchParams.get('uid');
  const path = `/oauth/interactions/${uid}`;
  return {
    browser,
    path,
    ask: (from = browser) => from.page(tandem.url, `GET ${path}`),
    approve: (more: Record<string, unknown> = {}, from = browser) =>
      from.page(tandem.url, `POST ${path}`, {
        decision: 'approve',
        workspaceId: person.session.workspace.id,
        scopes: ['todos:read'],
        ...more,
      }),
  };
}

test('only a signed-in person decides: no credential 401, keys and OAuth tokens 403', async () => {
  const person = await newAccount(tandem);
  const { path } = await waiting(person);
  const none = await send(tandem.url, `GET ${path}`);
  assert.is(none.status, 401);
  assert.is(none.body.code, 'missing_credentials');
  const { key } = await tandem.workspace();
  const byKey = await send(tandem.url, `POST ${path}`, { json: {}, headers: { authorization: `Bearer ${key}` } });
  assert.is(byKey.status, 403);
  assert.is(byKey.body.reason, 'session_required');
});

test('an authorization request is decided in the browser that brought it alone', async () => {
  const [mallory, ada] = [await newAccount(tandem), await newAccount(tandem)];
  const { ask, approve } = await waiting(mallory);
  const lured = new Browser(ada);
  assert.is((await ask(lured)).status, 404);
  const workspaceId = ada.session.workspace.id;
  assert.is((await approve({ workspaceId }, lured)).status, 404);
  assert.is((await ask()).status, 200);
});

test('a write from a page of another site is refused', async () => {
  const person = await newAccount(tandem);
  const { path } = await waiting(person);
  const headers = { authorization: `Bearer ${person.session.token}`, origin: 'https://evil.example' };
  assert.is((await send(tandem.url, `POST ${path}`, { json: { decision: 'deny' }, headers })).status, 403);
  const cookie = { cookie: `tandem_session=${person.session.token}`, 'sec-fetch-site': 'cross-site' };
  assert.is((await send(tandem.url, `POST ${path}`, { json: { decision: 'deny' }, headers: cookie })).status, 401);
});

test('the workspace must be one of the person’s, and the scopes ones that the app asked for', async () => {
  const [person, stranger] = [await newAccount(tandem), await newAccount(tandem)];
  const { approve, browser, path } = await waiting(person);
  const foreign = await approve({ workspaceId: stranger.session.workspace.id });
  assert.is(foreign.status, 403);
  assert.is(foreign.body.code, 'workspace_access_denied');
  const beyond = await approve({ scopes: ['todos:read', 'captures:read'] });
  assert.is(beyond.status, 400);
  assert.is(beyond.body.param, 'scopes');
  assert.is((await approve({ scopes: [] })).body.param, 'scopes');
  assert.is((await approve({ scopes: ['everything'] })).body.param, 'scopes[0]');
  assert.is((await approve({ workspaceId: 'mine' })).body.param, 'workspaceId');
  assert.is((await approve({ more: 1 })).body.param, 'more');
  assert.is((await browser.page(tandem.url, `POST ${path}`, { decision: 'maybe' })).body.param, 'decision');
  assert.is((await approve()).status, 200);
});

test('a workspace has at most 200 unrevoked apps', async () => {
  const person = await newAccount(tandem);
  const workspaceId = person.session.workspace.id;
  const seed = { workspaceId, userId: person.session.user.id, clientId: client, clientName: 'App' };
  for (let made = 0; made < 201; made++) {
    await openGrant(tandem.db, { ...seed, clientUri: null, logoUri: null, scopes: ['todos:read'] });
  }
  const unused = `update connected_apps set expires_at = now() where workspace_id = $1`;
  await tandem.db.rows(`${unused} and id = (select id from connected_apps where workspace_id = $1 limit 1)`, [
    workspaceId,
  ]);
  const { approve } = await waiting(person);
  const { status, body } = await approve();
  assert.equal([status, /at most 200 connected apps/.test(body.message)], [409, true]);
  await tandem.db.rows(unused, [workspaceId]);
  assert.is((await approve()).status, 200);
});

test('the first decision stands, and an unknown or expired request is 404', async () => {
  const person = await newAccount(tandem);
  const { approve, ask, browser, path } = await waiting(person);
  const first = await approve();
  const again = await browser.page(tandem.url, `POST ${path}`, { decision: 'deny' });
  assert.equal(again.body, first.body);
  const landed = await browser.visit(first.body.redirectTo);
  assert.ok(new URL(landed.headers.get('location') ?? '').searchParams.get('code'));
  const gone = await ask();
  assert.is(gone.status, 404);
  assert.is(gone.body.code, 'resource_not_found');
  const reused = await browser.visit(first.body.redirectTo);
  assert.is(reused.status, 400);
  assert.match(reused.text, 'The app cannot be connected');
  const late = await waiting(person);
  await tandem.db.rows(`update oauth_artifacts set expires_at = now() where model = 'Interaction'`, []);
  assert.is((await late.ask()).status, 404);
});

test('of decisions made at once one stands: one connection and one email at most, and the others get its way back', async () => {
  for (const others of [[], ['deny', 'deny']]) {
    const person = await newAccount(tandem);
    const { approve, browser, path } = await waiting(person);
    const answers = await Promise.all([
      approve(),
      approve(),
      approve(),
      ...others.map((decision) => browser.page(tandem.url, `POST ${path}`, { decision })),
    ]);
    for (const { status, body } of answers) assert.equal([status, body], [200, answers[0].body]);
    const landed = await browser.visit(answers[0].body.redirectTo);
    const isApproved = new URL(landed.headers.get('location') ?? '').searchParams.has('code');
    const { id: userId } = person.session.user;
    const apps = await tandem.db.rows('select from connected_apps where user_id = $1', [userId]);
    const notices = `select from notifications where user_id = $1 and kind = 'security' and title like '%connected an app%'`;
    assert.equal([apps.length, (await tandem.db.rows(notices, [userId])).length], isApproved ? [1, 1] : [0, 0]);
  }
});

const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')
  on conflict (workspace_id, user_id) do update set removed_at = null`;

/** A member of another person's workspace whose approval of an app waits there, and the removal of that member. */
async function leaving() {
  const [owner, member] = [await newAccount(tandem), await newAccount(tandem)];
  const workspaceId = owner.session.workspace.id;
  const userId = member.session.user.id;
  const rejoin = () => tandem.db.rows(join, [workspaceId, userId]);
  await rejoin();
  const insert = `insert into credentials
      (workspace_id, id, kind, secret_hash, user_id, name, prefix, last4, scopes, rate_limit_per_minute)
    values ($1, gen_random_uuid(), 'api_key', $3, $2, 'Held', 'x', 'x', array['todos:read'], 1)`;
  await tandem.db.rows(insert, [workspaceId, userId, randomBytes(32)]);
  const { approve } = await waiting(member);
  const route = `DELETE /workspaces/${workspaceId}/members/${userId}`;
  const remove = () => tandem.call(route, undefined, { key: owner.session.token });
  const living = () =>
    tandem.db.rows('select 1 from connected_apps where workspace_id = $1 and user_id = $2 and revoked_at is null', [
      workspaceId,
      userId,
    ]);
  return { workspaceId, userId, rejoin, remove, approve: () => approve({ workspaceId }), living };
}

onPostgres(
  'an app that is approved while the member is being removed is refused, and nothing of it comes back with them',
  async () => {
    const { workspaceId, userId, rejoin, remove, approve, living } = await leaving();
    // The credential, held, stops the removal behind the grants.
    const held = await hold('select 1 from credentials where workspace_id = $1 and user_id = $2 for update', [
      workspaceId,
      userId,
    ]);
    const removing = remove();
    await untilBlocked('update credentials set revoked_at%');
    const approving = approve();
    await untilBlocked('%members%for share%', approving);
    await held.release();
    assert.is((await removing).status, 200);
    const { status, body } = await approving;
    await rejoin();
    assert.equal([status, body.code], [403, 'workspace_access_denied']);
    assert.is((await living()).length, 0);
  },
);

onPostgres('an app that is approved before a removal that waits for it ends with the membership', async () => {
  const { rejoin, remove, approve, living } = await leaving();
  // Locks that let the approval read the membership, and stop it where it writes the grant.
  const held = await hold('lock table connected_apps in share mode');
  const approving = approve();
  await untilBlocked('insert into connected_apps%');
  const removing = remove();
  await untilBlocked('update members set removed_at%');
  await held.release();
  assert.is((await approving).status, 200);
  assert.is((await removing).status, 200);
  await rejoin();
  assert.is((await living()).length, 0);
});

test('two requests of one browser are decided independently', async () => {
  const person = await newAccount(tandem);
  const browser = new Browser(person);
  const uids = [];
  for (const scope of ['todos:read', 'chats:read']) {
    const { headers } = await browser.visit(authorizeUrl(tandem.url, client, pkce().challenge, { scope }));
    uids.push(new URL(headers.get('location') ?? '').searchParams.get('uid'));
  }
  for (const uid of uids) {
    const body = { decision: 'approve', workspaceId: person.session.workspace.id, scopes: ['todos:read'] };
    const decided = await browser.page(tandem.url, `POST /oauth/interactions/${uid}`, body);
    assert.is(decided.status, uid === uids[0] ? 200 : 400);
  }
});

test('any process serves any step, for every address in the request', async () => {
  const person = await newAccount(tandem);
  const browser = new Browser(person);
  const forged = { headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' } };
  const metadata = await send(elsewhere, 'GET /.well-known/oauth-authorization-server', forged);
  assert.is(metadata.body.authorization_endpoint, `${tandem.url}/oauth/authorize`);
  const { headers } = await browser.visit(authorizeUrl(elsewhere, client, pkce().challenge));
  const consent = new URL(headers.get('location') ?? '');
  assert.is(consent.origin, tandem.url);
  const uid = consent.searchParams.get('uid');
  const body = { decision: 'approve', workspaceId: person.session.workspace.id, scopes: ['todos:read'] };
  const decided = await browser.page(tandem.url, `POST /oauth/interactions/${uid}`, body);
  assert.is(decided.body.redirectTo, `${tandem.url}/oauth/authorize/${uid}`);
  const landed = await browser.visit(decided.body.redirectTo.replace(tandem.url, elsewhere));
  assert.ok(new URL(landed.headers.get('location') ?? '').searchParams.get('code'));
});

test.run();

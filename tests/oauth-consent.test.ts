import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from './harness.ts';
import { authorizeUrl, Browser, pkce, register, send } from './oauth.ts';
import { newAccount, type Person } from './people.ts';

const test = suite('oauth: consent');
let tandem: TestService;
let second: TestService;
let client: string;

test.before(async () => {
  tandem = await startTestService();
  second = await startTestService({ PUBLIC_URL: tandem.url });
  client = await register(tandem.url);
});
test.after(async () => {
  await second.close();
  await tandem.close();
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

test('any process serves any step, whatever address the request names', async () => {
  const person = await newAccount(tandem);
  const browser = new Browser(person);
  const forged = { headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' } };
  const elsewhere = `http://127.0.0.1:${second.service.port}`;
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

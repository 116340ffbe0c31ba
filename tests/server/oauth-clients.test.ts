import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Send } from '../../outbound/client.ts';
import { OutboundError } from '../../outbound/errors.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { type Listener, loopbackHosts, startListener } from '../support/listener.ts';
import { authorizeUrl, Browser, callback, connectApp, pkce, refresh, register, send } from '../support/oauth.ts';
import { type ClientPages, clientPages } from '../support/oauth-pages.ts';
import { newAccount } from '../support/people.ts';

const test = suite('oauth: clients');
let tandem: TestService;
let guarded: TestService;
let pages: ClientPages;
let listener: Listener;

test.before(async () => {
  pages = await clientPages();
  listener = await startListener();
  tandem = await startTestService({}, { oauthFetch: pages.reach });
  guarded = await startTestService();
});
test.after(async () => {
  await guarded.close();
  await tandem.close();
  await pages.close();
  await listener.close();
});

const registration = (json: unknown) => send(tandem.url, 'POST /oauth/register', { json });

test('a registered client is public, and the answer lists what it may do', async () => {
  const json = {
    client_name: 'An\u202eEditor\n',
    redirect_uris: ['http://127.0.0.1/', 'https://editor.example/callback', 'editor://auth'],
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    response_types: ['token'],
    token_endpoint_auth_method: 'client_secret_post',
    logo_uri: 'http://editor.example/logo.png',
    client_uri: 'https://editor.example/',
    scope: 'todos:read email',
    default_max_age: 10,
  };
  const { status, body, headers } = await registration(json);
  assert.is(status, 201);
  assert.is(headers.get('cache-control'), 'no-store');
  assert.is(headers.get('access-control-allow-origin'), '*');
  const { client_id, client_id_issued_at, ...rest } = body;
  assert.match(client_id, /^[0-9a-f-]{36}$/);
  assert.ok(Math.abs(client_id_issued_at - Date.now() / 1000) < 60);
  assert.is(rest.client_name, 'An Editor');
  assert.is(rest.token_endpoint_auth_method, 'none');
  assert.equal(rest.grant_types, ['authorization_code', 'refresh_token']);
  assert.equal(rest.response_types, ['code']);
  assert.equal(rest.redirect_uris, json.redirect_uris);
  assert.is(rest.client_uri, 'https://editor.example/');
  for (const name of ['client_secret', 'logo_uri', 'scope', 'default_max_age', 'registration_access_token']) {
    assert.is(rest[name], undefined, name);
  }
});

test('a client is refused whose redirect addresses are none that a person could trust', async () => {
  for (const uri of [
    'http://elsewhere.example/',
    'javascript:alert(1)',
    'https://a.example/#fragment',
    'nothing',
    'http://127.0.0.1/\0',
    '',
  ]) {
    const { status, body } = await registration({ redirect_uris: [uri] });
    assert.is(status, 400, uri);
    assert.is(body.error, 'invalid_redirect_uri');
  }
  for (const json of [{}, { redirect_uris: [] }, { redirect_uris: 'https://a.example/' }, []]) {
    assert.is((await registration(json)).status, 400);
  }
  assert.is((await registration({ redirect_uris: Array(21).fill(callback) })).status, 400);
  const long = `https://a.example/${'a'.repeat(1900)}`;
  assert.is((await registration({ redirect_uris: [long, long] })).status, 201);
  assert.is((await registration({ redirect_uris: [long, long, long] })).body.error, 'invalid_redirect_uri');
  const text = await fetch(`${tandem.url}/oauth/register`, { method: 'POST', body: 'not json' });
  assert.is(text.status, 400);
});

test('a client that may not renew its access gets no refresh token', async () => {
  const person = await newAccount(tandem);
  const clientId = await register(tandem.url, { grant_types: ['authorization_code'] });
  const app = await connectApp(tandem, person, { clientId });
  assert.is(app.refreshToken, undefined);
  assert.is((await tandem.call('GET /todos', undefined, { key: app.accessToken })).status, 200);
});

test('a client known by its metadata document connects without registering, shown as verified', async () => {
  const person = await newAccount(tandem);
  const clientId = pages.publish('/client.json', { client_uri: `${pages.origin}/` });
  const browser = new Browser(person);
  const { headers } = await browser.visit(authorizeUrl(tandem.url, clientId, pkce().challenge));
  const uid = new URL(headers.get('location') ?? '').searchParams.get('uid');
  const { body } = await browser.page(tandem.url, `GET /oauth/interactions/${uid}`);
  assert.equal(body.client, {
    id: clientId,
    name: 'Published',
    uri: `${pages.origin}/`,
    logoUri: null,
    redirectHost: '127.0.0.1:33333',
    verified: true,
  });
  const app = await connectApp(tandem, person, { clientId });
  assert.is((await tandem.call('GET /todos', undefined, { key: app.accessToken })).status, 200);
});

test('a metadata document that is missing, speaks for another or wants a secret is refused', async () => {
  const refused = async (clientId: string) => {
    const { status, headers, text } = await send(
      tandem.url,
      `GET ${authorizeUrl(tandem.url, clientId, pkce().challenge)}`,
    );
    assert.is(headers.get('location'), null);
    return `${status} ${/invalid_client\w*/.exec(text)?.[0]}`;
  };
  assert.is(await refused(`${pages.origin}/missing.json`), '400 invalid_client');
  assert.is(
    await refused(pages.publish('/other.json', { client_id: `${pages.origin}/client.json` })),
    '400 invalid_client_metadata',
  );
  assert.is(
    await refused(pages.publish('/secret.json', { token_endpoint_auth_method: 'client_secret_post' })),
    '400 invalid_client_metadata',
  );
  assert.is(
    await refused(pages.publish('/huge.json', { contacts: Array(1000).fill('a@example.com') })),
    '400 invalid_client',
  );
  assert.is(await refused(`http://127.0.0.1/client.json`), '400 invalid_client');
});

test('a metadata document that cannot be fetched now is no unknown client: its tokens stay valid, and work later', async () => {
  const clientId = pages.publish('/flaky.json');
  const app = await connectApp(tandem, await newAccount(tandem), { clientId });
  // A process that has not read the document yet.
  const busy: Send = () => Promise.reject(new OutboundError('busy', 'TOO_MANY_REQUESTS'));
  const silent: Send = () => Promise.reject(new DOMException('The operation was aborted.', 'TimeoutError'));
  for (const [status, oauthFetch] of [
    [502, pages.reach],
    [429, pages.reach],
    [0, busy],
    [0, silent],
  ] as const) {
    const other = await startTestService({ PUBLIC_URL: tandem.url, AGENT_CONCURRENCY: '0' }, { oauthFetch });
    const { port } = other.service;
    const own = `http://127.0.0.1:${port}`;
    pages.fail(status);
    const refused = await refresh(own, app);
    pages.fail(0);
    assert.is(refused.status, 503, refused.text);
    assert.is(refused.body.error, 'temporarily_unavailable');
    assert.is(refused.headers.get('retry-after'), '2');
    await other.close();
  }
  assert.is((await refresh(tandem.url, app)).status, 200);
});

/** Asks for a connection of the client whose metadata document is at this host, on the listener's port. */
async function visit({ url }: TestService, host: string, path: string) {
  const clientId = `https://${host}:${listener.port}/${path}`;
  return send(url, `GET ${authorizeUrl(url, clientId, pkce().challenge)}`);
}

test('a metadata document on a private address gets no connection, however the address is written', async () => {
  for (const [n, host] of ['localhost', 'localhost.', ...loopbackHosts].entries()) {
    const { status, text } = await visit(guarded, host, `${n}.json`);
    // Name servers may know no such name, now.
    const isUnknown = host.startsWith('localhost') && status === 503;
    assert.is(status, isUnknown ? 503 : 400, host);
    assert.match(text, isUnknown ? 'temporarily_unavailable' : 'invalid_client');
    assert.is(listener.accepted(), 0, host);
  }
});

test('a private address that the operator allows is connected to', async () => {
  const open = await startTestService({ OUTBOUND_ALLOW: '127.0.0.1' });
  const { status } = await visit(open, '127.0.0.1', 'allowed.json');
  await open.close();
  assert.is(status, 503, 'nobody speaks TLS there');
  assert.ok(listener.accepted() > 0);
});

test.run();

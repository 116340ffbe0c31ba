import { createServer, type Server } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scopes } from '../routers/scopes.ts';
import { freePort, startTestService, type TestService } from './harness.ts';
import { authorizeUrl, Browser, callback, connectApp, decide, pkce, register, send } from './oauth.ts';
import { newAccount } from './people.ts';

const test = suite('oauth: clients and metadata');
let tandem: TestService;
let guarded: TestService;
let pages: Server;
let origin: string;
const documents = new Map<string, object>();
let fetched = 0;

/** Metadata documents of clients are served here, on loopback without TLS; two services fetch from it. */
const overLoopback = (address: string | URL | Request) => String(address).replace(/^https:/, 'http:');

test.before(async () => {
  const port = await freePort();
  origin = `https://127.0.0.1:${port}`;
  pages = createServer((request, response) => {
    fetched++;
    const document = documents.get(request.url ?? '');
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => pages.listen(port, '127.0.0.1', resolve));
  tandem = await startTestService(
    {},
    { oauthFetch: (url, { headers } = {}) => fetch(overLoopback(url), { ...(headers && { headers }) }) },
  );
  guarded = await startTestService({}, { oauthFetch: (url, options) => fetch(overLoopback(url), options) });
});
test.after(async () => {
  await guarded.close();
  await tandem.close();
  await new Promise((resolve) => pages.close(resolve));
});

/** Publishes a metadata document; returns the client id that it gives. */
function publish(path: string, more: Record<string, unknown> = {}): string {
  const client_id = `${origin}${path}`;
  documents.set(path, { client_id, client_name: 'Published', redirect_uris: [callback], ...more });
  return client_id;
}

const registration = (json: unknown) => send(tandem.url, 'POST /oauth/register', { json });

test('the metadata of the authorization server is whole, wherever clients look for it', async () => {
  const { url } = tandem;
  const expected = {
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    registration_endpoint: `${url}/oauth/register`,
    revocation_endpoint: `${url}/oauth/revoke`,
    scopes_supported: [...scopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [`${url}/mcp`],
    service_documentation: `${url}/docs`,
  };
  for (const path of ['', '/mcp']) {
    const { status, body, headers } = await send(url, `GET /.well-known/oauth-authorization-server${path}`);
    assert.is(status, 200);
    assert.match(headers.get('content-type') ?? '', 'application/json');
    assert.is(headers.get('access-control-allow-origin'), '*');
    assert.equal(body, expected);
  }
  const openid = ['/.well-known/openid-configuration', '/.well-known/openid-configuration/mcp'];
  for (const path of [...openid, '/mcp/.well-known/openid-configuration']) {
    const { jwks_uri, ...rest } = (await send(url, `GET ${path}`)).body;
    assert.equal(rest, {
      ...expected,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['EdDSA'],
    });
    const [key, ...others] = (await send(url, `GET ${new URL(jwks_uri).pathname}`)).body.keys;
    assert.is(others.length, 0);
    assert.equal([key.kty, key.crv, key.use, key.d], ['OKP', 'Ed25519', 'sig', undefined]);
  }
});

test('the metadata of the MCP endpoint names its authorization server', async () => {
  for (const path of ['', '/mcp']) {
    const { status, body } = await send(tandem.url, `GET /.well-known/oauth-protected-resource${path}`);
    assert.is(status, 200);
    assert.equal(body, {
      resource: `${tandem.url}/mcp`,
      authorization_servers: [tandem.url],
      scopes_supported: [...scopes],
      bearer_methods_supported: ['header'],
      resource_name: 'Tandem',
      resource_documentation: `${tandem.url}/docs`,
    });
  }
});

test('a registered client is public, and told what it may do', async () => {
  const json = {
    client_name: 'An\u202eEditor\n',
    redirect_uris: ['http://127.0.0.1/', 'https://editor.example/callback', 'editor://auth'],
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
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
  for (const uri of ['http://elsewhere.example/', 'javascript:alert(1)', 'https://a.example/#fragment', 'nothing']) {
    const { status, body } = await registration({ redirect_uris: [uri] });
    assert.is(status, 400, uri);
    assert.is(body.error, 'invalid_redirect_uri');
  }
  for (const json of [{}, { redirect_uris: [] }, { redirect_uris: 'https://a.example/' }, []]) {
    assert.is((await registration(json)).status, 400);
  }
  assert.is((await registration({ redirect_uris: Array(21).fill(callback) })).status, 400);
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
  const clientId = publish('/client.json', { client_uri: `${origin}/` });
  const browser = new Browser(person);
  const { headers } = await browser.visit(authorizeUrl(tandem.url, clientId, pkce().challenge));
  const uid = new URL(headers.get('location') ?? '').searchParams.get('uid');
  const { body } = await browser.page(tandem.url, `GET /oauth/interactions/${uid}`);
  assert.equal(body.client, {
    id: clientId,
    name: 'Published',
    uri: `${origin}/`,
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
  assert.is(await refused(`${origin}/missing.json`), '400 invalid_client');
  assert.is(
    await refused(publish('/other.json', { client_id: `${origin}/client.json` })),
    '400 invalid_client_metadata',
  );
  assert.is(
    await refused(publish('/secret.json', { token_endpoint_auth_method: 'client_secret_post' })),
    '400 invalid_client_metadata',
  );
  assert.is(
    await refused(publish('/huge.json', { contacts: Array(1000).fill('a@example.com') })),
    '400 invalid_client',
  );
  assert.is(await refused(`http://127.0.0.1/client.json`), '400 invalid_client');
});

test('a metadata document on a private address is never asked for', async () => {
  const clientId = publish('/private.json');
  const before = fetched;
  const address = authorizeUrl(guarded.url, clientId, pkce().challenge);
  const { status, text } = await send(guarded.url, `GET ${address}`);
  assert.is(status, 400);
  assert.match(text, 'invalid_client');
  assert.is(fetched, before);
});

test('a page of another site may register and redeem, and the errors are readable to it', async () => {
  const headers = { origin: 'https://inspector.example', 'access-control-request-method': 'POST' };
  for (const path of ['/oauth/token', '/oauth/register', '/oauth/revoke']) {
    const { status, headers: told } = await send(tandem.url, `OPTIONS ${path}`, { headers });
    assert.is(status, 204);
    assert.is(told.get('access-control-allow-origin'), '*');
  }
  const form = { grant_type: 'authorization_code', client_id: await register(tandem.url), code: 'none' };
  const answer = await send(tandem.url, 'POST /oauth/token', { form, headers: { origin: headers.origin } });
  assert.is(answer.status, 400);
  assert.is(answer.headers.get('access-control-allow-origin'), '*');
  assert.is(answer.headers.get('access-control-allow-credentials'), null);
  const decision = { workspaceId: crypto.randomUUID() };
  const unknown = await decide(
    new Browser(await newAccount(tandem)),
    authorizeUrl(tandem.url, form.client_id, ''),
    decision,
  );
  assert.is(unknown.searchParams.get('error'), 'invalid_request');
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scopes } from '../../domain/scopes.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { authorizeUrl, Browser, callback, connectApp, decide, pkce, redeem, register, send } from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';

const test = suite('oauth: authorization');
let tandem: TestService;
let client: string;

test.before(async () => {
  tandem = await startTestService();
  client = await register(tandem.url, { client_uri: 'https://app.example/', logo_uri: 'https://app.example/logo.png' });
});
test.after(() => tandem.close());

const me = (key: string) => tandem.call('GET /me', undefined, { key });
const defaultScopes = scopes.filter((scope) => scope !== 'captures:read');
const authorize = (more: Record<string, string> = {}) => authorizeUrl(tandem.url, client, pkce().challenge, more);

/** Where a refused request sends the browser: parameters of the redirect, or the page it gets instead. */
async function refusal(more: Record<string, string>): Promise<{ status: number; text: string; error: string | null }> {
  const { status, headers, text } = await send(tandem.url, `GET ${authorize(more)}`);
  const { searchParams, hash } = new URL(headers.get('location') ?? 'none:');
  return { status, text, error: searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error') };
}

test('an app that names no scope gets all but captures:read, in the one workspace that was picked', async () => {
  const person = await newAccount(tandem);
  const { token } = person.session;
  const { body: other } = await tandem.call('POST /workspaces', { name: 'Other' }, { key: token });
  const app = await connectApp(tandem, person, { workspaceId: other.id });
  assert.match(app.accessToken, /^tandem_at_[0-9A-Za-z]{46}$/);
  assert.match(app.refreshToken, /^tandem_rt_[0-9A-Za-z]{46}$/);
  assert.is(app.scope, defaultScopes.join(' '));
  const { status, body } = await me(app.accessToken);
  assert.is(status, 200);
  assert.is(body.workspace.id, other.id);
  assert.is(body.user.id, person.session.user.id);
  assert.is(body.credential.type, 'oauth');
  assert.is(body.credential.name, 'Testing client');
  assert.equal(body.credential.scopes, defaultScopes);
  const headers = { authorization: `Bearer ${app.accessToken}` };
  const typed = await send(tandem.url, 'GET /trpc/meta.identity?input=%7B%7D', { headers });
  assert.equal(typed.body.result.data, body);
  assert.is((await tandem.call('POST /todos', { title: 'Here' }, { key: app.accessToken })).status, 201);
  assert.is((await tandem.call('GET /todos', undefined, { key: app.accessToken })).body.data.length, 1);
  assert.is((await tandem.call('GET /todos', undefined, { key: token })).body.data.length, 0);
});

test('captures:read is granted only when the app asked for it and the person ticked it', async () => {
  const person = await newAccount(tandem);
  const scope = 'todos:read captures:read openid';
  const unticked = await connectApp(tandem, person, { scope, allow: ['todos:read'] });
  assert.is(unticked.scope, 'todos:read');
  const ticked = await connectApp(tandem, person, { scope, allow: ['todos:read', 'captures:read'] });
  assert.is(ticked.scope, 'todos:read captures:read');
  assert.equal((await me(ticked.accessToken)).body.credential.scopes, ['todos:read', 'captures:read']);
  const refused = await tandem.call('POST /todos', { title: 'No' }, { key: ticked.accessToken });
  assert.is(refused.status, 403);
  assert.is(refused.body.code, 'missing_scope');
  assert.equal(refused.body.requiredScopes, ['todos:write']);
});

test('the consent page learns who asks for what, and the workspaces of the person', async () => {
  const person = await newAccount(tandem);
  const browser = new Browser(person);
  const started = await browser.visit(authorize({ scope: 'todos:read captures:read' }));
  assert.is(started.status, 303);
  const consent = new URL(started.headers.get('location') ?? '');
  assert.is(`${consent.origin}${consent.pathname}`, `${tandem.url}/oauth/consent`);
  const uid = consent.searchParams.get('uid');
  const { status, body, headers } = await browser.page(tandem.url, `GET /oauth/interactions/${uid}`);
  assert.is(status, 200);
  assert.is(headers.get('cache-control'), 'no-store');
  const { expiresAt, scopes: listed, ...rest } = body;
  assert.ok(Date.parse(expiresAt) > Date.now());
  assert.equal(rest, {
    object: 'authorization_request',
    id: uid,
    client: {
      id: client,
      name: 'Testing client',
      uri: 'https://app.example/',
      logoUri: 'https://app.example/logo.png',
      redirectHost: '127.0.0.1:33333',
      verified: false,
    },
    workspaces: [{ id: person.session.workspace.id, name: 'Ada’s workspace', role: 'owner' }],
  });
  assert.equal(
    listed.map(({ name, sensitive, requested }: Record<string, unknown>) => [name, sensitive, requested]),
    scopes.map((name) => [name, name === 'captures:read', name === 'todos:read' || name === 'captures:read']),
  );
});

test('a refusal goes back to the app as access_denied, with state and issuer', async () => {
  const person = await newAccount(tandem);
  const decision = { workspaceId: person.session.workspace.id, deny: true };
  const landed = await decide(new Browser(person), authorize(), decision);
  assert.is(`${landed.origin}${landed.pathname}`, callback);
  const { error_description, ...answer } = Object.fromEntries(landed.searchParams);
  assert.equal(answer, { error: 'access_denied', state: 'the state', iss: tandem.url });
});

test('the answer to an approval names the issuer, and the app may listen on any loopback port', async () => {
  const person = await newAccount(tandem);
  const redirect_uri = 'http://127.0.0.1:41999/callback';
  const decision = { workspaceId: person.session.workspace.id };
  const landed = await decide(new Browser(person), authorize({ redirect_uri }), decision);
  assert.is(`${landed.origin}${landed.pathname}`, redirect_uri);
  assert.is(landed.searchParams.get('iss'), tandem.url);
  assert.is(landed.searchParams.get('state'), 'the state');
  assert.ok(landed.searchParams.get('code'));
});

test('PKCE is required, with S256 alone', async () => {
  assert.is((await refusal({ code_challenge: '', code_challenge_method: '' })).error, 'invalid_request');
  assert.is((await refusal({ code_challenge_method: 'plain' })).error, 'invalid_request');
  assert.is((await refusal({ code_challenge_method: '' })).error, 'invalid_request');
  const person = await newAccount(tandem);
  const decision = { workspaceId: person.session.workspace.id };
  const landed = await decide(new Browser(person), authorize(), decision);
  const code = landed.searchParams.get('code') ?? '';
  for (const verifier of ['', pkce().verifier]) {
    const { status, body } = await redeem(tandem.url, { clientId: client, code, verifier });
    assert.is(status, 400);
    assert.is(body.error, 'invalid_grant');
  }
});

test('a foreign resource is refused at both endpoints; the MCP endpoint is the default', async () => {
  assert.is((await refusal({ resource: 'https://elsewhere.example/mcp' })).error, 'invalid_target');
  assert.is((await refusal({ resource: `${tandem.url}/api` })).error, 'invalid_target');
  const person = await newAccount(tandem);
  const { verifier, challenge } = pkce();
  const decision = { workspaceId: person.session.workspace.id };
  const address = authorizeUrl(tandem.url, client, challenge, { resource: `${tandem.url}/mcp` });
  const landed = await decide(new Browser(person), address, decision);
  const grant = { clientId: client, code: landed.searchParams.get('code') ?? '', verifier };
  const foreign = await redeem(tandem.url, grant, { resource: 'https://elsewhere.example/mcp' });
  assert.is(foreign.status, 400);
  assert.is(foreign.body.error, 'invalid_target');
});

test('a foreign redirect address, an unknown client and an unknown scope get nowhere', async () => {
  for (const redirect_uri of ['https://elsewhere.example/', `${callback}/more`, 'http://localhost:33333/callback']) {
    const shown = await refusal({ redirect_uri });
    assert.is(shown.status, 400, redirect_uri);
    assert.match(shown.text, 'invalid_redirect_uri');
  }
  const unknown = await refusal({ client_id: crypto.randomUUID() });
  assert.is(unknown.status, 400);
  assert.match(unknown.text, 'invalid_client');
  assert.is((await refusal({ scope: 'email profile' })).error, 'invalid_scope');
  assert.is((await refusal({ response_type: 'token' })).error, 'unsupported_response_type');
  assert.is((await refusal({ prompt: 'none' })).error, 'consent_required');
});

test('parameters that mean nothing here are ignored, and any prompt ends in the one decision', async () => {
  const person = await newAccount(tandem);
  const more = { prompt: 'login consent select_account', nonce: 'n', max_age: '0', login_hint: 'ada', state: 'a\0b' };
  const decision = { workspaceId: person.session.workspace.id };
  const landed = await decide(new Browser(person), authorize(more), decision);
  assert.ok(landed.searchParams.get('code'));
  assert.is(landed.searchParams.get('state'), 'a\0b');
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestService } from '../support/harness.ts';
import {
  authorizeUrl,
  Browser,
  callback,
  connectApp,
  pkce,
  redeem,
  refresh,
  register,
  send,
  startTwo,
} from '../support/oauth.ts';
import { assertRefused, type NewCode, newCode, opens } from '../support/oauth-hostile.ts';
import { newAccount } from '../support/people.ts';
import { countOf } from '../support/proof-size.ts';

/*
 * Clients that are mixed up, PKCE that is left out, and consent by somebody else (RFC 9700 §2.1, §4.4, §4.8; RFC 9207),
 * on two processes.
 */

const rounds = countOf('OAUTH_ROUNDS', { ci: 6, full: 200 });

const test = suite('oauth under attack: clients and consent');
let tandem: TestService;
let elsewhere: string;
let close: () => Promise<void>;

test.before(async () => {
  ({ tandem, elsewhere, close } = await startTwo());
});
test.after(() => close());

const anywhere = () => (Math.random() < 0.5 ? tandem.url : elsewhere);

test('mix-up: a code of one client is of no use to another, nor with another redirect address or verifier', async () => {
  const person = await newAccount(tandem);
  const other = await register(tandem.url);
  const swaps: Record<string, (grant: NewCode) => Promise<unknown>> = {
    'another client': async (grant) => assertRefused([await redeem(anywhere(), { ...grant, clientId: other })], 'B'),
    'another redirect address': async (grant) =>
      assertRefused([await redeem(anywhere(), grant, { redirect_uri: 'https://evil.example/callback' })], 'redirect'),
    'another verifier': async (grant) =>
      assertRefused([await redeem(anywhere(), { ...grant, verifier: pkce().verifier })], 'verifier'),
    'the challenge as verifier': async (grant) =>
      assertRefused([await redeem(anywhere(), { ...grant, verifier: grant.challenge })], 'plain PKCE'),
    'no verifier': async (grant) => assertRefused([await redeem(anywhere(), grant, { code_verifier: '' })], 'none'),
  };
  for (const [name, swap] of Object.entries(swaps)) {
    const grant = await newCode(tandem, person);
    assert.is(grant.landed.searchParams.get('iss'), tandem.url, 'the answer names its issuer (RFC 9207)');
    assert.is(grant.landed.searchParams.get('state'), 'the state');
    await swap(grant);
    const { status, body } = await redeem(anywhere(), grant);
    // The thief may spend the code, but never for a token.
    assert.ok(status === 200 || body.error === 'invalid_grant', name);
  }
  const app = await connectApp(tandem, person);
  assertRefused([await refresh(anywhere(), { ...app, clientId: other })], 'a refresh token of another client');
  assert.ok(await opens([anywhere(), anywhere()], app.accessToken), 'the owner of the tokens is not harmed');
});

test('mix-up: nobody is sent to an address that the client did not register, however it is written', async () => {
  const person = await newAccount(tandem);
  const registered = 'https://app.example.com/callback';
  const clientId = await register(tandem.url, { redirect_uris: [registered], application_type: 'web' });
  const { challenge } = pkce();
  const near = [
    'https://app.example.com/callback/',
    'https://app.example.com/callback/../evil',
    'https://app.example.com/callback?x=1',
    'https://app.example.com/callback#x',
    'https://app.example.com:444/callback',
    'https://app.example.com.evil.example/callback',
    'https://app.example.com@evil.example/callback',
    'https://evil.example/https://app.example.com/callback',
    'HTTPS://APP.example.com/CALLBACK',
    'http://app.example.com/callback',
    'https://app.example.com%2f@evil.example/callback',
    'https://app.example.com\\@evil.example/callback',
    ' https://app.example.com/callback',
    'https://app.example.com/callback\u0000',
    '//evil.example/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    callback,
  ];
  for (const redirect of near) {
    const address = authorizeUrl(tandem.url, clientId, challenge, { redirect_uri: redirect });
    const answer = await new Browser(person).visit(address);
    assert.is(answer.status, 400, `${redirect}: ${answer.status} ${answer.headers.get('location')}`);
    assert.is(answer.headers.get('location'), null, redirect);
  }
  const twice = `${authorizeUrl(tandem.url, clientId, challenge, { redirect_uri: registered })}&redirect_uri=https%3A%2F%2Fevil.example`;
  const doubled = await new Browser(person).visit(twice);
  const refusal = new URL(doubled.headers.get('location') ?? '');
  assert.is(refusal.origin + refusal.pathname, registered);
  assert.is(refusal.searchParams.get('error'), 'invalid_request');
});

test('PKCE downgrade: no request without S256, and none with a challenge that could be guessed, leads to a code', async () => {
  const person = await newAccount(tandem);
  const clientId = await register(tandem.url);
  const { verifier, challenge } = pkce();
  const weak: Record<string, string>[] = [
    { code_challenge: '', code_challenge_method: '' },
    { code_challenge_method: 'plain' },
    { code_challenge_method: '' },
    { code_challenge_method: 's256' },
    { code_challenge_method: 'S512' },
    { code_challenge: 'x' },
    { code_challenge: `${'x'.repeat(42)}` },
    { code_challenge: `${challenge}=` },
    { response_type: 'token' },
    { response_type: 'code id_token' },
    { response_mode: 'fragment', response_type: 'token' },
  ];
  for (const more of weak) {
    const { headers } = await new Browser(person).visit(authorizeUrl(tandem.url, clientId, challenge, more));
    const landed = new URL(headers.get('location') ?? 'none:');
    assert.is(landed.searchParams.get('uid'), null, `${JSON.stringify(more)} goes on to consent`);
    assert.not.match(landed.href, /[?&#](code|access_token|id_token)=/);
    assert.ok(landed.protocol === 'none:' || /[?&#]error=/.test(landed.href), landed.href);
  }
  for (const grant_type of [
    'password',
    'client_credentials',
    'implicit',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
  ]) {
    const form = { grant_type, client_id: clientId, username: person.email, password: 'x', code_verifier: verifier };
    assertRefused([await send(tandem.url, 'POST /oauth/token', { form })], grant_type, 'unsupported_grant_type');
  }
});

/** An authorization request that a browser brought as far as the consent page. */
async function opened(browser: Browser) {
  const { verifier, challenge } = pkce();
  const clientId = await register(tandem.url);
  const { headers } = await browser.visit(authorizeUrl(tandem.url, clientId, challenge));
  const consent = new URL(headers.get('location') ?? '');
  const path = `/oauth/interactions/${consent.searchParams.get('uid')}`;
  return { consent: consent.href, path, clientId, verifier };
}

test('consent by another browser or person: the one who was lured cannot decide, nor see, what an attacker opened', async () => {
  const [attacker, victim] = [await newAccount(tandem), await newAccount(tandem)];
  const attackers = new Browser(attacker);
  const { consent, path } = await opened(attackers);
  const approval = { decision: 'approve', workspaceId: victim.session.workspace.id, scopes: ['todos:read'] };
  const victims = new Browser(victim);
  assert.is((await victims.page(consent, `GET ${path}`)).status, 404);
  assert.is((await victims.page(consent, `POST ${path}`, approval)).status, 404);
  // Nor can the attacker, in the own browser, give the app what is not his.
  const foreign = await attackers.page(consent, `POST ${path}`, approval);
  assert.is(foreign.status, 403, foreign.text);
  assert.is(
    (await tandem.db.rows('select 1 from connected_apps where user_id = $1', [victim.session.user.id])).length,
    0,
  );
  const other = await opened(victims);
  const swapped = await victims.page(other.consent, `POST ${path}`, approval);
  assert.is(swapped.status, 404, 'a cookie of one request opens no other');
  for (const token of [(await tandem.workspace()).key, (await connectApp(tandem, victim)).accessToken]) {
    const headers = { authorization: `Bearer ${token}` };
    assert.ok([401, 403, 404].includes((await send(tandem.url, `POST ${path}`, { json: approval, headers })).status));
  }
});

test('consent: of two decisions at once one stands, and only that one is redeemed', async () => {
  const person = await newAccount(tandem);
  const { workspace } = person.session;
  for (let round = 0; round < rounds; round++) {
    const browser = new Browser(person);
    const { consent, path, clientId, verifier } = await opened(browser);
    const approve = (scopes: string[]) => ({ decision: 'approve', workspaceId: workspace.id, scopes });
    const decisions = [approve(['todos:read']), approve(['todos:read', 'todos:write']), { decision: 'deny' }];
    const answers = await Promise.all(decisions.map((json) => browser.page(consent, `POST ${path}`, json)));
    for (const { status } of answers) assert.is(status, 200);
    const landed = await browser.visit(answers[0]?.body.redirectTo);
    const location = new URL(landed.headers.get('location') ?? '');
    const code = location.searchParams.get('code');
    assert.ok(code !== null || location.searchParams.get('error') === 'access_denied', location.href);
    if (code !== null) assert.is((await redeem(anywhere(), { clientId, code, verifier })).status, 200);
    const again = await browser.visit(answers[0]?.body.redirectTo);
    assert.not.match(again.headers.get('location') ?? '', 'code=', 'the way back from consent is good for once');
    const text = 'select 1 from connected_apps where client_id = $1 and connected_at is not null';
    assert.ok((await tandem.db.rows(text, [clientId])).length <= 1);
  }
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestService } from '../support/harness.ts';
import { callTool, raw } from '../support/mcp-clients.ts';
import { type Connection, connectApp, pkce, redeem, refresh, register, send, startTwo } from '../support/oauth.ts';
import { assertRefused, listTools, newCode, opens } from '../support/oauth-hostile.ts';
import { newAccount, type Person } from '../support/people.ts';
import { countOf } from '../support/proof-size.ts';
import { answered } from '../support/until.ts';

/*
 * Replay, reuse and confusion of audiences (RFC 9700, and the authorization chapter of MCP), each by a client or a
 * person that means harm, on two processes.
 */

const rounds = countOf('OAUTH_ROUNDS', { ci: 6, full: 200 });

const test = suite('oauth under attack: tokens');
let tandem: TestService;
let elsewhere: string;
let close: () => Promise<void>;

test.before(async () => {
  ({ tandem, elsewhere, close } = await startTwo());
});
test.after(() => close());

const anywhere = () => (Math.random() < 0.5 ? tandem.url : elsewhere);

test(`replay: of many redemptions of one code at once one works at most, and then none (${rounds} rounds)`, async () => {
  const person = await newAccount(tandem);
  for (let round = 0; round < rounds; round++) {
    const grant = await newCode(tandem, person);
    const answers = await Promise.all(Array.from({ length: 6 }, () => answered(() => redeem(anywhere(), grant))));
    const won = answers.filter(({ status }) => status === 200);
    assert.ok(won.length <= 1, `${won.length} redemptions of one code`);
    assertRefused(
      answers.filter((each) => !won.includes(each)),
      'a replay',
    );
    for (const { body } of won) {
      assert.not.ok(await opens([anywhere(), anywhere()], body.access_token), 'a replay ends what the code gave');
      const tokens = { clientId: grant.clientId, refreshToken: body.refresh_token };
      assertRefused([await refresh(anywhere(), tokens)], 'its refresh token');
    }
    assertRefused([await redeem(anywhere(), grant)], 'a replay much later');
  }
});

test('reuse: a stolen refresh token that was used ends the whole grant, for the thief and the client', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  const chain = [app.refreshToken];
  const tokens = [app.accessToken];
  for (let renewal = 0; renewal < 4; renewal++) {
    const { body } = await refresh(anywhere(), { clientId: app.clientId, refreshToken: chain.at(-1) ?? '' });
    chain.push(body.refresh_token);
    tokens.push(body.access_token);
  }
  const text = `update oauth_artifacts set consumed_at = consumed_at - interval '2 minutes'
    where model = 'RefreshToken' and consumed_at is not null`;
  await tandem.db.rows(text, []);
  assertRefused([await refresh(anywhere(), { clientId: app.clientId, refreshToken: chain[1] ?? '' })], 'the thief');
  for (const token of tokens)
    assert.not.ok(await opens([anywhere(), anywhere()], token), 'an access token of the grant');
  for (const refreshToken of chain)
    assertRefused(
      [await refresh(anywhere(), { clientId: app.clientId, refreshToken })],
      'a refresh token of the grant',
    );
});

test('audience: a token is good in its workspace alone, whatever ids it names', async () => {
  const person = await newAccount(tandem);
  const [own, other] = [person.session.workspace.id, (await newAccount(tandem)).session.workspace.id];
  const key = person.session.token;
  const another = await tandem.call('POST /workspaces', { name: 'Second' }, { key });
  assert.is(another.status, 201, another.text);
  const app = await connectApp(tandem, person, { scope: 'todos:read todos:write chats:read agents:read' });
  const call = (route: string, body?: unknown) => tandem.call(route, body, { key: app.accessToken });
  assert.is((await call('GET /me')).body.workspace.id, own);
  // The person is owner of the second workspace; the app was given the first.
  const moved = await tandem.call('POST /auth/sessions/current/workspace', { workspaceId: another.body.id }, { key });
  assert.ok(moved.status < 300, moved.text);
  const made = await tandem.call('POST /todos', { title: 'Second' }, { key: moved.body.token ?? key });
  assert.is(made.status, 201, made.text);
  assert.is((await call('GET /me')).body.workspace.id, own, 'it stays where it was');
  assert.is((await call(`GET /todos/${made.body.id}`)).status, 404);
  assert.is((await call(`PATCH /todos/${made.body.id}`, { title: 'x' })).status, 404);
  const overMcp = await callTool(tandem.url, app.accessToken, 'get_todo', { todoId: made.body.id });
  assert.is(overMcp.isError, true, overMcp.text);
  for (const workspaceId of [own, another.body.id, other]) {
    const members = await call(`GET /workspaces/${workspaceId}/members`);
    assert.is(members.status, 403, 'what needs a session');
    assert.is((await call(`GET /api-keys?workspaceId=${workspaceId}`)).status, 403);
    const body = { workspaceId, name: 'Mine', scopes: ['todos:read'] };
    assert.is((await call('POST /api-keys', body)).status, 403, 'an app makes itself no key');
  }
  const headers = { authorization: `Bearer ${app.accessToken}`, 'x-workspace-id': another.body.id };
  const named = await send(tandem.url, 'GET /api/v1/me', { headers });
  assert.is(named.body.workspace.id, own);
});

test('audience: what is no access token of this service is none: codes, refresh tokens, client ids, foreign resources', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  const { code } = await newCode(tandem, person);
  const unsigned = ['{"alg":"none"}', `{"sub":"${person.session.user.id}","aud":"${tandem.url}/mcp"}`, ''];
  const jwt = unsigned.map((part) => Buffer.from(part).toString('base64url')).join('.');
  for (const token of [code, app.refreshToken, app.clientId, jwt, `${app.accessToken}x`, app.accessToken.slice(0, -1)])
    assert.not.ok(await opens([anywhere(), anywhere()], token), token.slice(0, 12));
  for (const resource of ['https://example.com/mcp', `${tandem.url}.example.com/mcp`, `${tandem.url}/other`]) {
    const grant = await newCode(tandem, person);
    assertRefused([await redeem(tandem.url, grant, { resource })], resource, 'invalid_target');
    assertRefused([await refresh(tandem.url, app, { resource })], resource, 'invalid_target');
  }
  // A token goes in the header alone (RFC 6750 §2.3 discourages the query).
  assert.is((await send(tandem.url, `GET /api/v1/me?access_token=${app.accessToken}`)).status, 401);
});

test('a session is no MCP token of an app: it acts for the person, and its end ends it there too', async () => {
  const person = await newAccount(tandem);
  const { token } = person.session;
  const asApp = { client_id: await register(tandem.url), token };
  assert.is((await send(tandem.url, 'POST /oauth/revoke', { form: asApp })).status, 200);
  assert.ok(await opens([anywhere(), anywhere()], token), 'the revocation endpoint ends no session');
  assertRefused([await refresh(tandem.url, { clientId: asApp.client_id, refreshToken: token })], 'a session');
  assertRefused(
    [await redeem(tandem.url, { clientId: asApp.client_id, code: token, verifier: pkce().verifier })],
    'a session as code',
  );
  // As a cookie, which a page of another site makes a browser send, it opens nothing at the MCP endpoint.
  const headers = { cookie: `tandem_session=${token}`, origin: 'https://evil.example' };
  assert.is((await raw(tandem.url, listTools, { headers })).status, 403);
  const plain = await raw(tandem.url, listTools, { headers: { cookie: `tandem_session=${token}` } });
  assert.ok([200, 401].includes(plain.status), plain.text);
  await tandem.call('DELETE /auth/sessions/current', undefined, { key: token });
  assert.not.ok(await opens([anywhere(), anywhere()], token));
});

const ends: Record<string, (app: Connection, person: Person) => Promise<unknown>> = {
  'the app itself': ({ clientId, refreshToken }) =>
    answered(() => send(anywhere(), 'POST /oauth/revoke', { form: { client_id: clientId, token: refreshToken } })),
  'its person': async ({ clientId }, { session }) => {
    const [row] = await tandem.db.rows<{ id: string }>('select id from connected_apps where client_id = $1', [
      clientId,
    ]);
    return answered(() => tandem.call(`DELETE /connected-apps/${row?.id}`, undefined, { key: session.token }));
  },
};

for (const [who, end] of Object.entries(ends)) {
  test(`revoked by ${who} while it renews, again and again: nothing works afterwards (${rounds} rounds)`, async () => {
    const person = await newAccount(tandem);
    for (let round = 0; round < rounds; round++) {
      const app = await connectApp(tandem, person);
      const renewals = () => Array.from({ length: 3 }, () => answered(() => refresh(anywhere(), app)));
      const [, ...answers] = await Promise.all([end(app, person), ...renewals(), ...renewals()]);
      const late = await Promise.all(renewals());
      assertRefused(late, 'renewed after the end');
      for (const { status, body, text } of answers) {
        assert.ok(status === 200 || body.error === 'invalid_grant', `${status} ${text}`);
        if (status !== 200) continue;
        assert.not.ok(await opens([anywhere(), anywhere()], body.access_token), 'a token given meanwhile');
        const next = { clientId: app.clientId, refreshToken: body.refresh_token };
        assertRefused([await refresh(anywhere(), next)], 'a refresh token given meanwhile');
      }
      assert.not.ok(await opens([anywhere(), anywhere()], app.accessToken));
    }
  });
}

test.run();

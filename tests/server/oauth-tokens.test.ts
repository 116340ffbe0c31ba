import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shifted } from '../../db/engine/index.ts';
import type { TestService } from '../support/harness.ts';
import { connectApp, refresh, register, send, startTwo } from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';

const test = suite('oauth: tokens');
let tandem: TestService;
let elsewhere: string;
let close: () => Promise<void>;

test.before(async () => {
  ({ tandem, elsewhere, close } = await startTwo());
});
test.after(() => close());

const status = async (token: string, url = tandem.url) =>
  (await send(url, 'GET /api/v1/me', { headers: { authorization: `Bearer ${token}` } })).status;

const age = (refreshToken: string, interval: string) =>
  tandem.db.rows(
    `update oauth_artifacts set consumed_at = consumed_at - $2::text::interval
      where model = 'RefreshToken' and hash = sha256(convert_to('RefreshToken ' || $1::text, 'UTF8'))`,
    [refreshToken, interval],
  );

test('a token response is complete, is valid for an hour and is not cached', async () => {
  const person = await newAccount(tandem);
  const { clientId, refreshToken, accessToken } = await connectApp(tandem, person, { scope: 'todos:read' });
  const answer = await refresh(tandem.url, { clientId, refreshToken });
  assert.is(answer.status, 200);
  assert.is(answer.headers.get('cache-control'), 'no-store');
  assert.ok(answer.headers.get('ratelimit-limit'));
  assert.ok(answer.headers.get('x-request-id'));
  const { access_token, refresh_token, ...rest } = answer.body;
  assert.equal(rest, { expires_in: 3600, scope: 'todos:read', token_type: 'Bearer' });
  assert.not.equal(access_token, accessToken);
  assert.not.equal(refresh_token, refreshToken);
  const { body } = await tandem.call('GET /me', undefined, { key: access_token });
  const seconds = (Date.parse(body.credential.expiresAt) - Date.now()) / 1000;
  assert.ok(seconds > 3590 && seconds <= 3600);
});

test('access renewed may be narrower, never wider', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person, { scope: 'todos:read chats:read' });
  const narrow = await refresh(tandem.url, app, { scope: 'chats:read' });
  assert.is(narrow.body.scope, 'chats:read');
  assert.is((await tandem.call('GET /todos', undefined, { key: narrow.body.access_token })).status, 403);
  const wide = await refresh(tandem.url, app, { scope: 'todos:read todos:write' });
  assert.is(wide.body.error, 'invalid_scope');
});

test('three refreshes at once, on two processes, all survive and continue', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  const urls = [tandem.url, elsewhere, tandem.url];
  const answers = await Promise.all(urls.map((url) => refresh(url, app)));
  assert.equal(
    answers.map((answer) => answer.status),
    [200, 200, 200],
  );
  for (const { body } of answers) {
    assert.is(await status(body.access_token, elsewhere), 200);
    const next = await refresh(tandem.url, { clientId: app.clientId, refreshToken: body.refresh_token });
    assert.is(next.status, 200);
  }
});

test('a used refresh token works again within a minute; after that it ends the whole grant', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  const first = await refresh(tandem.url, app);
  await age(app.refreshToken, '50 seconds');
  const again = await refresh(elsewhere, app);
  assert.is(again.status, 200);
  await age(app.refreshToken, '20 seconds');
  const reused = await refresh(tandem.url, app);
  assert.is(reused.status, 400);
  assert.is(reused.body.error, 'invalid_grant');
  for (const { body } of [first, again]) {
    assert.is(await status(body.access_token, elsewhere), 401);
    const { clientId } = app;
    assert.is((await refresh(tandem.url, { clientId, refreshToken: body.refresh_token })).body.error, 'invalid_grant');
  }
});

test('losers of a race between a reuse and refreshes get invalid_grant, never 500', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  const { body } = await refresh(tandem.url, app);
  await age(app.refreshToken, '2 minutes');
  const current = { clientId: app.clientId, refreshToken: body.refresh_token };
  const racing = [app, current, current, app, current, current].map((each, index) =>
    refresh(index % 2 ? elsewhere : tandem.url, each),
  );
  for (const { status, body } of await Promise.all(racing)) {
    assert.ok(status === 200 || body.error === 'invalid_grant', `${status} ${body.error}`);
    if (status === 200)
      assert.is((await refresh(tandem.url, { ...current, refreshToken: body.refresh_token })).status, 400);
  }
  const left = await tandem.db.rows(
    `select 1 from credentials c join connected_apps a on a.workspace_id = c.workspace_id and a.id = c.connected_app_id
      where a.client_id = $1 and c.revoked_at is null`,
    [app.clientId],
  );
  assert.is(left.length, 0);
});

test('tokens and codes belong to the client they were given to', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  const clientId = await register(tandem.url);
  assert.is((await refresh(tandem.url, { ...app, clientId })).body.error, 'invalid_grant');
  await send(tandem.url, 'POST /oauth/revoke', { form: { client_id: clientId, token: app.accessToken } });
  assert.is(await status(app.accessToken), 200);
});

test('an app ends its own connection by either token; a token that is unknown is answered the same', async () => {
  const person = await newAccount(tandem);
  for (const name of ['accessToken', 'refreshToken'] as const) {
    const app = await connectApp(tandem, person);
    const form = { client_id: app.clientId, token: app[name] };
    const answer = await send(elsewhere, 'POST /oauth/revoke', { form });
    assert.is(answer.status, 200);
    assert.is(await status(app.accessToken), 401, name);
    assert.is((await refresh(tandem.url, app)).body.error, 'invalid_grant');
    assert.is((await send(tandem.url, 'POST /oauth/revoke', { form })).status, 200);
  }
});

test('expiry holds: a code after a minute, access after an hour, refresh after sixty days without use', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  const lifetimes = await tandem.db.rows<{ model: string; seconds: number }>(
    `select model, round(extract(epoch from expires_at - created_at))::int as seconds from oauth_artifacts
      where strpos(payload::text, $1) > 0 and model <> 'Client' order by model`,
    [app.clientId],
  );
  assert.equal(
    lifetimes.map(({ model, seconds }) => [model, seconds]),
    [
      ['AuthorizationCode', 60],
      ['RefreshToken', 60 * 86_400],
    ],
  );
  const where = 'where connected_app_id in (select id from connected_apps where client_id = $1)';
  await tandem.db.rows(`update credentials set expires_at = now() ${where}`, [app.clientId]);
  assert.is(await status(app.accessToken), 401);
  const { body } = await refresh(tandem.url, app);
  assert.is(await status(body.access_token), 200);
  await tandem.db.rows(
    `update oauth_artifacts set expires_at = now() where model <> 'Client' and strpos(payload::text, $1) > 0`,
    [app.clientId],
  );
  assert.is((await refresh(tandem.url, { ...app, refreshToken: body.refresh_token })).body.error, 'invalid_grant');
});

test('a connection ends a year after its consent, however often it was renewed', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  const move = `update connected_apps set created_at = ${shifted('created_at', '- $2::text::interval')} where client_id = $1`;
  const lasts = `select round(extract(epoch from expires_at - created_at) / 86400)::int as days from connected_apps
    where client_id = $1`;
  await tandem.db.rows(move, [app.clientId, '364 days']);
  const last = await refresh(tandem.url, app);
  assert.is(last.status, 200);
  assert.equal(await tandem.db.rows(lasts, [app.clientId]), [{ days: 365 }]);
  await tandem.db.rows(move, [app.clientId, '1 day']);
  await tandem.db.rows(
    `update connected_apps set expires_at = ${shifted('expires_at', `- interval '1 day'`)} where client_id = $1`,
    [app.clientId],
  );
  const late = await refresh(tandem.url, { ...app, refreshToken: last.body.refresh_token });
  assert.is(late.body.error, 'invalid_grant');
});

test('the tokens of one connected app share one budget', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  const { body } = await refresh(tandem.url, app);
  const remaining = async (key: string) => {
    const { headers } = await tandem.call('GET /todos', undefined, { key });
    assert.is(headers.get('ratelimit-limit'), '300');
    return Number(headers.get('ratelimit-remaining'));
  };
  const before = await remaining(app.accessToken);
  const after = await remaining(body.access_token);
  assert.ok(after === before - 1 || (before < 299 && after === 299));
});

test.run();

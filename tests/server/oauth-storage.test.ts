import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shifted } from '../../db/engine/index.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { authorizeUrl, Browser, connectApp, decide, pkce, refresh, register } from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';
import { sweep } from '../support/sweeps.ts';

const test = suite('oauth: storage');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

/** Names of the tables that hold `text` anywhere. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await tandem.db.driver<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const found = [];
  for (const { name } of tables) {
    const rows = await tandem.db.driver.unsafe(
      `select 1 from "${name}" t where strpos(t::text, $1) > 0 or strpos(t::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0 limit 1`,
      [text],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

test('no table holds a token, a code, a verifier or the id of a request in clear', async () => {
  const person = await newAccount(tandem);
  const clientId = await register(tandem.url);
  const { verifier, challenge } = pkce();
  const browser = new Browser(person);
  const { headers } = await browser.visit(authorizeUrl(tandem.url, clientId, challenge));
  const uid = new URL(headers.get('location') ?? '').searchParams.get('uid') ?? '';
  const body = { decision: 'approve', workspaceId: person.session.workspace.id, scopes: ['todos:read'] };
  await browser.page(tandem.url, `POST /oauth/interactions/${uid}`, body);
  const app = await connectApp(tandem, person, { clientId });
  const { body: renewed } = await refresh(tandem.url, app);
  const secrets = { uid, verifier: app.verifier, code: app.code, access: app.accessToken, refresh: app.refreshToken };
  for (const [name, secret] of Object.entries({
    ...secrets,
    renewed: renewed.access_token,
    next: renewed.refresh_token,
    own: verifier,
    session: person.session.token,
  })) {
    assert.ok(secret.length > 20, name);
    assert.equal(await tablesWith(secret), [], name);
  }
  assert.equal((await tablesWith(challenge)).sort(), ['oauth_artifacts']);
});

test('a sweep deletes what expired, grants never redeemed and clients that nobody connected', async () => {
  const person = await newAccount(tandem);
  const [used, unused, declined] = [await register(tandem.url), await register(tandem.url), await register(tandem.url)];
  const app = await connectApp(tandem, person, { clientId: used });
  const decision = { workspaceId: person.session.workspace.id };
  await decide(new Browser(person), authorizeUrl(tandem.url, declined, pkce().challenge), decision);
  assert.is((await tandem.call('GET /todos', undefined, { key: app.accessToken })).status, 200);
  const count = async (table: string) => {
    const [row] = await tandem.db.rows<{ n: number }>(
      `select count(*)::int as n from ${table} t where strpos(t::text, $1) + strpos(t::text, $2) + strpos(t::text, $3) > 0`,
      [used, unused, declined],
    );
    return row?.n;
  };
  await sweep(tandem.db);
  const clientsCodesAndRefresh = 3 + 2 + 1;
  assert.is(await count('oauth_artifacts'), clientsCodesAndRefresh);
  assert.is(await count('connected_apps'), 2);
  await tandem.db.rows(
    `update oauth_artifacts set created_at = created_at - interval '2 days',
    expires_at = expires_at - interval '2 days'`,
    [],
  );
  await tandem.db.rows(`update connected_apps set created_at = ${shifted('created_at', `- interval '2 days'`)}`, []);
  await tandem.db.rows(
    `update credentials set expires_at = ${shifted('expires_at', `- interval '2 days'`)} where kind = 'oauth'`,
    [],
  );
  await sweep(tandem.db);
  assert.is(await count('connected_apps'), 1);
  const kept = await tandem.db.rows<{ model: string }>(
    `select model from oauth_artifacts t where strpos(t::text, $1) > 0 order by model`,
    [used],
  );
  assert.equal(
    kept.map(({ model }) => model),
    ['Client', 'RefreshToken'],
  );
  assert.is(await count('oauth_artifacts'), 2);
  const [credentials] = await tandem.db.rows<{ n: number }>(
    `select count(*)::int as n from credentials where kind = 'oauth' and user_id = $1`,
    [person.session.user.id],
  );
  assert.is(credentials?.n, 0);
  const route = `GET /connected-apps?workspaceId=${person.session.workspace.id}`;
  const { body } = await tandem.call(route, undefined, { key: person.session.token });
  assert.ok(body.data[0].lastUsedAt, 'when the app last worked outlives its tokens');
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { authorizeUrl, Browser, connectApp, pkce, refresh, register } from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';

/* What an app gets of the authorization server while the database cannot do what it has to. */

const test = suite('oauth: outages');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
  await tandem.db.driver.unsafe(`create function fail() returns trigger language plpgsql as $$
    begin raise exception 'no connection is left' using errcode = '53300'; end $$`);
});
test.after(() => tandem.close());

/** Runs `work` while nothing of the authorization server can be written. */
async function inOutage<Result>(work: () => Promise<Result>): Promise<Result> {
  const { driver } = tandem.db;
  await driver.unsafe(
    'create trigger fail before insert or update on oauth_artifacts for each row execute function fail()',
  );
  try {
    return await work();
  } finally {
    await driver.unsafe('drop trigger fail on oauth_artifacts');
  }
}

const unavailable = {
  error: 'temporarily_unavailable',
  error_description: 'the service is temporarily unavailable, try again in 2 s',
};

test('a refresh is answered 503, and the same refresh token works after it', async () => {
  const app = await connectApp(tandem, await newAccount(tandem));
  const refused = await inOutage(() => refresh(tandem.url, app));
  assert.is(refused.status, 503);
  assert.equal(refused.body, unavailable);
  assert.is((await refresh(tandem.url, app)).status, 200);
});

test('a registration is answered 503 with the time after which to try again', async () => {
  const response = await inOutage(() =>
    fetch(`${tandem.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'App', redirect_uris: ['http://127.0.0.1:9/callback'] }),
    }),
  );
  assert.is(response.status, 503);
  assert.is(response.headers.get('retry-after'), '2');
  assert.equal(await response.json(), unavailable);
});

test('an authorization request goes back to the app with the error that the standard has', async () => {
  const [clientId, { challenge }] = [await register(tandem.url), pkce()];
  const browser = new Browser(await newAccount(tandem));
  const { headers } = await inOutage(() => browser.visit(authorizeUrl(tandem.url, clientId, challenge)));
  const back = new URL(headers.get('location') ?? '');
  assert.is(back.searchParams.get('error'), 'temporarily_unavailable');
  assert.is(back.searchParams.get('code'), null);
});

test.run();

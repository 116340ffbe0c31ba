import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../cli/credentials/connection.ts';
import { type Grant, Store } from '../../cli/credentials/store.ts';
import { buildCli } from '../../scripts/build-cli.ts';
import { type Between, openBetween, openPrompt, type Prompt, runHere, runWithin } from '../support/cli-world.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { connectApp } from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';
import { freePort } from '../support/ports.ts';

const test = suite('what the client stores of a grant');
let tandem: TestService;
let prompt: Prompt;
let between: Between;
let store: Store;

test.before(async () => {
  await buildCli();
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.before.each(() => {
  prompt = openPrompt(tandem.url);
  store = new Store(prompt.environment);
});
test.after.each(async () => {
  prompt.close();
  await between?.close();
});
test.after(() => tandem.close());

const run = (args: string[]) => runHere(args, prompt.environment);
const expiresIn = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

/** A profile with a grant that is renewed through something that meddles. */
async function signIn(meddle: Parameters<typeof openBetween>[1], expiresAt: string): Promise<Grant> {
  between = await openBetween(tandem.url, meddle);
  const { clientId, accessToken, refreshToken } = await connectApp(tandem, await newAccount(tandem));
  const [tokenEndpoint, revocationEndpoint] = ['token', 'revoke'].map((name) => `${between.url}/oauth/${name}`);
  const grant = { clientId, accessToken, refreshToken, expiresAt, tokenEndpoint: tokenEndpoint ?? '' };
  const whole = { ...grant, revocationEndpoint: revocationEndpoint ?? '' };
  await store.change((settings) => {
    settings.profiles.default = { url: tandem.url, grant: whole };
  });
  return whole;
}

const through = () => undefined;

test('a grant is sent to its own address only, also when the profile of a running command is signed in elsewhere', async () => {
  const grant = await signIn(through, expiresIn(3600));
  const url = `http://127.0.0.1:${await freePort()}`;
  const other = { ...grant, clientId: 'another', accessToken: 'tandem_at_other' };
  const parts = { store, environment: {}, profileName: 'default', version: '1.0.0' };
  for (const profile of [
    { url, grant: other },
    { url, grant },
    { url: tandem.url, grant: other },
  ]) {
    const connection = connect({ ...parts, profile });
    assert.is(await connection.renew(profile.grant.accessToken), false);
    assert.is(await connection.bearer('reader'), profile.grant.accessToken);
  }
  assert.equal(between.seen, []);
  assert.equal(store.read().profiles.default?.grant, grant);
});

test('a renewal whose answer is lost is repeated with the same refresh token, and what comes is stored', async () => {
  const grant = await signIn((count) => (count <= 2 ? 'cut' : undefined), expiresIn(-1));
  const { code, err } = await run(['todos', 'list']);
  assert.is(code, 0, err);
  assert.is(between.seen.length, 3);
  const fresh = store.read().profiles.default?.grant;
  assert.is.not(fresh?.refreshToken, grant.refreshToken);
  assert.is((await run(['todos', 'list'])).code, 0);
  assert.is(between.seen.length, 3);
});

test('a token endpoint that is busy does not end a command while the access token is valid', async () => {
  await signIn((_, __, response) => {
    response.writeHead(503, { 'retry-after': '3600', 'content-type': 'application/json' }).end('{}');
    return true;
  }, expiresIn(30));
  const { code, err } = await run(['todos', 'list']);
  assert.is(code, 0, err);
  assert.is(between.seen.length, 1);
  await store.change(({ profiles }) => {
    Object.assign(profiles.default?.grant ?? {}, { expiresAt: expiresIn(-1) });
  });
  assert.is((await run(['todos', 'list'])).code, 8);
});

test('a refresh token is not spent where the next one cannot be stored', async () => {
  await signIn(through, expiresIn(30));
  const { code, err } = await runWithin(0, ['todos', 'list'], prompt);
  assert.is(code, 0, err);
  assert.equal(between.seen, []);
  assert.is((await run(['todos', 'list'])).code, 0);
  assert.is(between.seen.length, 1);
});

test.run();

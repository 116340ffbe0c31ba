import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildCli } from '../../scripts/build-cli.ts';
import { openPrompt, type Prompt, runHere } from '../support/cli-world.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { Browser, decide } from '../support/oauth.ts';
import { newAccount, type Person, password } from '../support/people.ts';
import { freePort } from '../support/ports.ts';
import { addPasskey, addTotp, codeAt, newConfirmedAccount } from '../support/second-factors.ts';
import { until } from '../support/until.ts';
import { openWelcome } from '../support/welcome.ts';

const test = suite('signing in with the client');
let tandem: TestService;
let prompt: Prompt;
const realTime = () => new Date();
let clock = realTime;

test.before(async () => {
  await buildCli();
  tandem = await startTestService({}, { clock: () => clock() });
});
test.before.each(() => {
  prompt = openPrompt(tandem.url);
});
test.after.each(() => {
  clock = realTime;
  prompt.close();
});
test.after(() => tandem.close());

/** Runs a command in this process. */
function run(args: string[], { stdin, environment }: { stdin?: string; environment?: Record<string, string> } = {}) {
  return runHere(args, { ...prompt.environment, ...environment }, stdin);
}

const configPath = () => join(prompt.home, '.config/tandem/config.json');

test('the key of an owner without an address signs in, and no empty address is printed', async () => {
  const { key } = await openWelcome(tandem);
  const login = await prompt.run(['login', '--url', tandem.url, '--key', '-'], { stdin: `${key}\n` });
  assert.is(login.out.split('\n')[0], `Signed in to My workspace at ${tandem.url} as Owner.`);
});

test('from a key to the answer of an agent: login, whoami, a todo that an agent works on', async () => {
  const { key } = await tandem.workspace();
  const login = await prompt.run(['login', '--url', `${tandem.url}/api/v1/`, '--key', '-'], { stdin: `${key}\n` });
  assert.is(login.code, 0, login.err);
  assert.match(login.out, `Signed in to Test at ${tandem.url} as Tess`);
  assert.not.match(login.out + login.err, key);
  assert.is(statSync(configPath()).mode & 0o777, 0o600);
  assert.is(statSync(join(prompt.home, '.config/tandem')).mode & 0o777, 0o700);
  assert.equal(readdirSync(join(prompt.home, '.config/tandem')), ['config.json']);
  assert.equal(prompt.stored(), {
    version: 1,
    current: 'default',
    profiles: { default: { url: tandem.url, apiKey: key } },
  });
  assert.is((await prompt.run(['whoami', '--json'])).json.user.name, 'Tess');
  const run = await prompt.run(['todos', 'create', 'Summarise my todos', '--agent', 'Assistant', '--run', '--wait']);
  assert.is(run.code, 0, run.err);
  assert.match(run.out, /→ list_todos.*\n[\s\S]*todo/, run.out);
  const chat = await prompt.run(['chats', 'create', 'Create a todo: buy milk', '--wait']);
  assert.is(chat.code, 0, chat.err);
  assert.match((await prompt.run(['todos', 'list'])).out, /\tBuy milk\t/);
});

test('a key that is not valid, or typed where others see it, is not stored', async () => {
  const wrong = await run(['login', '--url', tandem.url, '--key', '-'], { stdin: 'tandem_sk_wrong\n' });
  assert.is(wrong.code, 3);
  const shown = await run(['login', '--url', tandem.url, '--key', 'tandem_sk_shown']);
  assert.is(shown.code, 2);
  assert.match(shown.err, 'does not take the key itself');
  const nothing = await run(['login', '--url', tandem.url]);
  assert.is(nothing.code, 2);
  assert.match(nothing.err, 'stdin has no line for --key.');
  const both = await run(['login', '--url', tandem.url, '--browser', '--email', 'ada@example.com']);
  assert.is(both.code, 2);
  assert.is((await run(['login', '--url', 'ftp://example.com', '--key', '-'], { stdin: 'x' })).code, 2);
  assert.not.ok(existsSync(configPath()));
});

test('login takes the flags of every command', async () => {
  const key = await run(['login', '--url', tandem.url, '--key', '-', '--timeout', 'soon'], { stdin: 'x' });
  assert.is(key.code, 2, key.err);
  const { email } = await newAccount(tandem);
  const args = ['login', '--url', tandem.url, '--email', email, '--password', '-', '--verbose'];
  const login = await run(args, { stdin: password });
  assert.is(login.code, 0, login.err);
  assert.match(login.err, `> GET ${tandem.url}/api/v1/me\n< 200`);
  assert.not.match(login.err, password);
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const lost = await run(['login', '--url', nowhere, '--key', '-', '--no-retry', '--verbose'], { stdin: 'x' });
  assert.is(lost.code, 8);
  assert.not.match(lost.err, 'Retrying');
});

test('a session is opened in the workspace that is named', async () => {
  const person = await newAccount(tandem);
  const { body: team } = await tandem.call('POST /workspaces', { name: 'Team' }, { key: person.session.token });
  const args = ['login', '--url', tandem.url, '--email', person.email, '--password', '-', '--workspace'];
  for (const named of ['team', team.id]) {
    const { code, out, err } = await run([...args, named], { stdin: password });
    assert.is(code, 0, err);
    assert.match(out, 'Signed in to Team');
    assert.is((await run(['whoami', '--json'])).json.workspace.id, team.id);
  }
  const before = prompt.stored();
  const unknown = await run([...args, 'Nowhere'], { stdin: password });
  assert.is(unknown.code, 2);
  assert.match(unknown.err, 'Team');
  assert.equal(prompt.stored(), before);
  const misplaced = await run(['login', '--url', tandem.url, '--key', '-', '--workspace', 'team'], { stdin: 'x' });
  assert.is(misplaced.code, 2);
  assert.match(misplaced.err, '--workspace goes with --email');
});

test('a session is kept beside the key, does what only people may, and ends with logout', async () => {
  const person = await newAccount(tandem);
  const { email } = person;
  const login = await run(['login', '--url', tandem.url, '--email', email, '--password', '-'], {
    stdin: password,
  });
  assert.is(login.code, 0, login.err);
  const made = await run(['api-keys', 'create', 'Laptop', '--scope', 'todos:read', '--json']);
  assert.is(made.code, 0, made.err);
  await run(['login', '--key', '-'], { stdin: made.json.secret });
  const { apiKey, session } = prompt.stored().profiles.default;
  assert.equal([apiKey, session.email], [made.json.secret, email]);
  assert.is((await run(['whoami', '--json'])).json.credential.type, 'api_key', 'data goes by the key');
  const keys = await run(['api-keys', 'list', '--json']);
  assert.equal(
    keys.json.data.map(({ name }: { name: string }) => name),
    ['Laptop'],
    'people’s things by the session',
  );
  const logout = await run(['logout']);
  assert.is(logout.code, 0, logout.err);
  assert.equal(prompt.stored().profiles, {});
  assert.is((await tandem.call('GET /me', undefined, { key: session.token })).status, 401);
  const refused = await run(['todos', 'list']);
  assert.is(refused.code, 3);
  assert.match(refused.err, 'Sign in: tandem login --url');
});

test('a session moves to another workspace and stays signed in there', async () => {
  const { email } = await newAccount(tandem);
  await run(['login', '--url', tandem.url, '--email', email, '--password', '-'], { stdin: password });
  const first = prompt.stored().profiles.default.session;
  const { json: second } = await run(['workspaces', 'create', 'Second', '--json']);
  const keyed = { environment: { TANDEM_API_KEY: 'tandem_sk_any' } };
  const refused = await run(['auth', 'switch-workspace', second.id], keyed);
  assert.is(refused.code, 3);
  assert.match(refused.err, 'TANDEM_API_KEY is set and takes precedence: unset it for this command.');
  assert.not.match(refused.err, 'tandem login', 'who is signed in is not asked to sign in again');
  const moved = await run(['auth', 'switch-workspace', 'Second', '--json']);
  assert.is(moved.code, 0, moved.err);
  assert.is(moved.json.workspace.id, second.id);
  assert.not.match(moved.out + moved.err, 'tandem_st_');
  const me = await run(['whoami', '--json']);
  assert.is(me.code, 0, me.err);
  assert.is(me.json.workspace.id, second.id);
  const { token, ...rest } = prompt.stored().profiles.default.session;
  assert.is.not(token, first.token);
  assert.equal(rest, { email, expiresAt: first.expiresAt });
  const here = { environment: { TANDEM_URL: tandem.url, TANDEM_API_KEY: token } };
  const given = await run(['auth', 'switch-workspace', second.id, '--json'], here);
  assert.match(given.json.token, /^tandem_st_/, 'a session of the environment is stored nowhere');
  assert.match(given.err, 'TANDEM_API_KEY');
});

test('a session that a sign-in of the API opens is not stored, and the client says so', async () => {
  const { email } = await newAccount(tandem);
  const args = ['auth', 'sign-in', email, '--password', '-', '--json'];
  const { code, json, err } = await run(args, { stdin: password, environment: { TANDEM_URL: tandem.url } });
  assert.is(code, 0, err);
  assert.match(json.token, /^tandem_st_/);
  assert.match(err, 'Nothing was stored. To sign in with this client: tandem login --email');
  assert.not.ok(existsSync(configPath()));
});

test('a session that has ended beside a key takes the names of members alone', async () => {
  const { email } = await newAccount(tandem);
  await run(['login', '--url', tandem.url, '--email', email, '--password', '-'], { stdin: password });
  const made = await run(['api-keys', 'create', 'Laptop', '--scope', 'todos:read,todos:write,agents:read', '--json']);
  await run(['login', '--key', '-'], { stdin: made.json.secret });
  const { session } = prompt.stored().profiles.default;
  assert.is((await tandem.call('DELETE /auth/sessions/current', undefined, { key: session.token })).status, 200);
  const todo = await run(['todos', 'create', 'Plan', '--assignee', 'Assistant', '--json']);
  assert.is(todo.code, 0, todo.err);
  assert.is(todo.json.assignees[0].type, 'agent');
  const nobody = await run(['todos', 'create', 'Plan', '--assignee', 'Nobody']);
  assert.is(nobody.code, 2);
  assert.match(nobody.err, 'Names of members need a session');
  assert.is((await run(['api-keys', 'list'])).code, 3);
});

test('after the password a code of the authenticator app or a recovery code opens the session', async () => {
  const { email, key } = await newConfirmedAccount(tandem);
  const now = new Date();
  clock = () => now;
  const { secret, codes } = await addTotp(tandem, key, now);
  const login = (code: string) =>
    run(['login', '--url', tandem.url, '--email', email, '--password', '-'], { stdin: `${password}\n${code}\n` });
  const wrong = await login(codes[0]?.replace(/.$/, (last) => (last === '0' ? '1' : '0')) ?? '');
  assert.is(wrong.code, 3);
  assert.match(wrong.err, 'This code is wrong');
  assert.not.ok(existsSync(configPath()));
  for (const code of [codeAt(secret, Number(now) + 30_000), codes[0] ?? '']) {
    const done = await login(code);
    assert.is(done.code, 0, done.err);
    assert.is(prompt.stored().profiles.default.session.email, email);
  }
});

test('a passkey alone as second factor leads to the browser', async () => {
  const { email, key, session } = await newConfirmedAccount(tandem);
  await addPasskey(tandem, key);
  await tandem.db.rows('update recovery_codes set used_at = now() where user_id = $1', [session.user.id]);
  const { code, err } = await run(['login', '--url', tandem.url, '--email', email, '--password', '-'], {
    stdin: password,
  });
  assert.is(code, 3);
  assert.match(err, 'tandem login --browser');
});

test('a wrong password is an error, and nothing is stored', async () => {
  const { email } = await newAccount(tandem);
  const ran = await run(['login', '--url', tandem.url, '--email', email, '--password', '-'], { stdin: 'wrong' });
  assert.is(ran.code, 3, ran.err);
  assert.not.ok(existsSync(configPath()));
});

test('several profiles stand side by side', async () => {
  const [home, work] = [await tandem.workspace(), await tandem.workspace()];
  await run(['login', '--url', tandem.url, '--key', '-'], { stdin: home.key });
  await run(['login', '--url', tandem.url, '--key', '-', '--profile', 'work'], { stdin: work.key });
  const workspaceOf = async (args: string[], environment = {}) =>
    (await run(['whoami', '--json', ...args], { environment })).json.workspace.id;
  assert.is(await workspaceOf([]), home.workspaceId);
  assert.is(await workspaceOf(['--profile', 'work']), work.workspaceId);
  assert.is(await workspaceOf([], { TANDEM_PROFILE: 'work' }), work.workspaceId);
  await run(['profiles', 'work']);
  assert.is(await workspaceOf([]), work.workspaceId);
  const { out } = await run(['profiles']);
  assert.is(out, `default\tno\t${tandem.url}\tkey\t\nwork\tyes\t${tandem.url}\tkey\t\n`);
  assert.is((await run(['profiles', 'constructor'])).code, 4);
  await run(['logout']);
  assert.is(await workspaceOf([]), home.workspaceId);
});

test('without an address a new profile signs in to the service of the current one', async () => {
  const [home, work] = [await tandem.workspace(), await tandem.workspace()];
  await run(['login', '--url', `${tandem.url}/`, '--key', '-'], { stdin: home.key });
  const again = await run(['login', '--key', '-'], { stdin: home.key });
  assert.match(again.err, `Signing in to ${tandem.url}\n`);
  const second = await run(['login', '--key', '-', '--profile', 'work'], { stdin: work.key });
  assert.is(second.code, 0, second.err);
  const { profiles, current } = prompt.stored();
  assert.equal([profiles.default.url, profiles.work.url, current], [tandem.url, tandem.url, 'default']);
});

test('what is stored for one address is never sent to another', async () => {
  const { key } = await tandem.workspace();
  await run(['login', '--url', tandem.url, '--key', '-'], { stdin: key });
  const elsewhere = { environment: { TANDEM_URL: `http://127.0.0.1:${await freePort()}` } };
  const { code, err } = await run(['todos', 'list'], elsewhere);
  assert.is(code, 3);
  assert.match(err, `is for ${tandem.url}, but TANDEM_URL is another address.`);
});

test('a configuration that cannot be read is never overwritten', async () => {
  const { key } = await tandem.workspace();
  await run(['login', '--url', tandem.url, '--key', '-'], { stdin: key });
  writeFileSync(configPath(), '{"version": 1, "profiles": {');
  const { code, err } = await run(['login', '--url', tandem.url, '--key', '-'], { stdin: key });
  assert.is(code, 1);
  assert.match(err, 'is not a valid configuration file.');
  assert.is(readFileSync(configPath(), 'utf8'), '{"version": 1, "profiles": {');
});

/** A browser that a person decides in: the client opens it, the test continues from the address. */
async function throughBrowser(person: Person, deny = false) {
  const browser = join(prompt.home, 'browser');
  const opened = join(prompt.home, 'opened');
  writeFileSync(browser, `#!/bin/sh\nprintf '%s' "$1" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`);
  chmodSync(browser, 0o755);
  const running = prompt.start(['login', '--url', tandem.url, '--browser'], { environment: { BROWSER: browser } });
  await running.until(/oauth\/authorize/);
  await until(() => existsSync(opened));
  const address = readFileSync(opened, 'utf8');
  const redirect = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
  assert.is(redirect.hostname, '127.0.0.1');
  const forged = await fetch(`${redirect.href}?code=stolen&state=guessed`);
  assert.is(forged.status, 404, 'who does not know the state changes nothing');
  const [stray] = await once(get({ host: redirect.hostname, port: redirect.port, path: '//' }), 'response');
  assert.is(stray.resume().statusCode, 404, 'nor does what is no address');
  const landed = await decide(new Browser(person), address, { workspaceId: person.session.workspace.id, deny });
  const page = await fetch(landed);
  return { running, page: await page.text() };
}

test('in the browser a person decides; access is renewed by itself, and logout ends it', async () => {
  const person = await newAccount(tandem);
  const { running, page } = await throughBrowser(person);
  assert.match(page, 'You are signed in');
  const login = await running.ended;
  assert.is(login.code, 0, login.err);
  assert.match(login.out, 'as Ada');
  const { grant } = prompt.stored().profiles.default;
  assert.is((await run(['todos', 'create', 'By browser'])).code, 0);
  const config = prompt.stored();
  config.profiles.default.grant.expiresAt = new Date(0).toISOString();
  writeFileSync(configPath(), JSON.stringify(config));
  const renewed = await Promise.all([0, 1, 2].map(() => prompt.run(['todos', 'list'])));
  for (const { code, out, err } of renewed) assert.match(`${code} ${out}`, /^0 .*By browser/, err);
  const fresh = prompt.stored().profiles.default.grant;
  assert.is.not(fresh.accessToken, grant.accessToken);
  assert.is.not(fresh.refreshToken, grant.refreshToken);
  assert.ok(Date.parse(fresh.expiresAt) > Date.now());
  config.profiles.default.grant = { ...fresh, accessToken: 'tandem_at_gone' };
  writeFileSync(configPath(), JSON.stringify(config));
  assert.is((await run(['todos', 'list'])).code, 0, 'a token that ended early is renewed too');
  const last = prompt.stored().profiles.default.grant;
  assert.is((await run(['logout'])).code, 0);
  assert.is((await tandem.call('GET /me', undefined, { key: last.accessToken })).status, 401);
});

test('denying access in the browser does not sign in', async () => {
  const { running, page } = await throughBrowser(await newAccount(tandem), true);
  assert.match(page, 'You are not signed in');
  const { code, err } = await running.ended;
  assert.is(code, 3);
  assert.match(err, 'Sign-in denied');
  assert.not.ok(existsSync(configPath()));
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../server/log.ts';
import { eventsOf } from '../support/event-log.ts';
import { newGrant } from '../support/grants.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { callTool } from '../support/mcp-clients.ts';
import { authorizeUrl, Browser, connectApp, decide, pkce, send } from '../support/oauth.ts';
import { newAccount, password } from '../support/people.ts';
import { until } from '../support/until.ts';

/* What security depends on is in the log (OWASP ASVS 5, V16.3): who did what from where, without a secret or a text. */

const test = suite('the security log');
let tandem: TestService;
let lines: string[] = [];

interface Line {
  msg: string;
  operation: string;
  outcome: string;
  [field: string]: unknown;
}

const events = (): Line[] =>
  lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'security event');
const eventOf = async (operation: string): Promise<Line> => {
  let found: Line | undefined;
  await until(
    () => {
      found = events().find((event) => event.operation === operation);
      return found;
    },
    () => `${operation} is logged; there is ${JSON.stringify(events())}`,
  );
  return found as Line;
};

test.before(async () => {
  const log = createLog({ LOG_LEVEL: 'info', LOG_FORMAT: 'json' }, { write: (line: string) => void lines.push(line) });
  tandem = await startTestService({}, { log });
});
test.before.each(() => {
  lines = [];
});
test.after(() => tandem.close());

test('a sign-up and a sign-in name the person, the address and the request', async () => {
  const { session, email } = await newAccount(tandem);
  const signedUp = await eventOf('signUp');
  assert.equal([signedUp.outcome, signedUp.userId, signedUp.ip], ['done', session.user.id, '127.0.0.1']);
  const { headers } = await tandem.call('POST /auth/sessions', { email, password });
  const signedIn = await eventOf('signIn');
  assert.equal([signedIn.outcome, signedIn.userId], ['done', session.user.id]);
  assert.is(signedIn.requestId, headers.get('x-request-id'));
  assert.ok(typeof signedIn.time === 'number', 'milliseconds since 1970, UTC');
});

test('who is signed in with a credential beside is the person, as is who opened the link of an email', async () => {
  const [mallory, ada] = [await tandem.workspace(), await newAccount(tandem)];
  await mallory.call('POST /auth/sessions', { email: ada.email, password });
  assert.is((await eventOf('signIn')).userId, ada.session.user.id);
  const verification = await mallory.emailToken('verification');
  await tandem.call('POST /auth/email-verification/confirm', { token: verification });
  assert.is((await eventOf('verifyEmail')).userId, mallory.userId);
  const [credential, reset] = [await mallory.mint(['todos:read']), await mallory.emailToken('password')];
  const body = { token: reset, newPassword: 'another four words', revokeAccess: true };
  const other = { key: (await tandem.workspace()).key };
  assert.is((await tandem.call('POST /auth/password-resets/confirm', body, other)).status, 200);
  assert.is((await eventOf('confirmPasswordReset')).userId, mallory.userId);
  const revoked = (await eventsOf(tandem, mallory.workspaceId)).filter(({ type }) => type === 'api_key.revoked');
  assert.equal(
    revoked.map(({ actorId, credentialId }) => [actorId, credentialId]),
    revoked.map(() => [mallory.userId, null]),
  );
  assert.ok(credential && revoked.length > 1);
});

test('an app that is connected, denied or ends its connection is logged with the person and the connection', async () => {
  const person = await newAccount(tandem);
  const [userId, workspaceId] = [person.session.user.id, person.session.workspace.id];
  const { clientId, refreshToken } = await connectApp(tandem, person, { scope: 'todos:read' });
  const approved = await eventOf('approveApp');
  assert.equal([approved.outcome, approved.userId, approved.workspaceId], ['done', userId, workspaceId]);
  const form = { client_id: clientId, token: refreshToken };
  assert.is((await send(tandem.url, 'POST /oauth/revoke', { form })).status, 200);
  const revoked = await eventOf('revokeApp');
  assert.equal([revoked.userId, revoked.connectedAppId], [userId, approved.connectedAppId]);
  await decide(new Browser(person), authorizeUrl(tandem.url, clientId, pkce().challenge), { workspaceId, deny: true });
  assert.is((await eventOf('denyApp')).userId, userId);
  assert.not.ok(lines.join('').includes(refreshToken));
});

test('a failed sign-in is logged with its reason, and neither address nor password', async () => {
  const { email } = await newAccount(tandem);
  lines = [];
  await tandem.call('POST /auth/sessions', { email, password: 'a wrong password' });
  const { outcome, status, code, reason, userId } = await eventOf('signIn');
  assert.equal([outcome, status, code, reason, userId], ['refused', 401, 'invalid_api_key', 'wrong_credentials', null]);
  assert.is(events().length, 1, 'once');
  const text = lines.join('');
  for (const secret of [email, 'a wrong password', password]) assert.not.ok(text.includes(secret));
});

test('what an app is refused is logged with its connection, which outlives its access tokens', async () => {
  const { grantId, token } = await newGrant(tandem, await tandem.workspace(), ['todos:read']);
  await tandem.call('POST /todos', { title: 'a' }, { key: await token() });
  const { credential, credentialId, status } = await eventOf('POST /api/v1/todos');
  assert.equal([credential, credentialId, status], ['oauth', grantId, 403]);
});

test('making and revoking a key is logged with the session that did it, ordinary work is not', async () => {
  const workspace = await tandem.workspace();
  const key = await workspace.session();
  const wanted = { workspaceId: workspace.workspaceId, name: 'Secret name', scopes: ['todos:read'] };
  const { body } = await tandem.call('POST /api-keys', wanted, { key });
  const made = await eventOf('createApiKey');
  assert.equal(
    [made.outcome, made.credential, made.workspaceId, made.userId],
    ['done', 'session', workspace.workspaceId, workspace.userId],
  );
  await tandem.call(`DELETE /api-keys/${body.id}`, undefined, { key });
  await eventOf('revokeApiKey');
  await workspace.call('POST /todos', { title: 'Private title' });
  await workspace.call('GET /todos');
  assert.is(events().length, 2);
  for (const text of ['Secret name', 'Private title', key, workspace.key]) assert.not.ok(lines.join('').includes(text));
});

test('a request without a valid credential or without the scope is logged once, by its route', async () => {
  const workspace = await tandem.workspace();
  const weak = await workspace.mint(['todos:read']);
  await tandem.call('GET /todos?query=private', undefined, { key: `tandem_sk_${'x'.repeat(46)}` });
  const unknown = await eventOf('GET /api/v1/todos');
  assert.equal([unknown.outcome, unknown.status, unknown.credential], ['refused', 401, null]);
  await workspace.call('DELETE /todos/01890000-0000-7000-8000-000000000000', undefined, { key: weak });
  const lacking = await eventOf('DELETE /api/v1/todos/:todoId');
  assert.equal([lacking.status, lacking.credential, lacking.workspaceId], [403, 'api_key', workspace.workspaceId]);
  assert.is(events().length, 2);
  assert.not.match(lines.join(''), /private|01890000/);
});

test('a request without any credential is no attempt', async () => {
  const workspace = await tandem.workspace();
  await tandem.call('GET /todos');
  await tandem.call('GET /me');
  await workspace.call('GET /todos', undefined, { key: `tandem_sk_${'y'.repeat(46)}` });
  await eventOf('GET /api/v1/todos');
  assert.is(events().length, 1, JSON.stringify(events()));
});

test('a tool beyond the scopes of its credential is logged', async () => {
  const workspace = await tandem.workspace();
  const key = await workspace.mint(['todos:read']);
  await callTool(tandem.url, key, 'create_todo', { title: 'x' });
  const { outcome, status, code } = await eventOf('create_todo');
  assert.equal([outcome, status, code], ['refused', 403, 'missing_scope']);
});

test('a client that is refused again and again fills no log', async () => {
  const workspace = await tandem.workspace();
  const key = await workspace.mint(['todos:read']);
  for (let request = 0; request < 50; request++) await workspace.call('POST /todos', { title: 'x' }, { key });
  // At most two minutes began meanwhile.
  assert.ok(events().length >= 20 && events().length <= 40, `${events().length} lines`);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scopes } from '../routers/scopes.ts';
import { startTestService, type TestService } from './harness.ts';
import { authorizeUrl, Browser, callback, connectApp, decide, pkce, redeem, register, send, signUp } from './oauth.ts';

const test = suite('oauth: authorization');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const me = (key: string) => tandem.call('GET /me', undefined, { key });
const defaultScopes = scopes.filter((scope) => scope !== 'captures:read');

test('an app that names no scope gets all but captures:read, in the one workspace that was picked', async () => {
  const person = await signUp(tandem);
  const { body: other } = await tandem.call('POST /workspaces', { name: 'Other' }, { key: person.token });
  const app = await connectApp(tandem, person, { workspaceId: other.id });
  assert.match(app.accessToken, /^tandem_at_[0-9A-Za-z]{46}$/);
  assert.match(app.refreshToken, /^tandem_rt_[0-9A-Za-z]{46}$/);
  assert.is(app.scope, defaultScopes.join(' '));
  const { status, body } = await me(app.accessToken);
  assert.is(status, 200);
  assert.is(body.workspace.id, other.id);
  assert.is(body.user.id, person.userId);
  assert.is(body.credential.type, 'oauth');
  assert.is(body.credential.name, 'Testing client');
  assert.equal(body.credential.scopes, defaultScopes);
  assert.is((await tandem.call('POST /todos', { title: 'Here' }, { key: app.accessToken })).status, 201);
  assert.is((await tandem.call('GET /todos', undefined, { key: app.accessToken })).body.data.length, 1);
  assert.is((await tandem.call('GET /todos', undefined, { key: person.token })).body.data.length, 0);
});

test.run();

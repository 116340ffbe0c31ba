import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from './harness.ts';

const test = suite('accounts and sessions');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const password = 'correct horse battery staple';
const email = () => `${crypto.randomUUID()}@example.com`;

test('a person signs up, signs in, sees both sessions and signs out', async () => {
  const account = { email: email(), password };
  const up = await tandem.call('POST /auth/accounts', { ...account, name: 'Ada' });
  assert.is(up.status, 201);
  assert.match(up.body.token, /^tandem_st_/);
  assert.is(up.body.workspace.name, 'Ada’s workspace');
  const signedIn = await tandem.call('POST /auth/sessions', account);
  assert.is(signedIn.status, 201);
  const key = signedIn.body.token;
  const me = await tandem.call('GET /me', undefined, { key });
  assert.is(me.body.credential.type, 'session');
  assert.is(me.body.user.email, account.email);
  assert.is((await tandem.call('POST /todos', { title: 'By session' }, { key })).status, 201);
  const { body: sessions } = await tandem.call('GET /auth/sessions', undefined, { key });
  assert.is(sessions.data.length, 2);
  assert.is((await tandem.call('DELETE /auth/sessions/current', undefined, { key })).status, 200);
  assert.is((await tandem.call('GET /me', undefined, { key })).status, 401);
  assert.is((await tandem.call('GET /me', undefined, { key: up.body.token })).status, 200);
});

test('a key made by a session works at once and is refused for key management', async () => {
  const { body: session } = await tandem.call('POST /auth/accounts', { email: email(), password, name: 'Bo' });
  const key = session.token;
  const body = { workspaceId: session.workspace.id, name: 'CI', scopes: ['todos:read'] };
  const made = await tandem.call('POST /api-keys', body, { key });
  assert.is(made.status, 201);
  assert.is((await tandem.call('GET /todos', undefined, { key: made.body.secret })).status, 200);
  const refused = await tandem.call('GET /api-keys/scopes', undefined, { key: made.body.secret });
  assert.is(refused.body.code, 'api_key_auth_required');
  assert.is((await tandem.call('POST /api-keys', body, { key })).status, 409);
  await tandem.call(`DELETE /api-keys/${made.body.id}`, undefined, { key });
  assert.is((await tandem.call('GET /todos', undefined, { key: made.body.secret })).status, 401);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serviceOrigin } from '../../db/origin.ts';
import { revokeAccess } from '../../domain/sign-in/operator-access.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { connectApp, refresh, send } from '../support/oauth.ts';
import { newAccount, type Person, password, temporaryDirectory, tokenInEmail } from '../support/people.ts';
import { brief, doing, recordedEvents } from '../support/recorded-events.ts';

const test = suite('events of keys and apps');
let tandem: TestService;
const directory = temporaryDirectory();

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0', DATA_DIR: directory.path });
});
test.after(async () => {
  await tandem.close();
  directory.remove();
});

async function world() {
  const person = await newAccount(tandem);
  const workspaceId = person.session.workspace.id;
  const act = (route: string, body?: unknown, more?: Parameters<typeof doing>[4]) =>
    doing(tandem, { workspaceId, key: person.session.token }, route, body, more);
  let seen = 4;
  /** The events since, whatever recorded them. */
  const recent = async () => {
    const fresh = (await recordedEvents(tandem, workspaceId)).slice(seen);
    seen += fresh.length;
    return fresh;
  };
  const newKey = { workspaceId, name: 'Nightly', scopes: ['todos:read'] };
  return { person, workspaceId, userId: person.session.user.id, act, recent, newKey };
}

async function appOf(person: Person): Promise<string> {
  const { body } = await tandem.call(`GET /connected-apps?workspaceId=${person.session.workspace.id}`, undefined, {
    key: person.session.token,
  });
  return body.data[0].id;
}

test('an API key is created and revoked once', async () => {
  const { act, newKey, person } = await world();
  const { body: key, events, recorded } = await act('POST /api-keys', newKey, { status: 201 });
  assert.equal(events, [['api_key.created', key.id]]);
  assert.equal([recorded[0]?.credentialId, recorded[0]?.readerId], [person.session.id, null]);
  assert.equal((await act('POST /api-keys', newKey, { status: 409 })).events, []);
  assert.equal((await act(`DELETE /api-keys/${key.id}`)).events, [['api_key.revoked', key.id, 'revokedAt']]);
  assert.equal((await act(`DELETE /api-keys/${key.id}`)).events, []);
});

test('an app is there with its first token, prolonged by the next, and revoked once', async () => {
  const { act, recent, person, userId } = await world();
  const app = await connectApp(tandem, person, { scope: 'todos:read offline_access' });
  const id = await appOf(person);
  const connected = await recent();
  assert.equal(connected.map(brief), [
    ['connected_app.created', id],
    ['connected_app.updated', id, 'expiresAt'],
  ]);
  assert.equal([connected[0]?.actorType, connected[0]?.actorId], ['user', userId]);
  assert.is((await refresh(tandem.url, app)).status, 200);
  assert.equal((await recent()).map(brief), [['connected_app.updated', id, 'expiresAt']]);
  assert.equal((await act(`DELETE /connected-apps/${id}`)).events, [['connected_app.revoked', id, 'revokedAt']]);
  assert.equal((await act(`DELETE /connected-apps/${id}`)).events, []);
});

test('an app that gives its access back is revoked by the service', async () => {
  const { recent, person } = await world();
  const { clientId, refreshToken } = await connectApp(tandem, person, { scope: 'todos:read' });
  const id = await appOf(person);
  await recent();
  const form = { client_id: clientId, token: refreshToken, token_type_hint: 'refresh_token' };
  assert.is((await send(tandem.url, 'POST /oauth/revoke', { form })).status, 200);
  const [revoked, ...more] = await recent();
  assert.equal([revoked && brief(revoked), more], [['connected_app.revoked', id, 'revokedAt'], []]);
  assert.is(revoked?.actorType, 'service');
});

test('a new password revokes keys and apps where it is asked to, by the person', async () => {
  const { act, recent, newKey, person, userId } = await world();
  const { body: key } = await act('POST /api-keys', newKey, { status: 201 });
  await connectApp(tandem, person, { scope: 'todos:read' });
  const id = await appOf(person);
  await recent();
  const change = { currentPassword: password, newPassword: 'a fresh one, long enough' };
  assert.equal((await act('POST /auth/password', { ...change, revokeAccess: false })).events, []);
  await tandem.call('POST /auth/password-resets', { email: person.email });
  const token = await tokenInEmail(directory.path, person.email, 'Reset');
  const reset = { token, newPassword: 'another one, long enough' };
  assert.is((await tandem.call('POST /auth/password-resets/confirm', reset)).status, 200);
  const events = await recent();
  assert.equal(events.map(brief), [
    ['api_key.revoked', key.id, 'revokedAt'],
    ['connected_app.revoked', id, 'revokedAt'],
  ]);
  assert.equal(
    events.map(({ actorType, actorId }) => [actorType, actorId]),
    events.map(() => ['user', userId]),
  );
  assert.is((await tandem.call('POST /auth/password-resets/confirm', reset)).status, 400);
  assert.equal(await recent(), []);
});

test('what the operator ends is the doing of the service', async () => {
  const { act, recent, newKey, person } = await world();
  const { body: key } = await act('POST /api-keys', newKey, { status: 201 });
  await recent();
  const db = tandem.db.as({ ...serviceOrigin(), via: 'cli' });
  await revokeAccess(db, person.email, { keys: true, factors: false });
  await revokeAccess(db, person.email, { keys: true, factors: false });
  const [event, ...more] = await recent();
  assert.equal([event && brief(event), more], [['api_key.revoked', key.id, 'revokedAt'], []]);
  assert.equal([event?.actorType, event?.via], ['service', 'cli']);
});

test.run();

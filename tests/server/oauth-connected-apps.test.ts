import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer, TestService } from '../support/harness.ts';
import { authorizeUrl, Browser, connectApp, decide, pkce, refresh, register, startTwo } from '../support/oauth.ts';
import { newAccount, type Person } from '../support/people.ts';

const test = suite('connected apps');
let tandem: TestService;
let elsewhere: string;
let close: () => Promise<void>;

test.before(async () => {
  ({ tandem, elsewhere, close } = await startTwo());
});
test.after(() => close());

const as = (person: Person, route: string, body?: unknown): Promise<Answer> =>
  tandem.call(route, body, { key: person.session.token });
const listed = (person: Person, more = '', workspaceId = person.session.workspace.id) =>
  as(person, `GET /connected-apps?workspaceId=${workspaceId}${more}`);
/** Whether a bearer opens anything, asked of the other process. */
const works = async (key: string) =>
  (await fetch(`${elsewhere}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })).ok;

/**
 * Makes `person` a member of a workspace whose owner invited them, by the database: the emails are tested elsewhere.
 */
async function join(person: Person, workspaceId: string): Promise<void> {
  await tandem.db.rows(`insert into members (workspace_id, user_id, role) values ($1, $2, 'member')`, [
    workspaceId,
    person.session.user.id,
  ]);
}

test('connected apps are listed whole, newest first, once they had a token', async () => {
  const person = await newAccount(tandem);
  const workspaceId = person.session.workspace.id;
  const clientId = await register(tandem.url, { client_uri: 'https://app.example/' });
  await decide(new Browser(person), authorizeUrl(tandem.url, clientId, pkce().challenge), { workspaceId });
  assert.equal((await listed(person)).body.data, []);
  await connectApp(tandem, person, { scope: 'todos:read todos:write' });
  const app = await connectApp(tandem, person, { clientId, scope: 'todos:write todos:read', allow: ['todos:read'] });
  await tandem.call('GET /todos', undefined, { key: app.accessToken });
  const { status, body } = await listed(person);
  assert.is(status, 200);
  assert.is(body.object, 'list');
  assert.is(body.data.length, 2);
  const { id, createdAt, expiresAt, lastUsedAt, ...rest } = body.data[0];
  assert.equal(rest, {
    object: 'connected_app',
    workspaceId,
    userId: person.session.user.id,
    clientId,
    clientName: 'Testing client',
    clientUri: 'https://app.example/',
    logoUri: null,
    scopes: ['todos:read'],
    revokedAt: null,
  });
  assert.ok(id > body.data[1].id);
  assert.ok(Math.abs(Date.parse(createdAt) + 60 * 86_400_000 - Date.parse(expiresAt)) < 60_000);
  assert.ok(Math.abs(Date.parse(lastUsedAt) - Date.now()) < 120_000);
  assert.is(body.data[1].lastUsedAt, null);
});

test('a revoked app fails on its next request on every process, and cannot renew', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  const other = await connectApp(tandem, person, { clientId: app.clientId });
  assert.is(await works(app.accessToken), true);
  const id = (await listed(person)).body.data[1].id;
  const { status, body } = await as(person, `DELETE /connected-apps/${id}`);
  assert.is(status, 200);
  assert.equal(body, { object: 'connected_app_revoked', id, revokedAt: body.revokedAt });
  assert.is(await works(app.accessToken), false);
  assert.is((await refresh(tandem.url, app)).body.error, 'invalid_grant');
  assert.is(await works(other.accessToken), true);
  assert.equal((await as(person, `DELETE /connected-apps/${id}`)).body, body);
  assert.is((await listed(person)).body.data.length, 1);
  const all = (await listed(person, '&includeRevoked=true')).body.data;
  assert.equal(
    all.map((each: { revokedAt: string | null }) => each.revokedAt),
    [null, body.revokedAt],
  );
});

test('a refresh that races a revocation leaves nothing that works', async () => {
  const person = await newAccount(tandem);
  for (let round = 0; round < 5; round++) {
    const app = await connectApp(tandem, person);
    const { id } = (await listed(person)).body.data[0];
    const racing = [1, 2, 3].map(() => refresh(tandem.url, app));
    const [revoked, ...answers] = await Promise.all([as(person, `DELETE /connected-apps/${id}`), ...racing]);
    assert.is(revoked.status, 200);
    for (const { status, body } of answers) {
      if (status !== 200) assert.is(body.error, 'invalid_grant');
      else assert.is(await works(body.access_token), false);
    }
  }
});

test('every member sees and revokes the apps of a workspace; to others they do not exist', async () => {
  const [owner, member, stranger] = [await newAccount(tandem), await newAccount(tandem), await newAccount(tandem)];
  const workspaceId = owner.session.workspace.id;
  await join(member, workspaceId);
  await connectApp(tandem, member, { workspaceId });
  const { id } = (await listed(owner)).body.data[0];
  const foreign = await listed(stranger, '', workspaceId);
  assert.is(foreign.status, 403);
  assert.is(foreign.body.code, 'workspace_access_denied');
  const [theirs, unknown] = [
    await as(stranger, `DELETE /connected-apps/${id}`),
    await as(stranger, `DELETE /connected-apps/${crypto.randomUUID()}`),
  ];
  for (const answer of [theirs, unknown]) {
    assert.is(answer.status, 404);
    assert.is(answer.body.code, 'resource_not_found');
    assert.is(answer.body.param, 'connectedAppId');
  }
  assert.is((await as(owner, 'DELETE /connected-apps/none')).status, 400);
  assert.is((await as(owner, 'GET /connected-apps')).body.param, 'workspaceId');
  assert.is((await as(owner, `DELETE /connected-apps/${id}`)).status, 200);
});

test('keys and OAuth tokens manage neither keys nor apps, and do nothing that needs a session', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  const { key } = await tandem.workspace();
  for (const bearer of [app.accessToken, key]) {
    for (const route of [
      `GET /connected-apps?workspaceId=${person.session.workspace.id}`,
      `DELETE /connected-apps/${crypto.randomUUID()}`,
      'GET /api-keys/scopes',
    ]) {
      const { status, body } = await tandem.call(route, undefined, { key: bearer });
      assert.is(status, 403, route);
      assert.is(body.code, 'api_key_auth_required', route);
    }
    const session = await tandem.call('GET /auth/sessions', undefined, { key: bearer });
    assert.is(session.body.code, 'missing_scope');
    assert.is(session.body.reason, 'session_required');
  }
  const { body } = await tandem.call('GET /me', undefined, { key: app.accessToken });
  assert.not(body.allowedOperations.includes('listConnectedApps'));
  assert.ok(body.allowedOperations.includes('listTodos'));
  assert.not(body.allowedOperations.includes('listCaptures'));
  const { body: own } = await as(person, 'GET /me');
  assert.ok(own.allowedOperations.includes('revokeConnectedApp'));
});

test('removing a member ends their apps in that workspace at once, and in no other', async () => {
  const [owner, member] = [await newAccount(tandem), await newAccount(tandem)];
  const workspaceId = owner.session.workspace.id;
  await join(member, workspaceId);
  const here = await connectApp(tandem, member, { workspaceId });
  const own = await connectApp(tandem, member);
  assert.is(await works(here.accessToken), true);
  const removal = `DELETE /workspaces/${workspaceId}/members/${member.session.user.id}`;
  const [removed, racing] = await Promise.all([as(owner, removal), refresh(tandem.url, here)]);
  assert.is(removed.status, 200);
  assert.is(await works(here.accessToken), false);
  if (racing.status === 200) assert.is(await works(racing.body.access_token), false);
  assert.is((await refresh(tandem.url, here)).body.error, 'invalid_grant');
  assert.is(await works(own.accessToken), true);
  const [app] = (await listed(owner, '&includeRevoked=true')).body.data;
  assert.ok(app.revokedAt);
  await tandem.db.rows('update members set removed_at = null where workspace_id = $1', [workspaceId]);
  assert.is(await works(here.accessToken), false, 'coming back revives nothing');
});

test.run();

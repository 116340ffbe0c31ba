import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newGrant } from '../support/grants.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { newAccount } from '../support/people.ts';
import { addPasskey, enterPassword, newConfirmedAccount } from '../support/second-factors.ts';

const test = suite('a second factor that a workspace requires');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

/** An owner with a passkey, a member with none, and the session of the member in the workspace of the owner. */
async function withMember() {
  const owner = await newConfirmedAccount(tandem);
  await addPasskey(tandem, owner.key);
  const member = await newConfirmedAccount(tandem);
  const workspaceId = owner.session.workspace.id;
  const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')`;
  await tandem.db.rows(join, [workspaceId, member.session.user.id]);
  const { body } = await enterPassword(tandem, member.email, { workspaceId });
  return { owner, member, workspaceId, key: body.token as string };
}

const require = (workspaceId: string, key: string, requireSecondFactor = true) =>
  tandem.call(`PATCH /workspaces/${workspaceId}`, { requireSecondFactor }, { key });
const todos = (key: string) => tandem.call('GET /todos', undefined, { key });

test('members without one can only set one up, from the next request on; then all is open', async () => {
  const { owner, workspaceId, key } = await withMember();
  assert.is((await todos(key)).status, 200);
  const changed = await require(workspaceId, owner.key);
  assert.equal([changed.status, changed.body.requireSecondFactor], [200, true]);
  const refused = await todos(key);
  assert.equal(
    [refused.status, refused.body.code, refused.body.reason],
    [403, 'workspace_access_denied', 'second_factor_required'],
  );
  const created = await tandem.call('POST /api-keys', { workspaceId, name: 'Key', scopes: ['todos:read'] }, { key });
  assert.is(created.body.reason, 'second_factor_required');
  const { body: me } = await tandem.call('GET /me', undefined, { key });
  assert.ok(me.allowedOperations.includes('beginTotp'));
  assert.ok(me.allowedOperations.includes('switchWorkspace'));
  assert.not.ok(me.allowedOperations.includes('listTodos'));
  const { body: factors } = await tandem.call('GET /auth/second-factors', undefined, { key });
  assert.equal([factors.isRequired, factors.isActive], [true, false]);
  await addPasskey(tandem, key);
  assert.is((await todos(key)).status, 200);
  assert.is((await todos(owner.key)).status, 200);
});

test('only that workspace is closed; its keys work on', async () => {
  const { owner, member, workspaceId, key } = await withMember();
  const made = await tandem.call('POST /api-keys', { workspaceId, name: 'Key', scopes: ['todos:read'] }, { key });
  await require(workspaceId, owner.key);
  assert.is((await todos(key)).status, 403);
  assert.is((await todos(member.key)).status, 200, 'their own workspace');
  assert.is((await todos(made.body.secret)).status, 200, 'a key');
  await require(workspaceId, owner.key, false);
  assert.is((await todos(key)).status, 200);
});

test('a session in another workspace opens it no more than one of its own; whoever has none may still leave', async () => {
  const { owner, member, workspaceId } = await withMember();
  await tandem.db.rows(`update members set role = 'owner' where workspace_id = $1`, [workspaceId]);
  const newKey = { workspaceId, name: 'Theirs', scopes: ['todos:read'] };
  const { body: apiKey } = await tandem.call('POST /api-keys', newKey, { key: owner.key });
  const { grantId } = await newGrant(tandem, { workspaceId, userId: owner.session.user.id }, ['todos:read']);
  await require(workspaceId, owner.key);
  const routes: [string, unknown?][] = [
    ['POST /api-keys', { workspaceId, name: 'Key', scopes: ['todos:read'] }],
    [`GET /api-keys?workspaceId=${workspaceId}`],
    [`GET /api-keys/${apiKey.id}`],
    [`DELETE /api-keys/${apiKey.id}`],
    [`GET /connected-apps?workspaceId=${workspaceId}`],
    [`DELETE /connected-apps/${grantId}`],
    [`GET /workspaces/${workspaceId}/members`],
    [`GET /workspaces/${workspaceId}/invitations`],
    [`POST /workspaces/${workspaceId}/invitations`, { email: 'x@example.com' }],
    [`PATCH /workspaces/${workspaceId}`, { requireSecondFactor: false }],
    [`PATCH /workspaces/${workspaceId}/members/${owner.session.user.id}`, { role: 'member' }],
    [`DELETE /workspaces/${workspaceId}/members/${owner.session.user.id}`],
  ];
  for (const [route, body] of routes) {
    const { status, body: refused } = await tandem.call(route, body, { key: member.key });
    assert.equal([status, refused.reason], [403, 'second_factor_required'], route);
  }
  const leave = `DELETE /workspaces/${workspaceId}/members/${member.session.user.id}`;
  assert.is((await tandem.call(leave, undefined, { key: member.key })).status, 200);
});

test('an owner sets it, with a second factor of their own and a recent authentication', async () => {
  const { owner, workspaceId, key } = await withMember();
  assert.equal((await require(workspaceId, key)).body.reason, 'owner_required');
  const { body: moved } = await tandem.call('POST /auth/sessions/current/workspace', { workspaceId }, owner);
  assert.is((await require(workspaceId, moved.token)).body.reason, 'reauthentication_required');
  const bare = await newConfirmedAccount(tandem);
  assert.is((await require(bare.session.workspace.id, bare.key)).status, 409);
  const stranger = await newAccount(tandem);
  assert.is((await require(workspaceId, stranger.session.token)).status, 403);
});

test.run();

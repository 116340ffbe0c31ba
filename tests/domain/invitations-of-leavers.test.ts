import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { notOnCluster } from '../support/citus.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { hold, holdRow, releaseAll, untilBlocked } from '../support/locks.ts';
import { newAccount, type Person, password, temporaryDirectory, tokenInEmail } from '../support/people.ts';

const test = suite('invitations of owners who leave');
const onPostgres = notOnCluster(test, 'a lock of a row is one of the whole table there, or on one copy of it');
let tandem: TestService;
const directory = temporaryDirectory();

test.before(async () => {
  tandem = await startTestService({ DATA_DIR: directory.path });
});
test.after.each(releaseAll);
test.after(async () => {
  await tandem.close();
  directory.remove();
});

const as = (person: Person, route: string, body?: unknown): Promise<Answer> =>
  tandem.call(route, body, { key: person.session.token });
const accept = async (person: Person, email: string) =>
  as(person, 'POST /auth/invitations/accept', { invitationToken: await tokenInEmail(directory.path, email, 'Join') });

/** A workspace with two owners; the second one is still signed in to a workspace of their own. */
async function twoOwners() {
  const [owner, second] = [await newAccount(tandem), await newAccount(tandem)];
  const workspaceId = owner.session.workspace.id;
  const userId = second.session.user.id;
  const path = `/workspaces/${workspaceId}`;
  await as(owner, `POST ${path}/invitations`, { email: second.email, role: 'owner' });
  assert.is((await accept(second, second.email)).status, 200);
  const newEmail = () => `${crypto.randomUUID()}@example.com`;
  const invite = async (email = newEmail(), role = 'owner') => {
    const answer = await as(second, `POST ${path}/invitations`, { email, role, anyoneWithLink: true });
    return { email, answer };
  };
  const remove = () => as(owner, `DELETE ${path}/members/${userId}`);
  const demote = () => as(owner, `PATCH ${path}/members/${userId}`, { role: 'member' });
  const open = async () => (await as(owner, `GET ${path}/invitations`)).body.data.length;
  const roleOf = async (person: Person) => {
    const { body } = await as(owner, `GET ${path}/members`);
    return body.data.find(({ id }: { id: string }) => id === person.session.user.id)?.role ?? null;
  };
  return { owner, second, workspaceId, userId, path, invite, remove, demote, open, roleOf };
}

test('a removed owner does not come back by an invitation of their own', async () => {
  const { second, invite, remove, open, roleOf } = await twoOwners();
  const { email, answer } = await invite();
  assert.is(answer.status, 201);
  assert.is((await remove()).status, 200);
  assert.is(await open(), 0);
  const refused = await accept(second, email);
  assert.equal([refused.status, refused.body.param], [400, 'invitationToken']);
  assert.is(await roleOf(second), null);
});

test('a removed member does not come back by an older invitation to their address, those of others stay', async () => {
  const { owner, path, open } = await twoOwners();
  const guest = await newAccount(tandem);
  const [theirs, shared, other] = ['', '', ''].map(() => `${crypto.randomUUID()}@example.com`);
  await as(owner, `POST ${path}/invitations`, { email: guest.email.toUpperCase() });
  await as(owner, `POST ${path}/invitations`, { email: theirs, anyoneWithLink: true });
  await as(owner, `POST ${path}/invitations`, { email: shared, anyoneWithLink: true });
  await as(owner, `POST ${path}/invitations`, { email: other });
  assert.is((await accept(guest, String(theirs))).status, 200);
  const { id } = guest.session.user;
  assert.is((await as(owner, `DELETE ${path}/members/${id}`)).status, 200);
  const refused = await accept(guest, guest.email.toUpperCase());
  assert.equal([refused.status, refused.body.param], [400, 'invitationToken']);
  assert.is(await open(), 2);
});

test('an owner who becomes a member takes their invitations along, those of others stay', async () => {
  const { owner, path, second, invite, demote, open, roleOf } = await twoOwners();
  const { email } = await invite();
  const theirs = `${crypto.randomUUID()}@example.com`;
  await as(owner, `POST ${path}/invitations`, { email: theirs, anyoneWithLink: true });
  assert.is((await demote()).status, 200);
  assert.is(await open(), 1);
  assert.is((await accept(second, email)).status, 400);
  assert.is(await roleOf(second), 'member');
  assert.is((await accept(await newAccount(tandem), theirs)).status, 200);
});

test('an invitation is worth nothing while its inviter may not invite, for a newcomer as well', async () => {
  const lost = { removed: 'removed_at = now()', 'a member': `role = 'member'` };
  for (const [what, change] of Object.entries(lost)) {
    const { workspaceId, userId, invite } = await twoOwners();
    const { email } = await invite();
    // As if the invitation had been made beside the change.
    await tandem.db.rows(`update members set ${change} where workspace_id = $1 and user_id = $2`, [
      workspaceId,
      userId,
    ]);
    const guest = await newAccount(tandem);
    assert.is((await accept(guest, email)).status, 400, what);
    const invitationToken = await tokenInEmail(directory.path, email, 'Join');
    const newcomer = await tandem.call('POST /auth/accounts', { email, password, name: 'New', invitationToken });
    assert.equal([newcomer.status, newcomer.body.param], [400, 'invitationToken'], what);
  }
});

/** Stops the removal of a person between the membership and the credentials. */
async function stoppedRemoval({ remove, workspaceId, userId }: Awaited<ReturnType<typeof twoOwners>>) {
  const insert = `insert into credentials
      (workspace_id, id, kind, secret_hash, user_id, name, prefix, last4, scopes, rate_limit_per_minute)
    values ($1, $2, 'api_key', $4, $3, 'Held', 'x', 'x', array['todos:read'], 1)`;
  const id = crypto.randomUUID();
  await tandem.db.rows(insert, [workspaceId, id, userId, randomBytes(32)]);
  const held = await hold('select 1 from credentials where workspace_id = $1 and id = $2 for update', [
    workspaceId,
    id,
  ]);
  const removing = remove();
  await untilBlocked('update credentials set revoked_at%');
  return { held, removing };
}

onPostgres('an acceptance that runs during the removal of the inviter waits for it and is refused', async () => {
  const world = await twoOwners();
  const { email } = await world.invite();
  const { held, removing } = await stoppedRemoval(world);
  const accepting = accept(await newAccount(tandem), email);
  await untilBlocked('%members%for share%', accepting);
  await held.release();
  assert.is((await removing).status, 200);
  assert.is((await accepting).status, 400);
});

test('an acceptance that came first makes a removal wait, and both hold', async () => {
  const world = await twoOwners();
  const { second, invite, remove, roleOf } = world;
  const { email, answer } = await invite();
  const guest = await newAccount(tandem);
  const held = await holdRow('invitations', answer.body.id);
  const accepting = accept(guest, email);
  await untilBlocked('update invitations set accepted_at%');
  const removing = remove();
  await untilBlocked('select user_id as id from members%for update', removing);
  await held.release();
  assert.is((await accepting).status, 200);
  assert.is((await removing).status, 200);
  assert.equal([await roleOf(second), await roleOf(guest)], [null, 'owner']);
});

onPostgres('an invitation made during the removal of the inviter waits for it and is refused', async () => {
  const world = await twoOwners();
  const { held, removing } = await stoppedRemoval(world);
  const inviting = world.invite();
  await untilBlocked('%members%for share%', inviting);
  await held.release();
  assert.is((await removing).status, 200);
  const { answer } = await inviting;
  assert.equal([answer.status, answer.body.code], [403, 'workspace_access_denied']);
  assert.is(await world.open(), 0);
});

test.run();

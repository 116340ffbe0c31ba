import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { hold, holdWorkspace, releaseAll, untilAllBlocked, untilBlocked } from '../support/locks.ts';
import { newAccount, type Person, password } from '../support/people.ts';

const test = suite('changes of members at once');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after.each(releaseAll);
test.after(() => tandem.close());

const as = (person: Person, route: string, body?: unknown): Promise<Answer> =>
  tandem.call(route, body, { key: person.session.token });

/** A workspace with two owners and a member, who are signed in elsewhere. */
async function threePeople() {
  const owner = await newAccount(tandem);
  const path = `/workspaces/${owner.session.workspace.id}`;
  const join = async (role: string) => {
    const person = await newAccount(tandem);
    const { body } = await as(owner, `POST ${path}/invitations`, { email: person.email, role, anyoneWithLink: true });
    const invitationToken = /#token=([\w-]+)/.exec(body.link)?.[1];
    assert.is((await as(person, 'POST /auth/invitations/accept', { invitationToken })).status, 200);
    return person;
  };
  const [second, member] = [await join('owner'), await join('member')];
  const of = (person: Person) => `${path}/members/${person.session.user.id}`;
  return { owner, second, member, path, of };
}

/** Sends requests while the owners of a workspace are locked: the first comes first once they are free. */
async function oneAfterTheOther(owner: Person, requests: (() => Promise<Answer>)[]): Promise<Answer[]> {
  const held = await hold(`select 1 from members where workspace_id = $1 and user_id = $2 for update`, [
    owner.session.workspace.id,
    owner.session.user.id,
  ]);
  const sent: Promise<Answer>[] = [];
  for (const request of requests) {
    sent.push(request());
    await untilAllBlocked(sent.length, 'select user_id as id from members%for update');
  }
  await held.release();
  return Promise.all(sent);
}

const recorded = `select id from events where workspace_id = $1 and type = $2
  union select id from event_queue where workspace_id = $1 and type = $2`;

/** How many events of a type the workspace of an owner has, with those that have no number yet. */
async function eventsOf(owner: Person, type: string): Promise<number> {
  return (await tandem.db.rows(recorded, [owner.session.workspace.id, type])).length;
}

test('an owner who was removed meanwhile removes nobody any more', async () => {
  const { owner, second, member, path, of } = await threePeople();
  const [removal, late] = await oneAfterTheOther(owner, [
    () => as(owner, `DELETE ${of(second)}`),
    () => as(second, `DELETE ${of(member)}`),
  ]);
  assert.is(removal?.status, 200);
  assert.equal([late?.status, late?.body.code], [403, 'workspace_access_denied']);
  const { body } = await as(owner, `GET ${path}/members`);
  assert.equal(
    body.data.map(({ id }: { id: string }) => id),
    [owner, member].map(({ session }) => session.user.id),
  );
});

test('an owner who became a member meanwhile takes no role of others', async () => {
  const { owner, second, of } = await threePeople();
  const [change, late] = await oneAfterTheOther(owner, [
    () => as(owner, `PATCH ${of(second)}`, { role: 'member' }),
    () => as(second, `PATCH ${of(owner)}`, { role: 'member' }),
  ]);
  assert.is(change?.status, 200);
  assert.equal([late?.status, late?.body.reason], [403, 'owner_required']);
});

test('an owner who became a member meanwhile changes no settings', async () => {
  const { owner, second, path, of } = await threePeople();
  const held = await holdWorkspace(owner.session.workspace.id);
  const late = as(second, `PATCH ${path}`, { name: 'Mine' });
  await untilAllBlocked(1, 'select 1 from workspaces%for no key update');
  assert.is((await as(owner, `PATCH ${of(second)}`, { role: 'member' })).status, 200);
  await held.release();
  assert.equal([(await late).status, (await late).body.reason], [403, 'owner_required']);
});

test('an owner who became a member meanwhile withdraws no invitation', async () => {
  const { owner, second, path, of } = await threePeople();
  const invitation = { email: 'eve@example.com', role: 'member', anyoneWithLink: true };
  const { id } = (await as(owner, `POST ${path}/invitations`, invitation)).body;
  const held = await hold('select 1 from members where workspace_id = $1 and user_id = $2 for update', [
    owner.session.workspace.id,
    second.session.user.id,
  ]);
  const demoted = as(owner, `PATCH ${of(second)}`, { role: 'member' });
  await untilAllBlocked(1, 'select user_id as id from members%for update');
  const late = as(second, `DELETE ${path}/invitations/${id}`);
  await untilBlocked('select 1 from members%for share', late);
  await held.release();
  assert.is((await demoted).status, 200);
  assert.equal([(await late).status, (await late).body.reason], [403, 'owner_required']);
});

test('of two invitations of an address at once one is valid', async () => {
  const { owner, second, path } = await threePeople();
  const held = await holdWorkspace(owner.session.workspace.id);
  const invitation = { email: 'eve@example.com', role: 'member' };
  const both = [owner, second].map((person) => as(person, `POST ${path}/invitations`, invitation));
  await untilBlocked('select 1 from workspaces%for no key update', Promise.all(both));
  await held.release();
  assert.equal(
    (await Promise.all(both)).map(({ status }) => status),
    [201, 201],
  );
  const { data } = (await as(owner, `GET ${path}/invitations`)).body;
  assert.is(data.filter(({ email }: { email: string }) => email === invitation.email).length, 1);
});

test('the end of all other sessions waits for one that is being replaced, and ends what replaces it', async () => {
  const { owner, member } = await threePeople();
  const { token } = (await tandem.call('POST /auth/sessions', { email: member.email, password })).body;
  // The new session waits here, after the last of its locks.
  const held = await hold('lock table push_subscriptions in share mode');
  const { id: workspaceId } = owner.session.workspace;
  const replaced = tandem.call('POST /auth/sessions/current/workspace', { workspaceId }, { key: token });
  await untilBlocked('update push_subscriptions%', replaced);
  const ending = as(member, 'DELETE /auth/sessions');
  await untilBlocked('%from members%for no key update', ending);
  await held.release();
  assert.equal([(await replaced).status, (await ending).status], [201, 200], (await replaced).text);
  assert.equal(
    (await ending).body.data.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent),
    [true],
  );
});

test('a member whom two owners remove is removed once', async () => {
  const { owner, second, member, of } = await threePeople();
  const answers = await oneAfterTheOther(owner, [
    () => as(owner, `DELETE ${of(member)}`),
    () => as(second, `DELETE ${of(member)}`),
  ]);
  assert.equal(
    answers.map(({ status }) => status),
    [200, 404],
  );
  assert.is(await eventsOf(owner, 'member.removed'), 1);
});

test('a role that two owners change is changed once', async () => {
  const { owner, second, member, of } = await threePeople();
  assert.is((await as(owner, `PATCH ${of(member)}`, { role: 'owner' })).status, 200);
  const demote = { role: 'member' };
  const answers = await oneAfterTheOther(owner, [
    () => as(owner, `PATCH ${of(member)}`, demote),
    () => as(second, `PATCH ${of(member)}`, demote),
  ]);
  assert.equal(
    answers.map(({ status, body }) => [status, body.role]),
    [
      [200, 'member'],
      [200, 'member'],
    ],
  );
  assert.is(await eventsOf(owner, 'member.changed'), 2);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { newAccount, type Person } from '../support/people.ts';
import { brief, doing, recordedEvents } from '../support/recorded-events.ts';

const test = suite('events of workspaces and members');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

/** What a person does, with the events in a workspace: their first one unless another is named. */
function acting(person: Person, workspaceId = person.session.workspace.id) {
  const who = { workspaceId, key: person.session.token };
  const path = `/workspaces/${workspaceId}`;
  const act = (route: string, body?: unknown, more?: Parameters<typeof doing>[4]) =>
    doing(tandem, who, route, body, more);
  return { act, path, workspaceId, userId: person.session.user.id };
}

const invitation = { role: 'member', anyoneWithLink: true };
const tokenOf = (link: string) => /#token=([\w-]+)/.exec(link)?.[1] ?? '';

test('an account begins with a workspace, its member, its list and its agent, by the new person', async () => {
  const person = await newAccount(tandem);
  const { workspace, user } = person.session;
  const events = await recordedEvents(tandem, workspace.id);
  assert.equal(
    events.map(({ type, actorType, actorId, via }) => [type, actorType, actorId, via]),
    ['workspace.created', 'member.added', 'todo_list.created', 'agent.created'].map((type) => [
      type,
      'user',
      user.id,
      'rest',
    ]),
  );
  assert.equal(events.slice(0, 2).map(brief), [
    ['workspace.created', workspace.id],
    ['member.added', user.id],
  ]);
  const { body } = await tandem.call('POST /workspaces', { name: 'Second' }, { key: person.session.token });
  const second = await recordedEvents(tandem, body.id);
  assert.equal(
    second.map(({ type }) => type),
    events.map(({ type }) => type),
  );
  assert.is(second[0]?.credentialId, person.session.id);
});

test('a workspace names the settings that changed', async () => {
  const { act, path, workspaceId } = acting(await newAccount(tandem));
  const changed = await act(`PATCH ${path}`, { name: 'New', timezone: 'Europe/Berlin' });
  assert.equal(changed.events, [['workspace.updated', workspaceId, 'name', 'timezone']]);
  assert.equal((await act(`PATCH ${path}`, { name: 'New' })).events, []);
  const other = await newAccount(tandem);
  const foreign = acting(other, workspaceId);
  assert.equal((await foreign.act(`PATCH ${path}`, { name: 'Mine' }, { status: 403 })).events, []);
});

test('an invitation is made, replaced, withdrawn and accepted', async () => {
  const [owner, guest] = [await newAccount(tandem), await newAccount(tandem)];
  const { act, path, workspaceId } = acting(owner);
  const invite = () => act(`POST ${path}/invitations`, { ...invitation, email: guest.email }, { status: 201 });
  const first = await invite();
  assert.equal(first.events, [['invitation.created', first.body.id]]);
  const second = await invite();
  assert.equal(second.events, [
    ['invitation.revoked', first.body.id],
    ['invitation.created', second.body.id],
  ]);
  const revoked = await act(`DELETE ${path}/invitations/${second.body.id}`);
  assert.equal(revoked.events, [['invitation.revoked', second.body.id]]);
  assert.equal((await act(`DELETE ${path}/invitations/${second.body.id}`, undefined, { status: 404 })).events, []);
  const third = await invite();
  const theirs = acting(guest, workspaceId);
  const token = { invitationToken: tokenOf(third.body.link) };
  const accepted = await theirs.act('POST /auth/invitations/accept', token);
  const guestId = guest.session.user.id;
  assert.equal(accepted.events, [
    ['invitation.accepted', third.body.id],
    ['member.added', guestId],
  ]);
  assert.is(accepted.recorded[1]?.actorId, guestId);
  assert.equal((await theirs.act('POST /auth/invitations/accept', token, { status: 400 })).events, []);
});

test('the workspace of a guest shows neither who invites nor with what', async () => {
  const [owner, guest] = [await newAccount(tandem), await newAccount(tandem)];
  const { act, path } = acting(owner);
  await act(`POST ${path}/invitations`, { ...invitation, email: guest.email }, { status: 201 });
  const [event, ...more] = (await recordedEvents(tandem, guest.session.workspace.id)).slice(4);
  assert.equal(more, []);
  assert.equal([event?.type, event?.readerId], ['notification.created', guest.session.user.id]);
  assert.equal(
    [event?.actorType, event?.actorId, event?.credentialId, event?.requestId],
    ['service', null, null, null],
  );
});

test('an account made with an invitation joins by itself; who is a member already is not added again', async () => {
  const owner = await newAccount(tandem);
  const { act, path, workspaceId } = acting(owner);
  const invite = () => act(`POST ${path}/invitations`, { ...invitation, email: 'ada@example.com' }, { status: 201 });
  const { body } = await invite();
  const guest = await newAccount(tandem, { invitationToken: tokenOf(body.link) });
  const guestId = guest.session.user.id;
  const joined = (await recordedEvents(tandem, workspaceId)).slice(-2);
  assert.equal(joined.map(brief), [
    ['invitation.accepted', body.id],
    ['member.added', guestId],
  ]);
  assert.equal(
    joined.map(({ actorId }) => actorId),
    [guestId, guestId],
  );
  const { body: again } = await invite();
  const twice = await acting(guest, workspaceId).act('POST /auth/invitations/accept', {
    invitationToken: tokenOf(again.link),
  });
  assert.is(twice.body.id, workspaceId);
  assert.equal(twice.events, []);
});

test('a role that changes ends what an owner alone may do; a removal ends all access', async () => {
  const [owner, guest] = [await newAccount(tandem), await newAccount(tandem)];
  const { act, path, workspaceId } = acting(owner);
  const { body: invited } = await act(
    `POST ${path}/invitations`,
    { ...invitation, email: guest.email },
    { status: 201 },
  );
  const guestId = guest.session.user.id;
  const theirs = acting(guest, workspaceId);
  await theirs.act('POST /auth/invitations/accept', { invitationToken: tokenOf(invited.link) });
  const member = `${path}/members/${guestId}`;
  assert.equal((await act(`PATCH ${member}`, { role: 'owner' })).events, [['member.changed', guestId, 'role']]);
  assert.equal((await act(`PATCH ${member}`, { role: 'owner' })).events, []);
  const made = await theirs.act(
    `POST ${path}/invitations`,
    { ...invitation, email: 'bo@example.com' },
    { status: 201 },
  );
  assert.equal((await act(`PATCH ${member}`, { role: 'member' })).events, [
    ['member.changed', guestId, 'role'],
    ['invitation.revoked', made.body.id],
  ]);
  const key = { workspaceId, name: 'Theirs', scopes: ['todos:read'] };
  const { body: apiKey } = await theirs.act('POST /api-keys', key, { status: 201 });
  assert.equal((await act(`DELETE ${member}`)).events, [
    ['member.removed', guestId],
    ['api_key.revoked', apiKey.id, 'revokedAt'],
  ]);
  assert.equal((await act(`DELETE ${member}`, undefined, { status: 404 })).events, []);
  const last = `${path}/members/${owner.session.user.id}`;
  assert.equal((await act(`DELETE ${last}`, undefined, { status: 409 })).events, []);
});

test.run();

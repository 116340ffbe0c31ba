import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { newAccount, type Person, temporaryDirectory, tokenInEmail } from '../support/people.ts';

const test = suite('workspaces and members');
let tandem: TestService;
const directory = temporaryDirectory();

test.before(async () => {
  tandem = await startTestService({ DATA_DIR: directory.path });
});
test.after(async () => {
  await tandem.close();
  directory.remove();
});

const as = (person: Person, route: string, body?: unknown): Promise<Answer> =>
  tandem.call(route, body, { key: person.session.token });

/** The token of the newest invitation of an address. */
const invitationOf = (email: string) => tokenInEmail(directory.path, email, 'Join');

/** An owner with a workspace that a second person joined by invitation. */
async function pair(role = 'member') {
  const [owner, member] = [await newAccount(tandem), await newAccount(tandem)];
  const workspaceId = owner.session.workspace.id;
  const invited = await as(owner, `POST /workspaces/${workspaceId}/invitations`, { email: member.email, role });
  assert.is(invited.status, 201);
  const joined = await as(member, 'POST /auth/invitations/accept', {
    invitationToken: await invitationOf(member.email),
  });
  assert.is(joined.status, 200);
  return { owner, member, workspaceId };
}

test('an invited person joins once by the link of the email and is listed with the role given', async () => {
  const { owner, member, workspaceId } = await pair();
  const { body: list } = await as(owner, `GET /workspaces/${workspaceId}/members`);
  assert.equal(
    list.data.map(({ id, role }: { id: string; role: string }) => [id, role]),
    [
      [owner.session.user.id, 'owner'],
      [member.session.user.id, 'member'],
    ],
  );
  const { body: mine } = await as(member, 'GET /workspaces');
  assert.equal(
    mine.data.map((each: { id: string }) => each.id).sort(),
    [workspaceId, member.session.workspace.id].sort(),
  );
  const again = await as(member, 'POST /auth/invitations/accept', {
    invitationToken: await invitationOf(member.email),
  });
  assert.is(again.status, 400);
  assert.is(again.body.param, 'invitationToken');
});

test('a newcomer signs up straight into the workspace that invited', async () => {
  const owner = await newAccount(tandem);
  const workspaceId = owner.session.workspace.id;
  const email = `${crypto.randomUUID()}@example.com`;
  await as(owner, `POST /workspaces/${workspaceId}/invitations`, { email });
  const body = {
    email,
    password: 'correct horse battery staple',
    name: 'New',
    invitationToken: await invitationOf(email),
  };
  const up = await tandem.call('POST /auth/accounts', body);
  assert.is(up.body.workspace.id, workspaceId);
  assert.is(up.body.user.role, 'member');
});

test('a session moves to another workspace of the person, and its old token ends', async () => {
  const { owner, member, workspaceId } = await pair();
  await as(owner, 'POST /todos', { title: 'Shared' });
  const moved = await as(member, 'POST /auth/sessions/current/workspace', { workspaceId });
  assert.is(moved.status, 201);
  assert.is((await as(member, 'GET /me')).status, 401);
  const { body: todos } = await tandem.call('GET /todos', undefined, { key: moved.body.token });
  assert.is(todos.data[0].title, 'Shared');
  const foreign = (await newAccount(tandem)).session.workspace.id;
  const refused = await tandem.call(
    'POST /auth/sessions/current/workspace',
    { workspaceId: foreign },
    { key: moved.body.token },
  );
  assert.is(refused.body.code, 'workspace_access_denied');
  assert.is((await tandem.call('GET /me', undefined, { key: moved.body.token })).status, 200);
});

test('a session that moves to another workspace ends when it would have ended', async () => {
  const { session } = await newAccount(tandem);
  const { body: other } = await tandem.call('POST /workspaces', { name: 'Other' }, { key: session.token });
  const shorten = `update credentials set expires_at = now() + interval '1 day' where workspace_id = $1 and id = $2
    returning expires_at as "expiresAt"`;
  const [due] = await tandem.db.rows<{ expiresAt: string }>(shorten, [session.workspace.id, session.id]);
  const { body: moved } = await tandem.call(
    'POST /auth/sessions/current/workspace',
    { workspaceId: other.id },
    { key: session.token },
  );
  assert.is(moved.expiresAt, due?.expiresAt);
  const { body: me } = await tandem.call('GET /me', undefined, { key: moved.token });
  assert.is(me.credential.expiresAt, due?.expiresAt);
});

test('removing a member ends their sessions and keys in the workspace at once, and only there', async () => {
  const { owner, member, workspaceId } = await pair();
  const { body: moved } = await as(member, 'POST /auth/sessions/current/workspace', { workspaceId });
  const key = { workspaceId, name: 'Theirs', scopes: ['todos:read'] };
  const { body: made } = await tandem.call('POST /api-keys', key, { key: moved.token });
  const { body: home } = await tandem.call('POST /auth/sessions', {
    email: member.email,
    password: 'correct horse battery staple',
    workspaceId: member.session.workspace.id,
  });
  const removed = await as(owner, `DELETE /workspaces/${workspaceId}/members/${member.session.user.id}`);
  assert.equal(removed.body, { object: 'deleted', id: member.session.user.id, deleted: true, recoverable: false });
  for (const dead of [moved.token, made.secret])
    assert.is((await tandem.call('GET /me', undefined, { key: dead })).status, 401);
  assert.is((await tandem.call('GET /me', undefined, { key: home.token })).status, 200);
  const again = await as(owner, `POST /workspaces/${workspaceId}/invitations`, { email: member.email });
  assert.is(again.status, 201);
  await tandem.call(
    'POST /auth/invitations/accept',
    { invitationToken: await invitationOf(member.email) },
    { key: home.token },
  );
  assert.is(
    (await tandem.call('GET /me', undefined, { key: made.secret })).status,
    401,
    'a key does not come back with its owner',
  );
});

test('only owners invite, remove others, change roles and the workspace; members may leave', async () => {
  const { owner, member, workspaceId } = await pair();
  const routes: [string, unknown][] = [
    [`PATCH /workspaces/${workspaceId}`, { name: 'Mine now' }],
    [`POST /workspaces/${workspaceId}/invitations`, { email: 'x@example.com' }],
    [`PATCH /workspaces/${workspaceId}/members/${member.session.user.id}`, { role: 'owner' }],
    [`DELETE /workspaces/${workspaceId}/members/${owner.session.user.id}`, undefined],
  ];
  for (const [route, body] of routes) {
    const refused = await as(member, route, body);
    assert.is(refused.status, 403, route);
    assert.is(refused.body.reason, 'owner_required');
  }
  assert.is((await as(member, `DELETE /workspaces/${workspaceId}/members/${member.session.user.id}`)).status, 200);
  assert.is((await as(member, `GET /workspaces/${workspaceId}/members`)).body.code, 'workspace_access_denied');
});

test('a workspace keeps an owner, even when two owners leave in the same moment', async () => {
  const { owner, member, workspaceId } = await pair('owner');
  const leave = (person: Person) => as(person, `DELETE /workspaces/${workspaceId}/members/${person.session.user.id}`);
  const left = await Promise.all([leave(owner), leave(member)]);
  assert.equal(left.map((each) => each.status).sort(), [200, 409]);
  const last = left[0]?.status === 200 ? member : owner;
  const demoted = await as(last, `PATCH /workspaces/${workspaceId}/members/${last.session.user.id}`, {
    role: 'member',
  });
  assert.is([409, 401].includes(demoted.status), true);
});

test('ids in capitals are the same ids: the last owner stays, and a member may leave', async () => {
  const { owner, member, workspaceId } = await pair();
  const route = (person: Person) => `/workspaces/${workspaceId}/members/${person.session.user.id.toUpperCase()}`;
  assert.is((await as(owner, `PATCH ${route(owner)}`, { role: 'member' })).status, 409);
  assert.is((await as(owner, `DELETE ${route(owner)}`)).status, 409);
  const left = await as(member, `DELETE ${route(member)}`);
  assert.equal([left.status, left.body.id], [200, member.session.user.id]);
});

test('a withdrawn, replaced or expired invitation opens nothing', async () => {
  const [owner, guest] = [await newAccount(tandem), await newAccount(tandem)];
  const path = `/workspaces/${owner.session.workspace.id}/invitations`;
  const accept = async (invitationToken: string) =>
    (await as(guest, 'POST /auth/invitations/accept', { invitationToken })).status;
  const { body: first } = await as(owner, `POST ${path}`, { email: guest.email });
  const firstToken = await invitationOf(guest.email);
  assert.is((await as(owner, `DELETE ${path}/${first.id}`)).status, 200);
  assert.is((await as(owner, `DELETE ${path}/${first.id}`)).status, 404);
  assert.is(await accept(firstToken), 400);
  const { body: second } = await as(owner, `POST ${path}`, { email: guest.email });
  await tandem.db.rows(`update invitations set expires_at = now() where id = $1`, [second.id]);
  assert.is((await as(owner, `GET ${path}`)).body.data.length, 0);
  assert.is(await accept('no-such-token'), 400);
});

test('a workspace is renamed and its time zone set; a zone that does not exist is refused', async () => {
  const owner = await newAccount(tandem);
  const route = `PATCH /workspaces/${owner.session.workspace.id}`;
  const { body } = await as(owner, route, { name: 'Studio', timezone: 'Europe/Berlin' });
  assert.is(body.name, 'Studio');
  assert.is(body.timezone, 'Europe/Berlin');
  assert.is((await as(owner, route, { timezone: 'Mars/Olympus' })).body.param, 'timezone');
  const { body: made } = await as(owner, 'POST /workspaces', { name: 'Second' });
  assert.is(made.role, 'owner');
  assert.is((await as(owner, 'GET /workspaces')).body.data.length, 2);
});

test('a person owns at most 100 workspaces, however many they ask for at once', async () => {
  const owner = await newAccount(tandem);
  const make = () => as(owner, 'POST /workspaces', { name: 'Another' });
  const more = `with made as (insert into workspaces (id, name, agent_minutes)
      select gen_random_uuid(), 'Earlier', 0 from generate_series(1, 98) returning id)
    insert into members (workspace_id, user_id, role) select id, $1, 'owner' from made`;
  await tandem.db.rows(more, [owner.session.user.id]);
  const answers = await Promise.all([make(), make(), make()]);
  assert.equal(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  const refused = await make();
  assert.equal([refused.status, refused.body.code], [409, 'resource_conflict']);
  const leave = `update members set role = 'member' where workspace_id = $1 and user_id = $2`;
  await tandem.db.rows(leave, [owner.session.workspace.id, owner.session.user.id]);
  assert.is((await make()).status, 201);
});

test('agent minutes come with the first workspace of a person, and with others only where the setting says so', async () => {
  const minutesOf = async (service: TestService) => {
    const person = await newAccount(service);
    const { token, workspace } = person.session;
    const make = () => service.call('POST /workspaces', { name: 'Another' }, { key: token });
    const others = await Promise.all([make(), make()]);
    for (const { body } of others) {
      const granted = `select coalesce(sum(minutes), 0)::float8 as sum from minute_entries where workspace_id = $1`;
      assert.equal([...(await service.db.rows(granted, [body.id]))], [{ sum: body.agentMinutesRemaining }]);
    }
    const { body: me } = await service.call('GET /me', undefined, { key: token });
    assert.is(me.workspace.id, workspace.id);
    return [me.workspace.agentMinutesRemaining, ...others.map(({ body }) => body.agentMinutesRemaining)];
  };
  assert.equal(await minutesOf(tandem), [600, 0, 0]);
  const generous = await startTestService({ AGENT_MINUTES: '100', AGENT_MINUTES_PER_WORKSPACE: '20' });
  assert.equal(await minutesOf(generous), [100, 20, 20]);
  await generous.close();
});

test.run();

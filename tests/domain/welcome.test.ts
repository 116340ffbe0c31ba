import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newWelcomeLink } from '../../domain/sign-in/welcome.ts';
import { notOnCluster } from '../support/citus.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { newAccount, password, temporaryDirectory, tokenInEmail } from '../support/people.ts';
import { brief, recordedEvents } from '../support/recorded-events.ts';
import { openWelcome } from '../support/welcome.ts';

const test = suite('taking the first workspace');
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

const newAddress = () => `${crypto.randomUUID()}@example.com`;
const take = (token: string, more: Record<string, unknown> = {}): Promise<Answer> =>
  tandem.call('POST /auth/welcome', { token, name: 'Ada', email: newAddress(), password, ...more });

test('the link makes a person the owner of what the key made; the key stays valid, and the password signs in', async () => {
  const { token, key, workspaceId, userId } = await openWelcome(tandem);
  const { body: todo } = await tandem.call('POST /todos', { title: 'Made by the key' }, { key });
  const { body: before } = await tandem.call('GET /me', undefined, { key });
  assert.equal(before.user, { object: 'user', id: userId, name: 'Owner', email: '', role: 'owner' });
  const email = newAddress();
  const { status, body } = await take(token, { email, timezone: 'Europe/Berlin' });
  assert.is(status, 201, JSON.stringify(body));
  const { id, token: session, expiresAt, ...rest } = body;
  assert.equal(rest, {
    object: 'session',
    user: { object: 'user', id: userId, name: 'Ada', email, role: 'owner' },
    workspace: {
      object: 'workspace',
      id: workspaceId,
      name: 'My workspace',
      timezone: 'Europe/Berlin',
      agentMinutesRemaining: 600,
    },
  });
  const seen = await tandem.call(`GET /todos/${todo.id}`, undefined, { key: session });
  assert.equal(seen.body.assignees, [{ ...seen.body.assignees[0], id: userId, name: 'Ada' }]);
  assert.is((await tandem.call('GET /me', undefined, { key })).body.user.email, email);
  assert.is((await tandem.call('POST /auth/sessions', { email, password })).status, 201);
});

test('what taking it changes of the workspace and its owner is in the log, by the owner', async () => {
  const { token, workspaceId, userId } = await openWelcome(tandem);
  const { headers } = await take(token, { timezone: 'Europe/Berlin' });
  const events = await recordedEvents(tandem, workspaceId);
  assert.equal(events.map(brief), [
    ['workspace.updated', workspaceId, 'timezone'],
    ['member.changed', userId, 'name', 'email'],
  ]);
  assert.equal(
    events.map(({ actorType, actorId }) => [actorType, actorId]),
    Array(2).fill(['user', userId]),
  );
  assert.is(headers.get('tandem-event'), events.at(-1)?.id);
  const kept = await openWelcome(tandem);
  await take(kept.token, { name: 'Owner', timezone: 'UTC' });
  assert.equal((await recordedEvents(tandem, kept.workspaceId)).map(brief), [['member.changed', kept.userId, 'email']]);
});

test('a link works once, the newest only, and for 24 hours; each refusal reads the same', async () => {
  const { token: replaced } = await openWelcome(tandem);
  const { token: expired } = await openWelcome(tandem);
  const age = 'update welcome_links set expires_at = now() - interval $$1 second$$';
  const life = `select extract(epoch from expires_at - created_at)::int as seconds from welcome_links`;
  assert.equal(await tandem.db.rows(life, []), [{ seconds: 86_400 }]);
  const refusals = [await take(replaced), await take('never-made')];
  await tandem.db.rows(age, []);
  refusals.push(await take(expired));
  const { token } = await openWelcome(tandem);
  assert.is((await take(token)).status, 201);
  refusals.push(await take(token));
  for (const { status, body } of refusals) {
    assert.is(status, 400);
    assert.equal({ ...body, requestId: '' }, { ...refusals[0]?.body, requestId: '' });
    assert.is(body.param, 'token');
  }
  assert.is(await newWelcomeLink(tandem.db, 'https://tandem.test'), null, 'nobody else can take it');
});

test('the token is stored as a hash only', async () => {
  const { token } = await openWelcome(tandem);
  const [row] = await tandem.db.rows<{ text: string }>('select welcome_links::text as text from welcome_links', []);
  assert.not.ok(row?.text.includes(token));
  assert.not.ok(row?.text.includes(Buffer.from(token).toString('hex')));
  assert.is((await take(token)).status, 201);
});

test('of two people with the same link one takes the workspace, and the other gets a clear 400', async () => {
  const { token, userId } = await openWelcome(tandem);
  const holder = await hold('select 1 from welcome_links where user_id = $1 for update', [userId]);
  const both = [take(token, { name: 'Ada' }), take(token, { name: 'Grace' })];
  await untilBlocked('delete from welcome_links%');
  await holder.release();
  const answers = await Promise.all(both);
  assert.equal(answers.map(({ status }) => status).sort(), [201, 400]);
  assert.match(answers.find(({ status }) => status === 400)?.body.message, /not valid, or was used or replaced/);
  const winner = answers.find(({ status }) => status === 201)?.body.user.name;
  assert.equal(await tandem.db.rows('select name from users where id = $1', [userId]), [{ name: winner }]);
});

test('the rules of passwords and addresses are those of a sign-up, and a refusal leaves the link valid', async () => {
  const { token } = await openWelcome(tandem);
  const taken = await newAccount(tandem);
  const refused: [more: Record<string, unknown>, status: number, param: string][] = [
    [{ password: 'short' }, 400, 'password'],
    [{ password: 'passwordpassword' }, 400, 'password'],
    [{ email: 'nobody' }, 400, 'email'],
    [{ email: '' }, 400, 'email'],
    [{ name: ' ' }, 400, 'name'],
    [{ timezone: 'Mars/Base' }, 400, 'timezone'],
    [{ email: taken.email.toUpperCase() }, 409, 'email'],
  ];
  for (const [more, status, param] of refused) {
    const answer = await take(token, more);
    assert.equal([answer.status, answer.body.param], [status, param], JSON.stringify(more));
  }
  assert.is((await take(token)).status, 201);
});

onPostgres('an address that another sign-up takes at the same moment is a 409, here and there', async () => {
  const { token } = await openWelcome(tandem);
  const other = `insert into users (id, email, name, password_hash) values (gen_random_uuid(), $1, 'Eve', 'none')`;
  const tries: [statement: string, call: (email: string) => Promise<Answer>][] = [
    ['update users set name%', (email) => take(token, { email })],
    ['insert into "users"%', (email) => tandem.call('POST /auth/accounts', { email, password, name: 'Ada' })],
  ];
  for (const [statement, call] of tries) {
    const email = newAddress();
    const first = await hold(other, [email]);
    const second = call(email);
    await untilBlocked(statement, second);
    await first.also('commit', []);
    await first.release();
    const { status, body } = await second;
    assert.equal([status, body.param], [409, 'email'], statement);
  }
  assert.is((await take(token)).status, 201, 'the link is still valid');
});

test('tries count like sign-ins: an address gets so many, whatever the link', async () => {
  const email = newAddress();
  const statuses: number[] = [];
  for (let tries = 0; tries < 11; tries++) statuses.push((await take('never-made', { email })).status);
  assert.equal(statuses, [...Array(10).fill(400), 429]);
});

test('nobody signs in as, invites or resets the owner without address', async () => {
  await openWelcome(tandem);
  for (const route of ['POST /auth/sessions', 'POST /auth/password-resets']) {
    const { status, body } = await tandem.call(route, { email: '', password: '' });
    assert.equal([status, body.param], [400, 'email'], route);
  }
});

test('where addresses have to be confirmed, the new owner gets the email for it', async () => {
  const strict = await startTestService({ DATA_DIR: directory.path, REQUIRE_VERIFIED_EMAIL: 'true' });
  try {
    const { token, workspaceId } = await openWelcome(strict);
    const email = newAddress();
    const { body } = await strict.call('POST /auth/welcome', { token, name: 'Ada', email, password });
    const key = { key: body.token };
    const newKey = { workspaceId, name: 'Program', scopes: ['todos:read'] };
    assert.is((await strict.call('POST /api-keys', newKey, key)).body.reason, 'email_not_verified');
    const verify = { token: await tokenInEmail(directory.path, email, 'Confirm') };
    assert.is((await strict.call('POST /auth/email-verification/confirm', verify)).status, 200);
    assert.is((await strict.call('POST /api-keys', newKey, key)).status, 201);
  } finally {
    await strict.close();
  }
});

test.run();

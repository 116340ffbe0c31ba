import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { openMailServer } from '../support/mail-server.ts';
import { newAccount, type Person, password, temporaryDirectory, tokenInEmail } from '../support/people.ts';
import { createServiceDatabase } from '../support/scratch.ts';

const test = suite('invitations and their address');
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
const newEmail = () => `${crypto.randomUUID()}@example.com`;

/** An owner, and an invitation of theirs. */
async function invitation(request: { email: string; role?: string; anyoneWithLink?: boolean }) {
  const owner = await newAccount(tandem);
  const path = `/workspaces/${owner.session.workspace.id}`;
  const answer = await as(owner, `POST ${path}/invitations`, request);
  assert.is(answer.status, 201, answer.text);
  const invitationToken = await tokenInEmail(directory.path, request.email, 'Join');
  const members = async (): Promise<string[]> => {
    const { body } = await as(owner, `GET ${path}/members`);
    return body.data.map(({ email }: { email: string }) => email);
  };
  return { owner, path, invitation: answer.body, invitationToken, members };
}

const accept = (person: Person, invitationToken: string) =>
  as(person, 'POST /auth/invitations/accept', { invitationToken });
const signUp = (email: string, invitationToken: string) =>
  tandem.call('POST /auth/accounts', { email, password, name: 'New', invitationToken });

/** Holds a refusal to what it must say, and must not. */
function assertRefused({ status, body, text }: Answer, email: string): void {
  assert.is(status, 403, text);
  assert.is(body.code, 'workspace_access_denied');
  assert.is(body.reason, 'invitation_for_another_address');
  assert.is(body.param, 'invitationToken');
  assert.match(body.message, /^This invitation is for another address\./);
  assert.not.match(text.toLowerCase(), email.toLowerCase());
}

test('it is accepted by the account of its address alone, in any spelling, and a refusal does not use it up', async () => {
  const guest = await newAccount(tandem);
  const { invitationToken, members } = await invitation({ email: guest.email.toUpperCase() });
  const other = await newAccount(tandem);
  assertRefused(await accept(other, invitationToken), guest.email);
  assert.not.ok((await members()).includes(other.email));
  assert.is((await accept(guest, invitationToken)).status, 200);
  assert.ok((await members()).includes(guest.email));
});

test('a workspace makes 200 invitations in an hour, and an address gets 20 from all', async () => {
  const [owner, other] = [await newAccount(tandem), await newAccount(tandem)];
  const invite = (by: Person, email: string) =>
    as(by, `POST /workspaces/${by.session.workspace.id}/invitations`, { email });
  const earlier = `insert into invitations (workspace_id, id, email, role, token_hash, invited_by, created_at, expires_at, revoked_at)
    select $1, gen_random_uuid(), coalesce($3, n || '@example.com'), 'member', sha256(random()::text::bytea), $2,
      now() - interval '20 minutes', now() + interval '7 days', now()
    from generate_series(1, $4) n`;
  const made = ({ session }: Person, email: string | null, count: number) =>
    tandem.db.rows(earlier, [session.workspace.id, session.user.id, email, count]);
  const assertMany = ({ status, body, headers }: Answer) => {
    assert.equal([status, body.code, body.reason], [429, 'rate_limit_exceeded', 'invitations']);
    const seconds = Number(headers.get('retry-after'));
    assert.ok(seconds > 0 && seconds <= 2400, `${seconds} s`);
  };
  const victim = newEmail();
  await made(owner, victim, 12);
  await made(other, victim, 7);
  const last = await Promise.all([1, 2, 3].map(() => invite(owner, victim)));
  assert.equal(last.map(({ status }) => status).sort(), [201, 429, 429]);
  assertMany(await invite(other, victim.toUpperCase()));
  assert.is((await invite(other, newEmail())).status, 201);
  await made(owner, null, 186);
  assert.is((await invite(owner, newEmail())).status, 201);
  assertMany(await invite(owner, newEmail()));
  assert.is((await invite(other, newEmail())).status, 201);
  const age = `update invitations set created_at = now() - interval '61 minutes' where workspace_id = $1`;
  await tandem.db.rows(age, [owner.session.workspace.id]);
  assert.is((await invite(owner, victim)).status, 201);
});

test('a newcomer signs up with its address alone; a refused one has no account', async () => {
  const [email, other] = [newEmail(), newEmail()];
  const { invitationToken, members, owner } = await invitation({ email });
  assertRefused(await signUp(other, invitationToken), email);
  assert.is((await tandem.call('POST /auth/sessions', { email: other, password })).status, 401);
  const joined = await signUp(email, invitationToken);
  assert.is(joined.status, 201);
  assert.is(joined.body.workspace.id, owner.session.workspace.id);
  assert.ok((await members()).includes(email));
});

test('one for anyone with the link is accepted once by any account, and says so in the list', async () => {
  const email = newEmail();
  const { invitationToken, owner, path, members } = await invitation({ email, anyoneWithLink: true });
  const { body: list } = await as(owner, `GET ${path}/invitations`);
  assert.equal(
    list.data.map((each: Record<string, unknown>) => [each.email, each.anyoneWithLink, 'link' in each]),
    [[email, true, false]],
  );
  const [first, second] = [await newAccount(tandem), await newAccount(tandem)];
  assert.is((await accept(first, invitationToken)).status, 200);
  assert.is((await accept(second, invitationToken)).status, 400);
  assert.ok((await members()).includes(first.email));
});

test('one for anyone is not used up by a member who opens it', async () => {
  const { invitationToken, owner, members } = await invitation({ email: newEmail(), anyoneWithLink: true });
  const opened = await accept(owner, invitationToken);
  assert.equal([opened.status, opened.body.role], [200, 'owner']);
  const guest = await newAccount(tandem);
  assert.is((await accept(guest, invitationToken)).status, 200);
  assert.is((await members()).length, 2);
});

test('one of an earlier release, which was for anyone, still is', async () => {
  const { invitationToken, invitation: made } = await invitation({ email: newEmail() });
  await tandem.db.rows('update invitations set anyone_with_link = default where id = $1', [made.id]);
  assert.is((await accept(await newAccount(tandem), invitationToken)).status, 200);
});

test('where no email is sent, its maker gets the link; it names the address that it is bound to', async () => {
  const email = `ada+${newEmail()}`;
  const bound = await invitation({ email });
  assert.is(
    bound.invitation.link,
    `${tandem.url}/join#token=${bound.invitationToken}&email=${encodeURIComponent(email)}`,
  );
  assert.is(bound.invitation.anyoneWithLink, false);
  const free = await invitation({ email: newEmail(), anyoneWithLink: true });
  assert.is(free.invitation.link, `${tandem.url}/join#token=${free.invitationToken}`);
});

test('where emails are sent, the link of an address is in its mailbox alone', async () => {
  const [database, box] = [await createServiceDatabase(), await openMailServer()];
  const settings = { DATABASE_URL: database.url, SMTP_URL: box.url, REQUIRE_VERIFIED_EMAIL: 'false' };
  const sending = await startTestService(settings);
  const { session } = await newAccount(sending);
  const invite = async (body: object) => {
    const route = `POST /workspaces/${session.workspace.id}/invitations`;
    return (await sending.call(route, body, { key: session.token })).body.link;
  };
  const email = newEmail();
  assert.is(await invite({ email }), null);
  const [sent] = await box.emailsTo(email);
  assert.match(sent?.text ?? '', `&email=${encodeURIComponent(email)}`);
  assert.match(sent?.text ?? '', `Join with the account of ${email}`);
  const open = newEmail();
  assert.match(await invite({ email: open, anyoneWithLink: true }), /\/join#token=[\w-]+$/);
  await sending.close();
  await box.close();
  await database.drop();
});

test.run();

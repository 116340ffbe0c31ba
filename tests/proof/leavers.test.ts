import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { notOnCluster } from '../support/citus.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { newAccount, type Person, password } from '../support/people.ts';

const test = suite('people who leave');
const onPostgres = notOnCluster(test, 'a lock of a row is one of the whole table there, or on one copy of it');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after.each(releaseAll);
test.after(() => tandem.close());

const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')
  on conflict (workspace_id, user_id) do update set removed_at = null`;

/** An owner's workspace, and a member of it who has a session of their own workspace. */
async function team() {
  const [owner, member] = [await newAccount(tandem), await newAccount(tandem)];
  const workspaceId = owner.session.workspace.id;
  const userId = member.session.user.id;
  const rejoin = () => tandem.db.rows(join, [workspaceId, userId]);
  await rejoin();
  const as = (person: Person, route: string, body?: unknown) => tandem.call(route, body, { key: person.session.token });
  const remove = () => as(owner, `DELETE /workspaces/${workspaceId}/members/${userId}`);
  const makeKey = () =>
    as(member, 'POST /api-keys', { workspaceId, name: crypto.randomUUID(), scopes: ['todos:read'] });
  const signIn = () =>
    tandem.call('POST /auth/sessions', { email: member.email, password, workspaceId }, { key: null });
  const move = () => as(member, 'POST /auth/sessions/current/workspace', { workspaceId });
  return { workspaceId, userId, rejoin, remove, makeKey, signIn, move };
}

type Team = Awaited<ReturnType<typeof team>>;

const makers: Record<string, (team: Team) => Promise<Answer>> = {
  'a key made': ({ makeKey }) => makeKey(),
  'a session opened': ({ signIn }) => signIn(),
  'a session moved here': ({ move }) => move(),
};

/** Whether the secret of an answer opens anything. */
async function works({ body }: Answer): Promise<boolean> {
  const key = body.secret ?? body.token;
  return key !== undefined && (await tandem.call('GET /me', undefined, { key })).status === 200;
}

for (const [name, make] of Object.entries(makers)) {
  onPostgres(
    `${name} while its owner is being removed is refused, and nothing of it comes alive when they are back`,
    async () => {
      const people = await team();
      const { workspaceId, userId, rejoin, remove, makeKey } = people;
      // An earlier key, held, stops the removal between the membership and the credentials.
      const { body: earlier } = await makeKey();
      const held = await hold('select 1 from credentials where workspace_id = $1 and id = $2 for update', [
        workspaceId,
        earlier.id,
      ]);
      const removing = remove();
      await untilBlocked('update credentials set revoked_at%');
      const making = make(people);
      await untilBlocked('%members%for share%', making);
      await held.release();
      assert.is((await removing).status, 200);
      const made = await making;
      await rejoin();
      assert.is(await works(made), false);
      assert.equal([made.status, made.body.code], [403, 'workspace_access_denied']);
      const text = `select 1 from credentials where workspace_id = $1 and user_id = $2 and revoked_at is null`;
      assert.is((await tandem.db.rows(text, [workspaceId, userId])).length, 0);
    },
  );

  onPostgres(`${name} before a removal that waits for it ends with the membership`, async () => {
    const people = await team();
    const { workspaceId, userId, rejoin, remove } = people;
    // The removal waits behind a reader of the membership, and what is made joins that reader.
    const held = await hold('select 1 from members where workspace_id = $1 and user_id = $2 for share', [
      workspaceId,
      userId,
    ]);
    const removing = remove();
    await untilBlocked('update members set removed_at%');
    const making = make(people);
    await untilBlocked('%members%for share%', making);
    await held.release();
    const [made] = await Promise.all([making, removing]);
    await rejoin();
    assert.is(await works(made), false, made.text);
  });
}

test('whatever is made and removed at once, nothing outlives the membership', async () => {
  const people = await team();
  const { rejoin, remove } = people;
  for (let round = 0; round < 6; round++) {
    const [made, , removed] = await Promise.all([people.makeKey(), people.makeKey(), remove(), people.makeKey()]);
    assert.is(removed.status, 200);
    await rejoin();
    assert.is(await works(made), false, `round ${round}`);
  }
});

test.run();

import { execFile } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';
import { password } from '../support/people.ts';
import { addTotp, enterPassword, newConfirmedAccount } from '../support/second-factors.ts';

/* What only an operator may do: end the access of a person, also one who lost every second factor. */

const test = suite('npm run revoke-access');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

function revoke(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...process.env, DATABASE_URL: testDatabaseUrl() };
  const command = ['scripts/revoke-access.ts', ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

const status = async (key: string) => (await tandem.call('GET /me', undefined, { key })).status;

async function withKey() {
  const { email, key: session, session: opened } = await newConfirmedAccount(tandem);
  const body = { workspaceId: opened.workspace.id, name: 'Import', scopes: ['todos:read'] };
  const { body: made } = await tandem.call('POST /api-keys', body, { key: session });
  return { email, session, key: made.secret as string };
}

test('ends the sessions of one person, and keys when that is asked for', async () => {
  const [person, other] = [await withKey(), await withKey()];
  const sessions = await revoke(person.email.toUpperCase());
  assert.equal([sessions.code, sessions.stdout], [0, 'Ended for one person: sessions.\n']);
  assert.equal([await status(person.session), await status(person.key)], [401, 200]);
  assert.equal(
    (await revoke(person.email, '--keys')).stdout,
    'Ended for one person: sessions, API keys, connected apps, webhooks.\n',
  );
  assert.is(await status(person.key), 401);
  assert.equal([await status(other.session), await status(other.key)], [200, 200]);
  assert.is((await tandem.call('POST /auth/sessions', { email: person.email, password })).status, 201);
});

test('removes the second factors of a person who lost them', async () => {
  const { email, key } = await newConfirmedAccount(tandem);
  await addTotp(tandem, key, new Date());
  assert.is((await enterPassword(tandem, email)).body.object, 'sign_in_challenge');
  assert.is((await revoke(email, '--factors')).code, 0);
  const { body } = await enterPassword(tandem, email);
  assert.is(body.object, 'session');
  const { body: left } = await tandem.call('GET /auth/second-factors', undefined, { key: body.token });
  assert.equal([left.isActive, left.recoveryCodes.remaining], [false, 0]);
});

test('says what it does not understand, and changes nothing', async () => {
  const { session } = await withKey();
  for (const args of [[], ['--all', '--factors'], ['--everything'], ['a@example.com', 'b@example.com']]) {
    const { code, stderr, stdout } = await revoke(...args);
    assert.equal([code, stdout], [1, '']);
    assert.match(stderr, 'npm run revoke-access -- EMAIL');
  }
  const unknown = await revoke('nobody@example.com');
  assert.equal([unknown.code, unknown.stderr], [1, 'Nobody has the e-mail address nobody@example.com.\n']);
  assert.is(await status(session), 200);
});

test('ends the sessions of everybody', async () => {
  const people = [await withKey(), await withKey()];
  const { code, stdout } = await revoke('--all');
  assert.is(code, 0);
  assert.match(stdout, /^Ended for \d+ people: sessions\.\n$/);
  for (const { session, key } of people) assert.equal([await status(session), await status(key)], [401, 200]);
});

test.run();

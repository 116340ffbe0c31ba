import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { passwordQueue } from '../../db/passwords.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { newAccount, password, temporaryDirectory, tokenInEmail } from '../support/people.ts';
import { until } from '../support/until.ts';

const test = suite('sign-in under attack');
const directory = temporaryDirectory();
let tandem: TestService;
let release = () => {};

test.before(async () => {
  tandem = await startTestService({ TRUST_PROXY: '1', DATA_DIR: directory.path });
});
test.after.each(() => release());
test.after(async () => {
  await tandem.close();
  directory.remove();
});

/** Two hashes run until `release`. */
function occupy(): void {
  const held = Promise.withResolvers<void>();
  const both = [1, 2].map(() => passwordQueue.run('test', () => held.promise));
  release = () => held.resolve();
  void Promise.all(both);
}

let next = 0;
const newAddress = () => `198.51.${100 + (next >> 8)}.${next++ & 255}`;
const unknown = () => `${crypto.randomUUID()}@example.com`;

/** Requests of one client address. `answers` has those that were answered. */
function clientOf(address = newAddress()) {
  const answers: Answer[] = [];
  const call = async (route: string, body: unknown, key: string | null = null) => {
    const answer = await tandem.call(route, body, { key, headers: { 'x-forwarded-for': address } });
    answers.push(answer);
    return answer;
  };
  const signIn = (email: string, tried = password) => call('POST /auth/sessions', { email, password: tried });
  return { answers, call, signIn };
}

const waits = (count: number) => until(() => passwordQueue.size.waiting === count);

function assertRefused({ status, body, headers }: Answer): void {
  assert.equal([status, body.code, body.reason], [429, 'rate_limit_exceeded', 'sign_in_queue']);
  assert.is(headers.get('retry-after'), String(body.retryAfterSeconds));
  assert.ok(body.retryable);
}

test('of one address four guesses wait and the others are refused at once; another address gets its turn', async () => {
  const { email } = await newAccount(tandem);
  occupy();
  const attacker = clientOf();
  const guesses = Array.from({ length: 6 }, () => attacker.signIn(unknown()));
  await until(() => attacker.answers.length + passwordQueue.size.waiting === 6);
  assert.is(passwordQueue.size.waiting, 4);
  for (const answer of attacker.answers) assertRefused(answer);
  const person = clientOf().signIn(email);
  await waits(5);
  release();
  assert.is((await person).status, 201);
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.equal(statuses.sort(), [401, 401, 401, 401, 429, 429]);
  assert.equal(passwordQueue.size, { running: 0, waiting: 0 });
});

test('known and unknown addresses are refused alike, at sign-in and sign-up, and a refusal counts as no attempt', async () => {
  const { email } = await newAccount(tandem);
  const { call, signIn } = clientOf();
  occupy();
  const guesses = Array.from({ length: 4 }, () => signIn(unknown()));
  await waits(4);
  const alike = ({ body }: Answer) => ({ ...body, requestId: '' });
  const refused = await signIn(email);
  assertRefused(refused);
  assert.equal(alike(await signIn(unknown())), alike(refused));
  for (const address of [email, unknown()]) {
    const up = await call('POST /auth/accounts', { email: address, password, name: 'Ada' });
    assert.equal(alike(up), alike(refused));
  }
  // One pair of account and address is paused after ten failures.
  for (let round = 0; round < 12; round++) assertRefused(await signIn(email));
  release();
  await Promise.all(guesses);
  assert.is((await signIn(email)).status, 201);
});

test('32 wait in all: then whoever has the most there gives a place to a newcomer', async () => {
  occupy();
  const crowd = Array.from({ length: 8 }, () => clientOf());
  const guesses = crowd.flatMap(({ signIn }) => Array.from({ length: 4 }, () => signIn(unknown())));
  await waits(32);
  const newcomer = clientOf().signIn(unknown());
  await until(() => crowd.flatMap(({ answers }) => answers).length === 1);
  assert.is(passwordQueue.size.waiting, 32);
  for (const { answers } of crowd) answers.forEach(assertRefused);
  release();
  assert.is((await newcomer).status, 401);
  assert.is((await Promise.all(guesses)).filter(({ status }) => status === 401).length, 31);
});

test('a new password that finds no place changes nothing, and its link still works', async () => {
  const { email, session } = await newAccount(tandem);
  await tandem.call('POST /auth/password-resets', { email });
  const token = await tokenInEmail(directory.path, email);
  const { call, signIn } = clientOf();
  occupy();
  const guesses = Array.from({ length: 4 }, () => signIn(unknown()));
  await waits(4);
  const newPassword = 'a fresh one, long enough';
  assertRefused(await call('POST /auth/password', { currentPassword: password, newPassword }, session.token));
  assertRefused(await call('POST /auth/password-resets/confirm', { token, newPassword }));
  release();
  await Promise.all(guesses);
  assert.is((await signIn(email)).status, 201);
  assert.is((await call('POST /auth/password-resets/confirm', { token, newPassword })).status, 200);
  assert.is((await signIn(email, newPassword)).status, 201);
});

test.run();

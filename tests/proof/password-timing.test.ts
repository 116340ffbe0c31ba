import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { newAccount, temporaryDirectory } from '../support/people.ts';

const test = suite('sign-in at the cost of production');
const directory = temporaryDirectory();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ DATA_DIR: directory.path, PASSWORD_COST: '17' });
});
test.after(async () => {
  await tandem.close();
  directory.remove();
});

test('a wrong password and an unknown address give the same answer after the same work', async () => {
  const { email } = await newAccount(tandem);
  const cpuOf = async (address: string) => {
    const begun = process.cpuUsage();
    const answer = await tandem.call('POST /auth/sessions', { email: address, password: 'not the password at all' });
    assert.is(answer.status, 401);
    // Of all threads: the password is hashed beside the main one.
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  };
  const ratios: number[] = [];
  for (let round = 0; round < 5; round++) {
    const known = await cpuOf(email);
    ratios.push((await cpuOf(`nobody-${round}-${email}`)) / known);
  }
  const median = ratios.sort((a, b) => a - b)[2] ?? 0;
  assert.ok(median > 0.5 && median < 2, `unknown took ${median} times as long`);
});

test.run();

import { readFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { weaknessOf } from '../../domain/sign-in/common-passwords.ts';
import { hashBytes, passwordDigest } from '../../domain/sign-in/password-digest.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { newAccount, password, temporaryDirectory, tokenInEmail } from '../support/people.ts';

const test = suite('common passwords');
let tandem: TestService;
const directory = temporaryDirectory();

test.before(async () => {
  tandem = await startTestService({ DATA_DIR: directory.path });
});
test.after(async () => {
  await tandem.close();
  directory.remove();
});

const ada = {
  name: 'Ada Lovelace',
  email: 'ada.king@example.com',
  workspaceName: 'Engines',
  publicUrl: 'https://tasks.engine.example',
};
const kindOf = (tried: string) => /stolen|keyboard|your name/.exec(weaknessOf(tried, ada) ?? '')?.[0] ?? null;

test('a password of the list is refused, whatever its case, and with a year or signs around it', () => {
  for (const tried of [
    'sonyericsson',
    'MotherFucker',
    '1qaz2wsx3edc',
    'Football2024!',
    '!!monkey!!2019',
    'dragondragon',
  ]) {
    assert.is(kindOf(tried), 'stolen', tried);
  }
});

test('runs of neighbours and repetitions are refused', () => {
  for (const tried of ['zyxwvutsrqpo', '345678901234', 'poiuytrewqlkjhg', 'cdefghijk4567890', 'x7#kx7#kx7#k']) {
    assert.is(kindOf(tried), 'keyboard', tried);
  }
});

test('little more than names of the account, the workspace or the service is refused', () => {
  for (const tried of [
    'AdaLovelace1815',
    'lovelace.ada!!',
    'tandem-tandem-1',
    'ada.king@example.com',
    'Engines!Engine9',
  ]) {
    assert.is(kindOf(tried), 'your name', tried);
  }
});

test('what is hard to guess is accepted, also with a name or a common word in it', () => {
  const fine = [
    password,
    'tandem bicycles at dawn',
    'my football is under the sofa',
    'ada likes brass and punch cards',
    'Kx7-vQ2-mmT-94s',
    'пятница ёлка двенадцать',
    '気をつけて行ってらっしゃい',
  ];
  for (const tried of fine) assert.is(weaknessOf(tried, ada), null, tried);
});

test('the list is sorted, without doubles, below a megabyte, and has what it says', async () => {
  const list = await readFile('domain/sign-in/common-passwords.bin');
  assert.is(list.length % hashBytes, 0);
  assert.ok(list.length < 1_000_000 && list.length / hashBytes > 90_000);
  for (let at = hashBytes; at < list.length; at += hashBytes) {
    const order = list.compare(list, at - hashBytes, at, at, at + hashBytes);
    assert.is(order, 1);
  }
  assert.ok(list.indexOf(passwordDigest('sonyericsson')) >= 0);
});

test('signing up, changing and resetting refuse such a password with a sentence that says why', async () => {
  const common = 'Football2024!';
  const email = `${crypto.randomUUID()}@example.com`;
  const signUp = await tandem.call('POST /auth/accounts', { email, password: common, name: 'Ada' });
  assert.equal([signUp.status, signUp.body.param], [400, 'password']);
  assert.match(signUp.body.message, /stolen passwords/);
  assert.not.ok(signUp.text.includes(common));
  const person = await newAccount(tandem);
  const key = person.session.token;
  const change = await tandem.call('POST /auth/password', { currentPassword: password, newPassword: common }, { key });
  assert.equal([change.status, change.body.param], [400, 'newPassword']);
  await tandem.call('POST /auth/password-resets', { email: person.email });
  const token = await tokenInEmail(directory.path, person.email, 'Reset');
  const reset = (newPassword: string) => tandem.call('POST /auth/password-resets/confirm', { token, newPassword });
  for (const tried of [common, person.email]) {
    const refused = await reset(tried);
    assert.equal([refused.status, refused.body.param], [400, 'newPassword']);
  }
  assert.is((await reset('a fresh one, long enough')).status, 200);
});

test.run();

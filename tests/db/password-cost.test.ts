import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashPassword, verifyPassword } from '../../db/passwords.ts';
import { ConfigError, parseConfig } from '../../server/config.ts';

const test = suite('password cost');

const password = 'correct horse battery staple';
const client = 'test';

test('a hash carries its cost, and is verified whatever the cost of today is', async () => {
  for (const cost of [10, 12]) {
    const hash = await hashPassword(password, { cost, client });
    assert.match(hash, new RegExp(`^scrypt\\$${cost}\\$8\\$1\\$`));
    for (const today of [10, 11]) {
      assert.ok(await verifyPassword(password, hash, { cost: today, client }));
      assert.not.ok(await verifyPassword('another password', hash, { cost: today, client }));
    }
  }
  assert.not.ok(await verifyPassword(password, null, { cost: 10, client }));
});

test('is 17 unless configured, as OWASP asks', () => {
  assert.is(parseConfig({}).PASSWORD_COST, 17);
  assert.is(parseConfig({ PASSWORD_COST: '18' }).PASSWORD_COST, 18);
});

test('below 17 is refused outside tests', () => {
  assert.is(parseConfig({ PASSWORD_COST: '10', NODE_ENV: 'test' }).PASSWORD_COST, 10);
  for (const more of [{}, { NODE_ENV: 'production' }, { NODE_ENV: 'development' }]) {
    const parse = () => parseConfig({ PASSWORD_COST: '16', ...more });
    assert.throws(parse, (error: Error) => error instanceof ConfigError && /PASSWORD_COST.*17/.test(error.message));
  }
});

test('is a whole number from 10 to 20', () => {
  for (const PASSWORD_COST of ['9', '21', '12.5', 'high'])
    assert.throws(() => parseConfig({ PASSWORD_COST, NODE_ENV: 'test' }), /PASSWORD_COST must be/);
});

test.run();

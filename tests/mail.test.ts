import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService } from './harness.ts';
import { newAccount } from './people.ts';
import { openPostBox, until } from './post-box.ts';

const test = suite('letters by SMTP');

test('a letter goes out by SMTP from MAIL_FROM, with the link whole', async () => {
  const box = await openPostBox();
  const tandem = await startTestService({ SMTP_URL: box.url, MAIL_FROM: 'Tandem <post@tandem.test>' });
  const { email } = await newAccount(tandem);
  assert.is((await tandem.call('POST /auth/password-resets', { email })).status, 202);
  const [letter] = await box.lettersTo(email);
  assert.ok(letter);
  assert.is(letter.from, 'post@tandem.test');
  assert.is(letter.headers.get('subject'), 'Reset your Tandem password');
  assert.match(letter.text, new RegExp(`${tandem.url}/reset-password#token=[\\w-]{43}`));
  await tandem.close();
  await box.close();
});

test('a mail server that refuses or is gone costs the request nothing', async () => {
  const box = await openPostBox();
  box.answers('RCPT', '550 no such person');
  const tandem = await startTestService({ SMTP_URL: box.url });
  const { email } = await newAccount(tandem);
  assert.is((await tandem.call('POST /auth/password-resets', { email })).status, 202);
  await until(() => box.heard.some((line) => line.startsWith('RCPT')));
  await box.close();
  assert.is((await tandem.call('POST /auth/password-resets', { email })).status, 202);
  await tandem.close();
});

test.run();

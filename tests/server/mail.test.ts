import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService } from '../support/harness.ts';
import { openMailServer, until } from '../support/mail-server.ts';
import { newAccount } from '../support/people.ts';

const test = suite('emails by SMTP');

test('an email is sent by SMTP from MAIL_FROM, with the whole link', async () => {
  const box = await openMailServer();
  const tandem = await startTestService({ SMTP_URL: box.url, MAIL_FROM: 'Tandem <post@tandem.test>' });
  const { email } = await newAccount(tandem);
  assert.is((await tandem.call('POST /auth/password-resets', { email })).status, 202);
  const sent = (await box.emailsTo(email, 2)).find(({ headers }) => headers.get('subject')?.startsWith('Reset'));
  assert.ok(sent);
  assert.is(sent.from, 'post@tandem.test');
  assert.is(sent.headers.get('subject'), 'Reset your Tandem password');
  assert.match(sent.text, new RegExp(`${tandem.url}/reset-password#token=[\\w-]{43}`));
  await tandem.close();
  await box.close();
});

test('a mail server that refuses or is unreachable does not fail the request', async () => {
  const box = await openMailServer();
  box.answers('RCPT', '550 no such person');
  const tandem = await startTestService({ SMTP_URL: box.url });
  const { email } = await newAccount(tandem);
  assert.is((await tandem.call('POST /auth/password-resets', { email })).status, 202);
  await until(() => box.clientLines.some((line) => line.startsWith('RCPT')));
  await box.close();
  assert.is((await tandem.call('POST /auth/password-resets', { email })).status, 202);
  await tandem.close();
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../server/log.ts';
import { createMailer } from '../../server/workers/emails/mailer.ts';
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

test('a mail server may have an IPv6 address', async () => {
  const box = await openMailServer('::1');
  const mailer = createMailer(
    { SMTP_URL: box.url, MAIL_FROM: 'post@tandem.test', DATA_DIR: '.' },
    createLog({ LOG_LEVEL: 'silent', LOG_FORMAT: 'json' }),
  );
  await mailer.send({
    id: crypto.randomUUID(),
    to: 'ada@example.com',
    subject: 'Hello',
    text: 'Hello',
    kind: 'security',
  });
  assert.is((await box.emailsTo('ada@example.com')).length, 1);
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

test('an email with a link that the mail server puts off is tried again; one that waits when the process ends is logged', async () => {
  const box = await openMailServer();
  const lines: string[] = [];
  const log = createLog({ LOG_LEVEL: 'info', LOG_FORMAT: 'json' }, { write: (line: string) => void lines.push(line) });
  const settings = { SMTP_URL: box.url, MAIL_FROM: 'post@tandem.test', DATA_DIR: '/nowhere' };
  const email = { kind: 'invitation', to: 'grace@example.com', subject: 'Join', text: 'A link' };
  const countOf = (message: string) => lines.filter((line) => JSON.parse(line).msg === message).length;
  box.answers('RCPT', '451 greylisted');
  const retrying = createMailer(settings, log, Array<number>(10_000).fill(5));
  retrying.post(email);
  await until(() => countOf('email not sent, will retry') > 0);
  box.answers('RCPT', null);
  assert.is((await box.emailsTo(email.to))[0]?.text.trim(), 'A link');
  await retrying.idle();
  box.answers('RCPT', '451 greylisted');
  const before = countOf('email not sent, will retry');
  const stopped = createMailer(settings, log);
  stopped.post(email);
  await until(() => countOf('email not sent, will retry') > before);
  await stopped.idle();
  assert.is(countOf('email lost, the process ends'), 1);
  assert.not.ok(lines.join('').includes('A link'));
  await box.close();
});

test.run();

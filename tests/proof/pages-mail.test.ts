import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { newAccount, type Person } from '../support/people.ts';

const test = pageSuite('pages: with a mail server');

interface Mailing {
  mail: MailServer;
  ada: Person;
  window: Window;
}

/** Runs with a service that sends emails, a person, and a window of that service. */
async function withMail(stage: Stage, as: 'guest' | 'owner', run: (mailing: Mailing) => Promise<void>): Promise<void> {
  const mail = await openMailServer();
  let tandem: TestService | undefined;
  try {
    tandem = await startTestService({ SMTP_URL: mail.url, REQUIRE_VERIFIED_EMAIL: 'false' });
    const ada = await newAccount(tandem);
    const window = await stage.window({ baseURL: tandem.url, elsewhere: [tandem.url] });
    const cookie = { name: 'tandem_session', value: ada.session.token, url: tandem.url, httpOnly: true };
    if (as === 'owner') await window.page.context().addCookies([cookie]);
    await run({ mail, ada, window });
    // Before the service stops: an open page asks it again and again.
    await window.page.context().close();
  } finally {
    await tandem?.close();
    await mail.close();
  }
}

test.promise('a person asks for an email that resets the password, and sets one with its link', (stage) =>
  withMail(stage, 'guest', async ({ mail, ada, window: { page, goTo, sees } }) => {
    await goTo('/reset-password', 'Reset your password');
    await page.getByLabel('Email address').fill(ada.email);
    await page.getByRole('button', { name: 'Send the email' }).click();
    await page.getByText('we have sent it an email').waitFor();
    const isReset = ({ headers }: { headers: Map<string, string> }) => headers.get('subject')?.startsWith('Reset');
    for (let count = 1; !mail.emails.some(isReset); count++) await mail.emailsTo(ada.email, count);
    const link = /(http\S+\/reset-password#token=\S+)/.exec(mail.emails.find(isReset)?.text ?? '')?.[1] ?? '';
    await goTo(link, 'Choose a new password');
    await page.getByLabel('New password').fill('another four words');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await sees('Sign in');
    await page.getByText('Your new password is set.').waitFor();
  }),
);

test.promise('an invitation is sent by email, and the page shows no link', (stage) =>
  withMail(stage, 'owner', async ({ mail, window: { page, goTo } }) => {
    await goTo('/settings/members', 'Members');
    await page.getByText('Invitations are sent by email').waitFor();
    await page.getByLabel('Email address').fill('grace@example.com');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByText('The invitation to grace@example.com is being sent.').waitFor();
    await page.getByRole('button', { name: 'Send again: grace@example.com' }).waitFor();
    assert.is(await page.getByTestId('invitation-link').count(), 0);
    assert.match((await mail.emailsTo('grace@example.com'))[0]?.text ?? '', '/join#token=');
  }),
);

test.run();

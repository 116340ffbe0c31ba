import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';

const test = pageSuite('pages: addresses and new passwords', undefined, { REQUIRE_VERIFIED_EMAIL: 'true' });

test.promise(
  'a banner asks to confirm the address until the link of the email was confirmed, which takes a press of a button',
  async ({ person, window, linkInEmail }) => {
    const ada = await person();
    const { page, goTo, axe } = await window({ as: ada });
    await goTo('/settings/api-keys/new', 'Create an API key');
    const banner = page.getByRole('complementary', { name: 'Confirm your email address' });
    await banner.getByText(ada.email).waitFor();
    assert.equal(await axe(), []);
    await page.getByLabel('Name').fill('Deploy');
    await page.getByRole('radio', { name: /Read only/ }).check({ force: true });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Confirm your email address first').waitFor();
    await banner.getByRole('button', { name: 'Make a new link' }).click();
    await page.getByText('A new link is in the outbox file of the service.').waitFor();
    await goTo(await linkInEmail(ada.email), 'Confirm your email address');
    assert.is(new URL(page.url()).hash, '');
    assert.equal(await axe(), []);
    await page.getByRole('button', { name: 'Confirm the address' }).click();
    await page.getByText(`${ada.email} is confirmed.`).waitFor();
    await banner.waitFor({ state: 'detached' });
    await goTo('/settings/sessions', 'Sign-in and sessions');
    await page.getByText('Confirmed', { exact: true }).waitFor();
    assert.equal(await axe(), []);
  },
);

test.promise(
  'a new password shows how hard it is to guess, and a common one is refused at its field',
  async ({ window }) => {
    const { page, goTo, axe } = await window();
    await goTo('/sign-up', 'Create your account');
    const field = page.getByLabel('Password', { exact: true });
    await field.fill('Password1234');
    await page.getByText(/asy to guess/).waitFor();
    assert.equal(await axe(), []);
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Email address').fill(`${crypto.randomUUID()}@example.com`);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('link', { name: /lists of stolen passwords/ }).waitFor();
    await field.fill('four words of no renown');
    await page.getByText('Very hard to guess').waitFor();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor();
  },
);

test.promise(
  'a reset revokes keys unless the box is unticked, a change of the password when it is ticked',
  async (stage) => {
    const { tandem, person, window, linkInEmail } = stage;
    const ada = await person();
    const verify = 'update users set email_verified_at = now() where id = $1';
    await tandem.db.rows(verify, [ada.session.user.id]);
    const key = async () => {
      const body = { workspaceId: ada.session.workspace.id, name: crypto.randomUUID(), scopes: ['todos:read'] };
      const { secret } = (await tandem.call('POST /api-keys', body, { key: ada.session.token })).body;
      return async () => (await tandem.call('GET /me', undefined, { key: secret })).status === 200;
    };
    const works = await key();
    const signedIn = await window({ as: ada });
    await signedIn.goTo('/settings/sessions', 'Sign-in and sessions');
    const change = async (current: string, next: string) => {
      await signedIn.page.getByLabel('Current password').fill(current);
      await signedIn.page.getByLabel('New password').fill(next);
      await signedIn.page.getByRole('button', { name: 'Change password' }).click();
    };
    await change('correct horse battery staple', 'another four words');
    await signedIn.page.getByText('and your other sessions are ended.').waitFor();
    assert.ok(await works());
    await signedIn.page.getByText('Also revoke my API keys').click();
    await change('another four words', 'yet another four words');
    await signedIn.page.getByText('API keys and connected apps are ended.').waitFor();
    assert.not.ok(await works());
    for (const unticks of [true, false]) {
      const stillWorks = await key();
      await tandem.call('POST /auth/password-resets', { email: ada.email });
      const link = await resetLink(() => linkInEmail(ada.email));
      const { page, goTo, sees, axe } = await window();
      await goTo(link, 'Choose a new password');
      assert.equal(await axe(), []);
      if (unticks) await page.getByText('Also revoke my API keys').click();
      await page.getByLabel('New password').fill(`four words for ${unticks}`);
      await page.getByRole('button', { name: 'Set the password' }).click();
      await sees('Sign in');
      assert.is(await stillWorks(), unticks);
      const body = { email: ada.email, password: `four words for ${unticks}` };
      ada.session.token = (await tandem.call('POST /auth/sessions', body)).body.token;
    }
  },
);

let lastLink = '';

/** The next link of a reset: neither that of the verification nor that of the reset before. */
async function resetLink(read: () => Promise<string>): Promise<string> {
  for (;;) {
    const link = await read();
    if (link.startsWith('/reset-password') && link !== lastLink) {
      lastLink = link;
      return link;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test.run();

import type { Locator, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite, type Window } from '../support/browser.ts';
import { answerLate, expectedFailures } from '../support/page-faults.ts';
import { password } from '../support/people.ts';

const test = pageSuite('pages: coming in');

async function signIn({ page }: Window, email: string, secret = password): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test.promise(
  'signing in leads back to the page one wanted, in a cookie that no script reads; signing out ends it',
  async (stage) => {
    const ada = await stage.person('Ada');
    const window = await stage.window();
    const { page, goTo, sees } = window;
    await goTo('/settings/members', 'Sign in');
    await signIn(window, ada.email);
    await sees('Members');
    assert.is(await page.evaluate('document.cookie'), '');
    const [cookie] = await page.context().cookies();
    assert.is(cookie?.httpOnly, true);
    assert.is(cookie?.sameSite, 'Lax');
    await page.getByRole('button', { name: 'Account: Ada' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await sees('Sign in');
    await page.getByText('You are signed out.').waitFor();
    assert.is((await stage.tandem.call('GET /me', undefined, { key: cookie?.value ?? '' })).status, 401);
    await goTo('/settings/api-keys', 'Sign in');
  },
);

test.promise(
  'a wrong password and an unknown address read the same, and what was typed stays',
  async ({ person, window }) => {
    const ada = await person();
    const guest = await window();
    const messages: (string | null)[] = [];
    for (const email of [ada.email, 'nobody@example.com']) {
      await guest.goTo('/sign-in', 'Sign in');
      await signIn(guest, email, 'not the password');
      const summary = guest.page.getByRole('alert');
      await summary.waitFor();
      messages.push(await summary.textContent());
      assert.is(await guest.page.getByLabel('Email address').inputValue(), email);
    }
    assert.equal(messages, Array(2).fill('The email address or the password is wrong.'));
    await guest.page.getByLabel('Password', { exact: true }).fill('');
    await guest.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await guest.page.getByRole('link', { name: 'Enter your password' }).waitFor();
  },
);

test.promise('`next` never leads to another site', async ({ person, window }) => {
  const ada = await person();
  for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
    const { goTo, page } = await window({ as: ada });
    await goTo(`/sign-in?next=${encodeURIComponent(next)}`, 'Welcome');
    assert.is(new URL(page.url()).pathname, '/');
  }
});

test.promise(
  'a password is reset once by the link of an email, and the token is not stored',
  async ({ tandem, person, window, linkInEmail }) => {
    const ada = await person();
    const guest = await window();
    const { page, goTo, sees } = guest;
    await goTo('/reset-password', 'Reset your password');
    await page.getByText('This service sends no email.').waitFor();
    await page.getByText('npm run reset-password -- EMAIL').waitFor();
    assert.is(await page.getByRole('button', { name: 'Send the email' }).count(), 0);
    await tandem.call('POST /auth/password-resets', { email: ada.email });
    const link = await linkInEmail(ada.email);
    await goTo(link, 'Choose a new password');
    assert.is(new URL(page.url()).hash, '');
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('link', { name: 'New password must be at least 12 characters long' }).waitFor();
    await page.getByLabel('New password').fill('another four words');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await sees('Sign in');
    await page.getByText('Your new password is set.').waitFor();
    await signIn(guest, ada.email, 'another four words');
    await sees('Welcome');
    await page.goto('about:blank');
    await goTo(link, 'Choose a new password');
    await page.getByLabel('New password').fill('yet another four words');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('This link was used or has expired.').waitFor();
  },
);

test.promise('password managers find what they need', async ({ window }) => {
  const { page, goTo } = await window();
  const described =
    '[...document.querySelectorAll("input")].map((each) => [each.name, each.type, each.autocomplete].join(" "))';
  const fields = () => page.evaluate(described);
  await goTo('/sign-in', 'Sign in');
  assert.equal(await fields(), ['email email username', 'password password current-password']);
  await goTo('/sign-up', 'Create your account');
  assert.equal(await fields(), [
    'name text name',
    'email email username',
    'password password new-password',
    'workspaceName text organization',
  ]);
  await page.getByRole('button', { name: 'Show password' }).click();
  assert.is(await page.getByLabel('Password', { exact: true }).getAttribute('type'), 'text');
});

/** What shows the focus: the control itself, or what is drawn in its place beside it. */
const outlined = `[document.activeElement, ...document.querySelectorAll('[data-focus-visible] > i')]
  .some((each) => getComputedStyle(each).outlineStyle === 'solid')`;

/** Waits until `target` has the focus: keys before that are for another one. */
const hasFocus = (page: Page, target: Locator) => target.and(page.locator(':focus')).waitFor();

/** Presses Tab until `target` has the focus, and sees that the focus shows. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if ((await target.and(page.locator(':focus')).count()) === 0) continue;
    assert.ok(await page.evaluate(outlined), 'the focus does not show');
    return;
  }
  throw new Error(`the keyboard does not get to ${target}`);
}

test.promise('the keyboard alone signs in, makes a key and copies it', async ({ tandem, person, window }) => {
  const ada = await person();
  const { page, goTo, sees } = await window({ permissions: ['clipboard-read', 'clipboard-write'] });
  await goTo('/sign-in', 'Sign in');
  await tabTo(page, page.getByLabel('Email address'));
  await page.keyboard.type(ada.email);
  await tabTo(page, page.getByLabel('Password', { exact: true }));
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await sees('Welcome');
  await goTo('/settings/api-keys', 'API keys');
  await tabTo(page, page.getByRole('link', { name: 'Create key' }));
  await page.keyboard.press('Enter');
  await sees('Create an API key');
  await tabTo(page, page.getByLabel('Name'));
  await page.keyboard.type('By keyboard');
  await tabTo(page, page.getByRole('radio', { name: /Read only/ }));
  await page.keyboard.press('ArrowDown');
  await tabTo(page, page.getByRole('checkbox', { name: /Create, change, archive/ }).first());
  await page.keyboard.press('Space');
  await tabTo(page, page.getByRole('button', { name: /Expires/ }));
  await page.keyboard.press('Enter');
  await hasFocus(page, page.getByRole('option', { name: 'In 90 days' }));
  await page.keyboard.press('ArrowUp');
  await hasFocus(page, page.getByRole('option', { name: 'In 30 days' }));
  await page.keyboard.press('Enter');
  await hasFocus(page, page.getByRole('button', { name: /Expires/ }));
  await tabTo(page, page.getByRole('button', { name: 'Create key' }));
  await page.keyboard.press('Enter');
  await sees('“By keyboard” is ready');
  await tabTo(page, page.getByRole('button', { name: 'Copy key' }));
  await page.keyboard.press('Enter');
  await page.getByText('The key is copied to the clipboard.').waitFor();
  const key = String(await page.evaluate('navigator.clipboard.readText()'));
  const { body } = await tandem.call('GET /me', undefined, { key });
  assert.equal(body.credential.scopes, ['todos:read', 'todos:write', 'chats:read', 'agents:read', 'captures:read']);
  const days = (Date.parse(body.credential.expiresAt) - Date.now()) / 86_400_000;
  assert.ok(days > 29 && days <= 30);
});

test.promise('who signs out is not shown that the session has ended, however late the answer is', async (stage) => {
  const ada = await stage.person();
  const { page, goTo } = await stage.window({ as: ada, expected: expectedFailures });
  await goTo('/todos', 'Todos');
  await page.evaluate(`new MutationObserver(() => {
    window.hasEnded ||= document.body.innerText.includes('Your session has ended');
  }).observe(document.body, { childList: true, subtree: true })`);
  await answerLate(page, /signOut/);
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  assert.not.ok(await page.evaluate('window.hasEnded'));
});

test.run();

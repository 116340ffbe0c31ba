import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { type Person, password } from '../support/people.ts';
import { codeAt } from '../support/second-factors.ts';

const stepMs = 30_000;
let now = Date.now();

/** At a host name: an IP address has no passkeys. */
const test = pageSuite('pages: second factors', async () => ({ clock: () => new Date(now) }), { HOST: 'localhost' });

async function enterPassword({ page }: Window, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function signOut({ page, sees }: Window): Promise<void> {
  await page.getByRole('button', { name: /^Account: / }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await sees('Sign in');
}

/** Answers the dialog that asks for the password before a change. */
async function confirmIdentity(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function recoveryCodes(page: Page): Promise<string[]> {
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  return page.getByTestId('recovery-codes').getByRole('listitem').allTextContents();
}

/** Sets up an authenticator app on the page of the security settings. */
async function setUpApp(page: Page): Promise<{ secret: string; codes: string[] }> {
  await page.getByRole('button', { name: 'Set up an app' }).click();
  await confirmIdentity(page);
  await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  const secret = (await page.getByTestId('totp-secret').textContent()) ?? '';
  await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, now));
  await page.getByRole('button', { name: 'Activate' }).click();
  return { secret, codes: await recoveryCodes(page) };
}

/** A passkey device of this window, which verifies its user without asking (CDP WebAuthn). */
async function plugIn(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await confirmIdentity(page);
  await page.getByRole('list', { name: 'Passkeys' }).getByText(name).waitFor();
}

async function atSecurity(stage: Stage): Promise<{ ada: Person; shown: Window }> {
  now += 10 * stepMs;
  const ada = await stage.person('Ada');
  const shown = await stage.window({ as: ada });
  await shown.goTo('/settings/security', 'Security');
  return { ada, shown };
}

test.promise('an authenticator app is set up on the page, and its codes sign in from then on', async (stage) => {
  const { ada, shown } = await atSecurity(stage);
  const { page, sees } = shown;
  const { secret, codes } = await setUpApp(page);
  assert.is(codes.length, 10);
  await page.getByRole('button', { name: 'I have stored them' }).click();
  await page.getByText('10 codes are left.').waitFor();
  await signOut(shown);

  await enterPassword(shown, ada.email);
  await page.getByRole('heading', { name: 'Second step' }).and(page.locator(':focus')).waitFor();
  assert.equal(await page.context().cookies(), [], 'there is no session yet');
  const code = page.getByLabel('Code', { exact: true });
  assert.is(await code.getAttribute('autocomplete'), 'one-time-code');
  await code.fill(codeAt(secret, now));
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: /was used before/ }).waitFor();
  now += stepMs;
  await code.fill(codeAt(secret, now));
  await page.keyboard.press('Enter');
  await sees('Welcome');

  await signOut(shown);
  await enterPassword(shown, ada.email);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(codes[0]?.toLowerCase() ?? '');
  await page.keyboard.press('Enter');
  await sees('Welcome');
  await shown.goTo('/settings/security', 'Security');
  await page.getByText('9 codes are left.').waitFor();
  await page.getByRole('button', { name: 'Remove app' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove app' }).click();
  await page.getByRole('button', { name: 'Set up an app' }).waitFor();
  await signOut(shown);
  await enterPassword(shown, ada.email);
  await sees('Welcome');
});

test.promise('a passkey signs in alone and after the password; it is renamed and deleted', async (stage) => {
  const { ada, shown } = await atSecurity(stage);
  const { page, sees, goTo } = shown;
  await plugIn(page);
  await addPasskey(page, 'Laptop');
  assert.is((await recoveryCodes(page)).length, 10);
  await signOut(shown);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await sees('Welcome');

  await signOut(shown);
  await enterPassword(shown, ada.email);
  await page.getByRole('heading', { name: 'Second step' }).waitFor();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await sees('Welcome');

  await goTo('/settings/security', 'Security');
  await page.getByRole('button', { name: 'Rename: Laptop' }).click();
  await page.getByLabel('New name').fill('Desk');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Delete: Desk' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete passkey' }).click();
  await page.getByText('You have no passkeys yet').waitFor();
  await signOut(shown);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText(/This passkey was not accepted/).waitFor();
  await enterPassword(shown, ada.email);
  await sees('Welcome');
});

test.promise('recovery codes are replaced after a passkey has confirmed who it is', async (stage) => {
  const { ada, shown } = await atSecurity(stage);
  const { page } = shown;
  await plugIn(page);
  await addPasskey(page, 'Laptop');
  const first = await recoveryCodes(page);
  await page.getByRole('button', { name: 'I have stored them' }).click();
  // What was confirmed counts for ten minutes.
  const forget = `update recent_authentications set authenticated_at = now() - interval '11 minutes' where credential_id = $1`;
  await stage.tandem.db.rows(forget, [ada.session.id]);
  await page.getByRole('button', { name: 'Replace codes' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Replace codes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByRole('button', { name: 'Use a passkey' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  const second = await recoveryCodes(page);
  assert.equal([second.length, second.filter((code) => first.includes(code))], [10, []]);
  assert.equal(await shown.axe('all'), []);
});

test.promise('a change is cancelled where the person does not confirm that it is them', async (stage) => {
  const { shown } = await atSecurity(stage);
  const { page } = shown;
  await page.getByRole('button', { name: 'Set up an app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByLabel('Password', { exact: true }).fill('not the password');
  await page.keyboard.press('Enter');
  await dialog.getByRole('link', { name: 'This is not your current password.' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Nothing was changed.').first().waitFor();
  await page.getByRole('button', { name: 'Set up an app' }).waitFor();
});

test.promise('a workspace that requires one leads its members to the page where they set one up', async (stage) => {
  const { shown } = await atSecurity(stage);
  const { page, sees, goTo } = shown;
  await setUpApp(page);
  await goTo('/settings/workspace', 'Workspace');
  await page.getByRole('button', { name: 'Require it' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Require it' }).click();
  await page.getByText('Every member needs a second factor.').waitFor();
  await page.reload();
  await sees('Workspace');
  await goTo('/settings/security', 'Security');
  await page.getByRole('button', { name: 'Remove app' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove app' }).click();
  await page.getByText('This workspace requires a second factor.').waitFor();
  await goTo('/settings/members', 'Security');
  await page.getByRole('button', { name: 'Set up an app' }).click();
  const secret = (await page.getByTestId('totp-secret').textContent()) ?? '';
  await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, now));
  await page.getByRole('button', { name: 'Activate' }).click();
  await recoveryCodes(page);
  await goTo('/settings/members', 'Members');
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`second factors are accessible and fit: ${name}`, async (stage) => {
    now += 10 * stepMs;
    const ada = await stage.person('Ada');
    const shown = await stage.window({ ...options, as: ada });
    const { page } = shown;
    await plugIn(page);
    await shown.goTo('/settings/security', 'Security');
    await page.getByRole('button', { name: 'Set up an app' }).click();
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
    await look(shown, `security-confirm-${name}`);
    await confirmIdentity(page);
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await look(shown, `security-enrolment-${name}`);
    const secret = (await page.getByTestId('totp-secret').textContent()) ?? '';
    await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, now));
    await page.getByRole('button', { name: 'Activate' }).click();
    await recoveryCodes(page);
    await look(shown, `security-codes-${name}`);
    await page.getByLabel('Name', { exact: true }).fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Rename: Laptop' }).click();
    await page.getByLabel('New name').waitFor();
    await look(shown, `security-passkeys-${name}`);
    const guest = await stage.window(options);
    await guest.goTo('/sign-in', 'Sign in');
    await look(guest, `sign-in-passkey-${name}`);
    await enterPassword(guest, ada.email);
    await guest.page.getByRole('heading', { name: 'Second step' }).waitFor();
    await look(guest, `second-step-${name}`);
    await guest.page.getByRole('button', { name: 'Use a passkey' }).click();
    await look(guest, `second-step-passkey-${name}`);
  });
}

test.run();

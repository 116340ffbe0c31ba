import { pageSuite, type Stage } from '../support/browser.ts';
import { look, looks } from '../support/looks.ts';
import { newNotification } from '../support/notification-fixtures.ts';
import { authorizeUrl, connectApp, pkce, register } from '../support/oauth.ts';
import { password } from '../support/people.ts';

const test = pageSuite('how the pages look');
async function workspaceWithAll({ tandem, person }: Stage) {
  const ada = await person('Ada Lovelace');
  const of = { key: ada.session.token };
  const workspaceId = ada.session.workspace.id;
  const key = { workspaceId, name: 'Nightly report', scopes: ['todos:read', 'chats:read'], expiresInDays: 5 };
  await tandem.call('POST /api-keys', key, of);
  await tandem.call('POST /api-keys', { workspaceId, name: 'CI', scopes: ['captures:write'] }, of);
  const old = await tandem.call('POST /api-keys', { workspaceId, name: 'Old laptop', scopes: ['todos:read'] }, of);
  await tandem.call(`DELETE /api-keys/${old.body.id}`, undefined, of);
  await tandem.call(`POST /workspaces/${workspaceId}/invitations`, { email: 'grace@example.com' }, of);
  await tandem.call('POST /workspaces', { name: 'Analytical Engine', timezone: 'Europe/London' }, of);
  await tandem.call('POST /auth/sessions', { email: ada.email, password });
  await connectApp(tandem, ada);
  for (let place = 0; place < 3; place++)
    await newNotification(tandem.db, { workspaceId, userId: ada.session.user.id });
  return ada;
}

const outside: [path: string, heading: string, name: string][] = [
  ['/sign-in', 'Sign in', 'sign-in'],
  ['/sign-up', 'Create your account', 'sign-up'],
  ['/reset-password', 'Reset your password', 'reset-ask'],
  ['/reset-password#token=x', 'Choose a new password', 'reset-set'],
  ['/join#token=x', 'Join a workspace', 'join'],
  ['/join', 'Join a workspace', 'join-without'],
  ['/oauth/consent', 'This request has ended', 'consent-ended'],
  ['/welcome#token=x', 'Welcome to Tandem', 'welcome'],
  ['/welcome', 'Welcome to Tandem', 'welcome-without'],
  ['/nothing/here', 'Page not found', 'not-found'],
];

const inside: [path: string, heading: string, name: string][] = [
  ['/settings/api-keys', 'API keys', 'api-keys'],
  ['/settings/api-keys/new', 'Create an API key', 'api-key-new'],
  ['/settings/connected-apps', 'Connected apps', 'connected-apps'],
  ['/settings/members', 'Members', 'members'],
  ['/settings/notifications', 'Notification settings', 'notification-settings'],
  ['/notifications', 'Notifications', 'notifications'],
  ['/settings/security', 'Security', 'security'],
  ['/settings/sessions', 'Sign-in and sessions', 'sessions'],
  ['/settings/workspace', 'Workspace', 'workspace'],
];

for (const { name, ...options } of looks) {
  test.promise(`the consent page is accessible and fits: ${name}`, async (stage) => {
    const shown = await stage.window({ ...options, as: await workspaceWithAll(stage) });
    const redirect_uris = ['https://inkwell.example/callback'];
    const client = await register(stage.tandem.url, { client_name: 'Inkwell', redirect_uris });
    const scope = 'todos:read todos:write chats:read captures:read';
    const more = { scope, redirect_uri: redirect_uris[0] ?? '' };
    await shown.goTo(authorizeUrl(stage.tandem.url, client, pkce().challenge, more), 'Connect Inkwell to Tandem?');
    await look(shown, `consent-${name}`);
    await shown.page.getByRole('button', { name: 'Allow access' }).click();
    await shown.page.getByRole('alert').waitFor();
    await look(shown, `consent-error-${name}`);
  });

  test.promise(`pages before the settings are accessible and fit: ${name}`, async ({ window }) => {
    const guest = await window(options);
    for (const [path, heading, page] of outside) {
      await guest.goTo(path, heading);
      await look(guest, `${page}-${name}`);
    }
  });

  test.promise(`settings are accessible and fit: ${name}`, async (stage) => {
    const shown = await stage.window({ ...options, as: await workspaceWithAll(stage) });
    for (const [path, heading, page] of inside) {
      await shown.goTo(path, heading);
      await look(shown, `${page}-${name}`);
    }
    const { page } = shown;
    await page.getByRole('button', { name: /^Workspace:/ }).click();
    await page.getByRole('menuitem', { name: 'Manage workspaces' }).waitFor();
    await look(shown, `workspace-menu-${name}`);
    await page.keyboard.press('Escape');
    await page.goto('/settings/api-keys');
    await page.getByRole('button', { name: 'Revoke: CI' }).click();
    await page.getByRole('alertdialog').waitFor();
    await look(shown, `confirm-${name}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  test.promise(`what went wrong, and a new secret, are accessible and fit: ${name}`, async ({ window, person }) => {
    const shown = await window({ ...options, as: await person() });
    await shown.goTo('/settings/api-keys', 'API keys');
    await look(shown, `api-keys-empty-${name}`);
    await shown.goTo('/settings/api-keys/new', 'Create an API key');
    await shown.page.getByRole('button', { name: 'Create key' }).click();
    await shown.page.getByText('Please check your input').waitFor();
    await look(shown, `api-key-error-${name}`);
    await shown.page.getByLabel('Name').fill('Assistant on the desk');
    await shown.page.getByRole('button', { name: 'Create key' }).click();
    await shown.sees('“Assistant on the desk” is ready');
    await shown.page.getByRole('button', { name: 'Copy key' }).click();
    await shown.page
      .getByRole('status')
      .getByText(/copied|copy/)
      .waitFor();
    await look(shown, `secret-${name}`);
  });
}

test.run();

import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { send } from '../support/oauth.ts';
import { newAccount, password } from '../support/people.ts';

const test = pageSuite('pages: keys, sessions, workspaces');

const withKey = ({ tandem }: Stage, key: string) => tandem.call('GET /me', undefined, { key });

test.promise(
  'from sign-up to the first call: a key is made, copied and works, and can be seen no more',
  async (stage) => {
    const { page, goTo, sees } = await stage.window({ permissions: ['clipboard-read', 'clipboard-write'] });
    await goTo('/', 'Sign in');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await sees('Create your account');
    assert.is(await page.title(), 'Create your account · Tandem');
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByLabel('Email address').fill(`${crypto.randomUUID()}@example.com`);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel(/^Workspace name/).fill('Engines');
    await page.getByRole('button', { name: 'Create account' }).click();
    await sees('Welcome');
    await goTo('/settings/api-keys', 'API keys');
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('link', { name: 'Create key' }).click();
    await sees('Create an API key');
    await page.getByLabel('Name').fill('CI');
    await page.getByRole('radio', { name: /Todo manager/ }).check({ force: true });
    await page.getByRole('button', { name: 'Create key' }).click();
    await sees('“CI” is ready');
    const secret = (await page.getByTestId('secret').textContent()) ?? '';
    await page.getByRole('button', { name: 'Copy key' }).click();
    await page.getByText('The key is copied to the clipboard.').waitFor();
    assert.is(await page.evaluate('navigator.clipboard.readText()'), secret);
    const { status, body } = await withKey(stage, secret);
    assert.is(status, 200);
    assert.is(body.workspace.name, 'Engines');
    assert.equal(body.credential.scopes, ['todos:read', 'todos:write']);
    assert.ok(Date.parse(body.credential.expiresAt) > Date.now() + 89 * 86_400_000);
    await page.getByRole('link', { name: 'I have stored it' }).click();
    await sees('API keys');
    await page.getByText('Todos: read and change').waitFor();
    assert.not.ok((await page.content()).includes(secret));
    const stored = await page.evaluate<object[]>('[{ ...localStorage }, { ...sessionStorage }]');
    const steps = `tandem.firstSteps.${body.workspace.id}`;
    assert.equal(
      stored.map((each) => Object.keys(each).sort()),
      [['tandem.firstReads', steps], []],
    );
    assert.not.ok(JSON.stringify(stored).includes(secret));
    assert.not.ok(page.url().includes(secret));
  },
);

test.promise(
  'a revoked key is refused on its next request, after the page asked whether it is meant',
  async (stage) => {
    const ada = await stage.person();
    const body = { workspaceId: ada.session.workspace.id, name: 'CI', scopes: ['todos:read'] };
    const made = await stage.tandem.call('POST /api-keys', body, { key: ada.session.token });
    const { page, goTo } = await stage.window({ as: ada });
    await goTo('/settings/api-keys', 'API keys');
    await page.getByRole('button', { name: 'Revoke: CI' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    assert.is((await withKey(stage, made.body.secret)).status, 200);
    await page.getByRole('button', { name: 'Revoke: CI', exact: true }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('“CI” is revoked.').waitFor();
    assert.is((await withKey(stage, made.body.secret)).status, 401);
    await page.getByText('No keys yet').waitFor();
    await page.locator('h1:focus').waitFor();
    await page.getByText('Show revoked keys').click();
    await page.getByText('Revoked', { exact: true }).waitFor();
  },
);

test.promise(
  'a name that is taken is an error at its field, and the summary links to it',
  async ({ tandem, person, window }) => {
    const ada = await person();
    const body = { workspaceId: ada.session.workspace.id, name: 'CI', scopes: ['todos:read'] };
    await tandem.call('POST /api-keys', body, { key: ada.session.token });
    const { page, goTo } = await window({ as: ada });
    await goTo('/settings/api-keys/new', 'Create an API key');
    await page.getByLabel('Name').fill('CI');
    await page.getByRole('button', { name: 'Create key' }).click();
    const summary = page.getByRole('alert');
    await summary.waitFor();
    await page.locator('[role=alert]:focus').waitFor();
    await summary.getByRole('link').click();
    const name = page.getByLabel('Name');
    await page.locator('input[name=name]:focus').waitFor();
    assert.is(await name.getAttribute('aria-invalid'), 'true');
    assert.is(await name.inputValue(), 'CI');
  },
);

test.promise('one session is ended, then all others; a page whose session ended goes to the sign-in', async (stage) => {
  const ada = await stage.person();
  const signIn = async () =>
    (await stage.tandem.call('POST /auth/sessions', { email: ada.email, password })).body.token;
  const others = [await signIn(), await signIn(), await signIn()];
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo('/settings/sessions', 'Sign-in and sessions');
  await page.getByRole('button', { name: 'End: node' }).first().click();
  await page.getByRole('button', { name: 'End session' }).click();
  await page.getByText('The session of node is ended.').waitFor();
  const left = async () => Promise.all(others.map(async (key) => (await withKey(stage, key)).status));
  assert.equal((await left()).sort(), [200, 200, 401]);
  await page.getByRole('button', { name: 'End all others' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'End all others' }).click();
  await page.getByText('All your other sessions are ended.').waitFor();
  assert.equal(await left(), [401, 401, 401]);
  assert.is((await withKey(stage, ada.session.token)).status, 200);
  await stage.tandem.call('DELETE /auth/sessions/current', undefined, { key: ada.session.token });
  await sees('Sign in');
  await page.getByText('Your session has ended. Sign in to continue.').waitFor();
  assert.is(new URL(page.url()).search, '?next=%2Fsettings%2Fsessions');
});

test.promise(
  'a password is changed with the current one; a wrong one is an error at its field',
  async ({ tandem, person, window }) => {
    const ada = await person();
    const { page, goTo } = await window({ as: ada });
    await goTo('/settings/sessions', 'Sign-in and sessions');
    await page.getByLabel('Current password').fill('a wrong password');
    await page.getByLabel('New password').fill('another four words');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('This is not your current password.').first().waitFor();
    await page.getByLabel('Current password').fill(password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password is changed').waitFor();
    assert.is(await page.getByLabel('New password').inputValue(), '');
    const again = await tandem.call('POST /auth/sessions', { email: ada.email, password: 'another four words' });
    assert.is(again.status, 201);
  },
);

test.promise(
  'a workspace is renamed and moved to another time zone, another is made, and one switches back',
  async (stage) => {
    const ada = await newAccount(stage.tandem, { workspaceName: 'First' });
    const { page, goTo } = await stage.window({ as: ada });
    await goTo('/settings/workspace', 'Workspace');
    const form = page.getByRole('form', { name: 'This workspace' });
    await form.getByLabel('Time zone').selectOption('America/New_York');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The workspace is saved.').waitFor();
    // What another window has changed meanwhile is not written back.
    const { id } = ada.session.workspace;
    const elsewhere = { key: ada.session.token };
    await stage.tandem.call(`PATCH /workspaces/${id}`, { timezone: 'Asia/Tokyo' }, elsewhere);
    await form.getByLabel('Name').fill('Foundry');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Workspace: Foundry' }).waitFor();
    const { body } = await send(stage.tandem.url, 'GET /api/v1/workspaces', {
      headers: { authorization: `Bearer ${ada.session.token}` },
    });
    assert.equal([body.data[0].name, body.data[0].timezone], ['Foundry', 'Asia/Tokyo']);
    const another = page.getByRole('form', { name: 'Create another workspace' });
    await another.getByLabel('Name').fill('Second');
    await another.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('button', { name: 'Workspace: Second' }).waitFor();
    await page.getByRole('button', { name: 'Switch to Foundry' }).click();
    await page.getByRole('button', { name: 'Workspace: Foundry' }).click();
    await page.getByRole('menuitemradio', { name: 'Second' }).click();
    await page.getByRole('button', { name: 'Workspace: Second' }).waitFor();
    assert.is((await withKey(stage, ada.session.token)).status, 401);
  },
);

test.run();

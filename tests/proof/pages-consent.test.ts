import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { authorizeUrl, pkce, redeem, register } from '../support/oauth.ts';
import { newAccount, password } from '../support/people.ts';
import { within } from '../support/until.ts';

const test = pageSuite('pages: connecting an app');

/** A program on this computer that waits for the browser to come back. */
async function waitingApp({ tandem }: Stage, scope: string) {
  const landed = Promise.withResolvers<URL>();
  // It keeps neither this process nor the browser waiting.
  const server = createServer((request, response) => {
    response.setHeader('Connection', 'close');
    const address = new URL(request.url ?? '/', 'http://127.0.0.1');
    response.end('You may close this window.');
    if (address.pathname === '/callback') landed.resolve(address);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const redirect = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const clientId = await register(tandem.url, { client_name: 'Inkwell', redirect_uris: [redirect] });
  const { verifier, challenge } = pkce();
  const address = authorizeUrl(tandem.url, clientId, challenge, { scope, redirect_uri: redirect });
  const arrival = () => within(() => 'the browser comes back to the app', landed.promise);
  const token = async () => {
    const code = (await arrival()).searchParams.get('code') ?? '';
    return redeem(tandem.url, { clientId, code, verifier }, { redirect_uri: redirect });
  };
  return { address, redirect, arrival, token };
}

const everything = 'todos:read todos:write captures:read';

test.promise(
  'a person signs in on the way, picks one workspace, leaves captures unticked, and the app gets just that',
  async (stage) => {
    const ada = await newAccount(stage.tandem, { workspaceName: 'Home' });
    const as = { key: ada.session.token };
    const { body: second } = await stage.tandem.call('POST /workspaces', { name: 'Foundry' }, as);
    const app = await waitingApp(stage, everything);
    const { page, sees } = await stage.window({ elsewhere: [new URL(app.redirect).origin] });
    await page.goto(app.address);
    await sees('Sign in');
    await page.getByText('Sign in to review the access request of the app.').waitFor();
    await page.getByLabel('Email address').fill(ada.email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await sees('Connect Inkwell to Tandem?');
    await page.getByText('It runs on this computer.').waitFor();
    assert.is(await page.getByRole('radio', { checked: true }).count(), 0);
    assert.is(await page.getByRole('checkbox').count(), 3);
    assert.is(await page.getByRole('checkbox', { name: /^Read captures/ }).isChecked(), false);
    await page.getByRole('button', { name: 'Allow access' }).click();
    await page.getByRole('link', { name: 'Choose the workspace that the app may work in' }).waitFor();
    await page.getByText('Foundry').click();
    await page.getByRole('button', { name: 'Allow access' }).click();
    await page.getByText('You may close this window.').waitFor();
    const token = await app.token();
    assert.is(token.status, 200);
    assert.is(token.body.scope, 'todos:read todos:write');
    const { body: connected } = await stage.tandem.call(`GET /connected-apps?workspaceId=${second.id}`, undefined, as);
    assert.is(connected.data.length, 1);
    assert.is(connected.data[0].clientName, 'Inkwell');
  },
);

test.promise('a denial is sent to the app, and connects nothing', async (stage) => {
  const ada = await stage.person();
  const app = await waitingApp(stage, everything);
  const { page, sees } = await stage.window({ as: ada, elsewhere: [new URL(app.redirect).origin] });
  await page.goto(app.address);
  await sees('Connect Inkwell to Tandem?');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('You may close this window.').waitFor();
  assert.is((await app.arrival()).searchParams.get('error'), 'access_denied');
});

test.promise('a decision is refused where another window has signed in as somebody else meanwhile', async (stage) => {
  const [ada, bob] = [await newAccount(stage.tandem), await newAccount(stage.tandem)];
  const app = await waitingApp(stage, 'todos:read');
  const { page, sees } = await stage.window({ as: ada, elsewhere: [new URL(app.redirect).origin] });
  await page.goto(app.address);
  await sees('Connect Inkwell to Tandem?');
  const cookie = { name: 'tandem_session', value: bob.session.token, url: stage.tandem.url, httpOnly: true };
  await page.context().addCookies([cookie]);
  const answer = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: 'Deny' }).click();
  assert.is((await answer).status(), 409);
  assert.is(((await (await answer).json()) as { reason: string }).reason, 'session_changed');
});

test.promise('a decision is offered once the page knows whose it is', async (stage) => {
  const ada = await stage.person();
  const app = await waitingApp(stage, 'todos:read');
  const { page, sees } = await stage.window({ as: ada });
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/trpc/meta.identity*', async (route) => {
    await held;
    await route.continue();
  });
  const request = page.waitForResponse((response) => response.url().includes('/oauth/interactions/'));
  await page.goto(app.address);
  await (await request).finished();
  await sees('Connect an app');
  assert.is(await page.getByRole('button').count(), 0);
  answer();
  await sees('Connect Inkwell to Tandem?');
  await page.getByText(`Signed in as ${ada.email}`).waitFor();
});

test.promise('a request that is opened in another person’s browser is shown as ended', async (stage) => {
  const app = await waitingApp(stage, everything);
  const mallory = await stage.window({ as: await stage.person() });
  await mallory.page.goto(app.address);
  await mallory.sees('Connect Inkwell to Tandem?');
  const lured = await stage.window({ as: await stage.person() });
  await lured.goTo(mallory.page.url(), 'This request has ended');
});

test.promise('a connected app is listed and loses its access when it is revoked', async (stage) => {
  const ada = await stage.person();
  const app = await waitingApp(stage, 'todos:read captures:read');
  const origin = new URL(app.redirect).origin;
  const { page, goTo, sees } = await stage.window({ as: ada, elsewhere: [origin] });
  await page.goto(app.address);
  await sees('Connect Inkwell to Tandem?');
  await page.getByText(/^Read captures/).click();
  await page.getByRole('button', { name: 'Allow access' }).click();
  const { body } = await app.token();
  assert.is(body.scope, 'todos:read captures:read');
  await page.getByText('You may close this window.').waitFor();
  await goTo('/settings/connected-apps', 'Connected apps');
  await page.getByText('Todos: read · Captures: read').waitFor();
  await page.getByRole('button', { name: 'Revoke: Inkwell' }).click();
  await page.getByRole('button', { name: 'Revoke access' }).click();
  await page.getByText('Inkwell no longer has access.').waitFor();
  await page.getByText('No apps are connected').waitFor();
  const { data } = (
    await stage.tandem.call(
      `GET /connected-apps?workspaceId=${ada.session.workspace.id}&includeRevoked=true`,
      undefined,
      {
        key: ada.session.token,
      },
    )
  ).body;
  assert.ok(data[0].revokedAt);
});

test.run();

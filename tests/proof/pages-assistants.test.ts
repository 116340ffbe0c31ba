import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { callback } from '../support/oauth.ts';
import { generations, mustAsk } from '../support/oauth-assistants.ts';
import { type ClientPages, clientPages } from '../support/oauth-pages.ts';
import { Wallet } from '../support/oauth-wallet.ts';
import { newAccount, password } from '../support/people.ts';

let published: ClientPages;

const parts = async () => {
  published = await clientPages();
  return { oauthFetch: published.reach };
};
const test = pageSuite('pages: connecting an assistant', parts, {}, true);

for (const [generation, make] of Object.entries(generations)) {
  for (const way of ['registration', 'metadata document'] as const) {
    const promised = `a person lets the ${generation} SDK in by ${way}: tool call, renewal, and an end at once when revoked`;
    test.promise(promised, async ({ tandem, window }) => {
      const ada = await newAccount(tandem);
      const wallet = new Wallet(way === 'registration' ? undefined : published.publish(`/browser-${generation}.json`));
      const assistant = make(tandem.url, wallet);
      await mustAsk(assistant.connect(), wallet);

      const { page, sees } = await window({ elsewhere: [new URL(callback).origin] });
      const landed = new Promise<URL>((resolve) => {
        void page.route(`${callback}**`, async (route) => {
          await route.fulfill({ contentType: 'text/plain', body: 'You may close this window.' });
          resolve(new URL(route.request().url()));
        });
      });
      await page.goto(wallet.address);
      await sees('Sign in');
      await page.getByLabel('Email address').fill(ada.email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('button', { name: 'Allow access' }).waitFor();
      const choice = page.getByRole('radio');
      if ((await choice.count()) > 0 && !(await choice.first().isChecked()))
        await page.getByText('Ada’s workspace').click();
      await page.getByRole('button', { name: 'Allow access' }).click();
      await assistant.finish(await landed);

      await assistant.connect();
      const made = await assistant.call('create_todo', { title: `By the ${generation} SDK` });
      assert.is(made.isError ?? false, false, JSON.stringify(made));
      const before = wallet.kept;
      await tandem.db.rows(`update credentials set expires_at = now() where kind = 'oauth' and user_id = $1`, [
        ada.session.user.id,
      ]);
      assert.is((await assistant.call('list_todos', {})).isError ?? false, false);
      assert.not.equal(wallet.kept?.refresh_token, before?.refresh_token);

      const as = { key: ada.session.token };
      const { body: apps } = await tandem.call(
        `GET /connected-apps?workspaceId=${ada.session.workspace.id}`,
        undefined,
        as,
      );
      await tandem.call(`DELETE /connected-apps/${apps.data[0].id}`, undefined, as);
      await mustAsk(assistant.call('list_todos', {}), wallet);
    });
  }
}

test.promise('the site of the metadata documents closes with the tests', () => published.close());

test.run();

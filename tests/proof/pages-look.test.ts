import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { authorizeUrl, pkce, register } from '../support/oauth.ts';

const test = pageSuite('how the pages look');

/* Pages that need more than an address. Every address is looked at in pages-matrix.test.ts. */

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the consent page is accessible and fits: ${name}`, async (stage) => {
    const ada = await stage.person();
    await stage.tandem.call('POST /workspaces', { name: 'Analytical Engine' }, { key: ada.session.token });
    const shown = await stage.window({ ...options, as: ada });
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

  test.promise(
    `who asks for more contrast gets it, in texts and lines: ${name}`,
    async ({ tandem, window, person }) => {
      const ada = await person();
      await tandem.call('POST /todos', { title: 'Order desks', priority: 'high' }, { key: ada.session.token });
      const shown = await window({ ...options, contrast: 'more', as: ada });
      await shown.goTo('/todos', 'Todos');
      await shown.page.getByRole('row', { name: /^Order desks/ }).waitFor();
      const colors = `['main p.muted', '.todo-row', 'h1'].map((each) => {
      const { color, borderBottomColor } = getComputedStyle(document.querySelector(each));
      return each === '.todo-row' ? borderBottomColor : color;
    })`;
      const [text, line, ink] = await shown.page.evaluate<string[]>(colors);
      assert.equal([text, line], [ink, ink]);
      await look(shown, `contrast-${name}`);
    },
  );
}

test.run();

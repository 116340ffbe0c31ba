import * as assert from 'uvu/assert';
import { pageSuite, type Window } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';

const test = pageSuite('the documents in a browser');

async function opened(window: Window, path: string): Promise<void> {
  await window.page.goto(path);
  await window.page.locator('h1').first().waitFor();
}

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`guides and reference are readable, ${name}`, async ({ window }) => {
    const seen = await window(options);
    for (const path of [
      '/docs',
      '/docs/reference/todos',
      '/docs/reference/auth',
      '/docs/quick-start',
      '/docs/errors',
    ]) {
      await opened(seen, path);
      await look(seen, `${path.slice(1).replaceAll('/', '-')}-${name}`);
    }
  });
}

test.promise(
  'the language of the samples is chosen once for all, by mouse or by keyboard, and kept',
  async ({ window }) => {
    const seen = await window();
    await opened(seen, '/docs/reference/todos');
    const tabs = seen.page.getByRole('tab', { selected: true });
    assert.equal([...new Set(await tabs.allTextContents())], ['curl']);
    await seen.page.getByRole('tab', { name: 'TypeScript' }).first().click();
    assert.equal([...new Set(await tabs.allTextContents())], ['TypeScript']);
    await seen.page.keyboard.press('ArrowRight');
    assert.equal([...new Set(await tabs.allTextContents())], ['CLI']);
    assert.match(await seen.page.getByRole('tabpanel').first().innerText(), 'tandem todos list');
    await opened(seen, '/docs/reference/chats');
    assert.equal([...new Set(await tabs.allTextContents())], ['CLI']);
  },
);

test.promise('the list of operations is filtered by words, and each leads to its place', async ({ window }) => {
  const seen = await window();
  await opened(seen, '/docs');
  await seen.page.getByRole('searchbox').fill('/todos/{todoId}/restore');
  const rows = seen.page.locator('.group tbody tr:visible');
  await seen.page.getByText('1 of ').waitFor();
  assert.equal(await rows.locator('code').first().innerText(), 'restoreTodo');
  await rows.getByRole('link').click();
  await seen.page.locator('#restoreTodo').waitFor();
  assert.match(seen.page.url(), /\/docs\/reference\/todos#restoreTodo$/);
});

test.promise('without scripts every sample can be read', async ({ window }) => {
  const seen = await window({ javaScriptEnabled: false });
  await opened(seen, '/docs/reference/usage');
  for (const label of ['curl', 'TypeScript', 'CLI']) {
    assert.ok(await seen.page.locator(`[data-language="${label}"] pre`).isVisible(), label);
  }
});

test.run();

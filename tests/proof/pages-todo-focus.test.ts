import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/* Where the focus goes on the page of a todo as its parts open and close: elsewhere, typed text would be commands. */

const test = pageSuite('pages: the focus on the page of a todo');

/** What has the focus, by its name or text. */
const focused = (page: Page) =>
  page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.innerText.trim()');

test.promise('what is typed after “Edit” is text, and the focus goes back to where it began', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Draft', content: 'One' }), 201);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Draft');
  const edit = page.getByRole('button', { name: 'Edit', exact: true });
  await edit.click();
  const text = page.getByRole('textbox', { name: 'Text' });
  await text.waitFor();
  await page.keyboard.type('eras ');
  await until(async () => (await text.inputValue()).includes('eras '));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await edit.waitFor();
  await until(async () => (await focused(page)) === 'Edit');
  const stored = bodyOf(await call(`GET /todos/${id}`));
  assert.is(stored.status, 'ready');
  assert.match(stored.content, /eras /);

  await page.keyboard.press('Enter');
  await until(async () => (await focused(page)) === 'Text');
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await until(async () => (await focused(page)) === 'Edit');
});

test.promise('what is typed elsewhere while a text is being saved stays there', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Draft', content: 'One' }), 201);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Draft');
  const held = Promise.withResolvers<void>();
  await page.route(`**/api/v1/todos/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') await held.promise;
    await route.continue();
  });
  const edit = page.getByRole('button', { name: 'Edit', exact: true });
  await edit.click();
  await page.getByRole('textbox', { name: 'Text' }).fill('Two');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const comment = page.getByRole('textbox', { name: 'Comment' });
  await comment.focus();
  await page.keyboard.type('se');
  held.resolve();
  await edit.waitFor();
  await page.keyboard.type('en');
  assert.is(await comment.inputValue(), 'seen');
  assert.equal(await page.locator('textarea:focus').count(), 1);
  const { status, content } = bodyOf(await call(`GET /todos/${id}`));
  assert.equal([status, content], ['ready', 'Two']);
});

test.promise('a text from before a reload leaves the focus at the heading', async (stage) => {
  const ada = await stage.person();
  const { id } = bodyOf(await callsOf(stage.tandem, ada)('POST /todos', { title: 'Draft' }), 201);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Draft');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill('Not saved');
  await goTo('/todos', 'Todos');
  await page.getByRole('link', { name: 'Draft' }).click();
  await page.getByText('This text is not saved yet.').waitFor();
  await until(async () => (await focused(page)) === 'Draft');
});

test.promise('a settled question leads to the next one, then back to the todo', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Open', content: 'One' }), 201);
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Open');
  const asked = (name: string) => page.getByText(`Somebody else changed the ${name} at the same time.`);
  const noted = page.getByText('since you began. If you save, you are asked which one stays.');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill('My text');
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('Mine');
  bodyOf(await call(`PATCH /todos/${id}`, { title: 'Theirs', content: 'Their text' }));
  await until(async () => (await noted.count()) === 2);
  await title.press('Enter');
  await asked('title').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await asked('text').waitFor();
  // Not said a second time, as if nothing had been saved yet.
  assert.is(await noted.count(), 0);

  await page.getByRole('button', { name: 'Keep yours' }).first().press('Enter');
  await sees('Mine');
  await asked('title').waitFor({ state: 'detached' });
  await until(async () => (await focused(page)) === 'Keep yours');
  await page.keyboard.press('Enter');
  await asked('text').waitFor({ state: 'detached' });
  await until(async () => (await focused(page)) === 'Mine');
});

test.promise('a question that was settled from elsewhere takes no focus later', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Open', content: 'One' }), 201);
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Open');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill('My text');
  bodyOf(await call(`PATCH /todos/${id}`, { content: 'Their text' }));
  await page.getByText('since you began. If you save, you are asked which one stays.').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const theirs = page.getByRole('button', { name: 'Take theirs' });
  await theirs.waitFor();
  await page.getByRole('textbox', { name: 'Comment' }).focus();
  await theirs.dispatchEvent('click');
  await theirs.waitFor({ state: 'detached' });
  await page.evaluate('document.activeElement.blur()');
  bodyOf(await call(`PATCH /todos/${id}`, { title: 'Theirs' }));
  await sees('Theirs');
  assert.is(await page.evaluate('document.activeElement === document.body'), true);
});

test.run();

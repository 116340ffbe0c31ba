import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { callsOf } from '../support/people.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/* Names that are too long for their place, of one word without a space to break at. */

const test = pageSuite('pages: long names');

const word = (length: number) => 'W'.repeat(length);

const tooWide = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth');

/** What of the elements is not on the screen, in pixels beyond its edges. */
const beyond = (page: Page, selector: string) =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return Math.round(Math.max(-left, right - innerWidth, -top, bottom - innerHeight));
  }).filter((pixels) => pixels > 0)`);

for (const [width, height] of [
  [1280, 800],
  [390, 844],
] as const) {
  test.promise(`a notice about a long title is on the screen, with its buttons: ${width}`, async (stage) => {
    const ada = await stage.person();
    await callsOf(stage.tandem, ada)('POST /todos', { title: word(500) });
    const { page, goTo } = await stage.window({ as: ada, viewport: { width, height } });
    await goTo('/todos', 'Todos');
    await page.getByRole('row').getByRole('checkbox').click();
    const notice = page.getByRole('region', { name: 'Notice' });
    await notice.getByText('is done').waitFor();
    assert.equal(await beyond(page, '.notice, .notice-region .button'), []);
    await notice.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('row', { name: 'to do' }).waitFor();
  });

  test.promise(`a long name of an agent stays in the fields of a todo: ${width}`, async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    bodyOf(await call('POST /agents', { name: word(80) }), 201);
    const { id } = bodyOf(await call('POST /todos', { title: 'Short', dueDate: '2030-01-02' }), 201);
    const { page, goTo } = await stage.window({ as: ada, viewport: { width, height } });
    await goTo(`/todos/${id}`, 'Short');
    await page.getByRole('checkbox', { name: word(80) }).waitFor();
    await page.getByRole('button', { name: 'Remind me' }).waitFor();
    assert.is(await tooWide(page), 0);
    const wide = `[...document.querySelectorAll('.todo-fields > *')].filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.outerHTML)`;
    assert.equal(await page.evaluate(wide), []);
  });
}

for (const width of [1000, 1280, 390]) {
  test.promise(`what a card of a board says stays inside it: ${width}`, async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const names = ['Waiting for an answer', 'Something for the weekend', 'Another one'];
    const labels = await Promise.all(names.map(async (name) => bodyOf(await call('POST /labels', { name }), 201).id));
    const agent = bodyOf(await call('POST /agents', { name: 'Researcher' }), 201).id;
    const assignees = [{ id: ada.session.user.id }, { id: agent }];
    const given = { priority: 'high', dueDate: '2020-01-02', labelIds: labels, assignees };
    bodyOf(await call('POST /todos', { title: 'Waits for its agent', ...given, run: true }), 201);
    bodyOf(await call('POST /todos', { title: 'Plain', ...given }), 201);
    const { page, goTo } = await stage.window({ as: ada, viewport: { width, height: 800 } });
    await goTo('/todos?layout=board', 'Todos');
    await page.getByRole('link', { name: /^Plain, .* over/ }).waitFor();
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/board-${width}.png` });
    const wide = `[...document.querySelectorAll('.board-facts')].map((each) => each.scrollWidth - each.clientWidth).filter((more) => more > 0)`;
    assert.equal(await page.evaluate(wide), []);
  });
}

test.promise('a long name of a list moves no counts out of the sidebar', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  bodyOf(await call('POST /todo-lists', { name: word(80) }), 201);
  await call('POST /todos', { title: 'In the default list' });
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  await page
    .getByRole('list', { name: 'Lists' })
    .getByRole('link', { name: word(80) })
    .waitFor();
  await page.locator('.side-nav .count').first().waitFor();
  const hidden = `[...document.querySelectorAll('.side-nav .count')].filter((each) =>
    each.getBoundingClientRect().right > document.querySelector('.side-nav').getBoundingClientRect().right).length`;
  assert.is(await page.evaluate(hidden), 0);
});

test.promise('on a phone the name of its todo is cut before the title of a sub-todo', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const parent = bodyOf(await call('POST /todos', { title: 'Collect the figures of all regions and branches' }), 201);
  bodyOf(await call('POST /todos', { title: 'Ask the branches', parentTodoId: parent.id }), 201);
  for (const hasTouch of [false, true]) {
    const { page, goTo } = await stage.window({ as: ada, viewport: { width: 390, height: 844 }, hasTouch });
    await goTo('/todos', 'Todos');
    const title = page.getByRole('grid').getByRole('link', { name: 'Ask the branches' });
    await title.waitFor();
    const cut = await title.evaluate(
      (link: { scrollWidth: number; clientWidth: number }) => link.scrollWidth - link.clientWidth,
    );
    assert.ok(cut <= 0, `${cut} px of the title are cut`);
  }
});

test.run();

import * as assert from 'uvu/assert';
import { pageSuite, type Window } from '../support/browser.ts';
import { form } from '../support/fault-flows.ts';
import { listWindow, onWrite, refusal } from '../support/outbox-pages.ts';
import { breakOperations } from '../support/page-faults.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/* What a form began ends after the person has left it. */

const test = pageSuite('pages: forms that are gone');

const side = ({ page }: Window, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click();

test.promise('a note that is sent slowly takes away neither the page nor the next note', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo('/captures/new', 'New note');
  const { field, send } = form(window, 'Note', 'Save note');
  const slow = await breakOperations(page, (id) => id === 'createCapture', 'slow');
  await field.fill('The first note');
  await send();
  await slow.asked;
  await side(window, 'Captures');
  await sees('Captures');
  await page.getByRole('link', { name: 'New note' }).first().click();
  await sees('New note');
  await field.fill('The second note');
  const answered = page.waitForResponse(/captures\.create/);
  await slow.mend();
  await answered;
  await until(async () => bodyOf(await callsOf(stage.tandem, ada)('GET /captures')).data.length === 1);
  await side(window, 'Captures');
  await page.getByText('The first note').first().waitFor();
  await page.getByRole('link', { name: 'New note' }).first().click();
  await sees('New note');
  assert.is(await field.inputValue(), 'The second note');
});

test.promise('a line that is refused after its form has gone stays among the unsent changes', async (stage) => {
  const ada = await stage.person();
  const window = await listWindow(stage, ada);
  const { page, sees } = window;
  const held = Promise.withResolvers<void>();
  const posts = await onWrite(page, 'POST', async (route) => {
    await held.promise;
    await route.fulfill(refusal(402, 'No todos are left.'));
  });
  await page.getByLabel('Title').fill('Plant ferns');
  await page.getByLabel('Title').press('Enter');
  await until(() => posts.count === 1);
  await side(window, 'Chats');
  await sees('Chats');
  held.resolve();
  await page.getByText('“Plant ferns” is not created. No todos are left.').waitFor();
  await page.goto('/changes');
  await page.getByText('Plant ferns').first().waitFor();
});

test.promise('pasted lines that were added on another page are not offered again', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo('/todos', 'Todos');
  const lines = Array.from({ length: 60 }, (_, place) => `Line ${place + 1}`);
  await page.getByLabel('Title').focus();
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', ${JSON.stringify(lines.join('\n'))});
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(paste);
  })()`);
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route(/todos\.createBatch/, async (route) => {
    asked.resolve();
    await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Add 60 todos' }).click();
  await asked.promise;
  await side(window, 'Chats');
  await sees('Chats');
  held.resolve();
  await page.getByText('60 todos are on the list.').waitFor();
  await side(window, 'Todos');
  await sees('Todos');
  await page.getByLabel('Title').waitFor();
  assert.is(await page.getByRole('region', { name: 'Pasted lines' }).count(), 0);
  assert.is(bodyOf(await callsOf(stage.tandem, ada)('GET /todos?limit=100')).data.length, 60);
});

test.promise('a view that is saved after its dialog was closed closes and leaves nothing', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo('/todos?priority=high', 'Todos');
  const slow = await breakOperations(page, (id) => id === 'createView', 'slow');
  await page.getByRole('button', { name: 'Save as view' }).click();
  const { field, send } = form(window, 'Name', 'Save');
  await field.fill('Urgent');
  await send();
  await slow.asked;
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Save as view' }).click();
  await field.fill('The next one');
  await slow.mend();
  await until(async () => bodyOf(await callsOf(stage.tandem, ada)('GET /views')).data.length === 1);
  await page.getByRole('navigation').getByText('Urgent').first().waitFor();
  assert.is(await field.inputValue(), 'The next one');
});

test.run();

import type { Locator, Request } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
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

/** Waits until the page has shown what came before. */
const drawn = ({ page }: Window) =>
  page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
/** Returns what waits until the page has the answers to all that it has asked from now on, and has shown them. */
function answersOf(window: Window): () => Promise<void> {
  const open = new Set<Request>();
  // The stream of events never ends.
  const isCall = (url: string) => url.includes('/trpc/') && !url.includes('/events.stream');
  window.page.on('request', (request) => isCall(request.url()) && open.add(request));
  for (const end of ['requestfinished', 'requestfailed'] as const)
    window.page.on(end as 'requestfinished', (request) => open.delete(request));
  return () => until(() => drawn(window).then(() => open.size === 0));
}
const hasFocus = ({ page }: Window, field: Locator) => field.and(page.locator(':focus')).isVisible();

/** Somebody who has sent this note, of which there is no answer yet, and has left the form and come back to it. */
async function sentSlowly(stage: Stage, note: string) {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo('/captures/new', 'New note');
  const { field, send } = form(window, 'Note', 'Save note');
  const answers = answersOf(window);
  const slow = await breakOperations(page, (id) => id === 'createCapture', 'slow');
  await field.fill(note);
  await send();
  await slow.asked;
  await side(window, 'Captures');
  await sees('Captures');
  await page.getByRole('link', { name: 'New note' }).first().click();
  await sees('New note');
  return { ada, window, field, send, slow, answers };
}

test.promise('a note that is sent slowly takes away neither the page nor the next note', async (stage) => {
  const { ada, window, field, slow, answers } = await sentSlowly(stage, 'The first note');
  const { page, sees } = window;
  await field.fill('The second note');
  await slow.mend();
  await answers();
  assert.is(new URL(page.url()).pathname, '/captures/new');
  assert.ok(await hasFocus(window, field));
  await until(async () => bodyOf(await callsOf(stage.tandem, ada)('GET /captures')).data.length === 1);
  await side(window, 'Captures');
  await page.getByText('The first note').first().waitFor();
  await page.getByRole('link', { name: 'New note' }).first().click();
  await sees('New note');
  assert.is(await field.inputValue(), 'The second note');
});

test.promise('a note that is sent again by who came back before the answer is made once', async (stage) => {
  const { ada, window, field, send, slow } = await sentSlowly(stage, 'The only note');
  const { page } = window;
  assert.is(await field.inputValue(), 'The only note');
  const again = page.waitForRequest((request) => request.url().includes('captures.create'));
  await send();
  await again;
  await slow.mend();
  await page.waitForURL(/\/captures\/[0-9a-f-]{36}$/);
  assert.is(bodyOf(await callsOf(stage.tandem, ada)('GET /captures')).data.length, 1);
});

test.promise('what was sent is gone from a form that was opened again before the answer', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const agent = bodyOf(await call('POST /agents', { name: 'Scout' }), 201);
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  const forms = [
    { path: '/captures/new', title: 'New note', label: 'Note', button: 'Save note', id: 'createCapture' },
    { path: `/agents/${agent.id}`, title: 'Scout', label: 'Todo', button: 'Assign', id: 'createTodo' },
  ];
  for (const { path, title, label, button, id } of forms) {
    await goTo(path, title);
    const { field, send } = form(window, label, button);
    const slow = await breakOperations(page, (each) => each === id, 'slow');
    await field.fill('Look for caterers');
    await send();
    await slow.asked;
    await side(window, 'Chats');
    await sees('Chats');
    await page.goBack();
    await sees(title);
    assert.is(await field.inputValue(), 'Look for caterers');
    await slow.mend();
    await until(async () => (await field.inputValue()) === '');
    await drawn(window);
    assert.is(new URL(page.url()).pathname, path);
  }
});

test.promise('what ends after the person has left a page leads nowhere', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const todo = bodyOf(await call('POST /todos', { title: 'Plant ferns' }), 201);
  const capture = bodyOf(await call('POST /captures', { type: 'note', content: 'Moss' }), 201);
  const view = bodyOf(await call('POST /views', { name: 'Urgent', query: { priority: ['high'] } }), 201);
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const ends = [
    {
      id: 'duplicateTodo',
      notice: '“Plant ferns” is duplicated.',
      begin: () => press('Duplicate'),
      at: [`/todos/${todo.id}`, 'Plant ferns'],
    },
    {
      id: 'updateView',
      notice: 'The view “Urgent” is updated.',
      begin: () => press('Update view'),
      at: [`/views/${view.id}?priority=low`, 'Urgent'],
    },
    {
      id: 'deleteCapture',
      notice: 'The capture is erased.',
      begin: () => press('Erase').then(() => press('Erase it')),
      at: [`/captures/${capture.id}`, 'Moss'],
    },
  ] as const;
  for (const { id, notice, begin, at } of ends) {
    await goTo(...(at as unknown as [string, string]));
    const slow = await breakOperations(page, (each) => each === id, 'slow');
    await begin();
    await slow.asked;
    await page.keyboard.press('Escape');
    await side(window, 'Chats');
    await sees('Chats');
    await slow.mend();
    await page.getByText(notice).waitFor();
    await drawn(window);
    assert.is(new URL(page.url()).pathname, '/chats', id);
  }
});

test.promise('a comment that is saved after its page was left does not take the focus', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Talk' }), 201);
  bodyOf(await call(`POST /todos/${id}/comments`, { text: 'First' }), 201);
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  const { field, send } = form(window, 'Your comment', 'Save comment');
  const slow = await breakOperations(page, (each) => each === 'updateTodoComment', 'slow');
  await goTo(`/todos/${id}`, 'Talk');
  const answers = answersOf(window);
  await page.getByRole('button', { name: 'Edit comment' }).click();
  await field.fill('Changed');
  await send();
  await slow.asked;
  await side(window, 'Todos');
  await sees('Todos');
  const line = page.getByLabel('Title');
  await line.pressSequentially('Plant');
  await slow.mend();
  await answers();
  await page.keyboard.type(' ferns');
  assert.is(await line.inputValue(), 'Plant ferns');
});

test.promise('a form that was saved does not close the one that was opened after it', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  bodyOf(await call('POST /labels', { name: 'Moss' }), 201);
  const capture = bodyOf(await call('POST /captures', { type: 'note', content: 'Moss' }), 201);
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  const forms = [
    { id: 'updateLabel', at: ['/settings/labels', 'Labels'], open: 'Change: Moss', part: 'Change Moss', label: 'Name' },
    {
      id: 'updateCapture',
      at: [`/captures/${capture.id}`, 'Moss'],
      open: 'Change the title',
      part: 'Title',
      label: 'Title',
    },
  ] as const;
  for (const { id, at, open, part, label } of forms) {
    await goTo(...(at as unknown as [string, string]));
    const answers = answersOf(window);
    const slow = await breakOperations(page, (each) => each === id, 'slow');
    const shown = page.getByRole('form', { name: part });
    const field = shown.getByRole('textbox', { name: label });
    await page.getByRole('button', { name: open }).click();
    await field.fill('Moss');
    await shown.getByRole('button', { name: 'Save' }).press('Enter');
    await slow.asked;
    await shown.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: open }).click();
    await field.fill('Lichen');
    await slow.mend();
    await answers();
    assert.is(await field.inputValue(), 'Lichen', id);
  }
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
  await page.getByText('60 todos are created.').waitFor();
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

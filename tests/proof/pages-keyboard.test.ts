import * as assert from 'uvu/assert';
import { pageSuite, type Window } from '../support/browser.ts';
import { asks, cardOf, untilFocused } from '../support/inbox-fixtures.ts';
import { onEntry, press, pressAtOnce, tabTo, typeInto } from '../support/keyboard.ts';
import { callsOf } from '../support/people.ts';
import { reply, ScriptedEngine, settled } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/* A day at work without a mouse: nothing is clicked, and no test puts the focus anywhere. */

const engine = new ScriptedEngine();
const test = pageSuite('pages: a day by the keyboard', async () => ({ engine }));

const isOnRow = ({ page }: Window, name: string) => page.locator(`[role=row]:focus[aria-label^="${name}"]`).waitFor();

test.promise('todos are written, looked at, opened, edited, scheduled and moved on the board', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const window = await stage.window({ as: ada, viewport: { width: 1280, height: 900 } });
  const { page, goTo, sees } = window;
  await goTo('/chats', 'Chats');
  const todos = async () => bodyOf(await call('GET /todos')).data;
  for (const [place, line] of ['Find a hall !high', 'Order desks'].entries()) {
    await press(window, 'c');
    await page.locator('input[name="title"]:focus').waitFor();
    await page.keyboard.type(line);
    // The last token may be offered: Enter takes it, and a second Enter sends the line.
    await press(window, 'Escape', 'Enter');
    await page.getByRole('row', { name: new RegExp(`^${line.split(' !')[0]}`) }).waitFor();
    await press(window, 'Tab');
    // The newest is first, by when it was stored.
    await until(async () => (await todos()).length === place + 1);
  }
  const hall = (await todos()).find(({ title }: { title: string }) => title === 'Find a hall');
  assert.is(hall.priority, 'high');

  await press(window, 'j', 'j');
  await isOnRow(window, 'Find a hall');
  await press(window, 'Space');
  const panel = page.getByRole('region', { name: 'Todo beside the list' });
  await panel.getByRole('heading', { level: 2, name: 'Find a hall' }).waitFor();
  await press(window, 'Escape');
  await panel.waitFor({ state: 'detached' });
  await isOnRow(window, 'Find a hall');

  await press(window, 'Enter');
  await sees('Find a hall');
  await tabTo(window, page.getByRole('button', { name: 'Edit', exact: true }));
  await press(window, 'Enter');
  await typeInto(window, page.getByRole('textbox', { name: 'Text' }), 'For **180** guests');
  await tabTo(window, page.getByRole('button', { name: 'Save', exact: true }));
  await press(window, 'Enter');
  await page.locator('.prose strong', { hasText: '180' }).waitFor();
  await tabTo(window, page.getByRole('button', { name: 'Add a schedule' }));
  await press(window, 'Enter');
  await page.locator('input[name=form]:focus').waitFor();
  await tabTo(window, page.getByRole('checkbox', { name: 'Mon' }));
  await press(window, 'Space');
  await tabTo(window, page.getByRole('button', { name: 'Save schedule' }));
  await press(window, 'Enter');
  await page.getByText('The schedule is saved.').waitFor();
  await until(async () => bodyOf(await call(`GET /todos/${hall.id}`)).content !== null);
  const stored = bodyOf(await call(`GET /todos/${hall.id}`));
  assert.equal([stored.content, stored.rrule], ['For **180** guests', 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0']);

  await pressAtOnce(window, 'g', 'a');
  await sees('Todos');
  await tabTo(window, page.getByRole('combobox', { name: 'Layout' }));
  await press(window, 'b');
  await page.getByRole('region', { name: /^To do/ }).waitFor();
  await tabTo(window, page.getByRole('link', { name: 'Order desks' }));
  await press(window, 'm');
  await onEntry(window, 'In progress');
  await press(window, 'Enter');
  await page.getByText('“Order desks” is in “In progress” now.').waitFor();
  const statusOf = async (name: string) =>
    (await todos()).find(({ title }: { title: string }) => title === name)?.status;
  await until(async () => (await statusOf('Order desks')) === 'in_progress');
});

test.promise('an agent is asked, answers and is allowed what it wants', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo('/todos', 'Todos');
  await pressAtOnce(window, 'g', 'c');
  await sees('Chats');
  const word = engine.plan([reply('Nothing is due.')]);
  await typeInto(window, page.getByLabel('Message', { exact: true }), `What is due? ${word}`);
  await press(window, 'Enter');
  // On the page of the chat: the list from which it was started may say it before, and loses the focus.
  await page.locator('.message.agent .prose').getByText('Nothing is due.').waitFor();
  const again = engine.plan([reply('Nor then.')]);
  await typeInto(window, page.getByLabel('Message', { exact: true }), `And on Monday? ${again}`);
  await press(window, 'Enter');
  await page.getByText('Nor then.').first().waitFor();

  const { chatId } = await asks(stage, engine, ada, [['create_todo', { title: 'Buy a boat' }]]);
  await press(window, 'Tab');
  await pressAtOnce(window, 'g', 'i');
  await sees('Inbox');
  await cardOf(window, /Buy a boat/).waitFor();
  await press(window, 'j');
  await untilFocused(window, 'Buy a boat');
  await until(async () => {
    await press(window, 'a');
    return bodyOf(await call(`GET /approvals?chatId=${chatId}`)).data[0].status === 'approved';
  });
  await settled({ call }, chatId);
  assert.equal(
    bodyOf(await call('GET /todos')).data.map(({ title }: { title: string }) => title),
    ['Buy a boat'],
  );
});

test.promise('keys work on a keyboard of another script, by their places', async (stage) => {
  const ada = await stage.person();
  bodyOf(await callsOf(stage.tandem, ada)('POST /todos', { title: 'Order desks' }), 201);
  const { page, goTo, sees } = await stage.window({ as: ada });
  const types = (key: string, code: string, more = {}) =>
    page.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
      ${JSON.stringify({ key, code, bubbles: true, cancelable: true, ...more })}))`);
  await goTo('/chats', 'Chats');
  await types('л', 'KeyK', { ctrlKey: true });
  const palette = page.getByRole('dialog');
  await palette.getByRole('combobox').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  await Promise.all([types('п', 'KeyG'), types('ф', 'KeyA')]);
  await sees('Todos');
  await goTo('/todos?layout=board', 'Todos');
  const card = page.getByRole('link', { name: 'Order desks' });
  await card.focus();
  await types('ч', 'KeyX');
  await page.getByText('1 selected').waitFor();
  // Caps Lock.
  await types('X', 'KeyX');
  await page.getByText('1 selected').waitFor({ state: 'detached' });
  // A Latin layout keeps its keys, wherever they are.
  await types('b', 'KeyX');
  await types('ü', 'KeyX');
  // AltGr.
  await types('µ', 'KeyM');
  assert.is(await page.getByRole('menu').count(), 0);
  await types('x', 'KeyB');
  await page.getByText('1 selected').waitFor();
});

test.run();

import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { holdableReads } from '../support/held-reads.ts';
import { cardOf } from '../support/inbox-fixtures.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf, type Person } from '../support/people.ts';
import { reply, type Script, ScriptedEngine, use } from '../support/scripted-engine.ts';
import { bodyOf, endOfRun, startRun, untilStatus } from '../support/work-fixtures.ts';

/* Decisions that an agent at work on a todo waits for, made where the todo is listed. */

const engine = new ScriptedEngine();
const test = pageSuite('pages: decisions in lists', async () => ({ engine }));

const create = (title: string): [string, unknown] => ['create_todo', { title }];
const ends = async () => reply('Done.');

/**
 * A todo of this title whose agent asks to create these, and its chat once it waits. `then`: what the agent does next.
 */
async function waiting({ tandem }: Stage, person: Person, title: string, wanted: string[], then: Script = ends) {
  const call = callsOf(tandem, person);
  const todo = bodyOf(await call('POST /todos', { title, priority: 'high' }), 201);
  const agent = bodyOf(await call('POST /agents', { name: 'Researcher', requiresApproval: true }), 201);
  const plan = engine.plan((request, asked) => (asked === 0 ? use(...wanted.map(create)) : then(request, asked - 1)));
  const { chatId } = await startRun({ call }, todo.id, plan, agent.id);
  await untilStatus({ call }, chatId, 'awaiting_input');
  return { todo, chatId, call };
}

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the row of a todo whose agent waits leads to what it asks, and back: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const { todo, call } = await waiting(stage, ada, 'Furnish the office', ['Order desks', 'Order chairs']);
    bodyOf(await call('POST /todos', { title: 'Water the plants' }), 201);
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo } = window;
    await goTo('/todos', 'Todos');
    const row = page.getByRole('row', { name: /^Furnish the office, .*Waiting for you/ });
    await row.getByRole('button', { name: 'Approve…: Furnish the office' }).waitFor();
    await look(window, `decide-row-${name}`);
    await row.getByRole('button', { name: 'Approve…: Furnish the office' }).click();
    const dialog = page.getByRole('dialog', { name: '“Furnish the office” waits for you' });
    await cardOf(window, /create the todo “Order chairs”/).waitFor();
    await look(window, `decide-dialog-${name}`);
    const desks = cardOf(window, /create the todo “Order desks”/);
    await desks.getByRole('button', { name: 'Approve', exact: true }).click();
    await desks.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('[role="row"]:focus', { hasText: 'Furnish the office' }).waitFor();
    await endOfRun({ call }, todo.id);
    await row.waitFor({ state: 'detached' });
    assert.is(bodyOf(await call('GET /approvals?status=pending')).data.length, 0);
  });
}

test.promise(
  'keys decide on a list, a board and the page of the todo, and only where something waits',
  async (stage) => {
    const ada = await stage.person();
    const { todo } = await waiting(stage, ada, 'Furnish the office', ['Order desks']);
    const call = callsOf(stage.tandem, ada);
    bodyOf(await call('POST /todos', { title: 'Water the plants', priority: 'low' }), 201);
    const window = await stage.window({ as: ada });
    const { page, goTo } = window;
    const dialog = page.getByRole('dialog', { name: '“Furnish the office” waits for you' });
    const closes = async () => {
      await dialog.getByRole('button', { name: 'Deny with a note' }).waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    await goTo('/todos?sort=priority', 'Todos');
    const plants = page.getByRole('row', { name: /^Water the plants/ });
    await plants.focus();
    await page.keyboard.press('Shift+A');
    await page.getByRole('row', { name: /^Furnish the office/ }).focus();
    assert.is(await dialog.count(), 0);
    await page.keyboard.press('Shift+A');
    await closes();
    await page.locator('[role="row"]:focus', { hasText: 'Furnish the office' }).waitFor();

    await goTo('/todos?layout=board', 'Todos');
    await page
      .locator('.board-card', { hasText: 'Furnish the office' })
      .getByRole('button', { name: 'Approve…' })
      .click();
    await closes();
    await page.locator('.board a:focus', { hasText: 'Furnish the office' }).waitFor();
    await page.keyboard.press('Shift+A');
    await closes();

    await goTo(`/todos/${todo.id}`, 'Furnish the office');
    await cardOf(window, /create the todo “Order desks”/).waitFor();
    await page.keyboard.press('Shift+A');
    await dialog.getByRole('button', { name: 'Deny with a note' }).click();
    await dialog.getByRole('textbox').fill('No desks');
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await endOfRun({ call }, todo.id);
    const [decided] = bodyOf(await call('GET /approvals')).data;
    assert.equal([decided.status, decided.note], ['denied', 'No desks']);
  },
);

test.promise('a question of before is not shown where another one waits by now', async (stage) => {
  const ada = await stage.person();
  const thought = Promise.withResolvers<void>();
  await waiting(stage, ada, 'Furnish the office', ['Order desks'], async (_, asked) => {
    await thought.promise;
    return asked === 0 ? use(create('Order chairs')) : reply('Done.');
  });
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  const hold = holdableReads(page, 'approvals.list');
  await goTo('/todos', 'Todos');
  const dialog = page.getByRole('dialog', { name: '“Furnish the office” waits for you' });
  const open = page.getByRole('button', { name: 'Approve…: Furnish the office' });
  await open.click();
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await open.waitFor({ state: 'detached' });
  thought.resolve();
  await open.waitFor();
  const held = await hold();
  await open.click();
  await dialog.getByText('Loading the approvals…').waitFor();
  assert.is(await dialog.getByRole('article').count(), 0);
  assert.is(await dialog.getByText('Nothing waits here any more').count(), 0);
  await held.release();
  await cardOf(window, /create the todo “Order chairs”/).waitFor();
  assert.is(await dialog.getByRole('article').count(), 1);
});

test.promise('the focus goes to the next question where a browser does not say that it was lost', async (stage) => {
  const ada = await stage.person();
  await waiting(stage, ada, 'Furnish the office', ['Order desks', 'Order chairs']);
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await page.getByRole('button', { name: 'Approve…: Furnish the office' }).click();
  const desks = cardOf(window, /create the todo “Order desks”/);
  await desks.waitFor();
  // As in Firefox and Safari, when the element that has the focus is removed.
  await page.evaluate(`for (const type of ['blur', 'focusout'])
    addEventListener(type, (event) => event.relatedTarget === null && event.stopImmediatePropagation(), true)`);
  await desks.getByRole('button', { name: 'Approve', exact: true }).press('Enter');
  await desks.waitFor({ state: 'detached' });
  await page.locator('[role="dialog"] a:focus', { hasText: 'Order chairs' }).waitFor();
});

test.promise('the palette offers what is done to todos only where one is meant', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  bodyOf(await call('POST /todos', { title: 'Water the plants' }), 201);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  const row = page.getByRole('row', { name: /^Water the plants/ });
  await row.waitFor();
  const found = async () => {
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Find a command' });
    await palette.getByRole('option', { name: 'Next todo' }).waitFor();
    const names = await palette.getByRole('option').allTextContents();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    const wanted = ['Set the priority', 'Mark as done', 'Select the todo', 'Undo the last change', 'Decide what'];
    return wanted.filter((each) => names.some((name) => name.startsWith(each)));
  };
  assert.equal(await found(), ['Undo the last change']);
  await row.focus();
  assert.equal(await found(), ['Set the priority', 'Mark as done', 'Select the todo', 'Undo the last change']);
});

for (const { width, ...options } of [{ width: 1280 }, { width: 390, hasTouch: true }]) {
  test.promise(`“Approve…” stays in the row of a long title and on a card with labels: ${width}`, async (stage) => {
    const ada = await stage.person();
    const { todo, call } = await waiting(stage, ada, 'Compare the offers '.repeat(12).trim(), ['Order desks']);
    const labelIds: string[] = [];
    for (const name of ['Waiting for an answer', 'Offices and furniture'])
      labelIds.push(bodyOf(await call('POST /labels', { name }), 201).id);
    bodyOf(await call(`PATCH /todos/${todo.id}`, { labelIds }));
    const window = await stage.window({ ...options, viewport: { width, height: 844 }, as: ada });
    for (const [name, path, around] of [
      ['row', '/todos', '.todo-row'],
      ['card', '/todos?layout=board', '.board-card'],
    ] as const) {
      await window.goTo(path, 'Todos');
      await window.page.locator(around).getByRole('button', { name: 'Approve…' }).waitFor();
      await look(window, `decide-long-${name}-${width}`);
      const beyond = await window.page.evaluate(`(() => {
        const around = document.querySelector('${around}').getBoundingClientRect();
        const button = document.querySelector('${around} .token');
        const { left, right, top, bottom } = button.getBoundingClientRect();
        const words = document.createRange();
        words.selectNodeContents(button);
        return {
          pixels: Math.max(0, around.left - left, right - around.right, around.top - top, bottom - around.bottom),
          lines: words.getClientRects().length,
        };
      })()`);
      assert.equal(beyond, { pixels: 0, lines: 1 }, name);
    }
  });
}

test.run();

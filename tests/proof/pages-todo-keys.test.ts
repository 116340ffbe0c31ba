import * as assert from 'uvu/assert';
import { pageSuite, type Window } from '../support/browser.ts';
import { pressAtOnce } from '../support/keyboard.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf } from '../support/people.ts';
import { reply, ScriptedEngine } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';
import { agentOf, bodyOf } from '../support/work-fixtures.ts';

const engine = new ScriptedEngine();
const test = pageSuite('pages: the keys of todos', async () => ({ engine }));

const desk = { viewport: { width: 1280, height: 900 } };
const isOn = ({ page }: Window, name: string) => page.locator(`[role=row]:focus[aria-label^="${name}"]`).waitFor();

/** Lets a test hold the next frames of a page: `heldFrames.hold()`, `heldFrames.release()`. */
const holdableFrames = `{
  const request = requestAnimationFrame;
  let held;
  globalThis.requestAnimationFrame = (act) => request((time) => (held ? held.push(act) : act(time)));
  globalThis.heldFrames = {
    hold: () => { held = []; },
    release: () => {
      const late = held;
      held = undefined;
      for (const act of late) act(performance.now());
    },
  };
}`;

/** Presses a key, types into the dialog that it opens, and chooses at once what is found first. */
async function choose({ page }: Window, key: string, dialog: string, typed: string): Promise<void> {
  await page.keyboard.press(key);
  await page.keyboard.type(typed);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: dialog }).waitFor({ state: 'detached' });
}

test.promise('each field of the todo in focus has a key, and twenty changes can be undone', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const garden = bodyOf(await call('POST /todo-lists', { name: 'Garden' }), 201);
  const { id } = bodyOf(await call('POST /todos', { title: 'Water the ferns' }), 201);
  bodyOf(await call('POST /todos', { title: 'Something else' }), 201);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await page.getByRole('row', { name: /^Water the ferns/ }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await isOn(window, 'Water the ferns');
  const now = async () => bodyOf(await call(`GET /todos/${id}`));
  const before = await now();

  await choose(window, 's', 'Status: “Water the ferns”', 'progress');
  await isOn(window, 'Water the ferns');
  await page.getByText('“Water the ferns” is set to “In progress”.').waitFor();
  await choose(window, 'p', 'Priority: “Water the ferns”', 'urg');
  await isOn(window, 'Water the ferns, urgent priority');
  await choose(window, 'd', 'Due date: “Water the ferns”', '2031-03-05');
  await isOn(window, 'Water the ferns, urgent priority, due Mar 5, 2031');
  await choose(window, 'l', 'List: “Water the ferns”', 'gard');
  await choose(window, 'a', 'Assignee: “Water the ferns”', 'nobody');
  await isOn(window, 'Water the ferns');
  // Changes of one todo are stored in their order.
  await until(async () => (await now()).assignees.length === 0);
  const changed = await now();
  assert.equal(
    [changed.status, changed.priority, changed.dueDate, changed.todoListId],
    ['in_progress', 'urgent', '2031-03-05', garden.id],
  );

  for (let change = 0; change < 5; change++) {
    await page.keyboard.press('Control+z');
    await page.getByText('Undone.').waitFor();
    // The notice may leave by itself before the click.
    await page
      .getByRole('button', { name: 'Dismiss' })
      .click({ timeout: 5_000 })
      .catch(() => {});
    await page.getByText('Undone.').waitFor({ state: 'detached' });
  }
  const undone = await now();
  const fields = ({ status, priority, dueDate, todoListId, assignees }: typeof before) =>
    JSON.stringify({ status, priority, dueDate, todoListId, assignees });
  assert.is(fields(undone), fields(before));
});

test.promise(
  'a key pressed before the last dialog gave the focus back acts, and the focus comes back',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const { id } = bodyOf(await call('POST /todos', { title: 'Water the ferns' }), 201);
    const window = await stage.window({ ...desk, as: ada });
    const { page, goTo } = window;
    await page.addInitScript(holdableFrames);
    await goTo('/todos', 'Todos');
    await page.getByRole('row', { name: /^Water the ferns/ }).waitFor();
    await page.keyboard.press('j');
    await isOn(window, 'Water the ferns');
    await page.keyboard.press('p');
    const first = page.getByRole('dialog', { name: 'Priority: “Water the ferns”' });
    await first.getByRole('option', { name: 'Urgent' }).waitFor();
    await page.keyboard.type('urg');
    await first.locator('[role=option][data-focused]').waitFor();
    await page.evaluate('heldFrames.hold()');
    await page.keyboard.press('Enter');
    await first.waitFor({ state: 'detached' });
    assert.is(await page.evaluate('document.activeElement.tagName'), 'BODY');
    await page.keyboard.press('s');
    const progress = page.getByRole('dialog', { name: 'Status: “Water the ferns”' }).getByText('In progress');
    await progress.waitFor();
    await page.evaluate('heldFrames.release()');
    await progress.click();
    await progress.waitFor({ state: 'detached' });
    await isOn(window, 'Water the ferns, urgent priority');
    await until(async () => bodyOf(await call(`GET /todos/${id}`)).status === 'in_progress');
  },
);

test.promise('the same keys work on the page of a todo and on the board; the dialog closes by Esc', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Water the ferns' }), 201);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo(`/todos/${id}`, 'Water the ferns');
  await page.getByRole('button', { name: 'Mark as done' }).waitFor();
  await page.keyboard.press('p');
  const dialog = page.getByRole('dialog', { name: 'Priority: “Water the ferns”' });
  await dialog.getByRole('option', { name: 'High' }).waitFor();
  assert.equal(await window.axe('all'), []);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('d');
  const due = page.getByPlaceholder('A day: fri, next week, 3 dec');
  await due.fill('2031-02-30');
  await page.getByText('Nothing is found.').waitFor();
  await due.fill('3 dec');
  await page.getByRole('option', { name: /3 December|December 3/ }).waitFor();
  await due.press('Enter');
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).dueDate?.endsWith('-12-03'));
  await page.keyboard.press('e');
  await page.getByRole('button', { name: 'Reopen' }).waitFor();
  // Both changes arrive before the board is read: what is being sent meanwhile may show the todo in two columns.
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).status === 'done');
  await page.keyboard.press('Control+z');
  await page.getByRole('button', { name: 'Mark as done' }).waitFor();
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).status === 'ready');

  await page.goto('/todos?layout=board');
  await page.getByRole('link', { name: /^Water the ferns/ }).focus();
  await choose(window, 'p', 'Priority: “Water the ferns”', 'high');
  await page.getByRole('link', { name: /^Water the ferns, high priority/ }).waitFor();
  await page.keyboard.press('Shift+L');
  const labels = page.getByRole('dialog', { name: 'Labels' });
  await labels.getByLabel('Find or create a label').fill('Waiting');
  await page.keyboard.press('Enter');
  await labels.getByRole('checkbox', { name: 'Waiting' }).waitFor();
  await page.keyboard.press('Enter');
  await labels.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /^Water the ferns, .*Waiting/ }).waitFor();
});

test.promise(
  'R runs a todo with the agent that is chosen, / searches, Shift+S plans, G S goes to the schedules',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const agentId = await agentOf({ call }, { name: 'Researcher' });
    const title = `Find a hall: ${engine.plan([reply('The old brewery.')])}`;
    const { id } = bodyOf(await call('POST /todos', { title }), 201);
    bodyOf(await call('POST /todos', { title: 'Book the band' }), 201);
    const window = await stage.window({ ...desk, as: ada });
    const { page, goTo, sees } = window;
    await goTo('/todos', 'Todos');
    await page.getByRole('row', { name: /^Find a hall/ }).waitFor();
    // Of several one is run, and the dialog says which.
    for (const _ of [1, 2]) {
      await page.keyboard.press('j');
      await page.keyboard.press('x');
    }
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: /^Run by: “(Find a hall|Book the band)/ }).waitFor();
    for (const _ of [1, 2]) await page.keyboard.press('Escape');
    await page.getByRole('row', { selected: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('nothing of this name');
    await page.getByRole('row').first().waitFor({ state: 'detached' });
    await page.getByLabel('Search todos').fill('hall');
    await page.getByRole('row', { name: /^Find a hall/ }).waitFor();
    await page.getByLabel('Search todos').blur();
    await page.keyboard.press('j');
    await isOn(window, 'Find a hall');
    await choose(window, 'r', `Run by: “${title}”`, 'research');
    await page.getByText(/^The agent works on “Find a hall/).waitFor();
    await until(async () => bodyOf(await call(`GET /todos/${id}/runs`)).data[0]?.agentId === agentId);

    await page.keyboard.press('Shift+S');
    await sees(title);
    await until(() => page.evaluate('document.activeElement?.textContent === "Add a schedule"'));
    await page.keyboard.press('Escape');
    await pressAtOnce(window, 'g', 's');
    await sees('Schedules');
  },
);

test.promise('a todo is copied as an agent finds it', async (stage) => {
  const ada = await stage.person();
  const body = { title: 'Water the ferns', content: 'Twice a week.' };
  const { id } = bodyOf(await callsOf(stage.tandem, ada)('POST /todos', body), 201);
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page, goTo } = await stage.window({ as: ada, permissions });
  await goTo(`/todos/${id}`, 'Water the ferns');
  await page.getByRole('button', { name: 'Copy for an agent' }).click();
  await page.getByText('Text copied to the clipboard.').waitFor();
  const text = `Todo “Water the ferns” (todoId: ${id})\n${stage.tandem.url}/todos/${id}\n\nTwice a week.`;
  assert.is(await page.evaluate('navigator.clipboard.readText()'), text);
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the dialog of a field can be used by everyone: ${name}`, async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    await agentOf({ call }, { name: 'Researcher' });
    const { id } = bodyOf(
      await call('POST /todos', { title: 'Water the ferns, and those of the neighbours too' }),
      201,
    );
    const window = await stage.window({ as: ada, ...options });
    const { page, goTo } = window;
    await goTo(`/todos/${id}`, 'Water the ferns, and those of the neighbours too');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    for (const [key, field] of [
      [null, 'Run by'],
      ['d', 'Due date'],
      ['a', 'Assignee'],
    ] as const) {
      if (key !== null) await page.keyboard.press(key);
      const dialog = page.getByRole('dialog', { name: new RegExp(`^${field}: `) });
      await dialog.getByRole('option').first().waitFor();
      await look(window, `field-${field}-${name}`);
      assert.equal(await window.axe('all'), []);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  });
}

test.run();

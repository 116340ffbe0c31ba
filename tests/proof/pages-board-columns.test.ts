import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { chooseEntry } from '../support/keyboard.ts';
import { look, looksOf } from '../support/looks.ts';
import { breakOperations } from '../support/page-faults.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { agentOf, bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: the columns of a board');

const desk = { viewport: { width: 1280, height: 900 } };

/** A person with a list “Garden”, an archived one “Attic” with a todo, and todos of different priorities. */
async function withLists(stage: Stage) {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  const listOf = async (name: string): Promise<string> => bodyOf(await call('POST /todo-lists', { name }), 201).id;
  const [garden, attic, empty] = [await listOf('Garden'), await listOf('Attic'), await listOf('Empty')];
  const ids: string[] = [];
  for (const todo of [
    { title: 'Old lamp', todoListId: attic },
    { title: 'Plant roses', todoListId: garden, priority: 'high' },
    { title: 'Buy bread' },
    { title: 'Call the bank', priority: 'urgent' },
  ])
    ids.push(bodyOf(await call('POST /todos', todo), 201).id);
  bodyOf(await call(`PATCH /todo-lists/${attic}`, { archived: true }));
  const todo = async (place: number) => bodyOf(await call(`GET /todos/${ids[place]}`));
  return { ada, call, ids, todo, garden, attic, empty };
}

const columnOf = ({ page }: Window, name: string) =>
  page.locator('.board-column', { has: page.getByRole('heading', { name: new RegExp(`^${name}( \\d+)?$`) }) });
const cardIn = (window: Window, column: string, name: string) => columnOf(window, column).getByRole('link', { name });
const isOn = ({ page }: Window, name: string) => page.locator(`.board a:focus[aria-label^="${name}"]`).waitFor();

/** Waits until the columns have these names and counts, which are read one by one. */
async function hasColumns({ page }: Window, ...columns: string[]): Promise<void> {
  const headings = page.locator('.board-column h2');
  const shown = async () => (await headings.allTextContents()).slice(0, columns.length).map((text) => text.trim());
  await until(
    async () => (await shown()).join() === columns.join(),
    () => `not ${columns.join()}`,
  );
}

test.promise('lists are columns: a move sets the list, and takes no archived one', async (stage) => {
  const { ada, todo, garden } = await withLists(stage);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos?layout=board', 'Todos');
  await page.getByRole('combobox', { name: 'Columns' }).selectOption({ label: 'By list' });
  await cardIn(window, 'Garden', 'Plant roses').waitFor();
  await cardIn(window, 'Inbox', 'Call the bank').waitFor();
  assert.is(new URL(page.url()).search, '?layout=board&group=list');
  await columnOf(window, 'Empty').getByText('No todos are in this list').waitFor();
  await columnOf(window, 'Inbox').getByRole('heading', { name: 'Inbox 2' }).waitFor();
  await hasColumns(window, 'Inbox 2', 'Garden 1', 'Empty 0', 'Attic 1');
  const before = (await todo(3)).todoListId;
  await cardIn(window, 'Inbox', 'Call the bank').focus();
  await page.keyboard.press('m');
  await page.getByRole('menuitem', { name: 'Garden' }).waitFor();
  assert.equal(await page.getByRole('menuitem').allTextContents(), ['Garden', 'Empty']);
  await chooseEntry(window, 'Garden');
  await page.getByText('“Call the bank” is in “Garden” now.').waitFor();
  await isOn(window, 'Call the bank');
  assert.is((await todo(3)).todoListId, garden);
  await page.keyboard.press('Control+z');
  await page.getByText('Undone.').waitFor();
  await cardIn(window, 'Inbox', 'Call the bank').waitFor();
  assert.is((await todo(3)).todoListId, before);
});

test.promise('a move to a column far away leads there, and takes the focus from nothing else later', async (stage) => {
  const { ada, call } = await withLists(stage);
  for (let place = 1; place <= 9; place++) bodyOf(await call('POST /todo-lists', { name: `Project ${place}` }), 201);
  /** Moves a card to a column that this window has not read. */
  const move = async (name: string, to: string, meanwhile: (window: Window) => Promise<() => Promise<void>>) => {
    const window = await stage.window({ ...desk, as: ada });
    const { page, goTo } = window;
    await goTo('/todos?layout=board&group=list', 'Todos');
    await cardIn(window, 'Inbox', name).waitFor();
    await columnOf(window, to).locator('.skeleton').waitFor();
    const then = await meanwhile(window);
    await cardIn(window, 'Inbox', name).focus();
    await page.keyboard.press('m');
    await chooseEntry(window, to);
    await page.getByText(`“${name}” is in “${to}” now.`).waitFor();
    await then();
    await cardIn(window, to, name).waitFor();
    return window;
  };
  await isOn(await move('Call the bank', 'Project 9', async () => async () => {}), 'Call the bank');
  // Columns with todos come first.
  const { page } = await move('Buy bread', 'Project 8', async ({ page }) => {
    const held = await breakOperations(page, (id) => id === 'listTodos', 'slow');
    return async () => {
      await held.asked;
      await page.getByRole('searchbox', { name: 'Search todos' }).click();
      await held.mend();
    };
  });
  assert.is(await page.locator('input[type=search]:focus').count(), 1);
});

test.promise('a card that others move while its menu is open leaves the focus on the page', async (stage) => {
  const { ada, call, ids } = await withLists(stage);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos?layout=board', 'Todos');
  await page.locator('.live-updates[data-state=live]').waitFor({ state: 'attached' });
  await cardIn(window, 'To do', 'Buy bread').focus();
  await page.keyboard.press('m');
  await page.getByRole('menuitem').first().waitFor();
  bodyOf(await call(`PATCH /todos/${ids[2]}`, { status: 'in_progress' }));
  await cardIn(window, 'In progress', 'Buy bread').waitFor();
  await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
  await page.locator('h1:focus').waitFor();
});

test.promise('selected cards are dragged together, and are one change to undo', async (stage) => {
  const { ada, todo } = await withLists(stage);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos?layout=board&group=priority', 'Todos');
  await cardIn(window, 'Urgent', 'Call the bank').focus();
  await page.keyboard.press('x');
  await cardIn(window, 'No priority', 'Buy bread').click({ modifiers: ['Control'] });
  await page.getByText('2 selected').waitFor();
  await cardIn(window, 'Urgent', 'Call the bank, urgent priority, Ada Lovelace, selected').waitFor();
  assert.equal(await window.axe('all'), []);
  await cardIn(window, 'Urgent', 'Call the bank').hover();
  await page.mouse.down();
  // Browsers fire dragover with the second move at the earliest.
  for (const y of [60, 120]) await columnOf(window, 'Medium').hover({ position: { x: 60, y } });
  await page.mouse.up();
  await page.getByText('2 todos are in “Medium” now.').waitFor();
  await cardIn(window, 'Medium', 'Buy bread').waitFor();
  assert.equal([(await todo(2)).priority, (await todo(3)).priority], ['medium', 'medium']);
  // By its key, as the button of the notice leaves after some seconds.
  await page.keyboard.press('Control+z');
  await page.getByText('Undone.').waitFor();
  await cardIn(window, 'Urgent', 'Call the bank').waitFor();
  await cardIn(window, 'No priority', 'Buy bread').waitFor();
  assert.equal([(await todo(2)).priority, (await todo(3)).priority], [null, 'urgent']);
});

test.promise('a refused move comes back, with the sentence of the service', async (stage) => {
  const { ada, todo } = await withLists(stage);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos?layout=board&group=list', 'Todos');
  await cardIn(window, 'Garden', 'Plant roses').focus();
  await page.route(/\/api\/v1\/todos\//, (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    const problem = { code: 'forbidden', status: 403, message: 'You may not do that.', retryable: false, errors: [] };
    return route.fulfill({ status: 403, json: { object: 'error', ...problem } });
  });
  await page.keyboard.press('m');
  await chooseEntry(window, 'Empty');
  await page.getByText('“Plant roses” is not moved. You may not do that.').waitFor();
  await cardIn(window, 'Garden', 'Plant roses').waitFor();
  assert.is(await cardIn(window, 'Empty', 'Plant roses').count(), 0);
  assert.is((await todo(1)).status, 'ready');
});

test.promise('assignees are columns: people at once, and an agent is asked for, as it starts', async (stage) => {
  const { ada, call, todo, ids } = await withLists(stage);
  const agentId = await agentOf({ call } as Parameters<typeof agentOf>[0], { name: 'Researcher' });
  bodyOf(await call(`PATCH /todos/${ids[1]}`, { assignees: [] }));
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos?layout=board&group=assignee', 'Todos');
  await cardIn(window, 'Unassigned', 'Plant roses').waitFor();
  await columnOf(window, 'Researcher').getByText('No todos are assigned to Researcher').waitFor();
  await hasColumns(window, 'Unassigned 1', 'Ada Lovelace (you) 3');
  const moveTo = async (name: string, target: string) => {
    await page.locator(`.board a[aria-label^="${name}"]`).focus();
    await page.keyboard.press('m');
    await chooseEntry(window, target);
  };
  await moveTo('Plant roses', 'Ada Lovelace (you)');
  await page.getByText('“Plant roses” is in “Ada Lovelace (you)” now.').waitFor();
  assert.equal(
    (await todo(1)).assignees.map(({ name }: { name: string }) => name),
    ['Ada Lovelace'],
  );
  await moveTo('Buy bread', 'Researcher');
  await page
    .getByRole('alertdialog', { name: 'Assign to Researcher?' })
    .getByText('This starts up to 1 runs')
    .waitFor();
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  assert.equal((await todo(2)).assignees.length, 1);
  await moveTo('Buy bread', 'Researcher');
  await page.getByRole('button', { name: 'Assign and start' }).press('Enter');
  await page.getByText('“Buy bread” is in “Researcher” now.').waitFor();
  assert.equal(
    (await todo(2)).assignees.map(({ id }: { id: string }) => id),
    [agentId],
  );
  await cardIn(window, 'Researcher', 'Buy bread').waitFor();
});

test.promise('a saved view keeps the columns', async (stage) => {
  const { ada, call } = await withLists(stage);
  const query = { layout: 'board', group: 'list' };
  const { id } = bodyOf(await call('POST /views', { name: 'By list', isShared: false, query }), 201);
  const window = await stage.window({ ...desk, as: ada });
  await window.goTo(`/views/${id}`, 'By list');
  await cardIn(window, 'Garden', 'Plant roses').waitFor();
  assert.is(await window.page.getByRole('combobox', { name: 'Columns' }).inputValue(), 'list');
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`columns by list can be used by everyone: ${name}`, async (stage) => {
    const { ada, call } = await withLists(stage);
    for (let place = 1; place <= 9; place++) bodyOf(await call('POST /todo-lists', { name: `Project ${place}` }), 201);
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo } = window;
    await goTo('/todos?layout=board&group=list', 'Todos');
    await page.getByRole('link', { name: 'Call the bank' }).first().waitFor();
    // What is far to the right is not read until it is near.
    await columnOf(window, 'Project 9').locator('.skeleton').waitFor();
    for (const column of await page.locator('.board-column').all()) {
      await column.scrollIntoViewIfNeeded();
      await column.locator('.skeleton').waitFor({ state: 'detached' });
    }
    await columnOf(window, 'Project 9').getByText('No todos are in this list').waitFor();
    await columnOf(window, 'Inbox').scrollIntoViewIfNeeded();
    await look(window, `board-lists-${name}`);
  });
}

test.run();

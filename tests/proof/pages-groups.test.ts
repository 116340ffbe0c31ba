import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { agentOf, bodyOf } from '../support/work-fixtures.ts';

/* Lists in groups by status, by list and by assignee, which are read one after the other. */

const test = pageSuite('pages: lists in groups');

const desk = { viewport: { width: 1280, height: 900 } };

/** A person with two lists and an agent, and todos of each status. */
async function withTodos(stage: Stage) {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  const garden: string = bodyOf(await call('POST /todo-lists', { name: 'Garden' }), 201).id;
  bodyOf(await call('POST /todo-lists', { name: 'Empty' }), 201);
  const scout = await agentOf({ call }, { name: 'Scout' });
  const userId: string = bodyOf(await call('GET /me')).user.id;
  const ids: Record<string, string> = {};
  for (const { status, ...todo } of [
    { title: 'Plant roses', todoListId: garden },
    { title: 'Buy bread' },
    { title: 'Call the bank', status: 'in_progress' },
    { title: 'Water the lawn', todoListId: garden, status: 'in_progress' },
    { title: 'Send the letter', status: 'done' },
  ]) {
    const id: string = bodyOf(await call('POST /todos', todo), 201).id;
    if (status !== undefined) bodyOf(await call(`PATCH /todos/${id}`, { status }));
    ids[todo.title] = id;
  }
  return { ada, call, ids, garden, scout, userId };
}

const readRows = `[...document.querySelectorAll('[role=grid][aria-label=Todos] [role=row]')]
  .map((row) => ({
    top: row.getBoundingClientRect().top,
    text: (row.querySelector('button[aria-expanded]') ?? row.querySelector('a'))?.innerText ?? '',
  }))
  .sort((a, b) => a.top - b.top)
  .map(({ text }) => text.replaceAll(/\\s+/g, ' ').trim())`;

/**
 * The rows of the list in their order, all of one moment: headings with their counts, and the titles of todos. Rows
 * that are asked for one after the other may be gone by then, and a locator waits for them.
 */
const rowsOf = (page: Page) => page.evaluate<string[]>(readRows);

const hasRows = (page: Page, ...wanted: string[]) => {
  let found: string[] = [];
  return until(
    async () => {
      found = await rowsOf(page).catch(() => []);
      return found.join('|') === wanted.join('|');
    },
    () => `${found.join('|')} is not ${wanted.join('|')}`,
  );
};

test.promise('by status: what others change comes into its group, and what a key changes goes there', async (stage) => {
  const { ada, call, ids } = await withTodos(stage);
  const { page, goTo } = await stage.window({ ...desk, as: ada });
  await goTo('/todos', 'Todos');
  await page.getByRole('combobox', { name: 'Group' }).selectOption({ label: 'By status' });
  await hasRows(page, 'To do 2', 'Buy bread', 'Plant roses', 'In progress 2', 'Water the lawn', 'Call the bank');
  assert.is(new URL(page.url()).search, '?group=status');
  bodyOf(await call(`PATCH /todos/${ids['Plant roses']}`, { status: 'in_progress' }));
  await hasRows(page, 'To do 1', 'Buy bread', 'In progress 3', 'Water the lawn', 'Call the bank', 'Plant roses');
  bodyOf(await call('POST /todos', { title: 'Feed the cat' }), 201);
  await hasRows(
    page,
    ...['To do 2', 'Feed the cat', 'Buy bread'],
    ...['In progress 3', 'Water the lawn', 'Call the bank', 'Plant roses'],
  );
  await page.getByRole('row', { name: /^Feed the cat/ }).focus();
  await page.keyboard.press('e');
  await page.getByText('“Feed the cat” is done.').waitFor();
  // It stays where it was while it has the focus.
  await page.locator('[role=row]:focus').getByText('Feed the cat').waitFor();
  assert.equal((await rowsOf(page)).slice(0, 3), ['To do 2', 'Feed the cat', 'Buy bread']);
  await page.getByRole('heading', { level: 1 }).click();
  await page.evaluate('document.activeElement.blur()');
  await hasRows(page, 'To do 1', 'Buy bread', 'In progress 3', 'Water the lawn', 'Call the bank', 'Plant roses');
  await page.getByRole('row', { name: /^Water the lawn/ }).focus();
  await page.keyboard.press('s');
  await page.getByRole('option', { name: 'To do' }).click();
  await page.getByText('“Water the lawn” is set to “To do”.').waitFor();
  await page.locator('[role=row]:focus').getByText('Water the lawn').waitFor();
  await page.keyboard.press('j');
  await page.locator('[role=row]:focus').getByText('Call the bank').waitFor();
  await hasRows(page, 'To do 1', 'Buy bread', 'In progress 3', 'Water the lawn', 'Call the bank', 'Plant roses');
  await page.evaluate('document.activeElement.blur()');
  await hasRows(page, 'To do 2', 'Water the lawn', 'Buy bread', 'In progress 2', 'Call the bank', 'Plant roses');
});

test.promise('by list: groups of lists that have todos, which collapse and are remembered', async (stage) => {
  const { ada, garden } = await withTodos(stage);
  const { page, goTo } = await stage.window({ ...desk, as: ada });
  await goTo('/todos?group=list', 'Todos');
  const whole = ['Inbox 2', 'Call the bank', 'Buy bread', 'Garden 2', 'Water the lawn', 'Plant roses'];
  await hasRows(page, ...whole);
  await page.getByRole('button', { name: /^Inbox/ }).click();
  await hasRows(page, 'Inbox 2', 'Garden 2', 'Water the lawn', 'Plant roses');
  await page.reload();
  await hasRows(page, 'Inbox 2', 'Garden 2', 'Water the lawn', 'Plant roses');
  await page.getByRole('button', { name: /^Inbox/ }).click();
  await hasRows(page, ...whole);
  await page.keyboard.press('j');
  await page.keyboard.press('End');
  await page.locator('[role=row]:focus').getByText('Plant roses').waitFor();
  await page.keyboard.press('Control+a');
  await page.getByText('4 selected').waitFor();
  await goTo(`/lists/${garden}?group=list`, 'Garden');
  // A page of one list has no groups by list.
  await hasRows(page, 'Water the lawn', 'Plant roses');
  assert.not.ok((await page.getByRole('combobox', { name: 'Group' }).innerText()).includes('By list'));
});

test.promise('by assignee: a todo of several is in the group of the first, once', async (stage) => {
  const { ada, call, ids, scout, userId } = await withTodos(stage);
  const assign = async (title: string, ...assignees: string[]) =>
    bodyOf(await call(`PATCH /todos/${ids[title]}`, { assignees: assignees.map((id) => ({ id })) }));
  for (const title of ['Buy bread', 'Call the bank', 'Water the lawn']) await assign(title);
  await assign('Send the letter', scout, userId);
  const { page, goTo } = await stage.window({ ...desk, as: ada });
  await goTo('/todos?group=assignee&status=ready,in_progress,done', 'Todos');
  await hasRows(
    page,
    ...['Unassigned 3', 'Water the lawn', 'Call the bank', 'Buy bread'],
    ...['Ada Lovelace (you) 2', 'Send the letter', 'Plant roses'],
  );
  await goTo(`/todos?group=assignee&status=done&assigneeId=${scout}`, 'Todos');
  await hasRows(page, 'Scout 1', 'Send the letter');
  await goTo('/mine?group=assignee', 'My todos');
  await hasRows(page, 'Plant roses');
});

test.promise(
  'a long group is read to its end before the next, and only visible rows are in the page',
  async (stage) => {
    const { ada, call } = await withTodos(stage);
    for (let first = 0; first < 250; first += 50) {
      const data = Array.from({ length: 50 }, (_, place) => ({ title: `Room ${first + place}` }));
      bodyOf(await call('POST /todos/batch', { data }));
    }
    const { page, goTo } = await stage.window({ ...desk, as: ada });
    await goTo('/todos?group=status', 'Todos');
    await page.getByRole('button', { name: /^To do/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('End');
    await page.locator('[role=row]:focus').getByText('Call the bank').waitFor();
    await page.getByRole('button', { name: 'In progress 2', exact: true }).waitFor();
    assert.is(await page.getByRole('grid', { name: 'Todos' }).getAttribute('aria-rowcount'), '256');
    assert.ok(Number(await page.evaluate('document.querySelectorAll("[role=grid] *").length')) <= 400);
    await page.keyboard.press('Home');
    await page.locator('[role=row]:focus').getByText('Room').waitFor();
    await page.getByRole('button', { name: 'To do 252' }).waitFor();
  },
);

for (const options of looksOf(import.meta.url)) {
  const { colorScheme, viewport } = options;
  test.promise(`a list in groups is good to look at: ${colorScheme}, ${viewport.width} px`, async (stage) => {
    const { ada } = await withTodos(stage);
    const window = await stage.window({ ...options, as: ada });
    await window.goTo('/todos?group=list', 'Todos');
    await window.page.getByRole('button', { name: /^Garden/ }).waitFor();
    assert.equal(await window.axe('all'), []);
    await look(window, 'todos-by-list');
  });
}

test.promise('groups that cannot be read say so, and are read again', async (stage) => {
  const { ada } = await withTodos(stage);
  const window = await stage.window({ ...desk, as: ada, expected: /Failed to load resource/ });
  const { page } = window;
  let asked = 0;
  await page.route('**/trpc/**todoLists.list**', (route) => {
    asked += 1;
    return route.abort();
  });
  await page.goto('/todos?group=list');
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  // While it still fails: the page reads again by itself too, and the button would leave.
  const before = asked;
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await until(() => asked > before);
  await page.unroute('**/trpc/**todoLists.list**');
  await hasRows(page, 'Inbox 2', 'Call the bank', 'Buy bread', 'Garden 2', 'Water the lawn', 'Plant roses');
});

test.run();

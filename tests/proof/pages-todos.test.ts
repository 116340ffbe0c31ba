import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { pressAtOnce } from '../support/keyboard.ts';
import { look, looksOf } from '../support/looks.ts';
import { breakOperations, expectedFailures } from '../support/page-faults.ts';
import type { Person } from '../support/people.ts';
import { until } from '../support/until.ts';

const test = pageSuite('pages: the list of todos');

const searchOf = ({ page }: Window) => new URL(page.url()).search;
const gridOf = ({ page }: Window) => page.getByRole('grid', { name: 'Todos' });

/** Creates todos, the first one first. */
async function add({ tandem }: Stage, { session }: Person, todos: Record<string, unknown>[]): Promise<void> {
  for (const todo of todos) {
    const { status, text } = await tandem.call('POST /todos', todo, { key: session.token });
    assert.is(status, 201, text);
  }
}

test.promise('a filter is in the address, survives a reload and going back, and is cleared at once', async (stage) => {
  const ada = await stage.person();
  await add(stage, ada, [
    { title: 'Call the bank', priority: 'urgent' },
    { title: 'Water the ferns', priority: 'low' },
    { title: 'Pay the bank' },
  ]);
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  const grid = gridOf(window);
  await grid.getByText('Water the ferns').waitFor();
  await page.getByRole('button', { name: 'Priority: any' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Urgent' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Low' }).click();
  await page.keyboard.press('Escape');
  await grid.getByText('Pay the bank').waitFor({ state: 'detached' });
  assert.is(searchOf(window), '?priority=urgent,low');
  // It is not in the list of the first of both filters.
  await grid.getByText('Water the ferns').waitFor();
  await page.getByRole('searchbox', { name: 'Search todos' }).fill('bank');
  await grid.getByText('Water the ferns').waitFor({ state: 'detached' });
  await page.locator('input[type=search]:focus').waitFor();
  assert.is(searchOf(window), '?priority=urgent,low&query=bank');
  await page.reload();
  await grid.getByText('Call the bank').waitFor();
  assert.is(await page.getByRole('searchbox', { name: 'Search todos' }).inputValue(), 'bank');
  await page.getByRole('searchbox', { name: 'Search todos' }).fill('nothing');
  await page.getByText('No todo matches the filter').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await grid.getByText('Pay the bank').waitFor();
  assert.is(searchOf(window), '');
  await page.goBack();
  await page.getByText('No todo matches the filter').waitFor();
});

test.promise('a long list that a person goes back to is where they left it', async (stage) => {
  const ada = await stage.person();
  const titles = Array.from({ length: 150 }, (_, place) => `Todo ${place}`);
  for (let start = 0; start < titles.length; start += 50) {
    const data = titles.slice(start, start + 50).map((title) => ({ title }));
    await stage.tandem.call('POST /todos/batch', { data }, { key: ada.session.token });
  }
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  const top = () => page.evaluate<number>('Math.round(scrollY)');
  await goTo('/chats', 'Chats');
  await page.getByRole('navigation', { name: 'Work' }).getByRole('link', { name: 'Todos', exact: true }).click();
  await sees('Todos');
  const grid = gridOf(window);
  await grid.getByText('Todo 149').waitFor();
  assert.is(await top(), 0);
  // As in a browser that scrolls before the page is there again.
  await page.evaluate("history.scrollRestoration = 'manual'");
  await page.evaluate('scrollTo(0, 2000)');
  const link = grid.getByRole('link', { name: 'Todo 90', exact: true });
  await link.click();
  await sees('Todo 90');
  await until(async () => (await top()) === 0);
  await page.goBack();
  await sees('Todos');
  await link.waitFor();
  await until(async () => (await top()) === 2000);
  await page.goForward();
  await sees('Todo 90');
  // Also where its address leads to the form above it.
  await page.keyboard.press('c');
  await sees('Todos');
  await page.locator('input[name="title"]:focus').waitFor();
  await grid.getByText('Todo 149').waitFor();
  await page.evaluate('scrollTo(0, 2000)');
  await link.click();
  await sees('Todo 90');
  await page.goBack();
  await sees('Todos');
  await link.waitFor();
  await until(async () => (await top()) === 2000);
});

test.promise('with forced colours, and in every script, the list can be read', async (stage) => {
  const ada = await stage.person();
  await add(stage, ada, [{ title: 'שלום world', priority: 'urgent' }]);
  const { page, goTo } = await stage.window({ as: ada, forcedColors: 'active' });
  await goTo('/todos', 'Todos');
  const styleOf = (element: string, name: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${element}'))['${name}']`);
  await page.getByRole('row', { name: /^שלום/ }).focus();
  assert.is.not(await styleOf('i.priority', 'backgroundColor'), await styleOf('body', 'backgroundColor'));
  assert.is(await styleOf('.tab[aria-current]', 'outlineStyle'), 'solid');
  assert.is(await styleOf('.tab:not([aria-current])', 'outlineStyle'), 'none');
  const before = await styleOf('.todo-row', 'borderLeftWidth');
  await page.keyboard.press('x');
  await page.getByRole('row', { selected: true }).waitFor();
  assert.is.not(await styleOf('.todo-row', 'borderLeftWidth'), before);
  assert.is(await styleOf('.todo-name > a', 'unicodeBidi'), 'plaintext');
});

test.promise('today is the day of the person, wherever it is typed or shown', async (stage) => {
  const ada = await stage.person();
  const { key, workspaceId } = { key: ada.session.token, workspaceId: ada.session.workspace.id };
  // It is never the same day in both.
  await stage.tandem.call(`PATCH /workspaces/${workspaceId}`, { timezone: 'Pacific/Pago_Pago' }, { key });
  const { page, goTo } = await stage.window({ as: ada, timezoneId: 'Pacific/Kiritimati' });
  await goTo('/todos', 'Todos');
  await page.getByLabel('Title').fill('Call the bank today');
  await page.getByLabel('Title').press('Enter');
  const row = page.getByRole('row', { name: /^Call the bank,/ });
  await row.getByText('today', { exact: true }).waitFor();
  await row.focus();
  await page.keyboard.press('d');
  await page.keyboard.type('tomorrow');
  await page.getByRole('option', { name: /^Tomorrow, / }).waitFor();
});

test.promise('the focus returns from a notice to where it was', async (stage) => {
  const ada = await stage.person();
  await add(stage, ada, [{ title: 'Call the bank' }, { title: 'Water the ferns' }]);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  for (const name of ['Undo', 'Dismiss']) {
    await page.getByRole('checkbox', { name: 'Done: Call the bank' }).click();
    const row = page.getByRole('row', { name: /^Water the ferns/ });
    await row.focus();
    await page.getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.locator('[role=row]:focus[aria-label^="Water the ferns"]').waitFor();
  }
});

/** Types a character once the address has a search, before the page shows what the address says. */
const typeAfterAddress = `(() => {
  const replace = history.replaceState;
  history.replaceState = function (...state) {
    replace.apply(this, state);
    if (!location.search.includes('query=')) return;
    delete history.replaceState;
    const field = document.querySelector('input[type=search]');
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
    set.call(field, field.value + 'y');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
})()`;

test.promise('what is typed while a search is on its way is searched for too', async (stage) => {
  const ada = await stage.person();
  await add(stage, ada, [{ title: 'Bank holiday' }, { title: 'Holly and ivy' }]);
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await gridOf(window).getByText('Bank holiday').waitFor();
  await page.evaluate(typeAfterAddress);
  await page.getByRole('searchbox', { name: 'Search todos' }).fill('holl');
  await until(
    () => searchOf(window) === '?query=holly',
    () => searchOf(window),
  );
  await gridOf(window).getByText('Bank holiday').waitFor({ state: 'detached' });
  assert.is(await page.getByRole('searchbox', { name: 'Search todos' }).inputValue(), 'holly');
});

test.promise('tabs count and list the active, done and archived todos, and each place its own', async (stage) => {
  const ada = await stage.person();
  const today = new Date().toISOString().slice(0, 10);
  await add(stage, ada, [{ title: 'Mine' }, { title: 'Due', dueDate: today }, { title: 'Nobody’s', assignees: [] }]);
  await add(stage, ada, [{ title: 'Finished' }, { title: 'Put away' }]);
  const of = { key: ada.session.token };
  const { body } = await stage.tandem.call('GET /todos', undefined, of);
  const idOf = (name: string) => body.data.find(({ title }: { title: string }) => title === name).id;
  await stage.tandem.call(`PATCH /todos/${idOf('Finished')}`, { status: 'done' }, of);
  await stage.tandem.call(`DELETE /todos/${idOf('Put away')}`, undefined, of);
  const window = await stage.window({ as: ada, timezoneId: 'UTC' });
  const { page, goTo } = window;
  const shows = async (...titles: string[]) => {
    let shown: string[] = [];
    const isShown = async () => {
      shown = (await gridOf(window).getByRole('link').allTextContents()).sort();
      return shown.join() === [...titles].sort().join();
    };
    await until(isShown, () => `${titles}, but ${shown}`);
  };
  await goTo('/todos', 'Todos');
  await shows('Mine', 'Due', 'Nobody’s');
  await page.getByRole('link', { name: 'Active 3' }).waitFor();
  await page.getByRole('link', { name: 'Done 1' }).click();
  await shows('Finished');
  assert.is(searchOf(window), '?status=done');
  await page.getByRole('link', { name: 'All 4' }).click();
  await shows('Mine', 'Due', 'Nobody’s', 'Finished');
  await page.getByRole('link', { name: 'Archived' }).click();
  await shows('Put away');
  for (const [keys, heading, titles] of [
    ['gt', 'Today', ['Due']],
    ['gm', 'My todos', ['Mine', 'Due']],
    ['ga', 'Todos', ['Mine', 'Due', 'Nobody’s']],
  ] as const) {
    await pressAtOnce(window, ...keys);
    await window.sees(heading);
    await shows(...titles);
  }
  await goTo('/archive', 'Archive');
  await shows('Put away');
});

/** Creates many todos, fifty a request. */
async function addMany({ tandem }: Stage, { session }: Person, count: number): Promise<void> {
  const todos = Array.from({ length: count }, (_, place) => ({ title: `Todo ${place + 1}` }));
  for (let place = 0; place < count; place += 50) {
    const { status, text } = await tandem.call(
      'POST /todos/batch',
      { data: todos.slice(place, place + 50) },
      { key: session.token },
    );
    assert.is(status, 200, text);
  }
}

const focused = ({ page }: Window) => page.locator('[role=row]:focus');

test.promise('the keyboard alone moves, selects, finishes, archives and opens, and undoes it', async (stage) => {
  const ada = await stage.person();
  await add(stage, ada, [{ title: 'Third' }, { title: 'Second' }, { title: 'First' }]);
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo('/todos', 'Todos');
  await gridOf(window).getByText('First').waitFor();
  const isOn = (name: string) => page.locator(`[role=row]:focus[aria-label^="${name}"]`).waitFor();
  await page.keyboard.press('j');
  await isOn('First');
  await page.keyboard.press('j');
  await isOn('Second');
  await page.keyboard.press('End');
  await isOn('Third');
  await page.keyboard.press('ArrowUp');
  await isOn('Second');
  await page.keyboard.press('e');
  await page.getByRole('row', { name: /^Second, .*done, no longer in this list$/ }).waitFor();
  await isOn('Second');
  await page.keyboard.press('Control+z');
  await page.getByRole('row', { name: /^Second, .*to do$/ }).waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('k');
  await isOn('First');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('2 selected').waitFor();
  assert.is(await page.locator('[role=row][aria-selected=true]').count(), 2);
  await page.keyboard.press('Escape');
  await page.getByText('2 selected').waitFor({ state: 'detached' });
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('#');
  await page.getByText('“Second” is archived.').waitFor();
  await page.keyboard.press('Home');
  await isOn('First');
  await page.keyboard.press('Enter');
  await sees('First');
  const archived = async (): Promise<string> => {
    const { body } = await stage.tandem.call('GET /todos?archived=any', undefined, { key: ada.session.token });
    const shown = body.data.filter((todo: { isArchived: boolean }) => todo.isArchived);
    return shown.map(({ title }: { title: string }) => title).join();
  };
  await until(async () => (await archived()) === 'Second');
});

test.promise(
  'a change of more than a hundred todos is made in parts, and undone as each of them was',
  async (stage) => {
    const ada = await stage.person();
    await addMany(stage, ada, 250);
    await add(stage, ada, [{ title: 'It was urgent', priority: 'urgent' }]);
    const window = await stage.window({ as: ada });
    const { page, goTo } = window;
    await goTo('/todos', 'Todos');
    await gridOf(window).getByText('It was urgent').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Select all 251 that match' }).click();
    await page.getByText('251 selected').waitFor();
    await page.getByRole('button', { name: 'Priority of the selected todos' }).click();
    await page.getByRole('menuitem', { name: 'Low' }).click();
    await page.getByText('251 todos are set to low priority.').waitFor();
    const counts = async () => {
      const { body } = await stage.tandem.call('GET /todos/summary', undefined, { key: ada.session.token });
      return body.byPriority;
    };
    assert.equal(await counts(), { urgent: 0, high: 0, medium: 0, low: 251, none: 0 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    assert.equal(await counts(), { urgent: 1, high: 0, medium: 0, low: 0, none: 250 });
  },
);

test.promise('of 1,200 todos few are in the document, and End leads to the last one', async (stage) => {
  const ada = await stage.person();
  await addMany(stage, ada, 1_200);
  const window = await stage.window({ as: ada, viewport: { width: 1280, height: 900 } });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  const grid = gridOf(window);
  await grid.getByRole('row').first().waitFor();
  const nodes = async () => Number(await page.evaluate('document.querySelectorAll("[role=grid] *").length'));
  await page.keyboard.press('j');
  await focused(window).waitFor();
  await page.keyboard.press('End');
  await page.locator('[role=row]:focus[aria-rowindex="1200"]').waitFor();
  assert.ok((await nodes()) <= 400 && (await nodes()) > 50, String(await nodes()));
  assert.is(await grid.getAttribute('aria-rowcount'), '1200');
  const titles = await grid.getByRole('link').allTextContents();
  assert.ok(titles.includes('Todo 1'), titles.join());
  await page.keyboard.press('Home');
  await page.locator('[role=row]:focus[aria-rowindex="1"]').waitFor();
});

test.promise('End takes no focus once the person went elsewhere, and ends where no more can be read', async (stage) => {
  const ada = await stage.person();
  const of = { key: ada.session.token };
  await addMany(stage, ada, 150);
  const window = await stage.window({ as: ada, viewport: { width: 1280, height: 900 }, expected: expectedFailures });
  const { page, goTo } = window;
  const goToEnd = async (fault: 'slow' | 503) => {
    await goTo('/todos', 'Todos');
    await gridOf(window).getByRole('row').first().waitFor();
    await page.keyboard.press('j');
    await focused(window).waitFor();
    const broken = await breakOperations(page, (id) => id === 'listTodos', fault);
    await page.keyboard.press('End');
    await broken.asked;
    return broken;
  };
  const held = await goToEnd('slow');
  await page.getByRole('searchbox', { name: 'Search todos' }).click();
  await held.mend();
  const first = (await stage.tandem.call('GET /todos?limit=1', undefined, of)).body.data[0];
  await stage.tandem.call(`PATCH /todos/${first.id}`, { title: 'It is read again' }, of);
  await gridOf(window).getByText('It is read again').waitFor();
  assert.is(await page.locator('input[type=search]:focus').count(), 1);

  const refused = await goToEnd(503);
  await page.locator('[role=row]:focus[aria-rowindex="100"]').waitFor();
  await refused.mend();
});

test.promise('what others change is shown, but moves no row and no focus while a row has it', async (stage) => {
  const ada = await stage.person();
  const of = { key: ada.session.token };
  await add(stage, ada, [{ title: 'Stays' }, { title: 'Leaves' }]);
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await gridOf(window).getByText('Stays').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const row = page.locator('[role=row]:focus[aria-label^="Stays"]');
  await row.waitFor();
  const before = await row.boundingBox();
  const { body } = await stage.tandem.call('GET /todos?query=Leaves', undefined, of);
  await stage.tandem.call(`PATCH /todos/${body.data[0].id}`, { status: 'done' }, of);
  await add(stage, ada, [{ title: 'Arrives' }]);
  await page.getByRole('row', { name: /^Leaves, .*no longer in this list$/ }).waitFor();
  await page.getByRole('button', { name: '1 todo is new: show it' }).waitFor();
  await row.waitFor();
  assert.equal(await row.boundingBox(), before);
  assert.equal(await gridOf(window).getByRole('link').allTextContents(), ['Leaves', 'Stays']);
  await page.getByRole('button', { name: '1 todo is new: show it' }).click();
  await until(async () => (await gridOf(window).getByRole('link').allTextContents()).join() === 'Arrives,Stays');
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`a full list, grouped and selected, is accessible and fits: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    await add(stage, ada, [
      { title: 'Renew the insurance', priority: 'urgent', dueDate: '2026-01-05' },
      { title: 'Write to everybody who answered the long letter of last spring', priority: 'high', assignees: [] },
      { title: 'Order desks', priority: 'medium', schedule: { every: 'week', on: ['mon'], at: '09:00' } },
      { title: 'Sweep', priority: 'low', dueDate: '2099-12-24' },
      { content: 'No title, only text' },
    ]);
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo } = window;
    await goTo('/todos', 'Todos');
    await gridOf(window).getByText('Sweep').waitFor();
    await look(window, `todos-full-${name}`);
    for (const group of ['priority', 'due']) {
      await page.getByRole('combobox', { name: 'Group' }).selectOption(group);
      await gridOf(window)
        .getByText(group === 'due' ? 'Overdue' : 'Urgent')
        .first()
        .waitFor();
      await look(window, `todos-by-${group}-${name}`);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /^Renew/ }).focus();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await look(window, `todos-selected-${name}`);
    await page.setViewportSize({ width: 320, height: 640 });
    await look(window, `todos-narrow-${name}`);
    assert.equal(await window.axe('all'), []);
  });
}

test.run();

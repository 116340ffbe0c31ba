import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { isReady } from '../support/outbox-pages.ts';
import { breakOperations, expectedFailures } from '../support/page-faults.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: sub-todos, the manual order and reminders');

const desk = { viewport: { width: 1280, height: 900 } };

/** A person with a todo that has sub-todos, in their order. */
async function withSubTodos(stage: Stage, titles: string[]) {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  const parent = bodyOf(await call('POST /todos', { title: 'Plant a hedge' }), 201);
  const ids: string[] = [];
  for (const title of titles) ids.push(bodyOf(await call('POST /todos', { title, parentTodoId: parent.id }), 201).id);
  const orderOf = async (query: string): Promise<string[]> =>
    bodyOf(await call(`GET /todos?sort=position&order=asc&${query}`)).data.map(({ title }: { title: string }) => title);
  return { ada, call, parent, ids, orderOf };
}

test.promise(
  'sub-todos are added, checked off, moved by keys and taken out on the page of their todo',
  async (stage) => {
    const { ada, call, parent, orderOf } = await withSubTodos(stage, ['Measure']);
    const window = await stage.window({ ...desk, as: ada });
    const { page, goTo, sees } = window;
    await goTo(`/todos/${parent.id}`, 'Plant a hedge');
    const section = page.getByRole('region', { name: 'Sub-todos' });
    const line = section.getByLabel('Sub-todo', { exact: true });
    await line.fill('Buy plants tomorrow !high');
    await page.reload();
    await sees('Plant a hedge');
    assert.is(await line.inputValue(), 'Buy plants tomorrow !high');
    await line.press('Enter');
    await section.getByRole('link', { name: 'Buy plants' }).waitFor();
    await until(async () => (await line.inputValue()) === '');
    await line.fill('Dig');
    await line.press('Enter');
    await section.getByRole('link', { name: 'Dig' }).waitFor();
    await section.getByText('0 of 3 done').waitFor();
    const of = `parentTodoId=${parent.id}`;
    // The page counts what is still being sent.
    await until(async () => (await orderOf(of)).join() === 'Measure,Buy plants,Dig');
    const [, bought] = bodyOf(await call(`GET /todos?sort=position&order=asc&${of}`)).data;
    assert.equal([bought.priority, bought.parentTodoId], ['high', parent.id]);

    await section.getByRole('checkbox', { name: 'Done: Measure' }).press('Space');
    await section.getByText('1 of 3 done').waitFor();
    await section.getByRole('link', { name: 'Dig' }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await until(async () => (await orderOf(of)).join() === 'Dig,Measure,Buy plants');
    await page.locator('.sub-todos a:focus', { hasText: 'Dig' }).waitFor();
    assert.equal(await section.getByRole('listitem').getByRole('link').allTextContents(), [
      'Dig',
      'Measure',
      'Buy plants',
    ]);
    assert.equal(await window.axe('all'), []);

    await section.getByRole('button', { name: 'More for “Dig”' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Take it out' }).click();
    await section.getByRole('link', { name: 'Dig' }).waitFor({ state: 'detached' });
    await until(async () => (await orderOf(of)).join() === 'Measure,Buy plants');
    await section.getByRole('link', { name: 'Buy plants' }).press('Enter');
    await sees('Buy plants');
    await page.getByText('Part of Plant a hedge').waitFor();
    assert.is(await page.getByRole('region', { name: 'Sub-todos' }).count(), 0);
    assert.equal(await window.axe('all'), []);
    await page.getByRole('button', { name: 'Take it out' }).click();
    await page.getByRole('region', { name: 'Sub-todos' }).waitFor();
    await until(async () => (await orderOf(of)).join() === 'Measure');
  },
);

test.promise('keys that follow each other at once, and what is read meanwhile, lose no move', async (stage) => {
  const { ada, call, parent, ids, orderOf } = await withSubTodos(stage, ['One', 'Two', 'Three']);
  const { page, goTo } = await stage.window({ ...desk, as: ada });
  await goTo(`/todos/${parent.id}`, 'Plant a hedge');
  const link = (name: string) => page.locator('.sub-todos').getByRole('link', { name });
  const shown = async () => (await page.locator('.sub-todos li > a').allTextContents()).join();
  await link('Three').waitFor();
  const of = `parentTodoId=${parent.id}`;
  // As a busy browser handles two keys: without anything else between them.
  await link('Three').focus();
  await page.evaluate(`(async () => {
    const key = { key: 'ArrowUp', altKey: true, bubbles: true };
    for (let count = 0; count < 2; count++) {
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', key));
      for (let turns = 0; turns < 20; turns++) await null;
    }
  })()`);
  await until(async () => (await orderOf(of)).join() === 'Three,One,Two');

  // An event lets the page read while the move is under way.
  const moving = Promise.withResolvers<void>();
  await page.route(/todos\.move/, async (route) => {
    await moving.promise;
    await route.continue();
  });
  await link('Two').focus();
  await page.keyboard.press('Alt+ArrowUp');
  await until(async () => (await shown()) === 'Three,Two,One');
  bodyOf(await call(`PATCH /todos/${ids[0]}`, { title: 'First' }));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assert.is(await shown(), 'Three,Two,One');
  await page.keyboard.press('Alt+ArrowUp');
  moving.resolve();
  await until(async () => (await orderOf(of)).join() === 'Two,Three,First');
  await until(async () => (await shown()) === 'Two,Three,First');
});

test.promise('lists show the progress of a todo, and the todo of each sub-todo', async (stage) => {
  const { ada, call, parent, ids } = await withSubTodos(stage, ['Measure', 'Dig']);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await page.getByRole('row', { name: /^Plant a hedge, .*0 of 2 sub-todos done/ }).waitFor();
  await page.getByRole('row', { name: /^Dig, .*part of Plant a hedge/ }).waitFor();
  bodyOf(await call(`PATCH /todos/${ids[0]}`, { status: 'done' }));
  await page.getByRole('row', { name: /^Plant a hedge, .*1 of 2 sub-todos done/ }).waitFor();
  bodyOf(await call('POST /todos/bulk', { ids: [parent.id], patch: { status: 'done' } }));
  // Its name is read by its id where it is not in the list itself.
  await page.getByRole('row', { name: /^Plant a hedge/ }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /^Dig, .*part of Plant a hedge/ }).waitFor();
  assert.equal(await window.axe('all'), []);
});

test.promise('a list is ordered by hand, with keys and with a pointer', async (stage) => {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  for (const title of ['One', 'Two', 'Three']) bodyOf(await call('POST /todos', { title }), 201);
  const orderOf = async () =>
    bodyOf(await call('GET /todos?sort=position&order=asc'))
      .data.map(({ title }: { title: string }) => title)
      .join();
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await page.getByRole('combobox', { name: 'Sort' }).selectOption('position');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
  const shown = async () =>
    (await page.locator('.todo-row .todo-name > a').allTextContents()).map((each) => each.trim()).join();
  await until(async () => (await shown()) === 'One,Two,Three');
  assert.is(new URL(page.url()).search, '?sort=position&order=asc');
  await row('One').focus();
  await page.keyboard.press('Alt+ArrowDown');
  await page.locator('[role=row]:focus[aria-label^="One"]').waitFor();
  await page.keyboard.press('Alt+ArrowDown');
  await until(async () => (await orderOf()) === 'Two,Three,One');
  await until(async () => (await shown()) === 'Two,Three,One');
  await page.locator('[role=row]:focus[aria-label^="One"]').waitFor();
  assert.equal(await window.axe('all'), []);

  await row('One').hover({ position: { x: 400, y: 10 } });
  await page.mouse.down();
  const target = await row('Two').boundingBox();
  assert.ok(target);
  const { x, y } = target ?? { x: 0, y: 0 };
  // Browsers fire dragover with the second move at the earliest.
  for (const offset of [8, 6, 4]) await page.mouse.move(x + 400, y + offset);
  await page.mouse.up();
  await until(async () => (await orderOf()) === 'One,Two,Three');
  await until(async () => (await shown()) === 'One,Two,Three');
});

test.promise('a move that is refused comes back, with the sentence of the service', async (stage) => {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  const ids: string[] = [];
  for (const title of ['One', 'Two']) ids.push(bodyOf(await call('POST /todos', { title }), 201).id);
  const { page, goTo } = await stage.window({ ...desk, as: ada, expected: /./ });
  await goTo('/todos?sort=position&order=asc', 'Todos');
  await page.getByRole('row', { name: /^One/ }).focus();
  // Nothing can be read then either.
  await page.route(/todos\.(move|list)/, (route) => route.abort());
  await page.keyboard.press('Alt+ArrowDown');
  await page.getByText('“One” is not moved.').waitFor();
  await until(async () => (await page.locator('.todo-row .todo-name > a').allTextContents()).join() === 'One,Two');
});

test.promise('a sub-todo that is checked off is the last change, which is undone first', async (stage) => {
  const { ada, call, ids } = await withSubTodos(stage, ['Measure']);
  const kept = bodyOf(await call('POST /todos', { title: 'Archived before' }), 201);
  const { page, goTo, sees } = await stage.window({ ...desk, as: ada });
  await goTo(`/todos/${kept.id}`, 'Archived before');
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await page.getByText('The todo is archived.').waitFor();
  await page.getByRole('link', { name: 'Todos', exact: true }).first().click();
  await sees('Todos');
  await page
    .getByRole('row', { name: /^Plant a hedge/ })
    .getByRole('link')
    .first()
    .click();
  await sees('Plant a hedge');
  await page.getByRole('checkbox', { name: 'Done: Measure' }).click();
  await page.getByText('1 of 1 done').waitFor();
  await page.getByText('“Measure” is done.').waitFor();
  await page.keyboard.press('Control+z');
  await page.getByText('0 of 1 done').waitFor();
  await until(async () => bodyOf(await call(`GET /todos/${ids[0]}`)).status === 'ready');
  assert.is(bodyOf(await call(`GET /todos/${kept.id}`)).isArchived, true);
});

test.promise('reminders are set and deleted at the due date', async (stage) => {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  const todo = bodyOf(await call('POST /todos', { title: 'Pay the rent', dueDate: '2033-03-10' }), 201);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo(`/todos/${todo.id}`, 'Pay the rent');
  const group = page.getByRole('group', { name: 'Reminders for you' });
  await group.getByLabel('Day of the reminder').selectOption('The day before');
  await group.getByLabel('Time of the reminder').fill('08:15');
  await group.getByRole('button', { name: 'Remind me' }).press('Enter');
  await group.getByText('The day before at 08:15').waitFor();
  const { data } = bodyOf(await call(`GET /todos/${todo.id}/reminders`));
  assert.equal([data[0].daysBefore, data[0].time], [1, '08:15']);
  assert.equal(await window.axe('all'), []);
  await group.getByRole('button', { name: 'Delete the reminder: The day before at 08:15' }).press('Enter');
  await group.getByText('The day before at 08:15').waitFor({ state: 'detached' });
  assert.equal(bodyOf(await call(`GET /todos/${todo.id}/reminders`)).data, []);
});

test.promise('a sub-todo that is added without a connection is shown, and sent later', async (stage) => {
  const { ada, parent, orderOf } = await withSubTodos(stage, ['Measure']);
  const { page, goTo } = await stage.window({ ...desk, as: ada, expected: expectedFailures });
  await goTo(`/todos/${parent.id}`, 'Plant a hedge');
  await isReady(page);
  const section = page.getByRole('region', { name: 'Sub-todos' });
  await section.getByRole('link', { name: 'Measure' }).waitFor();
  const cut = await breakOperations(page, (id) => id === 'createTodo', 'unreachable');
  const line = section.getByLabel('Sub-todo', { exact: true });
  await line.fill('Dig');
  await line.press('Enter');
  await section.getByRole('link', { name: 'Dig' }).waitFor();
  await page.getByText('“Dig” is a part of “Plant a hedge”. It is sent once the service can be reached.').waitFor();
  await cut.mend();
  await until(async () => (await orderOf(`parentTodoId=${parent.id}`)).join() === 'Measure,Dig');
  await until(async () => (await section.getByRole('link').allTextContents()).join() === 'Measure,Dig');
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`${name}: a todo with sub-todos and reminders fits, also in 320 px`, async (stage) => {
    const { ada, call, parent } = await withSubTodos(stage, ['Measure', 'x'.repeat(80)]);
    bodyOf(await call(`PATCH /todos/${parent.id}`, { dueDate: '2033-03-10' }));
    bodyOf(await call(`POST /todos/${parent.id}/reminders`, { daysBefore: 7 }), 201);
    const window = await stage.window({ ...options, as: ada });
    await window.goTo(`/todos/${parent.id}`, 'Plant a hedge');
    await window.page.getByText('A week before at 09:00').waitFor();
    await window.page.getByRole('link', { name: 'Measure' }).waitFor();
    await look(window, `sub-todos-${name}`);
    await window.page.setViewportSize({ width: 320, height: 640 });
    await look(window, `sub-todos-320-${name}`);
  });
}

test.run();

import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import type { Person } from '../support/people.ts';
import { until } from '../support/until.ts';

const test = pageSuite('pages: the list of todos');

const searchOf = ({ page }: Window) => new URL(page.url()).search;
const gridOf = ({ page }: Window) => page.getByRole('list', { name: 'Todos', exact: true });

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
    await page.keyboard.type(keys);
    await window.sees(heading);
    await shows(...titles);
  }
  await goTo('/archive', 'Archive');
  await shows('Put away');
});

test.run();

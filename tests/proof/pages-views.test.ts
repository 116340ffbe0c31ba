import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import type { Person } from '../support/people.ts';
import { until } from '../support/until.ts';

const test = pageSuite('pages: saved views');

const gridOf = ({ page }: Window) => page.getByRole('grid', { name: 'Todos' });
const viewsOf = ({ page }: Window) => page.getByRole('list', { name: 'Views' });

/** Calls the service as a person; returns the body of a success. */
async function makes({ tandem }: Stage, { session }: Person, route: string, body?: unknown) {
  const answer = await tandem.call(route, body, { key: session.token });
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
}

test.promise('a filter is saved as a view, changed and updated, moved, renamed and deleted', async (stage) => {
  const ada = await stage.person();
  for (const priority of ['urgent', 'low'])
    await makes(stage, ada, 'POST /todos', { title: `Is ${priority}`, priority });
  await makes(stage, ada, 'POST /views', { name: 'Other', query: {} });
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo('/todos?priority=urgent', 'Todos');
  await page.getByRole('button', { name: 'Save as view' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Hot');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await sees('Hot');
  assert.match(new URL(page.url()).pathname, /^\/views\//);
  assert.is(new URL(page.url()).search, '');
  const grid = gridOf(window);
  await grid.getByText('Is urgent').waitFor();
  assert.is(await grid.getByText('Is low').count(), 0);
  await viewsOf(window).getByRole('link', { name: 'Hot' }).waitFor();
  await page.getByRole('button', { name: 'Priority: Urgent' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Low' }).click();
  await page.keyboard.press('Escape');
  await grid.getByText('Is low').waitFor();
  await page.getByRole('button', { name: 'Update view' }).click();
  await page.getByText('The view “Hot” is updated.').waitFor();
  await page.getByRole('button', { name: 'Update view' }).waitFor({ state: 'detached' });
  const { data } = await makes(stage, ada, 'GET /views');
  assert.equal(data[1].query, { priority: ['urgent', 'low'] });
  const chooses = async (name: string) => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await chooses('Move up in the sidebar');
  await until(
    async () => (await viewsOf(window).getByRole('link').allTextContents()).join().endsWith('Other'),
    () => 'the view is not first in the sidebar',
  );
  await chooses('Rename or share…');
  await page.getByRole('textbox', { name: 'Name' }).fill('Hottest');
  await page.getByRole('checkbox', { name: 'Share with the workspace' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await sees('Hottest');
  assert.is((await makes(stage, ada, 'GET /views')).data[1].isShared, true);
  // What somebody else has changed meanwhile is not written back.
  await chooses('Rename or share…');
  await makes(stage, ada, `PATCH /views/${data[1].id}`, { isShared: false });
  await page.getByRole('textbox', { name: 'Name' }).fill('Coldest');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await sees('Coldest');
  const { isShared } = await makes(stage, ada, `GET /views/${data[1].id}`);
  assert.is(isShared, false);
  await chooses('Delete the view…');
  await page.getByRole('button', { name: 'Delete view' }).click();
  await sees('Todos');
  assert.equal(
    (await makes(stage, ada, 'GET /views')).data.map(({ name }: { name: string }) => name),
    ['Other'],
  );
});

test.promise('a view that names a deleted label says so, stays usable, and takes it out', async (stage) => {
  const ada = await stage.person();
  const { id: labelId } = await makes(stage, ada, 'POST /labels', { name: 'Waiting' });
  await makes(stage, ada, 'POST /todos', { title: 'Paint', priority: 'low' });
  const query = { labelId, priority: 'low' };
  const { id } = await makes(stage, ada, 'POST /views', { name: 'Waiting', query });
  await makes(stage, ada, `DELETE /labels/${labelId}`);
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo(`/views/${id}`, 'Waiting');
  await page.getByText('The view names a label that is deleted.').waitFor();
  await page.getByRole('button', { name: 'Take it out of the filter' }).click();
  await gridOf(window).getByText('Paint').waitFor();
  await page.getByRole('button', { name: 'Update view' }).click();
  await page.getByText('The view “Waiting” is updated.').waitFor();
  assert.equal((await makes(stage, ada, `GET /views/${id}`)).query, { priority: ['low'] });
  await goTo('/views/019ca8a0-3e80-7602-8fae-580f5863abfb', 'View not found');
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`a view and its dialog are accessible and fit: ${name}`, async (stage) => {
    const ada = await stage.person();
    await makes(stage, ada, 'POST /todos', { title: 'Paint', priority: 'low' });
    const query = { priority: 'low', labelId: '019ca8a0-3e80-7602-8fae-580f5863abfb' };
    const { id } = await makes(stage, ada, 'POST /views', { name: 'Waiting', icon: '🔥', query });
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo } = window;
    await goTo(`/views/${id}?priority=low`, '🔥 Waiting');
    await gridOf(window).getByText('Paint').waitFor();
    await look(window, `view-${name}`);
    assert.equal(await window.axe('all'), [], 'view');
    await page.setViewportSize({ width: 320, height: 700 });
    await look(window, `view-narrow-${name}`);
    await page.getByRole('button', { name: 'Save as view' }).click();
    await page.getByRole('checkbox', { name: 'Share with the workspace' }).waitFor();
    assert.equal(await window.axe('all'), [], 'dialog');
  });
}

test.run();

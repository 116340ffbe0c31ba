import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { breakOperations } from '../support/page-faults.ts';
import type { Person } from '../support/people.ts';
import { until } from '../support/until.ts';

const test = pageSuite('pages: labels');

const gridOf = ({ page }: Window) => page.getByRole('grid', { name: 'Todos' });

/** Calls the service as a person; returns the body of a success. */
async function makes({ tandem }: Stage, { session }: Person, route: string, body?: unknown) {
  const answer = await tandem.call(route, body, { key: session.token });
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
}

test.promise(
  'L with Shift labels the selected todos by keyboard alone, creates a label on the way, and is undone',
  async (stage) => {
    const ada = await stage.person();
    await makes(stage, ada, 'POST /labels', { name: 'Home', color: 'green' });
    for (const title of ['Second', 'First']) await makes(stage, ada, 'POST /todos', { title });
    const window = await stage.window({ as: ada });
    const { page, goTo } = window;
    await goTo('/todos', 'Todos');
    const grid = gridOf(window);
    await grid.getByText('First').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+L');
    await page.getByRole('dialog', { name: 'Labels of 2 todos' }).waitFor();
    await page.getByRole('textbox', { name: 'Find or create a label' }).waitFor();
    await page.keyboard.type('ho');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Waiting');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Waiting', checked: true }).waitFor();
    await page.keyboard.press('Enter');
    await grid.getByRole('row', { name: /^First.*labelled Home and Waiting/ }).waitFor();
    await grid.getByRole('row', { name: /^Second.*labelled Home and Waiting/ }).waitFor();
    await page.getByText('2 todos are labelled “Home”, “Waiting”.').waitFor();
    await page.keyboard.press('Control+z');
    await page.getByText('Undone.').waitFor();
    await grid.getByText('Waiting').first().waitFor({ state: 'detached' });
  },
);

test.promise(
  'a label that is created slowly is saved with the others, and keys typed before are no commands',
  async (stage) => {
    const ada = await stage.person();
    const { id } = await makes(stage, ada, 'POST /todos', { title: 'First' });
    const window = await stage.window({ as: ada });
    const { page, goTo } = window;
    const loading = Promise.withResolvers<void>();
    await page.route('**/assets/label-dialog-*', async (route) => {
      await loading.promise;
      await route.continue();
    });
    await goTo('/todos', 'Todos');
    await gridOf(window).getByText('First').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+L');
    // E would mark the todo as done.
    await page.keyboard.type('else');
    loading.resolve();
    const field = page.getByRole('textbox', { name: 'Find or create a label' });
    await field.waitFor();
    const slow = await breakOperations(page, (operation) => operation === 'createLabel', 'slow');
    await field.fill('Waiting');
    await field.press('Enter');
    await slow.asked;
    await field.press('Control+Enter');
    await field.fill('Home');
    await slow.mend();
    await page.getByRole('button', { name: 'Create “Home”' }).waitFor();
    await field.fill('');
    await page.getByRole('checkbox', { name: 'Waiting', checked: true }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await gridOf(window)
      .getByRole('row', { name: /^First.*labelled Waiting/ })
      .waitFor();
    const todo = await makes(stage, ada, `GET /todos/${id}`);
    assert.is(todo.status, 'ready');
  },
);

test.promise('a new label is created from the line of a new todo, and never by Enter alone', async (stage) => {
  const ada = await stage.person();
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  const line = page.getByRole('combobox', { name: 'Title' });
  await line.fill('Buy paint *Home');
  const offer = page.getByRole('option', { name: 'Create label “Home”' });
  await offer.waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^\*Home\. Turn/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /^Buy paint, .*labelled Home/ }).waitFor();
  const { data } = await makes(stage, ada, 'GET /labels');
  assert.equal(
    data.map(({ name }: { name: string }) => name),
    ['Home'],
  );

  await line.fill('Count the *stars');
  await page.getByRole('option', { name: 'Create label “stars”' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /^Count the \*stars/ }).waitFor();
  assert.is((await makes(stage, ada, 'GET /labels')).data.length, 1);
});

test.promise(
  'labels filter the list in its address, and a deleted one is named as such and can be taken out',
  async (stage) => {
    const ada = await stage.person();
    const { id } = await makes(stage, ada, 'POST /labels', { name: 'Waiting' });
    await makes(stage, ada, 'POST /todos', { title: 'Call back', labelIds: [id] });
    await makes(stage, ada, 'POST /todos', { title: 'Paint' });
    const window = await stage.window({ as: ada });
    const { page, goTo } = window;
    await goTo('/todos', 'Todos');
    const grid = gridOf(window);
    await grid.getByText('Paint').waitFor();
    await page.getByRole('button', { name: 'Label: any' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Waiting' }).click();
    await page.keyboard.press('Escape');
    await grid.getByText('Paint').waitFor({ state: 'detached' });
    await grid.getByText('Call back').waitFor();
    assert.is(new URL(page.url()).search, `?labelId=${id}`);
    await makes(stage, ada, `DELETE /labels/${id}`);
    await page.getByText('No todo matches the filter').waitFor();
    await page.getByRole('button', { name: 'Label: 1 chosen' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'A deleted label' }).click();
    await page.keyboard.press('Escape');
    await grid.getByText('Paint').waitFor();
  },
);

test.promise('a line with *label is a todo with it, and the page of the todo changes its labels', async (stage) => {
  const ada = await stage.person();
  await makes(stage, ada, 'POST /labels', { name: 'Waiting' });
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await page.getByRole('combobox', { name: 'Title' }).pressSequentially('Call back *wai');
  await page.getByRole('option', { name: '*Waiting' }).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: /^\*Waiting/ }).waitFor();
  await page.getByRole('button', { name: 'Add todo' }).click();
  await gridOf(window)
    .getByRole('row', { name: /labelled Waiting/ })
    .waitFor();
  await gridOf(window).getByRole('link', { name: 'Call back' }).click();
  await window.sees('Call back');
  await page.getByRole('button', { name: 'Change labels' }).click();
  await page.getByRole('checkbox', { name: 'Waiting', checked: true }).click();
  await page.getByRole('textbox', { name: 'Find or create a label' }).fill('Home');
  await page.getByRole('button', { name: 'Create “Home”' }).click();
  await page.getByRole('checkbox', { name: 'Home', checked: true }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  // The page shows the todo before it is stored.
  const names = async () => {
    const [todo] = (await makes(stage, ada, 'GET /todos')).data;
    return todo?.labels.map(({ name }: { name: string }) => name).join() ?? 'no todo';
  };
  let stored = '';
  await until(
    async () => {
      stored = await names();
      return stored === 'Home';
    },
    () => stored,
  );
});

test.promise('the settings create, rename, recolour and delete a label', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo('/settings/labels', 'Labels');
  await page.getByRole('textbox', { name: 'Name' }).fill('Waiting');
  await page.getByRole('button', { name: 'Create label' }).click();
  await page.getByText('The label “Waiting” is created.').waitFor();
  await page.getByRole('button', { name: 'Change: Waiting' }).click();
  const form = page.getByRole('form', { name: 'Change Waiting' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Blocked');
  await form.getByRole('button', { name: /Colour/ }).click();
  await page.getByRole('option', { name: 'Red' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Change: Blocked' }).waitFor();
  const { data } = await makes(stage, ada, 'GET /labels');
  assert.equal([data[0].name, data[0].color], ['Blocked', 'red']);
  // What somebody else has changed meanwhile is not written back.
  await page.getByRole('button', { name: 'Change: Blocked' }).click();
  await makes(stage, ada, `PATCH /labels/${data[0].id}`, { color: 'green' });
  const again = page.getByRole('form', { name: /^Change/ });
  await again.getByRole('textbox', { name: 'Name' }).fill('Blocked now');
  await again.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Change: Blocked now' }).waitFor();
  assert.is((await makes(stage, ada, 'GET /labels')).data[0].color, 'green');
  await page.getByRole('textbox', { name: 'Name' }).fill('BLOCKED NOW');
  await page.getByRole('button', { name: 'Create label' }).click();
  await page.getByText('A label has this name, ignoring case.').first().waitFor();
  await page.getByRole('button', { name: 'Delete: Blocked now' }).click();
  await page.getByText('taken off 0 todos').waitFor();
  await page.getByRole('button', { name: 'Delete label' }).click();
  await page.getByText('No labels yet').waitFor();
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(
    `lists, boards, the dialog and the settings with labels are accessible and fit: ${name}`,
    async (stage) => {
      const ada = await stage.person();
      const colors = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'];
      const labelIds: string[] = [];
      for (const color of colors) {
        labelIds.push((await makes(stage, ada, 'POST /labels', { name: `A label that is ${color}`, color })).id);
      }
      const { id } = await makes(stage, ada, 'POST /todos', { title: 'Call back', labelIds });
      const window = await stage.window({ ...options, as: ada });
      const { page, goTo } = window;
      const all = async (what: string) => {
        await look(window, `labels-${what}-${name}`);
        assert.equal(await window.axe('all'), [], what);
      };
      await goTo('/todos', 'Todos');
      await gridOf(window).getByText('Call back').waitFor();
      await all('list');
      await page.getByRole('row', { name: /Call back/ }).focus();
      await page.keyboard.press('Shift+L');
      await page.getByRole('checkbox', { name: 'A label that is teal' }).waitFor();
      await all('dialog');
      await page.keyboard.press('Escape');
      await goTo('/todos?layout=board', 'Todos');
      await page.getByRole('link', { name: /Call back.*labelled A label/ }).waitFor();
      await all('board');
      await goTo(`/todos/${id}`, 'Call back');
      await page.getByRole('button', { name: 'Change labels' }).waitFor();
      await all('todo');
      await goTo('/settings/labels', 'Labels');
      await page.getByRole('button', { name: 'Change: A label that is pink' }).click();
      await all('settings');
      await page.setViewportSize({ width: 320, height: 700 });
      await look(window, `labels-settings-narrow-${name}`);
    },
  );
}

test.promise('a long name is shown whole, and is no wider than a phone', async (stage) => {
  const ada = await stage.person();
  await makes(stage, ada, 'POST /labels', { name: 'waiting-for-the-answer-of-a-customer-or-a-supplier' });
  const { page, goTo } = await stage.window({ as: ada, viewport: { width: 360, height: 740 } });
  await goTo('/settings/labels', 'Labels');
  const name = page.getByText('waiting-for-the-answer-of-a-customer-or-a-supplier', { exact: true });
  await name.waitFor();
  // It is cut where it has one line only.
  assert.ok(((await name.boundingBox())?.height ?? 0) > 30);
  assert.is(await page.evaluate('document.documentElement.scrollWidth'), 360);
});

test.run();

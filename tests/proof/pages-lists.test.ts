import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { onEntry, press, tabTo, typeInto } from '../support/keyboard.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf, type Person } from '../support/people.ts';
import { until } from '../support/until.ts';

const test = pageSuite('pages: lists of todos');

const sideLists = ({ page }: Window) =>
  page.getByRole('navigation', { name: 'Work' }).getByRole('list', { name: 'Lists' });
const rowsOf = ({ page }: Window, name: string) => page.getByRole('main').getByRole('list', { name, exact: true });

/** Calls the service as a person; returns the body of a success. */
async function makes({ tandem }: Stage, person: Person, route: string, body?: unknown) {
  const answer = await callsOf(tandem, person)(route, body);
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
}

/** The lists of a person's workspace without the default one, archived ones too. */
async function stored(stage: Stage, person: Person) {
  const { data } = await makes(stage, person, 'GET /todo-lists?includeArchived=true');
  type Stored = { name: string; emoji: string | null; isArchived: boolean; isDefault: boolean };
  return (data as Stored[])
    .filter(({ isDefault }) => !isDefault)
    .map(({ name, emoji, isArchived }) => [name, emoji, isArchived]);
}

test.promise('a list is created, renamed, archived, restored and deleted by the mouse', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo('/todos', 'Todos');
  await page.getByRole('link', { name: 'New list' }).click();
  await sees('Lists');
  await page.getByRole('textbox', { name: 'Name' }).fill('Garden');
  await page.getByRole('textbox', { name: 'Emoji' }).fill('🌱');
  await page.getByRole('button', { name: 'Create list' }).click();
  await page.getByText('The list “Garden” is created.').waitFor();
  await sideLists(window).getByRole('link', { name: 'Garden' }).waitFor();
  await page.getByRole('button', { name: 'Change: Garden' }).click();
  const form = page.getByRole('form', { name: 'Change Garden' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Allotment');
  await form.getByRole('textbox', { name: 'Emoji' }).fill('');
  await form.getByRole('button', { name: 'Save' }).click();
  await sideLists(window).getByRole('link', { name: 'Allotment' }).waitFor();
  assert.equal(await stored(stage, ada), [['Allotment', null, false]]);
  await page.getByRole('button', { name: 'Archive: Allotment' }).click();
  await page.getByText('The list “Allotment” is archived. Its todos stay as they are.').waitFor();
  await rowsOf(window, 'Archived lists').getByText('Allotment').waitFor();
  await sideLists(window).getByRole('link', { name: 'Allotment' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Restore: Allotment' }).click();
  await rowsOf(window, 'Lists').getByText('Allotment').waitFor();
  await sideLists(window).getByRole('link', { name: 'Allotment' }).waitFor();
  assert.equal(await stored(stage, ada), [['Allotment', null, false]]);
  await page.getByRole('button', { name: 'Archive: Allotment' }).click();
  await page.getByRole('button', { name: 'Delete: Allotment' }).click();
  await page.getByRole('button', { name: 'Delete list' }).click();
  await page.getByText('The list “Allotment” is deleted.').waitFor();
  await rowsOf(window, 'Archived lists').waitFor({ state: 'detached' });
  assert.equal(await stored(stage, ada), []);
});

test.promise('the same by keyboard alone, from the palette and the menu of the page of the list', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  const focused = page.locator(':focus');
  await goTo('/todos', 'Todos');
  await press(window, 'Control+k');
  await page.getByRole('combobox').and(focused).waitFor();
  await page.keyboard.type('new list');
  await page.getByRole('option', { name: 'Create todo “new list”' }).waitFor();
  await press(window, 'Enter');
  await sees('Lists');
  await page.getByRole('textbox', { name: 'Name' }).and(focused).waitFor();
  await page.keyboard.type('Garden');
  await press(window, 'Enter');
  await tabTo(window, rowsOf(window, 'Lists').getByRole('link', { name: 'Garden' }));
  await press(window, 'Enter');
  await sees('Garden');
  const menu = page.getByRole('button', { name: 'More', exact: true });
  await tabTo(window, menu);
  await press(window, 'Enter');
  await onEntry(window, 'Rename…');
  await press(window, 'Enter');
  const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
  await name.and(focused).waitFor();
  await press(window, 'Control+a');
  await page.keyboard.type('Allotment');
  await press(window, 'Enter');
  // The new name may be shown before the dialog closes, which keeps the focus.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await sees('Allotment');
  await tabTo(window, menu);
  await press(window, 'Enter');
  await onEntry(window, 'Rename…');
  await press(window, 'ArrowDown', 'Enter');
  await page.getByText('This list is archived.').waitFor();
  await until(
    async () => (await page.locator(':focus').count()) > 0,
    () => 'nothing has the focus',
  );
  assert.equal(await stored(stage, ada), [['Allotment', null, true]]);
  await tabTo(window, page.getByRole('button', { name: 'Restore the list' }));
  await press(window, 'Enter');
  await page.getByText('This list is archived.').waitFor({ state: 'detached' });
  assert.equal(await stored(stage, ada), [['Allotment', null, false]]);
});

test.promise('what somebody else renames while it is changed here keeps the new name', async (stage) => {
  const ada = await stage.person();
  const { id } = await makes(stage, ada, 'POST /todo-lists', { name: 'Garden' });
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo('/lists', 'Lists');
  await page.getByRole('button', { name: 'Change: Garden' }).click();
  await makes(stage, ada, `PATCH /todo-lists/${id}`, { name: 'Allotment' });
  const form = page.getByRole('form', { name: /^Change/ });
  await form.getByRole('textbox', { name: 'Emoji' }).fill('🌱');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
  assert.equal(await stored(stage, ada), [['Allotment', '🌱', false]]);
  await goTo(`/lists/${id}`, 'Allotment');
  await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Emoji' }).fill('🌳');
  await makes(stage, ada, `PATCH /todo-lists/${id}`, { name: 'Orchard' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  // The new name may be shown before the change is stored.
  await dialog.waitFor({ state: 'detached' });
  await sees('Orchard');
  assert.equal(await stored(stage, ada), [['Orchard', '🌳', false]]);
});

test.promise(
  'an archived list has a page with its todos and no form, and one that has todos is not deleted',
  async (stage) => {
    const ada = await stage.person();
    const { id } = await makes(stage, ada, 'POST /todo-lists', { name: 'Garden' });
    await makes(stage, ada, 'POST /todos', { title: 'Plant peas', todoListId: id });
    await makes(stage, ada, `PATCH /todo-lists/${id}`, { archived: true });
    const window = await stage.window({ as: ada });
    const { page, goTo } = window;
    await goTo(`/lists/${id}`, 'Garden');
    await page.getByRole('grid', { name: 'Todos' }).getByText('Plant peas').waitFor();
    assert.is(await page.getByRole('button', { name: 'Add todo' }).count(), 0);
    await goTo('/lists', 'Lists');
    await page.getByRole('button', { name: 'Delete: Garden' }).click();
    await page.getByRole('button', { name: 'Delete list' }).click();
    await page.getByText(/This list contains todos/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await rowsOf(window, 'Archived lists').getByRole('link', { name: 'Garden' }).waitFor();
  },
);

test.promise(
  'a name that is missing and an emoji that is none are said at their fields, and the text stays',
  async (stage) => {
    const window = await stage.window({ as: await stage.person() });
    const { page, goTo } = window;
    await goTo('/lists', 'Lists');
    await page.getByRole('button', { name: 'Create list' }).click();
    await page.getByText('Enter a name').first().waitFor();
    await typeInto(window, page.getByRole('textbox', { name: 'Name' }), 'Garden');
    await typeInto(window, page.getByRole('textbox', { name: 'Emoji' }), 'green');
    await page.getByRole('button', { name: 'Create list' }).click();
    await page
      .getByText(/one emoji/i)
      .first()
      .waitFor();
    assert.is(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Garden');
  },
);

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the lists and their dialogs are accessible and fit: ${name}`, async (stage) => {
    const ada = await stage.person();
    const { id } = await makes(stage, ada, 'POST /todo-lists', { name: 'A list with a long name '.repeat(4).trim() });
    await makes(stage, ada, 'POST /todo-lists', { name: 'Garden', emoji: '🌱' });
    await makes(stage, ada, `PATCH /todo-lists/${id}`, { archived: true });
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo } = window;
    await goTo('/lists', 'Lists');
    await page.getByRole('button', { name: 'Change: Garden' }).click();
    await rowsOf(window, 'Archived lists').waitFor();
    await look(window, `lists-${name}`);
    assert.equal(await window.axe('all'), [], 'lists');
    await page.setViewportSize({ width: 320, height: 700 });
    await look(window, `lists-narrow-${name}`);
    await rowsOf(window, 'Archived lists').getByRole('link').click();
    await page.getByText('This list is archived.').waitFor();
    await look(window, `list-archived-narrow-${name}`);
    assert.equal(await window.axe('all'), [], 'an archived list');
    await page.getByRole('main').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor();
    await look(window, `list-dialog-narrow-${name}`);
  });
}

test.run();

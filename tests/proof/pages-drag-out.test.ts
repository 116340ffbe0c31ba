import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { callsOf } from '../support/people.ts';
import { agentOf, bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: todos are dragged to the sidebar');

const desk = { viewport: { width: 1280, height: 900 } };

/** A person with a list “Garden” and three todos in the inbox. */
async function withGarden(stage: Stage) {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  const garden: string = bodyOf(await call('POST /todo-lists', { name: 'Garden' }), 201).id;
  const ids: string[] = [];
  for (const title of ['Plant roses', 'Buy bread', 'Call the bank'])
    ids.push(bodyOf(await call('POST /todos', { title }), 201).id);
  const todo = async (place: number) => bodyOf(await call(`GET /todos/${ids[place]}`));
  const listsOf = async () => Promise.all(ids.map(async (_, place) => (await todo(place)).todoListId));
  const [inbox] = await listsOf();
  return { ada, call, garden, inbox, ids, todo, listsOf };
}

const rowOf = ({ page }: Window, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
const linkOf = ({ page }: Window, name: string) =>
  page.getByRole('navigation', { name: 'Work' }).getByRole('link', { name });
/** The places of the sidebar that take what is dragged. */
const takers = ({ page }: Window) => page.locator('li[data-drop]');

/** Moves the pointer onto a link of the sidebar. Browsers fire dragover with the second move at the earliest. */
async function moveOver(window: Window, name: string): Promise<void> {
  const box = await linkOf(window, name).boundingBox();
  if (!box) throw new Error(`“${name}” is not shown`);
  for (const x of [20, 30, 40]) await window.page.mouse.move(box.x + x, box.y + 16);
}

/** Takes what the pointer is on, and holds it over a link of the sidebar. */
async function dragOver(window: Window, name: string): Promise<void> {
  const { page } = window;
  await page.mouse.down();
  await page.mouse.move(600, 500);
  await takers(window).first().waitFor();
  await moveOver(window, name);
  await page.locator('li[data-drop=over]', { has: page.getByRole('link', { name }) }).waitFor();
}

test.promise('a row dropped on a list moves there, which can be undone', async (stage) => {
  const { ada, garden, inbox, todo } = await withGarden(stage);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await linkOf(window, 'Garden').waitFor();
  await rowOf(window, 'Buy bread').hover();
  await dragOver(window, 'Garden');
  // It is mine, and in the inbox already.
  assert.equal(await takers(window).count(), 1);
  await page.mouse.up();
  await page.getByText('“Buy bread” is moved to Garden.').waitFor();
  await takers(window).waitFor({ state: 'detached' });
  assert.is((await todo(1)).todoListId, garden);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone.').waitFor();
  assert.is((await todo(1)).todoListId, inbox);
});

test.promise('with a selected row go the others that are selected, as one change', async (stage) => {
  const { ada, garden, inbox, listsOf } = await withGarden(stage);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await rowOf(window, 'Plant roses').click({ modifiers: ['Control'], position: { x: 500, y: 10 } });
  await rowOf(window, 'Call the bank').click({ modifiers: ['Control'], position: { x: 500, y: 10 } });
  await page.getByText('2 selected').waitFor();
  await rowOf(window, 'Plant roses').hover({ position: { x: 500, y: 10 } });
  await dragOver(window, 'Garden');
  await page.mouse.up();
  await page.getByText('2 todos are moved to Garden.').waitFor();
  assert.equal(await listsOf(), [garden, inbox, garden]);
  await page.keyboard.press('Control+z');
  await page.getByText('Undone.').waitFor();
  assert.equal(await listsOf(), [inbox, inbox, inbox]);
  // One that is not selected goes by itself.
  await page.getByText('2 selected').waitFor();
  await rowOf(window, 'Buy bread').hover({ position: { x: 500, y: 10 } });
  await dragOver(window, 'Garden');
  await page.mouse.up();
  await page.getByText('“Buy bread” is moved to Garden.').waitFor();
  assert.equal(await listsOf(), [inbox, garden, inbox]);
});

test.promise('“My todos” assigns the person beside the others, and no agent is started', async (stage) => {
  const { ada, call } = await withGarden(stage);
  const agentId = await agentOf({ call } as Parameters<typeof agentOf>[0], { name: 'Researcher' });
  const agent = { id: agentId, type: 'agent' };
  const { id } = bodyOf(await call('POST /todos', { title: 'Compare lamps', assignees: [agent], run: false }), 201);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos?layout=board', 'Todos');
  await page.getByRole('link', { name: /^Compare lamps/ }).hover();
  await dragOver(window, 'My todos');
  await page.mouse.up();
  await page.getByText('“Compare lamps” is assigned to you.').waitFor();
  const { assignees } = bodyOf(await call(`GET /todos/${id}`));
  assert.equal(
    assignees.map(({ name }: { name: string }) => name),
    ['Researcher', 'Ada Lovelace'],
  );
  assert.equal(bodyOf(await call(`GET /todos/${id}/runs`)).data, []);
});

test.promise('a drag that ends elsewhere changes nothing, and archived todos are not dragged', async (stage) => {
  const { ada, call, ids, inbox, listsOf } = await withGarden(stage);
  const window = await stage.window({ ...desk, as: ada });
  const { page, goTo } = window;
  await goTo('/todos?sort=position', 'Todos');
  await rowOf(window, 'Buy bread').hover({ position: { x: 500, y: 10 } });
  await dragOver(window, 'Garden');
  assert.equal(await window.axe('all'), []);
  for (const x of [20, 30]) await linkOf(window, 'Chats').hover({ position: { x, y: 16 } });
  await page.locator('li[data-drop=over]').waitFor({ state: 'detached' });
  await page.mouse.up();
  await takers(window).first().waitFor({ state: 'detached' });
  assert.equal(await listsOf(), [inbox, inbox, inbox]);
  bodyOf(await call(`DELETE /todos/${ids[1]}`));
  await goTo('/archive', 'Archive');
  await rowOf(window, 'Buy bread').waitFor();
  assert.is(await rowOf(window, 'Buy bread').getAttribute('draggable'), null);
});

test.run();

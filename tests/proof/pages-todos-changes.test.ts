import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { breakOperations } from '../support/page-faults.ts';
import type { Person } from '../support/people.ts';
import { reply, ScriptedEngine } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';
import { agentOf, bodyOf, held, startRun } from '../support/work-fixtures.ts';

/* Changes of the list of todos that agents take part in, and one that fails half way. */

const engine = new ScriptedEngine();
const test = pageSuite('pages: changes of the list of todos', async () => ({ engine }));

/** Calls the API as another client of the same person. */
const callerOf = ({ tandem }: Stage, { session }: Person) => ({
  call: (route: string, body?: unknown) => tandem.call(route, body, { key: session.token }),
});

test.promise(
  'agents start on selected todos only after a question, which says how many runs that are',
  async (stage) => {
    const ada = await stage.person();
    const caller = callerOf(stage, ada);
    const agentId = await agentOf(caller, { name: 'Researcher' });
    for (const title of ['Second', 'First']) bodyOf(await caller.call('POST /todos', { title }), 201);
    const { page, goTo } = await stage.window({ as: ada });
    await goTo('/todos', 'Todos');
    await page.getByRole('row', { name: /^First/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    const choose = async () => {
      await page.getByRole('button', { name: 'Assignee of the selected todos' }).click();
      await page.getByRole('menuitem', { name: 'Researcher (agent)' }).click();
      await page.getByRole('alertdialog', { name: 'Assign to Researcher?' }).getByText('up to 2 runs').waitFor();
    };
    const assigned = async () =>
      bodyOf(await caller.call('GET /todos?status=active,done')).data.filter(
        ({ assignees }: { assignees: { id: string }[] }) => assignees.some(({ id }) => id === agentId),
      ).length;
    await choose();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    assert.is(await assigned(), 0);
    await choose();
    await page.getByRole('button', { name: 'Assign and start' }).click();
    await page.getByText('2 todos are assigned to Researcher.').waitFor();
    assert.is(await assigned(), 2);
  },
);

test.promise('the bar of selected todos sets their due date, which can be undone', async (stage) => {
  const ada = await stage.person();
  const { call } = callerOf(stage, ada);
  const before = { Second: '2031-03-02', First: null };
  for (const [title, dueDate] of Object.entries(before))
    bodyOf(await call('POST /todos', { title, ...(dueDate !== null && { dueDate }) }), 201);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  await page.getByRole('row', { name: /^First/ }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('2 selected').waitFor();
  const dates = async () =>
    bodyOf(await call('GET /todos')).data.map(({ title, dueDate }: Record<string, unknown>) => [title, dueDate]);
  await page.getByRole('button', { name: 'Due date', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Due date: 2 todos' });
  await dialog.getByRole('combobox').fill('2031-04-05');
  await dialog.getByRole('option', { name: /^Apr 5, 2031/ }).click();
  await page.getByText('2 todos are due 2031-04-05.').waitFor();
  assert.equal(Object.fromEntries(await dates()), { First: '2031-04-05', Second: '2031-04-05' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone.').waitFor();
  assert.equal(Object.fromEntries(await dates()), before);
});

test.promise('a row says that an agent is at work on its todo, until the run ends', async (stage) => {
  const ada = await stage.person();
  const caller = callerOf(stage, ada);
  const agentId = await agentOf(caller);
  const work = held(reply('Compared.'));
  const { id } = bodyOf(await caller.call('POST /todos', { title: 'Compare offers' }), 201);
  await startRun(caller, id, engine.plan(work.script), agentId);
  await work.asked();
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  const row = page.getByRole('row', { name: /^Compare offers, .*Agent at work/ });
  await row.getByText('Agent at work').waitFor();
  work.release();
  await row.waitFor({ state: 'detached' });
});

test.promise('when a later part of a change is refused, what was changed is said and can be undone', async (stage) => {
  const ada = await stage.person();
  const { call } = callerOf(stage, ada);
  for (const count of [50, 50, 20]) {
    const data = Array.from({ length: count }, (_, place) => ({ title: `Todo ${place}` }));
    bodyOf(await call('POST /todos/batch', { data }));
  }
  const { page, goTo } = await stage.window({ as: ada, expected: /Failed to load resource/ });
  await page.route(/\/api\/v1\/todos\/bulk/, (route) => {
    const { ids } = route.request().postDataJSON() as { ids: string[] };
    if (ids.length === 100) return route.continue();
    const message = 'These todos are locked.';
    return route.fulfill({
      status: 409,
      json: { object: 'error', code: 'resource_conflict', status: 409, message, retryable: false, errors: [] },
    });
  });
  await goTo('/todos', 'Todos');
  await page.getByRole('row').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Select all 120 that match' }).click();
  await page.getByText('120 selected').waitFor();
  await page.getByRole('button', { name: 'Priority of the selected todos' }).click();
  await page.getByRole('menuitem', { name: 'Low' }).click();
  await page.getByText('100 todos are set to low priority, 20 are not. These todos are locked.').waitFor();
  const low = async () => bodyOf(await call('GET /todos/summary')).byPriority.low;
  assert.is(await low(), 100);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone.').waitFor();
  assert.is(await low(), 0);
});

test.promise('a selection that is changed while all is read is not replaced by what was read', async (stage) => {
  const ada = await stage.person();
  const { call } = callerOf(stage, ada);
  for (const count of [50, 50, 50, 50]) {
    const data = Array.from({ length: count }, (_, place) => ({ title: `Todo ${place}` }));
    bodyOf(await call('POST /todos/batch', { data }));
  }
  const { page, goTo } = await stage.window({ as: ada });
  for (const [keys, count] of [
    [['Escape'], 0],
    [['j', 'x'], 2],
  ] as const) {
    await goTo('/todos', 'Todos');
    await page.getByRole('row').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const all = page.getByRole('button', { name: 'Select all 200 that match' });
    await all.waitFor();
    const held = await breakOperations(page, (id) => id === 'listTodos', 'slow');
    await all.click();
    await held.asked;
    await page.getByText(/^Reading \d+ of 200…$/).waitFor();
    await page.locator('[role=row][aria-selected=true]').focus();
    for (const key of keys) await page.keyboard.press(key);
    await held.mend();
    await page.keyboard.press('End');
    await page.locator('[role=row]:focus[aria-rowindex="200"]').waitFor();
    assert.is(await page.getByText('200 selected').count(), 0);
    await page.keyboard.press('Home');
    await page.locator('[role=row]:focus[aria-rowindex="1"]').waitFor();
    // The row that has the focus is shown before those around it.
    const selected = page.getByRole('row', { selected: true });
    await until(async () => (await selected.count()) === count);
  }
});

test.promise('the key of undo takes back the last change, also one of the page of a todo', async (stage) => {
  const ada = await stage.person();
  const { call } = callerOf(stage, ada);
  const [second, first] = await Promise.all(
    ['Second', 'First'].map(async (title) => bodyOf(await call('POST /todos', { title }), 201).id),
  );
  const now = async (id: string) => bodyOf(await call(`GET /todos/${id}`));
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  await page.getByRole('row', { name: /^First/ }).focus();
  await page.keyboard.press('#');
  await page.getByText('“First” is archived.').waitFor();
  await page.getByRole('grid', { name: 'Todos' }).getByRole('link', { name: 'Second' }).click();
  await sees('Second');
  const isDone = page.getByRole('button', { name: 'Reopen' });
  for (const [button, changed] of [
    [page.getByRole('button', { name: 'Mark as done' }), isDone],
    [page.getByRole('button', { name: 'Archive', exact: true }), page.getByRole('button', { name: 'Restore' })],
  ] as const) {
    await button.press('Enter');
    await changed.waitFor();
  }
  await until(async () => (await now(second)).isArchived);
  await page.keyboard.press('Control+z');
  await isDone.waitFor();
  await page.keyboard.press('Control+z');
  await until(async () => (await now(second)).status === 'ready');
  assert.is((await now(first)).isArchived, true);
  await page.keyboard.press('Control+z');
  await until(async () => !(await now(first)).isArchived);
});

test.promise('an undo takes back nothing that somebody else changed since, and says so', async (stage) => {
  const ada = await stage.person();
  const { call } = callerOf(stage, ada);
  const ids: string[] = [];
  for (const title of ['Second', 'First']) ids.push(bodyOf(await call('POST /todos', { title }), 201).id);
  const priorities = () => Promise.all(ids.map(async (id) => bodyOf(await call(`GET /todos/${id}`)).priority));
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  await page.getByRole('row', { name: /^First/ }).waitFor();
  const change = async (notice: string) => {
    await page.getByRole('button', { name: 'Priority of the selected todos' }).click();
    await page.getByRole('menuitem', { name: 'High' }).click();
    await page.getByText(notice).waitFor();
  };
  const undo = async () => {
    await page.keyboard.press('Control+z');
    await page.getByText('Somebody else changed the same at the same time').waitFor();
    assert.is(await page.getByText('Undone.').count(), 0);
  };
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await change('“First” is set to high priority.');
  bodyOf(await call(`PATCH /todos/${ids[1]}`, { priority: 'urgent' }));
  await undo();
  assert.equal(await priorities(), [null, 'urgent']);

  for (const id of ids) bodyOf(await call(`PATCH /todos/${id}`, { priority: 'medium' }));
  await page.reload();
  await page.getByRole('row', { name: /^First/ }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+ArrowDown');
  await change('2 todos are set to high priority.');
  for (const id of ids) bodyOf(await call(`PATCH /todos/${id}`, { priority: 'low' }));
  await undo();
  assert.equal(await priorities(), ['low', 'low']);
});

test.run();

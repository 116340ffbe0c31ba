import type { Request } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: changes of one todo');

test.promise('what is typed outlives a reload, and a change meanwhile is said and asked about', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Draft', content: 'One' }), 201);
  const other = bodyOf(await call('POST /todos', { title: 'Other', content: 'Other text' }), 201);
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Draft');
  const text = page.getByRole('textbox', { name: 'Text' });
  const title = page.getByRole('textbox', { name: 'Title' });
  await page.getByRole('button', { name: 'Edit' }).click();
  await text.fill('Two');
  await title.fill('Typed');
  await page.reload();
  await sees('Draft');
  await page.getByText('This title is not saved yet.').waitFor();
  await page.getByText('This text is not saved yet.').waitFor();
  assert.equal([await title.inputValue(), await text.inputValue()], ['Typed', 'Two']);
  assert.is(await page.getByText('Somebody else changed').count(), 0);

  bodyOf(await call(`PATCH /todos/${id}`, { content: 'Theirs' }));
  await page.reload();
  await page.getByText('Somebody else changed the text since you began.').waitFor();
  await page.getByRole('button', { name: 'Save title' }).click();
  await sees('Typed');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Somebody else changed the text at the same time.').waitFor();
  assert.is(bodyOf(await call(`GET /todos/${id}`)).content, 'Theirs');
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await text.waitFor({ state: 'detached' });
  await page.getByText('Theirs', { exact: true }).waitFor();

  await title.fill('Left');
  await goTo(`/todos/${other.id}`, 'Other');
  assert.is(await title.inputValue(), 'Other');
  await goTo(`/todos/${id}`, 'Typed');
  assert.is(await title.inputValue(), 'Left');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.reload();
  await sees('Typed');
  await until(async () => (await title.inputValue()) === 'Typed');
});

test.promise('the Escape that cancels a composition leaves the title as it is typed', async (stage) => {
  const ada = await stage.person();
  const { id } = bodyOf(await callsOf(stage.tandem, ada)('POST /todos', { title: 'Draft' }), 201);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Draft');
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('名前');
  for (const composing of [{ isComposing: true }, { keyCode: 229 }])
    await title.dispatchEvent('keydown', { key: 'Escape', ...composing });
  assert.is(await title.inputValue(), '名前');
  await title.press('Escape');
  assert.is(await title.inputValue(), 'Draft');
});

test.promise('Enter and leaving the field are one change, which one undo takes back', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Draft' }), 201);
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Draft');
  const held = Promise.withResolvers<void>();
  await page.route(`**/api/v1/todos/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') await held.promise;
    await route.continue();
  });
  const dueDate = async () => bodyOf(await call(`GET /todos/${id}`)).dueDate;
  // Tab goes through the parts of a date first.
  const leave = () => page.getByRole('heading', { level: 1 }).focus();
  await page.getByLabel('Due date').fill('2030-01-02');
  await page.keyboard.press('Enter');
  await leave();
  held.resolve();
  await until(async () => (await dueDate()) === '2030-01-02');
  await page.keyboard.press('Control+z');
  await page.getByText('Undone.').waitFor();
  await until(async () => (await dueDate()) === null);
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('Other');
  await page.keyboard.press('Enter');
  await leave();
  await sees('Other');
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).title === 'Other');
  await page.keyboard.press('Control+z');
  await sees('Draft');
});

test.promise('every field is reached and changed by the keyboard', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const list = bodyOf(await call('POST /todo-lists', { name: 'Finance' }), 201);
  const agent = bodyOf(await call('POST /agents', { name: 'Researcher' }), 201);
  const { id } = bodyOf(await call('POST /todos', { title: 'Keys', assignees: [] }), 201);
  const { page, goTo } = await stage.window({ as: ada, locale: 'en-US' });
  await goTo(`/todos/${id}`, 'Keys');
  await page.getByRole('checkbox', { name: 'Researcher' }).waitFor();
  const tabTo = async (name: string) => {
    const isThere = () => page.evaluate('document.activeElement.labels?.[0]?.textContent.trim()');
    for (let tries = 0; !String(await isThere()).startsWith(name); tries++) {
      assert.ok(tries < 10, `${name} is not reached`);
      await page.keyboard.press('Tab');
    }
  };
  const isStored = (field: string, value: unknown) =>
    until(async () => {
      const { assignees, ...todo } = bodyOf(await call(`GET /todos/${id}`));
      const ids = assignees.map((one: { id: string }) => one.id);
      return JSON.stringify({ ...todo, assignees: ids }[field]) === JSON.stringify(value);
    });
  await page.getByRole('textbox', { name: 'Title' }).focus();
  await tabTo('Status');
  await page.keyboard.press('I');
  await isStored('status', 'in_progress');
  await tabTo('Priority');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await isStored('priority', 'high');
  await tabTo('Due date');
  await page.keyboard.type('01022030');
  await page.keyboard.press('Enter');
  await isStored('dueDate', '2030-01-02');
  await tabTo('List');
  await page.keyboard.press('F');
  await isStored('todoListId', list.id);
  await tabTo('Type');
  await page.keyboard.press('R');
  await isStored('type', 'responsibility');
  await tabTo('Ada');
  await page.keyboard.press('Space');
  await tabTo('Researcher');
  await page.keyboard.press('Space');
  await isStored('assignees', [ada.session.user.id, agent.id]);
  assert.is(await page.getByText('Somebody else changed').count(), 0);
});

test.promise('what another client set while a field was open is not overwritten without asking', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const agent = bodyOf(await call('POST /agents', { name: 'Researcher' }), 201);
  const { id } = bodyOf(await call('POST /todos', { title: 'Open', assignees: [] }), 201);
  const read = async () => bodyOf(await call(`GET /todos/${id}`));
  const { page, goTo } = await stage.window({ as: ada, locale: 'en-US' });
  await goTo(`/todos/${id}`, 'Open');
  const asked = (name: string) => page.getByText(`Somebody else changed the ${name} at the same time.`);

  const priority = page.getByLabel('Priority');
  await priority.focus();
  bodyOf(await call(`PATCH /todos/${id}`, { priority: 'urgent' }));
  await until(async () => (await priority.inputValue()) === 'urgent');
  await page.keyboard.press('L');
  await asked('priority').waitFor();
  assert.is((await read()).priority, 'urgent');
  await page.getByRole('button', { name: 'Keep yours' }).click();
  await until(async () => (await read()).priority === 'low');

  const due = page.getByLabel('Due date');
  await due.focus();
  bodyOf(await call(`PATCH /todos/${id}`, { dueDate: '2031-01-01' }));
  await until(async () => (await due.inputValue()) === '2031-01-01');
  await page.keyboard.type('01022030');
  await page.keyboard.press('Enter');
  await asked('due date').waitFor();
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await until(async () => (await due.inputValue()) === '2031-01-01');
  assert.is((await read()).dueDate, '2031-01-01');

  const box = page.getByRole('checkbox', { name: 'Ada' });
  await box.focus();
  bodyOf(await call(`PATCH /todos/${id}`, { assignees: [{ id: agent.id }] }));
  await until(async () => page.getByRole('checkbox', { name: 'Researcher' }).isChecked());
  await page.keyboard.press('Space');
  await asked('assignees').waitFor();
  assert.equal(
    (await read()).assignees.map((one: { id: string }) => one.id),
    [agent.id],
  );
  await page.getByText('Theirs: Researcher').waitFor();
  await page.getByRole('button', { name: 'Keep yours' }).click();
  await until(async () => (await read()).assignees.length === 2);
});

test.promise('a todo is archived, restored and erased only as it is shown', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Shown' }), 201);
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Shown');
  let release = () => {};
  const address = `**/api/v1/todos/${id}`;
  const reads = new Set<Request>();
  const isRead = (request: Request) => request.method() === 'GET' && new URL(request.url()).pathname.endsWith(id);
  page.on('request', (request) => isRead(request) && reads.add(request));
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', (request) => reads.delete(request));
  /** Does something while the page does not read what another client changed. */
  const stale = async (title: string, press: () => Promise<void>) => {
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = new Set<Request>();
    await page.route(address, async (route) => {
      held.add(route.request());
      if (route.request().method() === 'GET') await released;
      await route.continue().catch(() => {});
    });
    await until(() => [...reads].every((request) => held.has(request)));
    bodyOf(await call(`PATCH /todos/${id}`, { title }));
    const answered = page.waitForResponse(
      (response) => response.url().includes(`/todos/${id}`) && response.request().method() !== 'GET',
    );
    await press();
    assert.is((await answered).status(), 412);
    release();
    await page.getByText('Somebody else changed this todo meanwhile.').waitFor();
    await page.unroute(address);
    await sees(title);
  };
  const pressed = (name: string) => () => page.getByRole('button', { name, exact: true }).click();
  await stale('Second', pressed('Archive'));
  await pressed('Archive')();
  await page.getByText('The todo is archived.').waitFor();
  await stale('Third', pressed('Restore'));
  await pressed('Restore')();
  await page.getByText('The todo is restored.').waitFor();
  await pressed('Archive')();
  await page.getByRole('button', { name: 'Erase' }).waitFor();
  await stale('Fourth', async () => {
    await pressed('Erase')();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Erase' }).click();
  });
  await page.getByRole('alertdialog').getByRole('button', { name: 'Erase' }).click();
  await sees('Todos');
  assert.is((await call(`GET /todos/${id}`)).status, 404);
});

test.promise('a todo is duplicated once, also where the answer to the first press is lost', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Pattern', content: 'Steps', priority: 'low' }), 201);
  const { page, goTo, sees } = await stage.window({ as: ada, expected: /ERR_FAILED/ });
  await goTo(`/todos/${id}`, 'Pattern');
  const address = `**/api/v1/todos/${id}/duplicate`;
  await page.route(address, async (route) => {
    await route.fetch();
    await route.abort();
  });
  const press = page.getByRole('button', { name: 'Duplicate', exact: true });
  await press.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Notice' }).waitFor();
  await page.unroute(address);
  await press.click();
  await page.getByText('This is the copy.').waitFor();
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await sees('Pattern');
  const { data } = bodyOf(await call('GET /todos?query=Pattern'));
  assert.equal(
    data.map((todo: { content: string; priority: string }) => [todo.content, todo.priority]),
    [
      ['Steps', 'low'],
      ['Steps', 'low'],
    ],
  );
  assert.match(page.url(), data[0].id);
});

test.run();

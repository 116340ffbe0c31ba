import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { Command } from '../../web/src/shell/command.ts';
import { commands } from '../../web/src/shell/commands.ts';
import { pageSuite, type Window } from '../support/browser.ts';
import { breakOperations, expectedFailures } from '../support/page-faults.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/* What is found by typing: nothing here waits between the last character and Enter. */

const test = pageSuite('pages: the palette');

const desk = { viewport: { width: 1280, height: 900 } };

/** Holds back files until `release`. */
async function holdFiles(page: Page, name: RegExp) {
  const free = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await page.route(name, async (route) => {
    asked.resolve();
    await free.promise;
    await route.fallback();
  });
  return { asked: asked.promise, release: free.resolve };
}

async function openPalette({ page }: Window): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.locator('[role=dialog] input:focus').waitFor();
}

const activeOf = (page: Page) =>
  page.evaluate<string>('document.querySelector("[role=dialog] [data-focused] .option-name")?.textContent ?? ""');

/** Where a command leads. */
function placeOf(title: string): string | undefined {
  const gone: string[] = [];
  const command = commands.find((each) => each.title === title && each.section === 'Go to');
  command?.run({ go: (path: string) => gone.push(path) } as unknown as Parameters<Command['run']>[0]);
  return gone[0];
}

test.promise('Enter goes to what is shown as active, however it was typed', async (stage) => {
  const window = await stage.window({ as: await stage.person(), ...desk });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  const down = 'ArrowDown';
  const back = 'Backspace';
  const ways = [
    ['m', 'e', 'm'],
    ['s', 'e', back, 'c'],
    ['s', 'e', 's'],
    ['r', down, down, 'u', 'n'],
    ['a', down, 'g', back, 'p'],
    ['c', down, 'h', 'a', 't', 's'],
    ['s', 'c', back, back, 'l', 'a', 'b'],
    ['i', 'n', down, down, back, 'n', 'b'],
    ['n', 'o', down, down, back, 'o', 't'],
    ['u', 's', 'a', 'x', back],
  ];
  const seen: string[] = [];
  for (const way of ways) {
    await openPalette(window);
    for (const key of way) await page.keyboard.press(key);
    const active = await activeOf(page);
    await page.keyboard.press('Enter');
    const place = placeOf(active);
    assert.ok(place, `${way} shows “${active}”`);
    await until(
      async () => new URL(page.url()).pathname === place,
      () => `${way.join(' ')} shows “${active}” and leads to ${page.url()}`,
    );
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    seen.push(active);
  }
  assert.ok(new Set(seen).size > 6, seen.join());
});

test.promise('the Enter that ends a composition chooses nothing', async (stage) => {
  const window = await stage.window({ as: await stage.person(), ...desk });
  const { page, goTo } = window;
  await goTo('/todos', 'Todos');
  await openPalette(window);
  await page.keyboard.type('sessions');
  for (const composing of [{ isComposing: true }, { keyCode: 229 }])
    await page
      .getByRole('combobox', { name: 'Find a command' })
      .dispatchEvent('keydown', { key: 'Enter', ...composing });
  assert.is(await page.getByRole('dialog').count(), 1);
  assert.is(new URL(page.url()).pathname, '/todos');
  await page.keyboard.press('Enter');
  await page.waitForURL('/settings/sessions');
});

test.promise('what is typed before the palette is loaded runs nothing else and is found there', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Water the ferns' }), 201);
  const window = await stage.window({ as: ada, ...desk });
  const { page, goTo } = window;
  const code = await holdFiles(page, /\/palette-[^/]+\.js/);
  await goTo('/todos', 'Todos');
  await page.getByRole('row', { name: /^Water the ferns/ }).waitFor();
  await page.keyboard.press('j');
  await page.locator('[role=row]:focus').waitFor();
  await page.keyboard.press('Control+k');
  await code.asked;
  // Each of these keys is a key of the todo in focus.
  await page.keyboard.type('sessions');
  await page.keyboard.press('Enter');
  assert.is(await page.getByRole('dialog').count(), 0);
  code.release();
  await page.waitForURL('/settings/sessions');
  assert.is(bodyOf(await call(`GET /todos/${id}`)).status, 'ready');
});

test.promise(
  'Enter before the lists are read goes to the list once it is known, and creates nothing',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    bodyOf(await call('POST /todo-lists', { name: 'Garden' }), 201);
    const window = await stage.window({ as: ada, ...desk, expected: expectedFailures });
    const { page, goTo, sees } = window;
    const isList = (id: string) => id === 'listTodoLists';
    const held = await breakOperations(page, isList, 'slow');
    // The batch of the first page has no lists; they are read by themselves then.
    const refused = await breakOperations(page, isList, 503);
    const opened = goTo('/todos', 'Todos');
    await refused.asked;
    await refused.mend();
    await opened;
    await held.asked;
    await openPalette(window);
    await page.keyboard.type('gard');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Reading…').waitFor();
    await held.mend();
    await sees('Garden');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(bodyOf(await call('GET /todos')).data, []);
  },
);

test.promise('what arrives later stands below and takes the place of nothing', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  bodyOf(await call('POST /todo-lists', { name: 'Zen garden' }), 201);
  const window = await stage.window({ as: ada, ...desk });
  const { page, goTo, sees } = window;
  await goTo('/todos', 'Todos');
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Zen garden/ })
    .waitFor();
  await openPalette(window);
  await page.keyboard.type('garden');
  const lists = page.getByRole('group', { name: 'Lists' }).getByRole('option');
  await until(async () => (await activeOf(page)) === 'Zen garden');
  bodyOf(await call('POST /todo-lists', { name: 'A garden' }), 201);
  await lists.filter({ hasText: 'A garden' }).waitFor();
  assert.equal(await lists.allTextContents(), ['Zen garden', 'A garden']);
  assert.is(await activeOf(page), 'Zen garden');
  await page.keyboard.press('Enter');
  await sees('Zen garden');
});

test.promise('Enter opens what the service finds, and creates nothing before it has answered', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const todo = bodyOf(await call('POST /todos', { title: 'Water the ferns' }), 201);
  const note = bodyOf(await call('POST /captures', { type: 'note', content: 'Peat for orchids' }), 201);
  const [agent] = bodyOf(await call('GET /agents')).data;
  const chat = bodyOf(await call('POST /chats', { agentId: agent.id, message: 'Hello' }), 201);
  bodyOf(await call(`PATCH /chats/${chat.id}`, { title: 'Repotting' }));
  const window = await stage.window({ as: ada, ...desk, expected: expectedFailures });
  const { page, goTo, axe } = window;
  await goTo('/todos', 'Todos');
  for (const [typed, path] of [
    ['the ferns', `/todos/${todo.id}`],
    ['orchids', `/captures/${note.id}`],
    ['repotting', `/chats/${chat.id}`],
    [agent.name.slice(0, 6), `/agents/${agent.id}`],
  ] as const) {
    await openPalette(window);
    await page.keyboard.type(typed);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === path);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await openPalette(window);
  await page.keyboard.type('Mow the lawn');
  await page.keyboard.press('Enter');
  await page.getByText('“Mow the lawn” is on the list.').waitFor();

  const refused = await breakOperations(page, (id) => id === 'listTodos', 503);
  await openPalette(window);
  await page.keyboard.type('orchids');
  await page.getByText(/^Not searched: todos\./).waitFor();
  assert.is(await activeOf(page), 'Peat for orchids');
  for (let count = 0; count < 7; count++) await page.keyboard.press('Backspace');
  await page.keyboard.type('Rake the leaves');
  await page.getByText(/^Not searched: todos\./).waitFor();
  assert.equal(await axe('all'), []);
  await page.keyboard.press('Enter');
  await page.getByText('“Rake the leaves” is on the list.').waitFor();
  await refused.mend();
  const titles = bodyOf(await call('GET /todos')).data.map(({ title }: { title: string }) => title);
  assert.equal(titles, ['Rake the leaves', 'Mow the lawn', 'Water the ferns']);
});

test.promise(
  'a todo that is made without a connection is kept, and one with too long a title is not lost',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const window = await stage.window({ as: ada, ...desk, expected: expectedFailures });
    const { page, goTo } = window;
    await goTo('/todos', 'Todos');
    const unreachable = await breakOperations(page, () => true, 'unreachable');
    const field = page.getByRole('combobox', { name: 'Find a command' });
    await openPalette(window);
    await field.fill('a'.repeat(501));
    await page.getByRole('alert').getByText('at most 500 characters').waitFor();
    await page.keyboard.press('Enter');
    assert.is((await field.inputValue()).length, 501);
    await field.fill('Mow the lawn');
    await page.getByRole('option', { name: 'Create todo “Mow the lawn”' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('grid', { name: 'Todos' }).getByText('Mow the lawn').waitFor();
    await unreachable.mend();
    const titles = async () => bodyOf(await call('GET /todos')).data.map(({ title }: { title: string }) => title);
    await until(async () => (await titles()).length > 0);
    assert.equal(await titles(), ['Mow the lawn']);
  },
);

test.promise('a field of a todo takes what was typed, once that can be read', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Water the ferns' }), 201);
  const window = await stage.window({ as: ada, ...desk });
  const { page, goTo } = window;
  const code = await holdFiles(page, /\/field-dialog-[^/]+\.js/);
  const dates = await holdFiles(page, /\/dates-[^/]+\.js/);
  const people = await breakOperations(page, (operation) => operation === 'listMembers', 'slow');
  await goTo('/todos', 'Todos');
  await page.getByRole('row', { name: /^Water the ferns/ }).waitFor();
  await page.keyboard.press('j');
  const row = page.locator('[role=row]:focus[aria-label^="Water the ferns"]');
  await row.waitFor();
  await page.keyboard.press('d');
  await code.asked;
  await page.keyboard.type('3 march');
  code.release();
  const due = page.getByRole('dialog', { name: 'Due date: “Water the ferns”' });
  await due.locator('input:focus').waitFor();
  await page.keyboard.type(' 2031');
  await page.keyboard.press('Enter');
  await due.getByText('Reading…').waitFor();
  dates.release();
  await due.waitFor({ state: 'detached' });
  await row.waitFor();
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).dueDate === '2031-03-03');

  await page.keyboard.press('a');
  const assignee = page.getByRole('dialog', { name: 'Assignee: “Water the ferns”' });
  await assignee.locator('input:focus').waitFor();
  await page.keyboard.type('ada');
  await page.keyboard.press('Enter');
  await people.asked;
  await assignee.getByText('Reading…').waitFor();
  await people.mend();
  await assignee.waitFor({ state: 'detached' });
  await row.waitFor();
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).assignees[0]?.name === 'Ada');
});

test.run();

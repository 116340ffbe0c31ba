import type { Route } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { paste } from '../support/keyboard.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: one todo');

test.promise(
  'a line is read as it is typed, and the keyboard alone makes the todo of it and opens it',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const list = bodyOf(await call('POST /todo-lists', { name: 'Finance' }), 201);
    const agent = bodyOf(await call('POST /agents', { name: 'Researcher' }), 201);
    const window = await stage.window({ as: ada });
    const { page, goTo, sees } = window;
    await goTo('/chats', 'Chats');
    await page.keyboard.press('c');
    await sees('Todos');
    await page.locator('input[name="title"]:focus').waitFor();
    await page.keyboard.type('call the bank tomorrow 9am !ur');
    await page.getByRole('option', { name: '!urgent' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('#fin');
    await page.getByRole('option', { name: '#Finance' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('@res');
    await page.getByRole('option', { name: '@Researcher' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('every weekday');
    const tokens = page.getByRole('list', { name: 'Read from the line' }).getByRole('button');
    await until(async () => (await tokens.count()) === 5);
    await page.getByText('Every weekday at 09:00').waitFor();
    assert.is(await page.getByRole('list', { name: 'Next times' }).getByRole('listitem').count(), 3);
    assert.equal(await window.axe('all'), []);
    await page.reload();
    await sees('Todos');
    assert.is(
      await page.getByLabel('Title').inputValue(),
      'call the bank tomorrow 9am !urgent #Finance @Researcher every weekday',
    );
    await page.getByText('Every weekday at 09:00').waitFor();
    await page.getByLabel('Title').press('Control+Enter');
    await sees('call the bank');
    const { body } = await call('GET /todos');
    const { title, priority, todoListId, dueDate, rrule, assignees } = body.data[0];
    assert.equal(
      [title, priority, todoListId, rrule, assignees.map(({ id }: { id: string }) => id)],
      ['call the bank', 'urgent', list.id, 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0', [agent.id]],
    );
    assert.match(dueDate, /^\d{4}-\d\d-\d\d$/);
  },
);

/** Pastes lines into the field that has the focus. */
test.promise('tokens are turned back to text by Backspace, and pasted lines become todos', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  const title = page.getByLabel('Title');
  await title.fill('watch Tomorrow !high');
  const tokens = page.getByRole('list', { name: 'Read from the line' }).getByRole('button');
  await until(async () => (await tokens.count()) === 2);
  await title.press('Backspace');
  await until(async () => (await tokens.count()) === 1);
  await tokens.first().press('Backspace');
  await page.getByRole('list', { name: 'Read from the line' }).waitFor({ state: 'detached' });
  await title.press('Enter');
  await page.getByRole('grid').getByText('watch Tomorrow !high').waitFor();

  await title.focus();
  await paste(
    page,
    Array.from({ length: 60 }, (_, number) => `- Task ${number} !low`),
  );
  await page.getByRole('button', { name: 'Add 60 todos' }).click();
  await page.getByText('60 todos are created.').waitFor();
  const summary = async () => bodyOf(await call('GET /todos/summary'));
  // The first one is shown before it is sent.
  await until(async () => (await summary()).total === 61);
  assert.is((await summary()).byPriority.low, 60);
});

test.promise('of pasted lines those are offered again that were not made, and each is made once', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { page, goTo } = await stage.window({ as: ada, expected: /net::ERR_/ });
  await goTo('/todos', 'Todos');
  const title = page.getByLabel('Title');
  const lines = (count: number) => Array.from({ length: count }, (_, number) => `- - Line ${number}`);
  const total = async () => bodyOf(await call('GET /todos/summary')).total;
  const batches: ((route: Route) => Promise<unknown>)[] = [];
  await page.route('**/trpc/todos.createBatch*', (route) => batches.shift()?.(route) ?? route.continue());
  const passes = (route: Route) => route.continue();
  const fails = (route: Route) => route.abort('connectionreset');
  const loses = (route: Route) => route.fetch().then(() => fails(route));

  await title.focus();
  await paste(page, lines(120));
  batches.push(passes, loses);
  await page.getByRole('button', { name: 'Add 120 todos' }).click();
  await page.getByText('120 lines were pasted. 50 are created.').waitFor();
  await page.getByRole('button', { name: 'Add 70 todos' }).click();
  await page.getByText('120 todos are created.').waitFor();
  assert.is(await total(), 120);

  await title.focus();
  await paste(page, lines(60));
  batches.push(passes, fails);
  await page.getByRole('button', { name: 'Add 60 todos' }).click();
  await page.getByRole('button', { name: 'Add 10 todos' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Add 10 todos' }).waitFor();
  await page.getByRole('region', { name: 'Pasted lines' }).getByText('- Line 50', { exact: true }).waitFor();
  batches.push(fails);
  await page.getByRole('button', { name: 'Add 10 todos' }).click();
  await page.getByRole('alert').waitFor();
  await title.focus();
  await paste(page, lines(3));
  await page.getByRole('button', { name: 'Add 3 todos' }).click();
  await page.getByText('3 todos are created.').waitFor();
  assert.is(await total(), 173);

  // The answer is lost, the window is loaded again, and the lines are read in another way by then.
  await title.focus();
  await paste(page, ['Call tomorrow', 'Write today']);
  batches.push(loses);
  await page.getByRole('button', { name: 'Add 2 todos' }).click();
  await page.getByRole('alert').waitFor();
  await page.reload();
  await page.getByRole('checkbox', { name: 'Read dates and names in the lines' }).uncheck();
  await page.getByRole('button', { name: 'Add 2 todos' }).click();
  await page.getByText('2 todos are created.').waitFor();
  assert.is(await total(), 175);

  // The same lines pasted again are other todos.
  let sum = 175;
  for (const count of [2, 2, 52, 52]) {
    await title.focus();
    await paste(page, lines(count));
    await page.getByRole('button', { name: `Add ${count} todos` }).click();
    await page.getByRole('region', { name: 'Pasted lines' }).waitFor({ state: 'detached' });
    sum += count;
    assert.is(await total(), sum);
  }
});

test.promise('fields are saved with their version, and only a field that both changed asks', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Draft', content: 'One *line*' }), 201);
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo(`/todos/${id}`, 'Draft');
  await page.getByLabel('Priority').selectOption('high');
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).priority === 'high');
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.focus();
  bodyOf(await call(`PATCH /todos/${id}`, { dueDate: '2030-01-02' }));
  await title.fill('Mine');
  await title.press('Enter');
  await sees('Mine');
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).title === 'Mine');
  const merged = bodyOf(await call(`GET /todos/${id}`));
  assert.equal([merged.title, merged.dueDate, merged.priority], ['Mine', '2030-01-02', 'high']);

  await page.getByRole('heading', { level: 1 }).focus();
  await page.getByRole('button', { name: 'Edit' }).click();
  const theirs = 'Theirs\n* lines  ';
  bodyOf(await call(`PATCH /todos/${id}`, { content: theirs }));
  await page.getByRole('textbox', { name: 'Text' }).fill('Two\r\n* lines  ');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else changed the text at the same time.').waitFor();
  const lines = page.getByRole('list', { name: 'Theirs and yours, line by line' }).getByRole('listitem');
  assert.equal(await lines.allTextContents(), ['−Theirs: Theirs', '+Yours: Two', ' * lines  ']);
  assert.equal(await window.axe('all'), []);
  assert.is(bodyOf(await call(`GET /todos/${id}`)).content, theirs);
  await page.getByRole('button', { name: 'Keep yours' }).click();
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).content === 'Two\n* lines  ');
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the line with its tokens can be used by everyone: ${name}`, async (stage) => {
    const window = await stage.window({ ...options, as: await stage.person() });
    await window.goTo('/todos#new', 'Todos');
    await window.page.getByLabel('Title').fill('call the bank tomorrow 9am !urgent @me every weekday');
    await window.page.getByText('Every weekday at 09:00').waitFor();
    await look(window, `quick-add-${name}`);
  });
}

test.run();

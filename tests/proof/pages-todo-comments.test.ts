import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: comments on a todo');

test.promise('a comment is written with a mention, edited and deleted, and what happened is listed', async (stage) => {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  await call('POST /agents', { name: 'Adviser' });
  const { id } = bodyOf(await call('POST /todos', { title: 'Talk' }), 201);
  const read = async () => (await call(`GET /todos/${id}/comments`)).body.data;
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo(`/todos/${id}`, 'Talk');
  await page.getByText('No comments yet').waitFor();
  const field = page.getByRole('textbox', { name: 'New comment' });
  await field.focus();
  await page.keyboard.type('**Look** @ad');
  await page.getByRole('option', { name: '@Ada Lovelace' }).waitFor();
  assert.is(await page.getByRole('listbox').getByRole('option').count(), 1);
  assert.equal(await window.axe('all'), []);
  await page.keyboard.press('Enter');
  await until(async () => (await field.inputValue()) === '**Look** @Ada Lovelace ');
  await page.reload();
  await until(async () => (await field.inputValue()) === '**Look** @Ada Lovelace ');
  await field.press('Control+Enter');
  const list = page.getByRole('list', { name: 'Comments' });
  await list.locator('strong', { hasText: 'Look' }).waitFor();
  await until(async () => (await field.inputValue()) === '');
  const [first] = await read();
  assert.equal([first.text.trim(), first.mentions], ['**Look** @Ada Lovelace', [ada.session.user.id]]);

  bodyOf(await call(`POST /todos/${id}/comments`, { text: 'From elsewhere' }), 201);
  await list.getByText('From elsewhere').waitFor();

  await list.getByRole('button', { name: 'Edit comment' }).first().click();
  await page.getByRole('textbox', { name: 'Your comment' }).fill('Nobody');
  await page.getByRole('button', { name: 'Save comment' }).click();
  await list.getByText('Nobody').waitFor();
  await list.getByText('edited').waitFor();
  assert.equal(
    (await read()).map(({ text, mentions }: { text: string; mentions: string[] }) => [text, mentions]),
    [
      ['Nobody', []],
      ['From elsewhere', []],
    ],
  );
  await list.getByRole('button', { name: 'Delete: comment' }).first().click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await list.getByText('Nobody').waitFor({ state: 'detached' });
  assert.is((await read()).length, 1);

  await page.getByLabel('Priority').selectOption('high');
  const activity = page.getByRole('list', { name: 'Activity' });
  await activity.getByText('Ada Lovelace changed the priority').waitFor();
  await activity.getByText('Ada Lovelace added this todo').waitFor();
});

test.promise('what is typed into a comment stays: through a reload, and while it is being sent', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Talk' }), 201);
  bodyOf(await call(`POST /todos/${id}/comments`, { text: 'First' }), 201);
  const { page, goTo, sees } = await stage.window({ as: ada });
  const list = page.getByRole('list', { name: 'Comments' });
  const edited = page.getByRole('textbox', { name: 'Your comment' });
  const field = page.getByRole('textbox', { name: 'New comment' });
  const held = async (name: string) => {
    const free = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route(`**/trpc/${name}*`, async (route) => {
      asked.resolve();
      await free.promise;
      await route.continue();
    });
    return { asked: asked.promise, release: free.resolve };
  };
  const texts = async () =>
    (await call(`GET /todos/${id}/comments`)).body.data.map((each: { text: string }) => each.text);
  await goTo(`/todos/${id}`, 'Talk');
  await list.getByRole('button', { name: 'Edit comment' }).click();
  await edited.fill('Changed');
  await page.reload();
  await sees('Talk');
  await edited.waitFor();
  assert.is(await edited.inputValue(), 'Changed');

  const update = await held('todos.updateComment');
  await edited.press('Control+Enter');
  await update.asked;
  await edited.fill('Changed, and more');
  update.release();
  await until(async () => (await texts()).join() === 'Changed');
  await page.getByRole('button', { name: 'Save comment' }).waitFor();
  assert.is(await edited.inputValue(), 'Changed, and more');
  await page.getByRole('button', { name: 'Save comment' }).click();
  await edited.waitFor({ state: 'detached' });
  await list.getByText('Changed, and more').waitFor();
  assert.equal(await page.evaluate('Object.keys(sessionStorage).filter((key) => key.includes("comment"))'), []);

  const create = await held('todos.createComment');
  await field.fill('Second');
  await field.press('Control+Enter');
  await create.asked;
  await field.fill('Second, and more');
  create.release();
  await list.getByText('Second', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Comment', exact: true }).waitFor();
  assert.is(await field.inputValue(), 'Second, and more');
});

test.promise('many comments are paged, and an own one is shown after all of them', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const agent = bodyOf(await call('POST /agents', { name: 'Researcher' }), 201);
  const { id } = bodyOf(await call('POST /todos', { title: 'Long' }), 201);
  await stage.tandem.db.rows(
    `insert into todo_comments (workspace_id, id, todo_id, agent_id, text, mentions, created_at)
     select $1, gen_random_uuid(), $2, $3, 'Comment ' || n, '{}', now() - interval '1 day' + n * interval '1 minute'
     from generate_series(1, 120) n`,
    [ada.session.workspace.id, id, agent.id],
  );
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Long');
  const rows = page.getByRole('list', { name: 'Comments' }).getByRole('listitem');
  await until(async () => (await rows.count()) === 50);
  assert.match(await rows.first().innerText(), /Comment 1$/);
  assert.is(await page.getByRole('button', { name: 'Edit comment' }).count(), 0);
  await page.getByRole('button', { name: 'Show later comments' }).click();
  await until(async () => (await rows.count()) === 100);
  await page.getByRole('textbox', { name: 'New comment' }).fill('Mine');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await until(async () => (await rows.count()) === 121);
  assert.match(await rows.last().innerText(), /Mine/);
});

const narrow = { name: 'narrow', colorScheme: 'light', viewport: { width: 320, height: 720 } } as const;

for (const { name, ...options } of [
  ...looksOf(import.meta.url),
  narrow,
  { ...narrow, name: 'narrow-dark', colorScheme: 'dark' } as const,
]) {
  test.promise(`the page can be used by everyone: ${name}`, async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const content = `Text with a ${'long'.repeat(40)} word\n\n- and a list`;
    const { id } = bodyOf(await call('POST /todos', { title: 'Looks', content, dueDate: '2030-01-02' }), 201);
    bodyOf(await call(`POST /todos/${id}/comments`, { text: `# Head\n\n${'wide'.repeat(50)}` }), 201);
    const window = await stage.window({ ...options, as: ada });
    await window.goTo(`/todos/${id}`, 'Looks');
    await window.page.getByRole('heading', { name: 'Head' }).waitFor();
    await window.page.getByText('Ada wrote a comment').waitFor();
    await look(window, `todo-${name}`);
    await window.page.getByRole('button', { name: 'Edit', exact: true }).click();
    await look(window, `todo-edit-${name}`);
  });
}

test.run();

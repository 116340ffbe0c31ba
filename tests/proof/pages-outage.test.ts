import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { pressAtOnce } from '../support/keyboard.ts';
import { isReady } from '../support/outbox-pages.ts';
import { breakOperations, expectedFailures, sentenceOf } from '../support/page-faults.ts';
import { callsOf, newAccount, temporaryDirectory } from '../support/people.ts';
import { freePort } from '../support/ports.ts';
import { startProcess } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/* What pages show while the service is away or slow, and that they recover by themselves. */

const test = pageSuite('pages: a service that is away');

/** Pages of work, what they show once they are read, and operations that are read for it. */
const pages: [path: string, shown: string, operations: string[]][] = [
  ['/todos', 'Find a hall', ['listTodos', 'summariseTodos']],
  ['/inbox', 'Nothing needs you', ['listApprovals', 'listNotifications', 'listTodos', 'listRuns']],
  ['/chats', 'No chats yet', ['listChats']],
  ['/agents', 'An agent for each kind of work', ['listAgents']],
  ['/captures', 'No captures yet', ['listCaptures']],
  ['/schedules', 'Nothing is scheduled', ['listTodos']],
  ['/runs', 'No runs yet', ['listRuns']],
  ['/settings/members', 'Ada', ['listMembers', 'listInvitations']],
  ['/settings/api-keys', 'No keys yet', ['listApiKeys']],
  ['/settings/webhooks', 'No webhook endpoints yet', ['listWebhookEndpoints']],
];

async function withTodo(stage: Stage) {
  const ada = await stage.person();
  bodyOf(await callsOf(stage.tandem, ada)('POST /todos', { title: 'Find a hall' }), 201);
  return ada;
}

for (const [path, shown, operations] of pages) {
  test.promise(`${path} says what is wrong, and is read by itself when the service is back`, async (stage) => {
    const { page } = await stage.window({ as: await withTodo(stage), expected: expectedFailures });
    const broken = await breakOperations(page, (id) => operations.includes(id), 503);
    await page.goto(path);
    await page.getByRole('alert').getByText(sentenceOf(503)).first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    await broken.mend();
    await page.locator('#content').getByText(shown).first().waitFor();
    // Another part of the page may be read a moment later.
    await until(async () => (await page.getByText(sentenceOf(503)).count()) === 0);
  });
}

for (const [key, field, operation, choice] of [
  ['a', 'Assignee', 'listMembers', 'Nobody'],
  ['l', 'List', 'listTodoLists', 'Inbox'],
] as const) {
  test.promise(`the dialog of the field “${field}” says what is wrong, and reads again when asked`, async (stage) => {
    const window = await stage.window({ as: await withTodo(stage), expected: expectedFailures });
    const { page, goTo, axe } = window;
    const broken = await breakOperations(page, (id) => id === operation, 429);
    await goTo('/todos', 'Todos');
    await page.getByRole('row', { name: /^Find a hall/ }).focus();
    await page.keyboard.press(key);
    const dialog = page.getByRole('dialog', { name: `${field}: “Find a hall”` });
    await dialog.getByRole('alert').getByText(sentenceOf(429)).waitFor();
    assert.is(await dialog.getByText(/Reading|Nothing is found/).count(), 0);
    assert.equal(await axe('all'), []);
    await page.keyboard.type('no');
    await page.keyboard.press('Enter');
    await broken.mend();
    await dialog.getByRole('button', { name: 'Try again' }).press('Enter');
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(choice);
    await dialog.getByRole('option', { name: choice }).waitFor();
  });
}

test.promise('while the todos are read slowly the page can be used, and what is typed stays', async (stage) => {
  const { page, goTo, sees } = await stage.window({ as: await withTodo(stage) });
  await goTo('/chats', 'Chats');
  const broken = await breakOperations(page, (id) => id === 'listTodos', 'slow');
  await pressAtOnce({ page }, 'g', 'a');
  await sees('Todos');
  await broken.asked;
  const title = page.getByRole('combobox', { name: 'Title' });
  await title.fill('Call the ba');
  assert.is(await page.getByText('No open todos').count(), 0, 'nothing is known about the list yet');
  await broken.mend();
  await page.getByRole('grid', { name: 'Todos' }).getByText('Find a hall').waitFor();
  await title.press('End');
  await page.keyboard.type('nk');
  assert.is(await title.inputValue(), 'Call the bank');
});

test.promise('too many requests: the page says for how long, and asks no sooner', async (stage) => {
  const { page } = await stage.window({ as: await withTodo(stage), expected: expectedFailures });
  let asked = 0;
  page.on('request', (request) => {
    // The sidebar asks what agents do, for three states at once.
    if (/chats\.list/.test(request.url()) && !request.url().includes('chats.list,chats.list')) asked += 1;
  });
  await breakOperations(page, (id) => id === 'listChats', 429);
  await page.goto('/chats');
  await page.getByRole('alert').getByText('Try again in 37 s.').waitFor();
  // The code that starts the page and the page itself have asked. A read that may be repeated is after 2 seconds.
  const before = asked;
  await page.waitForTimeout(6_000);
  assert.is(asked, before);
});

test.promise(
  'a service that is killed and started again is found again, and has what was typed once',
  async (stage) => {
    const directory = temporaryDirectory();
    const settings = { DATA_DIR: directory.path, PORT: String(await freePort()) };
    let service = await startProcess(settings);
    try {
      const ada = await newAccount({ call: (route, body, options) => service.call(route, options?.key ?? null, body) });
      const more = { baseURL: service.url, elsewhere: [service.url], expected: expectedFailures };
      const { page, goTo } = await stage.window(more);
      const value = ada.session.token;
      await page.context().addCookies([{ name: 'tandem_session', value, url: service.url, httpOnly: true }]);
      await goTo('/todos', 'Todos');
      await isReady(page);
      const title = page.getByRole('combobox', { name: 'Title' });
      await title.fill('Call the bank');

      service.child.kill('SIGKILL');
      await service.exited;
      await title.press('Enter');
      await page.getByText('1 change waits').waitFor();
      await page.getByText('Live updates paused.').waitFor();
      const grid = page.getByRole('grid', { name: 'Todos' });
      await grid.getByText('Call the bank').waitFor();

      service = await startProcess(settings);
      await page.getByText('Live updates paused.').waitFor({ state: 'detached' });
      const todos = async (): Promise<string[]> => {
        const { body } = await service.call('GET /todos', value);
        return body.data.map(({ title: each }: { title: string }) => each);
      };
      bodyOf(await service.call('POST /todos', value, { title: 'Written elsewhere' }), 201);
      await grid.getByText('Written elsewhere').waitFor();
      await until(async () => (await todos()).length > 1);
      assert.equal((await todos()).sort(), ['Call the bank', 'Written elsewhere']);
      await page.context().close();
    } finally {
      await service.stop();
      directory.remove();
    }
  },
);

test.run();
